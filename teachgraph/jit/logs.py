"""What is told of conversions, through Python's own logging."""

from __future__ import annotations

import ast
import logging
import sys

__all__ = ["log_to_stdout", "telling"]

logger = logging.getLogger("teachgraph.jit")


class Telling:
    """How much is told.

    Attributes:
        code_level: After which transformer the code is told; 0 for never.
        verbosity: From 1 on, which functions are converted.
    """

    code_level = 0
    verbosity = 0

    def converting(self, name: str, file: str) -> None:
        """A function is about to be converted."""
        if self.verbosity > 0:
            logger.warning("converting %s of %s", name, file)

    def changed(self, number: int, construct: str, node: ast.AST, last: int) -> None:
        """A transformer has done its part."""
        if self.code_level and number == min(self.code_level, last):
            code = ast.unparse(ast.fix_missing_locations(node))
            logger.warning("after %r:\n%s", construct, code)


telling = Telling()
_handler = logging.StreamHandler(sys.stdout)


def log_to_stdout(wanted: bool) -> None:
    """Write what is told to standard output, or no longer."""
    logger.removeHandler(_handler)
    if wanted:
        _handler.setStream(sys.stdout)
        logger.addHandler(_handler)
