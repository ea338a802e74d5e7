"""Log of conversions, through Python's `logging`."""

from __future__ import annotations

import ast
import logging
import sys

__all__ = ["conversion_log", "log_to_stdout"]

logger = logging.getLogger("teachgraph.jit")


class ConversionLog:
    """The level of logging.

    Attributes:
        code_level: The number of the transformer whose result is logged; 0 for none.
        verbosity: From 1 on, each converted function is logged.
    """

    code_level = 0
    verbosity = 0

    def converting(self, name: str, file: str) -> None:
        """Log that a function is about to be converted."""
        logger.warning("converting %s of %s", name, file)

    def changed(self, number: int, construct: str, node: ast.AST, last: int) -> None:
        """Log a transformer's result, if it is the one asked for."""
        if number == min(self.code_level, last):
            code = ast.unparse(ast.fix_missing_locations(node))
            logger.warning("after %r:\n%s", construct, code)


conversion_log = ConversionLog()
_handler = logging.StreamHandler(sys.stdout)


def log_to_stdout(wanted: bool) -> None:
    """Start or stop writing the log to standard output."""
    logger.removeHandler(_handler)
    if wanted:
        _handler.setStream(sys.stdout)
        logger.addHandler(_handler)
