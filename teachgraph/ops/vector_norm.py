"""p-norms, and their gradients, which are finite also at 0."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from teachgraph.core.op import op
from teachgraph.core.ops import (
    FLOATING,
    Axes,
    add_along,
    axes,
    check_floating,
    elementwise_mul,
    spread,
)
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import elementwise_div, equal, not_equal
from teachgraph.ops.math import abs_, sign
from teachgraph.ops.reduce import largest, smallest

__all__ = ["frobenius_norm", "p_norm"]

NEEDS = f"{FLOATING}, and dimensions that X has, each named once"


@op(needs=NEEDS)
def frobenius_norm(
    x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Any:
    """out = the square root of the sum of x^2 over the dimensions `dim`."""
    check_floating(x)
    along = None if reduce_all else axes(dim, x.ndim, reduce_all=False)
    return np.sqrt(add_along(x * x, axis=along, keepdims=keep_dim))


@frobenius_norm.grad
def frobenius_norm_grad(
    dout: Any,
    x: Any,
    out: Any,
    *,
    dim: Sequence[int],
    keep_dim: bool,
    reduce_all: bool,
) -> Any:
    """dx = dout x / out; 0 where out is 0."""
    dim = () if reduce_all else dim
    where = {"dim": dim, "keep_dim": keep_dim, "reduce_all": reduce_all}
    return spread(dout * reciprocal(out), x, **where) * x


def reciprocal(x: Any) -> Any:
    """Compute 1 / x; 0 where x is 0."""
    return elementwise_div(not_equal(x, fill_any_like(x)), one_for_zero(x))


def one_for_zero(x: Any) -> Any:
    """Replace 0 by 1, for use as a divisor."""
    return x + equal(x, fill_any_like(x))


def norm_axes(axis: int | Sequence[int], ndim: int, *, asvector: bool) -> Axes:
    """Resolve the dimensions of a vector: one, several, or all."""
    dim = axis if isinstance(axis, (list, tuple)) else [axis]
    return None if asvector else axes(dim, ndim, reduce_all=False)


@op(needs=NEEDS)
def p_norm(
    x: Any,
    *,
    porder: float = 2.0,
    axis: int | Sequence[int] = -1,
    keepdim: bool = False,
    asvector: bool = False,
) -> Any:
    """out = (sum of |x|^p)^(1/p) over `axis`, or over all with `asvector`.

    p = inf gives the largest |x|, -inf the smallest, and 0 the number of non-zeros.
    """
    check_floating(x)
    where = {"axis": norm_axes(axis, x.ndim, asvector=asvector), "keepdims": keepdim}
    if porder == 0:
        return add_along(x != 0, **where, dtype=x.dtype)
    size = np.abs(x)
    if porder in (inf, -inf):
        return (largest if porder > 0 else smallest)(size, **where)
    return add_along(size**porder, **where) ** (1 / porder)


@p_norm.grad
def p_norm_grad(
    dout: Any,
    x: Any,
    out: Any,
    *,
    porder: float,
    axis: int | Sequence[int],
    keepdim: bool,
    asvector: bool,
) -> Any:
    """dx = dout sign(x) (|x| / out)^(p-1); 0 where |x| or out is 0."""
    if porder == 0:
        return fill_any_like(x)
    dim = norm_axes(axis, len(x.shape), asvector=asvector) or ()
    where = {"dim": dim, "keep_dim": keepdim, "reduce_all": asvector}
    if porder == 2:
        return spread(dout * reciprocal(out), x, **where) * x
    dout = spread(dout, x, **where)
    if porder == 1:
        return dout * sign(x)
    norm = spread(out, x, **where)
    if porder in (inf, -inf):
        return dout * sign(x) * equal(abs_(x), norm)
    # 1 instead of 0: a negative power of 0 would be infinite, and times 0 NaN.
    slope = (one_for_zero(abs_(x)) / one_for_zero(norm)) ** (porder - 1.0)
    defined = not_equal(norm, fill_any_like(norm))
    return elementwise_mul(dout * sign(x) * slope, defined)
