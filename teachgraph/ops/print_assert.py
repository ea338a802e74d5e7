"""`Print` and `Assert`: ops that inspect values while a program runs."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import Like
from teachgraph.ops.foreign import foreign_op
from teachgraph.ops.inline_rules import inline_grad

__all__ = ["assert_", "print_"]

_printed: Counter[int] = Counter()
"""Number of times each Print has printed, by its id."""


@foreign_op(type="assert", outputs=(), needs="Cond: one boolean")
def assert_(cond: Any, *data: Any, summarize: int = -1) -> Any:
    """Raise an error unless `cond` is true.

    Raises:
        InvalidValueError: It is not; the message shows `data`.
    """
    if not np.reshape(cond, ()):
        shown = "".join(f"\n  {text_of(value, summarize)}" for value in data)
        raise InvalidValueError(f"the condition does not hold{shown}")
    return ()


@assert_.infers
def assert_spec(cond: Like, *data: Like, summarize: int) -> Any:
    """No outputs."""
    return []


@foreign_op(type="print")
def print_(
    x: Any,
    *,
    first_n: int = -1,
    message: str = "",
    summarize: int = 20,
    name: str = "",
    print_phase: str = "BOTH",
    is_forward: bool = True,
    number: int = 0,
) -> Any:
    """Copy `x`, and print it in forward, or its gradient in backward.

    Print only the first `first_n` times, unless that is negative.
    """
    if print_phase in ("BOTH", "FORWARD" if is_forward else "BACKWARD"):
        _printed[number] += 1
        if first_n < 0 or _printed[number] <= first_n:
            label = name if is_forward else f"{name}@GRAD"
            head = " ".join(filter(None, [message, label]))
            text = text_of(x, summarize)
            sys.stdout.write(f"{head}: {x.dtype} {list(x.shape)} {text}\n")
    return np.array(x)


@print_.infers
def print_spec(x: Like, **_: Any) -> Any:
    """x's spec."""
    return [(x.shape, x.dtype)]


@inline_grad(print_)
def print_grad(
    dout: Any,
    *,
    first_n: int,
    message: str,
    summarize: int,
    name: str,
    print_phase: str,
    number: int,
) -> Any:
    """dx = dout, printed as well."""
    return lambda: print_(
        dout,
        first_n=first_n,
        message=message,
        summarize=summarize,
        name=name,
        print_phase=print_phase,
        is_forward=False,
        number=-1 - number,
    )


def text_of(value: Any, summarize: int) -> str:
    """Format the first elements of an array; all if `summarize` is negative."""
    flat = np.ravel(value)
    if 0 <= summarize < flat.size:
        return f"{flat[:summarize].tolist()} and {flat.size - summarize} more"
    return str(np.asarray(value).tolist())
