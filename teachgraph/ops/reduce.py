"""Reductions: sum, mean, product, extremes, logsumexp, and their adjoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from teachgraph.core.op import Op, op
from teachgraph.core.ops import (
    DIMENSIONS,
    FLOATING,
    axes,
    check_floating,
    reduce_sum,
    spread,
)
from teachgraph.ops.elementwise import equal
from teachgraph.ops.math import exp
from teachgraph.ops.scan import above_minus_infinity, product_before

__all__ = [
    "logsumexp",
    "reduce_all_",
    "reduce_amax",
    "reduce_amin",
    "reduce_any_",
    "reduce_max",
    "reduce_min",
    "reduce_prod",
    "zero_nan",
]

product: Any = np.multiply.reduce
largest: Any = np.maximum.reduce
smallest: Any = np.minimum.reduce


def reduction(name: str, ufunc: Callable[..., Any], doc: str) -> Op:
    """Create a reduction op from a binary NumPy ufunc."""

    def kernel(
        x: Any,
        *,
        dim: Sequence[int] = (),
        keep_dim: bool = False,
        reduce_all: bool = False,
    ) -> Any:
        along = axes(dim, x.ndim, reduce_all=reduce_all)
        return ufunc(x, axis=along, keepdims=keep_dim)

    kernel.__doc__ = doc
    return op(type=name, key=name.removeprefix("reduce_"), needs=DIMENSIONS)(kernel)


reduce_max = reduction("reduce_max", largest, "The largest element over `dim`.")
reduce_min = reduction("reduce_min", smallest, "The smallest element over `dim`.")
reduce_amax = reduction("reduce_amax", largest, "The same as `reduce_max`.")
reduce_amin = reduction("reduce_amin", smallest, "The same as `reduce_min`.")
reduce_all_ = reduction("reduce_all", np.logical_and.reduce, "Whether all are true.")
reduce_any_ = reduction("reduce_any", np.logical_or.reduce, "Whether one is true.")


def to_each_extreme(dout: Any, x: Any, out: Any, **where: Any) -> Any:
    """Compute dx = dout at every element that equals the result."""
    return spread(dout, x, **where) * equal(x, spread(out, x, **where))


def among_extremes(dout: Any, x: Any, out: Any, **where: Any) -> Any:
    """Compute dx = dout divided evenly among the elements that equal the result."""
    chosen = equal(x, spread(out, x, **where))
    count = reduce_sum(chosen, **where).astype(dout.dtype)
    return spread(dout / count, x, **where) * chosen


@reduce_max.grad
def reduce_max_grad(
    dout: Any,
    x: Any,
    out: Any,
    *,
    dim: Sequence[int],
    keep_dim: bool,
    reduce_all: bool,
) -> Any:
    """dx = dout at every maximal element, as in Paddle."""
    where = {"dim": dim, "keep_dim": keep_dim, "reduce_all": reduce_all}
    return to_each_extreme(dout, x, out, **where)


@reduce_min.grad
def reduce_min_grad(
    dout: Any,
    x: Any,
    out: Any,
    *,
    dim: Sequence[int],
    keep_dim: bool,
    reduce_all: bool,
) -> Any:
    """dx = dout at every minimal element, as in Paddle."""
    where = {"dim": dim, "keep_dim": keep_dim, "reduce_all": reduce_all}
    return to_each_extreme(dout, x, out, **where)


@reduce_amax.grad
def reduce_amax_grad(
    dout: Any,
    x: Any,
    out: Any,
    *,
    dim: Sequence[int],
    keep_dim: bool,
    reduce_all: bool,
) -> Any:
    """dx = dout divided evenly among the maximal elements."""
    where = {"dim": dim, "keep_dim": keep_dim, "reduce_all": reduce_all}
    return among_extremes(dout, x, out, **where)


@reduce_amin.grad
def reduce_amin_grad(
    dout: Any,
    x: Any,
    out: Any,
    *,
    dim: Sequence[int],
    keep_dim: bool,
    reduce_all: bool,
) -> Any:
    """dx = dout divided evenly among the minimal elements."""
    where = {"dim": dim, "keep_dim": keep_dim, "reduce_all": reduce_all}
    return among_extremes(dout, x, out, **where)


@op(key="reduce_prod", needs=DIMENSIONS)
def reduce_prod(
    x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Any:
    """The product over the dimensions `dim`, in the dtype of x (of bool in int64)."""
    along = axes(dim, x.ndim, reduce_all=reduce_all)
    dtype = np.int64 if x.dtype.kind == "b" else x.dtype
    return product(x, axis=along, keepdims=keep_dim, dtype=dtype)


@reduce_prod.grad
def reduce_prod_grad(
    dout: Any, x: Any, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> Any:
    """dx = dout times the product of the other elements.

    Not dout out / x, which is undefined where x is 0. Along one dimension the others
    are those before and those after; several dimensions are processed one by one.
    """
    where = {"dim": dim, "keep_dim": keep_dim, "reduce_all": reduce_all}
    dx, rest = spread(dout, x, **where), x
    ndim = len(x.shape)
    for axis in axes(dim, ndim, reduce_all=reduce_all) or range(ndim):
        after = product_before(rest, axis, reverse=True)
        dx = dx * (product_before(rest, axis) * after)
        rest = reduce_prod(rest, dim=[axis], keep_dim=True)
    return dx


@op(needs=f"{FLOATING}, and {DIMENSIONS}")
def logsumexp(
    x: Any, *, axis: Sequence[int] = (), keepdim: bool = False, reduce_all: bool = False
) -> Any:
    """out = log sum exp(x) over `axis`, shifted by the maximum first."""
    check_floating(x)
    along = axes(axis, x.ndim, reduce_all=reduce_all)
    top = largest(x, axis=along, keepdims=True, initial=-np.inf)
    # -inf - -inf is NaN: where all elements are -inf nothing is shifted.
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    out = np.log(np.add.reduce(np.exp(x - top), axis=along, keepdims=True)) + top
    return out if keepdim else np.squeeze(out, along)


@logsumexp.grad
def logsumexp_grad(
    dout: Any,
    x: Any,
    out: Any,
    *,
    axis: Sequence[int],
    keepdim: bool,
    reduce_all: bool,
) -> Any:
    """dx = dout exp(x - out): the softmax of x."""
    where = {"dim": axis, "keep_dim": keepdim, "reduce_all": reduce_all}
    share = exp(x - spread(above_minus_infinity(out), x, **where))
    return spread(dout, x, **where) * share


@op
def zero_nan(x: Any) -> Any:
    """Replace NaN by 0."""
    return np.where(np.isnan(x), x.dtype.type(0), x)


@zero_nan.grad
def zero_nan_grad(dout: Any, x: Any) -> Any:
    """dx = dout where x is a number (x == x), 0 for NaN."""
    return dout * equal(x, x)
