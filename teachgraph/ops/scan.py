"""Cumulative sums, products, extremes and logsumexp.

Their gradients are linear recurrences, out_i = x_i + y_i out_i-1, run from the other
end.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, Op, op
from teachgraph.core.ops import FLOATING, reshape_as
from teachgraph.ops.axes import back_from_lines, lines
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import elementwise_max
from teachgraph.ops.gather import to_places
from teachgraph.ops.math import exp
from teachgraph.ops.sort import INT64, index_dtype

__all__ = [
    "above_minus_infinity",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "logcumsumexp",
    "product_before",
    "recurrence",
    "shift",
]

NEEDS = "an axis that X has"


@op(needs=NEEDS)
def shift(x: Any, *, axis: int, reverse: bool = False, fill: float = 0.0) -> Any:
    """out_i = x_i-1, with `fill` first; with `reverse` out_i = x_i+1, `fill` last."""
    out = np.full_like(x, fill)
    old, new = lines(x, axis), lines(out, axis)
    if reverse:
        new[:-1] = old[1:]
    else:
        new[1:] = old[:-1]
    return out


@shift.grad
def shift_grad(dout: Any, *, axis: int, reverse: bool) -> Any:
    """dx = dout shifted back."""
    return shift(dout, axis=axis, reverse=not reverse)


@op(needs="X and Y of one shape, and an axis that they have")
def recurrence(x: Any, y: Any, *, axis: int, reverse: bool = False) -> Any:
    """out_i = x_i + y_i out_i-1, from the first on; with `reverse` from the last."""
    if x.shape != y.shape:
        raise ShapeError(f"shapes differ: {list(x.shape)} and {list(y.shape)}")
    # A copy: `lines` are views, into which the loop writes.
    out = np.array(x)
    rows, factors = lines(out, axis), lines(y, axis)
    places = range(len(rows))
    for before, at in pairwise(reversed(places) if reverse else places):
        rows[at] += factors[at] * rows[before]
    return out


@recurrence.grad
def recurrence_grad(dout: Any, out: Any, y: Any, *, axis: int, reverse: bool) -> Any:
    """dx_i = dout_i + y_i+1 dx_i+1, the recurrence backwards; dy_i = dx_i out_i-1."""
    following = shift(y, axis=axis, reverse=not reverse)
    dx = recurrence(dout, following, axis=axis, reverse=not reverse)
    return dx, lambda: dx * shift(out, axis=axis, reverse=reverse)


def product_before(x: Any, axis: int, *, reverse: bool = False) -> Any:
    """Compute for each element the product of all before it; 1 for the first."""
    where = {"axis": axis, "reverse": reverse}
    start = shift(fill_any_like(x), **where, fill=1.0)
    return recurrence(start, shift(x, **where), **where)


@op(needs=NEEDS)
def cumsum(
    x: Any,
    *,
    axis: int = -1,
    flatten: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
) -> Any:
    """out_i = x_1 + ... + x_i along `axis`, or of the flattened elements.

    With `exclusive` without x_i itself, with `reverse` from the last element on.
    """
    x, axis = (x.reshape(-1), 0) if flatten else (x, axis)
    out = np.zeros(x.shape, np.int64 if x.dtype.kind == "b" else x.dtype)
    rows, sums = lines(x, axis), lines(out, axis)
    if reverse:
        rows, sums = rows[::-1], sums[::-1]
    if exclusive:
        rows, sums = rows[:-1], sums[1:]
    # The dtype is given: NumPy would sum int32 in int64.
    np.add.accumulate(rows, axis=0, dtype=out.dtype, out=sums)
    return out


@cumsum.grad
def cumsum_grad(
    dout: Any, x: Like, *, axis: int, flatten: bool, exclusive: bool, reverse: bool
) -> Any:
    """dx = the cumulative sum of dout from the other end."""
    where = {"axis": 0 if flatten else axis, "exclusive": exclusive}
    dx = cumsum(dout, **where, reverse=not reverse)
    return reshape_as(dx, x) if flatten else dx


@op(needs=NEEDS)
def cumprod(x: Any, *, dim: int) -> Any:
    """out_i = x_1 ... x_i along `dim`."""
    # The dtype is given: NumPy would multiply int32 in int64.
    dtype = np.int64 if x.dtype.kind == "b" else x.dtype
    rows = np.multiply.accumulate(lines(x, dim), axis=0, dtype=dtype)
    return back_from_lines(rows, x.ndim, dim)


@cumprod.grad
def cumprod_grad(dout: Any, out: Any, x: Any, *, dim: int) -> Any:
    """dx_i = out_i-1 s_i, where s_i = dout_i + x_i+1 s_i+1.

    That is the sum over k of dout_k times all factors of out_k but x_i, without
    dividing by x_i, which may be 0.
    """
    following = shift(x, axis=dim, reverse=True)
    after = recurrence(dout, following, axis=dim, reverse=True)
    return shift(out, axis=dim, fill=1.0) * after


@op(needs=f"{FLOATING}, and {NEEDS}")
def logcumsumexp(x: Any, *, axis: int = -1, flatten: bool = False) -> Any:
    """out_i = log(exp x_1 + ... + exp x_i) along `axis`, or of the flattened elements.

    Computed by log(exp a + exp b) = max + log(1 + exp(min - max)), without overflow.
    """
    if x.dtype.kind != "f":
        raise DTypeError(f"{x.dtype} are no floating numbers")
    x, axis = (x.reshape(-1), 0) if flatten else (x, axis)
    rows = np.logaddexp.accumulate(lines(x, axis), axis=0)
    return back_from_lines(rows, x.ndim, axis)


@logcumsumexp.grad
def logcumsumexp_grad(dout: Any, out: Any, x: Any, *, axis: int, flatten: bool) -> Any:
    """dx_i = exp(x_i - out_i) s_i, where s_i = dout_i + exp(out_i - out_i+1) s_i+1.

    That is the sum over k >= i of dout_k exp(x_i - out_k); as out is non-decreasing, no
    factor exceeds 1.
    """
    along = 0 if flatten else axis
    finite = above_minus_infinity(out)
    factors = exp(shift(out, axis=along, fill=float("-inf")) - finite)
    following = shift(factors, axis=along, reverse=True)
    later = recurrence(dout, following, axis=along, reverse=True)
    flat = reshape_as(x, out) if flatten else x
    dx = exp(flat - finite) * later
    return reshape_as(dx, x) if flatten else dx


def above_minus_infinity(x: Any) -> Any:
    """Replace -inf by the lowest finite number, since -inf - -inf is NaN."""
    lowest = float(np.finfo(x.dtype).min)
    return elementwise_max(x, fill_any_like(x, value=lowest))


def running(name: str, extreme: Callable[..., Any], doc: str) -> Op:
    """Create the op of a cumulative extreme, which also returns its indices."""

    def kernel(x: Any, *, axis: int = -1, dtype: int = INT64) -> Any:
        rows = lines(x, axis)
        best = extreme(rows, axis=0)
        # NaN is the extreme from where it occurs, but equal to nothing.
        record = (rows == best) | np.isnan(rows)
        at = np.arange(len(rows)).reshape(-1, *[1] * (rows.ndim - 1))
        places = np.maximum.accumulate(np.where(record, at, 0), axis=0)
        return (
            back_from_lines(best, x.ndim, axis),
            back_from_lines(places, x.ndim, axis).astype(index_dtype(dtype)),
        )

    kernel.__doc__ = doc
    return op(type=name, outputs=("out", "indices"), needs=NEEDS)(kernel)


cummax = running(
    "cummax",
    np.maximum.accumulate,
    "The maximum of x_1 ... x_i along `axis`, and the index of its last occurrence.",
)
cummin = running(
    "cummin",
    np.minimum.accumulate,
    "The minimum of x_1 ... x_i along `axis`, and the index of its last occurrence.",
)


@cummax.grad
def cummax_grad(dout: Any, indices: Any, x: Like, *, axis: int) -> Any:
    """Scatter-add dout to the indices."""
    return to_places(dout, x, indices, axis)


@cummin.grad
def cummin_grad(dout: Any, indices: Any, x: Like, *, axis: int) -> Any:
    """Scatter-add dout to the indices."""
    return to_places(dout, x, indices, axis)
