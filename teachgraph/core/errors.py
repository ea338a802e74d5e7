"""Errors, each kind with a name of its own.

A message names the op, its inputs and the user's own line, and says what would be
right. What code for Paddle or NumPy catches is also that built-in error.
"""

from __future__ import annotations

from typing import Self

from teachgraph.core.callsite import Callsite, callsite


class TeachgraphError(Exception):
    """Whatever the framework itself raises."""

    @classmethod
    def here(cls, message: str, where: Callsite | None = None) -> Self:
        """The error with the user's line under its message."""
        return cls(at_user_line(message, where))


class ModeError(TeachgraphError, RuntimeError):
    """Something that only the other mode (dynamic or static) can do."""


class ProgramError(TeachgraphError, ValueError):
    """A Program, Block, Operator or Variable that would not fit together."""


class UnknownOpError(ProgramError):
    """No op of this type is registered."""


class ExecutorError(TeachgraphError, RuntimeError):
    """An Executor that cannot run what it was given."""


class FeedError(ExecutorError, ValueError):
    """A feed that is missing, unknown, or of the wrong shape or dtype."""


class FetchError(ExecutorError, ValueError):
    """A fetch of what does not exist."""


class NotInitializedError(ExecutorError):
    """A persistable variable that has no value yet: run the startup program first."""


class BackwardTwiceError(TeachgraphError, RuntimeError):
    """A second reverse pass over a graph whose saved values are gone."""


class OpError(TeachgraphError):
    """An op that cannot take its inputs.

    A kernel raises one with the reason alone; the interpreter that ran the kernel adds
    the op, its inputs and the user's line with `explain`.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.op = ""
        self.where: Callsite | None = None


class ShapeError(OpError, ValueError):
    """Shapes that do not fit."""


class GradientShapeError(ShapeError):
    """A gradient whose shape is not that of its tensor."""


class DTypeError(OpError, TypeError):
    """Types an op has no meaning for."""


class InvalidValueError(OpError, ValueError):
    """A value out of range: a label, an index, an attribute."""


def at_user_line(message: str, where: Callsite | None = None) -> str:
    """A message with the user's line under it (by default that of this call)."""
    where = where or callsite()
    return message if where is None else f"{message}\n  at {where}"
