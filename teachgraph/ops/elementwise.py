"""Elementwise arithmetic and comparisons, with broadcasting.

Broadcasting aligns at the right as in NumPy; with `axis` the second input is aligned at
that dimension of the first, Paddle's older convention, which `fc` uses for its bias.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.op import Like, Op, Traced, op
from teachgraph.core.ops import (
    BROADCAST,
    FLOATING,
    aligned,
    elementwise,
    elementwise_add,
    elementwise_mul,
    promoted,
    reduce_to,
)
from teachgraph.errors import DivisionError
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.logic import isnan_v2, logical_not, logical_or
from teachgraph.ops.math import NUMBERS, as_floats, floats, log, scale, sigmoid

__all__ = [
    "elementwise_div",
    "elementwise_floordiv",
    "elementwise_fmax",
    "elementwise_fmin",
    "elementwise_max",
    "elementwise_min",
    "elementwise_mod",
    "elementwise_pow",
    "elementwise_sub",
    "equal",
    "greater_equal",
    "greater_than",
    "lerp",
    "less_equal",
    "less_than",
    "logaddexp",
    "not_equal",
]


def quotient(x: Any, y: Any, out: Any = None) -> Any:
    """Compute x / y, of integers cut towards 0, as in C."""
    if (dtype := np.result_type(x, y)).kind == "f":
        return np.divide(x, y, out=out)
    if not np.all(y):
        raise DivisionError("integer division by zero")
    below = x // y
    # NumPy rounds down: one is missing where the quotient is negative and not whole.
    cut = (below * y != x) & ((x < 0) != (y < 0))
    return np.add(below, cut, out=out, dtype=dtype, casting="unsafe")


elementwise_sub = elementwise("elementwise_sub", np.subtract, "out = x - y.")
elementwise_div = elementwise("elementwise_div", quotient, "out = x / y.")


@elementwise_sub.grad
def elementwise_sub_grad(dout: Any, x: Like, y: Like, *, axis: int) -> Any:
    """dx = dout, dy = -dout."""
    return reduce_to(dout, x), lambda: reduce_to(-dout, y, axis)


@elementwise_div.infers
def infer_elementwise_div(x: Like, y: Like, *, axis: int) -> Any:
    """The spec of a sum: integer stand-ins are 0, which does not divide."""
    total = elementwise_add.kernel(np.zeros(*x), np.zeros(*y), axis=axis)
    return [(total.shape, total.dtype)]


@elementwise_div.grad
def elementwise_div_grad(dout: Any, out: Any, x: Like, y: Any, *, axis: int) -> Any:
    """dx = dout / y, dy = -dout out / y."""
    dx = elementwise_div(dout, y, axis=axis)
    return reduce_to(dx, x), lambda: reduce_to(-dx * out, y, axis)


def comparison(name: str, ufunc: Callable[..., Any], doc: str) -> Op:
    """Create an op of two inputs that broadcast, without gradient."""

    def kernel(x: Any, y: Any, *, axis: int = -1) -> Any:
        return ufunc(x, y if axis == -1 else aligned(y, x.ndim, axis))

    kernel.__doc__ = doc
    return op(type=name, needs=BROADCAST)(kernel)


def power(x: Any, y: Any, out: Any = None) -> Any:
    """Compute x to the power y; refuse bool, and integers to negative powers."""
    if x.dtype.kind != "f" and y.dtype.kind != "f":
        if x.dtype.kind == "b":
            raise DTypeError("True and False have no powers")
        if (y < 0).any():
            raise InvalidValueError("integers have no negative powers")
    return np.power(x, y, out=out)


def over_integers(ufunc: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a division to refuse integers divided by 0."""

    def divide(x: Any, y: Any, out: Any = None) -> Any:
        if np.result_type(x, y).kind == "b":
            raise DTypeError("True and False cannot be divided")
        divided = ufunc(x, y, out=out)
        if divided.dtype.kind != "f" and not np.all(y):
            raise DivisionError("integer division by zero")
        return divided

    return divide


elementwise_pow = elementwise("elementwise_pow", power, "out = x to the power y.")
elementwise_max = elementwise("elementwise_max", np.maximum, "The larger of x and y.")
elementwise_min = elementwise("elementwise_min", np.minimum, "The smaller of x and y.")
elementwise_floordiv = elementwise(
    "elementwise_floordiv",
    over_integers(np.floor_divide),
    "x / y, rounded towards minus infinity.",
)
elementwise_mod = elementwise(
    "elementwise_mod",
    over_integers(np.remainder),
    "The rest of x / y so rounded: it has the sign of y, as in Python.",
)


equal = comparison("equal", np.equal, "Where x = y.")
not_equal = comparison("not_equal", np.not_equal, "Where x and y differ.")
less_than = comparison("less_than", np.less, "Where x < y.")
less_equal = comparison("less_equal", np.less_equal, "Where x <= y.")
greater_than = comparison("greater_than", np.greater, "Where x > y.")
greater_equal = comparison("greater_equal", np.greater_equal, "Where x >= y.")


def as_ones(op: Op) -> None:
    """Infer shapes with stand-ins of 1: integer stand-ins of 0 cannot divide."""

    @op.infers
    def infer(x: Like, y: Like, *, axis: int) -> Any:
        ones = np.ones(x.shape, x.dtype), np.ones(y.shape, y.dtype)
        out = op.kernel(*ones, axis=axis)
        return [(out.shape, out.dtype)]


as_ones(elementwise_floordiv)
as_ones(elementwise_mod)


@elementwise_mod.grad
def elementwise_mod_grad(dout: Any, x: Any, y: Any, *, axis: int) -> Any:
    """dx = dout, dy = -dout floor(x / y)."""

    def dy() -> Any:
        times = elementwise_floordiv(x, y, axis=axis)
        return reduce_to(-dout * times, y, axis)

    return reduce_to(dout, x), dy


@elementwise_pow.grad
def elementwise_pow_grad(dout: Any, x: Any, y: Any, *, axis: int) -> Any:
    """dx = dout y x^(y-1), dy = dout x^y ln x."""

    def dx() -> Any:
        if is_two(y):
            slope = x
        else:
            slope = elementwise_pow(x, scale(floating(y, dout), bias=-1.0), axis=axis)
        return reduce_to(elementwise_mul(dout * slope, y, axis=axis), x)

    def dy() -> Any:
        slope = elementwise_pow(x, y, axis=axis) * log(floating(x, dout))
        return reduce_to(dout * slope, y, axis)

    return dx, dy


def is_two(exponent: Any) -> bool:
    """True for the number 2, the most frequent exponent; it needs no gradient."""
    return (
        not isinstance(exponent, Traced) and not exponent.ndim and exponent.item() == 2
    )


def floating(x: Any, like: Any) -> Any:
    """Cast an integer input of a floating op to the op's dtype."""
    return x if is_floating(x.dtype) else x.astype(like.dtype)


@elementwise_max.grad
def elementwise_max_grad(dout: Any, x: Any, y: Any, *, axis: int) -> Any:
    """dx = dout where x > y, dy = dout elsewhere; ties go to y, as in Paddle."""
    first = greater_than(x, y, axis=axis)
    return (
        lambda: reduce_to(dout * first, x),
        lambda: reduce_to(dout * less_equal(x, y, axis=axis), y, axis),
    )


@elementwise_min.grad
def elementwise_min_grad(dout: Any, x: Any, y: Any, *, axis: int) -> Any:
    """dx = dout where x < y, dy = dout elsewhere; ties go to y, as in Paddle."""
    first = less_than(x, y, axis=axis)
    return (
        lambda: reduce_to(dout * first, x),
        lambda: reduce_to(dout * greater_equal(x, y, axis=axis), y, axis),
    )


@op(needs=BROADCAST)
def elementwise_fmax(x: Any, y: Any) -> Any:
    """out = the larger of x and y; a number is preferred to NaN."""
    return np.fmax(*promoted(x, y))


@elementwise_fmax.grad
def elementwise_fmax_grad(dout: Any, x: Any, y: Any) -> Any:
    """dout goes to the chosen input; ties go to x, as in Paddle."""
    first = logical_or(greater_equal(x, y), isnan_v2(y))
    return (
        lambda: reduce_to(dout * first, x),
        lambda: reduce_to(dout * logical_not(first), y),
    )


@op(needs=BROADCAST)
def elementwise_fmin(x: Any, y: Any) -> Any:
    """out = the smaller of x and y; a number is preferred to NaN."""
    return np.fmin(*promoted(x, y))


@elementwise_fmin.grad
def elementwise_fmin_grad(dout: Any, x: Any, y: Any) -> Any:
    """dout goes to the chosen input; ties go to x, as in Paddle."""
    first = logical_or(less_equal(x, y), isnan_v2(y))
    return (
        lambda: reduce_to(dout * first, x),
        lambda: reduce_to(dout * logical_not(first), y),
    )


@op(needs=f"{NUMBERS}, and {BROADCAST}")
def logaddexp(x: Any, y: Any) -> Any:
    """out = ln(exp(x) + exp(y)), without overflow."""
    return np.logaddexp(*map(floats, map(as_floats, promoted(x, y))))


@logaddexp.grad
def logaddexp_grad(dout: Any, x: Any, y: Any) -> Any:
    """dx = dout exp(x) / (exp(x) + exp(y)), dy = dout - dx."""
    return (
        lambda: reduce_to(dout * sigmoid(x - y), x),
        lambda: reduce_to(dout * sigmoid(y - x), y),
    )


@op(needs=f"{FLOATING}, and {BROADCAST}")
def lerp(x: Any, y: Any, weight: Any) -> Any:
    """out = x + weight (y - x)."""
    return x + floats(weight) * (floats(y) - floats(x))


@lerp.grad(of=("x", "y"))
def lerp_grad(dout: Any, x: Like, y: Like, weight: Any) -> Any:
    """dx = dout (1 - weight), dy = dout weight; the weight has none, as in Paddle."""
    return (
        lambda: reduce_to(dout * (1.0 - weight), x),
        lambda: reduce_to(dout * weight, y),
    )
