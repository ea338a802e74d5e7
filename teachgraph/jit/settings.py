"""Settings of conversion: what is left as it is, and what is logged."""

from __future__ import annotations

import ast
import logging
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from teachgraph.core.errors import DTypeError, InvalidValueError

__all__ = [
    "LEFT_ALONE",
    "conversion_log",
    "enable_to_static",
    "ignore_module",
    "ignored",
    "not_to_static",
    "program_limit",
    "set_code_level",
    "set_program_limit",
    "set_verbosity",
    "switch",
]


class ProgramLimit:
    """The number of programs of one function that are kept."""

    most = 100


program_limit = ProgramLimit()


def set_program_limit(most: int) -> None:
    """Let each function keep at most so many programs, the newest; 100 at first.

    A program holds what was computed of its weights and the code it runs by. A function
    whose oldest program was dropped is traced again when that is needed.

    Raises:
        InvalidValueError: `most` is no positive number.

    >>> set_program_limit(100)
    """
    if not (isinstance(most, int) and most > 0):
        message = f"set_program_limit takes a positive number, got {most!r}"
        raise InvalidValueError.here(message)
    program_limit.most = most


LEFT_ALONE = "_teachgraph_left_alone"
"""The attribute that `not_to_static` sets on a function."""

ignored: set[str] = set()
"""Modules whose functions are called as they are."""


class _Switch:
    """The state of `enable_to_static`."""

    on = True


switch = _Switch()
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


def not_to_static(func: Callable[..., Any] | None = None) -> Any:
    """Leave a function as it is where another one is converted; a decorator.

    In Paddle this is `paddle.jit.not_to_static`.
    """
    if func is None:
        return not_to_static
    setattr(func, LEFT_ALONE, True)
    return func


def ignore_module(modules: list[ModuleType] | ModuleType) -> None:
    """Leave the functions of some modules as they are.

    Raises:
        DTypeError: One is no module.

    In Paddle this is `paddle.jit.ignore_module`.
    """
    several = modules if isinstance(modules, (list, tuple)) else [modules]
    if not all(isinstance(module, ModuleType) for module in several):
        raise DTypeError.here(f"ignore_module takes modules, got {modules!r}")
    ignored.update(module.__name__ for module in several)


def enable_to_static(enable_to_static_bool: bool) -> None:
    """Make programs of functions, or run them op by op.

    In Paddle this is `paddle.jit.enable_to_static`.
    """
    switch.on = bool(enable_to_static_bool)


def set_code_level(level: int = 100, also_to_stdout: bool = False) -> None:
    """Log the code of each function that is converted from now on; 0 for no more.

    Args:
        level: The number of the transformer whose result is logged; any larger one
            means the last.
        also_to_stdout: True to write to standard output as well.

    In Paddle this is `paddle.jit.set_code_level`.
    """
    conversion_log.code_level = level
    log_to_stdout(also_to_stdout)


def set_verbosity(level: int = 0, also_to_stdout: bool = False) -> None:
    """Log which functions are converted, from level 1 on.

    In Paddle this is `paddle.jit.set_verbosity`.
    """
    conversion_log.verbosity = level
    log_to_stdout(also_to_stdout)
