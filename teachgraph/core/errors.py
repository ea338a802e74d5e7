"""Errors, each kind with a name of its own.

A message names the op, its inputs with shapes and dtypes and the user's own line, and
says what would be right. Each class is also the built-in error that fits, so code
written for Paddle or NumPy catches it as it always did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import Any

from teachgraph.core.callsite import Callsite, callsite


class TeachgraphError(Exception):
    """Whatever the framework itself raises."""


class ModeError(TeachgraphError, RuntimeError):
    """Something that only the other mode (dynamic or static) can do."""


class DataError(TeachgraphError, ValueError):
    """A data set or file that is not what it should be."""


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


class ConversionError(TeachgraphError, RuntimeError):
    """Python that `to_static` cannot turn into a program."""


class NoSourceError(ConversionError, OSError):
    """A function whose source is not to be had, so that it cannot be converted."""


class BackwardTwiceError(TeachgraphError, RuntimeError):
    """A second reverse pass over a graph whose saved values are gone."""


class InPlaceError(TeachgraphError, RuntimeError):
    """A tensor changed in place that a reverse pass still needs as it was."""


class GradientMismatch(TeachgraphError, AssertionError):
    """A gradient that differs from what finite differences say."""


class OpError(TeachgraphError):
    """An op that cannot take its inputs.

    A kernel raises one with the reason alone; the interpreter that ran the kernel adds
    the op, its inputs and the user's line with `explain`.
    """

    needs: str | None = None
    """The inputs that would be right, whatever the op, where that is known."""

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


class OutOfRangeError(InvalidValueError, IndexError):
    """An index past the end."""


class DivisionError(InvalidValueError, ZeroDivisionError):
    """A whole number divided by zero."""

    needs = "divisors other than 0"


class MixedModeError(OpError, TypeError):
    """A Tensor (runs now) and a Variable (runs later) in one op."""

    needs = ""


class PyFuncError(OpError, RuntimeError):
    """A user's function in a `py_func` that raised or returned the wrong thing."""

    __str__ = Exception.__str__  # a KeyError among its kinds would quote the message


_KINDS: tuple[tuple[type[BaseException], type[OpError]], ...] = (
    (IndexError, InvalidValueError),
    (TypeError, DTypeError),
    (ValueError, ShapeError),
)


def describe(value: Any) -> str:
    """One line about an input: what it is, its dtype and shape, its name.

    >>> import numpy as np
    >>> describe(np.zeros((2, 3), "float32"))
    'ndarray float32 [2, 3]'
    """
    kind = type(value).__name__
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if dtype is None or not isinstance(shape, (tuple, list)):
        return f"{kind} {value!r}"[:80]
    name = getattr(value, "label", "")
    return f"{kind} {dtype} {list(shape)}" + (f"  ({name})" if name else "")


def at_user_line(message: str, where: Callsite | None = None) -> str:
    """A message with the user's line under it (by default that of this call)."""
    where = where or callsite()
    return message if where is None else f"{message}\n  at {where}"


def _arguments(
    names: Iterable[str], inputs: Sequence[Any], called: Iterable[str]
) -> list[str]:
    return [
        f"  {name}: {describe(value)}" + (f"  ({label})" if label else "")
        for name, value, label in zip(
            names, inputs, chain(called, repeat("")), strict=False
        )
    ]


def _attributes(attrs: Mapping[str, Any]) -> list[str]:
    text = ", ".join(f"{name} = {value!r}" for name, value in attrs.items())
    return [f"  with {text}"] if text else []


def explain(
    op: str,
    names: Iterable[str],
    inputs: Sequence[Any],
    attrs: Mapping[str, Any],
    error: BaseException,
    *,
    needs: str = "",
    where: Callsite | None = None,
    called: Iterable[str] = (),
) -> OpError:
    """Turn what a kernel raised into an error a learner can act on.

    Args:
        op: The op's type.
        names: Its slot names, in order.
        inputs: What it was given.
        attrs: Its attributes.
        error: What the kernel raised.
        needs: What would have been right.
        where: The user's line; by default that of the current call.
        called: What each input is called, where it does not know that itself.
    """
    if isinstance(error, OpError) and error.op:
        return error
    if isinstance(error, AttributeError):
        error = DTypeError(f"{describe(error.obj)} is no tensor")
    kind = type(error) if isinstance(error, OpError) else OpError
    if kind is OpError:
        kind = next(
            (ours for theirs, ours in _KINDS if isinstance(error, theirs)), kind
        )
    where = where or callsite()
    lines = [f"{op} cannot take these inputs: {error}".rstrip()]
    lines += _arguments(names, inputs, called) + _attributes(attrs)
    if kind.needs is not None:
        needs = kind.needs
    if needs:
        lines.append(f"  {op} needs {needs}")
    explained = kind(at_user_line("\n".join(lines), where))
    explained.reason, explained.op, explained.where = str(error), op, where
    return explained
