"""Messages of errors of ops: the op, its inputs, what it needs and the user's line.

The core raises what a kernel said; this is loaded when the first op is to explain it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from teachgraph.core.callsite import Callsite, callsite
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    OpError,
    ShapeError,
    at_user_line,
)
from teachgraph.core.op import Attrs, Op, Values, explanation, like

if TYPE_CHECKING:
    from teachgraph.core.program import Block

__all__ = ["describe", "explain", "none_error", "refuse_none"]

NONE = re.compile(r"(?<!class )'NoneType'|^NoneType$")
"""Python's own words for a None where it cannot be; `<class 'NoneType'>` is in ours."""

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
    names = list(names)
    if NONE.search(str(error)) and (name := first_none(names, inputs)):
        error, needs = DTypeError(f"{name} must not be None"), ""
    elif isinstance(error, AttributeError):
        error = DTypeError(f"{describe(error.obj)} is no tensor")
    kind = type(error) if isinstance(error, OpError) else OpError
    if kind is OpError:
        kind = next(
            (ours for theirs, ours in _KINDS if isinstance(error, theirs)), kind
        )
    where = where or callsite()
    lines = [f"{op} cannot take these inputs: {error}".rstrip()]
    lines += _arguments(names, inputs, called) + _attributes(attrs)
    if needs := getattr(kind, "needs", needs):
        lines.append(f"  {op} needs {needs}")
    explained = kind(at_user_line("\n".join(lines), where))
    explained.reason, explained.op, explained.where = str(error), op, where
    return explained


def none_error() -> TypeError:
    """The error for an input that is None; its explanation says which."""
    return TypeError("NoneType")


def refuse_none(*inputs: Any) -> None:
    """Refuse None where NumPy would take it for an object.

    Raises:
        TypeError: An input is None.
    """
    if any(value is None for value in inputs):
        raise none_error()


def first_none(names: Iterable[str], inputs: Sequence[Any]) -> str | None:
    """The name of the first input that is None."""
    pairs = zip(names, inputs, strict=False)
    return next((name for name, value in pairs if value is None), None)


@explanation.wrap
def in_full(brief: Callable[..., OpError]) -> Callable[..., OpError]:
    """Explain with the inputs under their slot names, and what the op needs of them."""

    def explain_op(
        op: Op,
        inputs: Values,
        attrs: Attrs,
        error: BaseException,
        where: Callsite | None = None,
        names: Sequence[str | None] = (),
        block: Block | None = None,
    ) -> OpError:
        told = isinstance(error, OpError)
        reason = error if told else shape_reason(op, inputs, attrs) or error
        return explain(
            op.type,
            op.parameter_names(len(inputs)),
            inputs,
            attrs,
            reason,
            needs=op.needs,
            where=where,
            called=[described(block, name) for name in names],
        )

    return explain_op


def described(block: Block | None, name: str | None) -> str:
    """A variable's name, and how it was declared if that leaves a size open."""
    if block is None or name is None:
        return name or ""
    variable = block._find_var_recursive(name)
    if variable is None or -1 not in variable.shape:
        return name
    return f"{name}, declared {list(variable.shape)}"


def shape_reason(op: Op, inputs: Values, attrs: Attrs) -> OpError | None:
    """Find why these shapes do not fit, in the words of the op's own inference."""
    if op.infer is None:
        return None
    try:
        op.infer(*map(like, inputs), **op.complete(attrs))
    except OpError as reason:
        return reason.with_traceback(None)  # whose frames would keep it alive
    except Exception:
        return None
    return None
