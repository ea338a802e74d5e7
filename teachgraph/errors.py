"""Errors, each kind with a name of its own: the core's, and those of what hangs on it.

Each class is also the built-in error that code for Paddle or NumPy catches.
"""

from __future__ import annotations

from teachgraph.core.errors import (
    BackwardTwiceError,
    DTypeError,
    ExecutorError,
    FeedError,
    FetchError,
    GradientShapeError,
    InvalidValueError,
    ModeError,
    NotInitializedError,
    OpError,
    ProgramError,
    ShapeError,
    TeachgraphError,
    UnknownOpError,
)

__all__ = [
    "BackwardTwiceError",
    "ConversionError",
    "DTypeError",
    "DataError",
    "DivisionError",
    "ExecutorError",
    "FeedError",
    "FetchError",
    "GradientMismatch",
    "GradientShapeError",
    "InPlaceError",
    "InvalidValueError",
    "MixedModeError",
    "ModeError",
    "NameKeyError",
    "NoSourceError",
    "NotInitializedError",
    "OpError",
    "OutOfRangeError",
    "ProgramError",
    "PyFuncError",
    "ShapeError",
    "TeachgraphError",
    "UnknownOpError",
]


class MixedModeError(OpError, TypeError):
    """A Tensor (runs now) and a Variable (runs later) in one op."""

    needs = ""  # nothing of this op: other inputs would be right

    def __init__(
        self,
        reason: str = "a Tensor runs now, a Variable later in its program; feed the "
        "Tensor's values to the program, or build all of it in dynamic mode",
    ) -> None:
        super().__init__(reason)


class DataError(TeachgraphError, ValueError):
    """A data set or file that is not what it should be."""


class ConversionError(TeachgraphError, RuntimeError):
    """Python that `to_static` cannot turn into a program."""


class NoSourceError(ConversionError, OSError):
    """A function whose source is not to be had, so that it cannot be converted."""


class InPlaceError(TeachgraphError, RuntimeError):
    """A tensor changed in place that a reverse pass still needs as it was."""


class GradientMismatch(TeachgraphError, AssertionError):
    """A gradient that differs from what finite differences say."""


class OutOfRangeError(InvalidValueError, IndexError):
    """An index past the end."""


class NameKeyError(InvalidValueError, KeyError):
    """A name under which there is nothing, or something else already, or no name."""

    __str__ = Exception.__str__  # a KeyError's would quote the message


class DivisionError(InvalidValueError, ZeroDivisionError):
    """A whole number divided by zero."""

    needs = "divisors other than 0"


class PyFuncError(OpError, RuntimeError):
    """A user's function in a `py_func` that raised or returned the wrong thing."""

    __str__ = Exception.__str__  # a KeyError among its kinds would quote the message
