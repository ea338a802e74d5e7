"""Elementwise predicates, logical and bitwise ops, and `where`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError
from teachgraph.core.op import Like, Op, op
from teachgraph.core.ops import promoted, reduce_to
from teachgraph.ops.creation import fill_any_like

__all__ = [
    "allclose",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "equal_all",
    "isclose",
    "isfinite_v2",
    "isinf_v2",
    "isnan_v2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "where",
]

BROADCAST = "shapes that broadcast: compared from the right, equal sizes or a 1"
INTEGERS = f"integers or booleans, of {BROADCAST}"


def of_one(name: str, ufunc: Callable[..., Any], doc: str, needs: str = "") -> Op:
    """Create an op of one input, without gradient."""

    def kernel(x: Any) -> Any:
        return ufunc(x)

    kernel.__doc__ = doc
    return op(type=name, needs=needs)(kernel)


def of_two(name: str, ufunc: Callable[..., Any], doc: str, needs: str) -> Op:
    """Create an op of two inputs that broadcast, without gradient."""

    def kernel(x: Any, y: Any) -> Any:
        return ufunc(x, y)

    kernel.__doc__ = doc
    return op(type=name, needs=needs)(kernel)


logical_and = of_two("logical_and", np.logical_and, "Where both are true.", BROADCAST)
logical_or = of_two("logical_or", np.logical_or, "Where one is true.", BROADCAST)
logical_xor = of_two("logical_xor", np.logical_xor, "Where just one is.", BROADCAST)
logical_not = of_one("logical_not", np.logical_not, "Where it is false, or 0.")

bitwise_and = of_two("bitwise_and", np.bitwise_and, "The bits both have.", INTEGERS)
bitwise_or = of_two("bitwise_or", np.bitwise_or, "The bits one has.", INTEGERS)
bitwise_xor = of_two("bitwise_xor", np.bitwise_xor, "The bits just one has.", INTEGERS)
bitwise_not = of_one("bitwise_not", np.bitwise_not, "Every bit turned.", INTEGERS)

isnan_v2 = of_one("isnan_v2", np.isnan, "Where it is not a number.")
isinf_v2 = of_one("isinf_v2", np.isinf, "Where it is infinite.")
isfinite_v2 = of_one("isfinite_v2", np.isfinite, "Where it is a finite number.")


@op
def equal_all(x: Any, y: Any) -> Any:
    """True if the shapes and all elements are equal."""
    return np.array(np.array_equal(x, y))


@op(needs=BROADCAST)
def isclose(
    input: Any,
    other: Any,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Any:
    """True where |input - other| <= atol + rtol |other|."""
    return np.isclose(input, other, rtol, atol, equal_nan)


@op(needs=BROADCAST)
def allclose(
    input: Any,
    other: Any,
    *,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    equal_nan: bool = False,
) -> Any:
    """True if |input - other| <= atol + rtol |other| everywhere."""
    return np.array(np.allclose(input, other, rtol, atol, equal_nan))


@op(needs=f"a condition of True and False, and {BROADCAST}")
def where(x: Any, y: Any, condition: Any) -> Any:
    """out = x where the condition holds, else y."""
    if condition.dtype.kind != "b":
        raise DTypeError(f"the condition is {condition.dtype}, not bool")
    return np.where(condition, *promoted(x, y))


@where.grad(of=("x", "y"))
def where_grad(dout: Any, x: Like, y: Like, condition: Any) -> Any:
    """dx = dout where x was chosen, else 0, even where dout is NaN; dy likewise."""
    nothing = fill_any_like(dout)
    return (
        lambda: reduce_to(where(dout, nothing, condition), x),
        lambda: reduce_to(where(nothing, dout, condition), y),
    )
