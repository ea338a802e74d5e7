"""Reductions: sums, means, products, extremes and norms along dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from numbers import Real
from typing import Any

from teachgraph.core import ops
from teachgraph.core.errors import InvalidValueError
from teachgraph.ops import reduce as reductions
from teachgraph.ops.as_list import as_list
from teachgraph.ops.elementwise import equal
from teachgraph.ops.error_message import explain
from teachgraph.ops.functions.math import cast
from teachgraph.ops.vector_norm import frobenius_norm, p_norm

__all__ = [
    "all",
    "amax",
    "amin",
    "any",
    "count_nonzero",
    "logsumexp",
    "max",
    "mean",
    "min",
    "nanmean",
    "nansum",
    "norm",
    "prod",
    "sum",
]

Axis = int | Sequence[int] | None


def reduction(x: Any, axis: Axis, keepdim: bool) -> dict[str, Any]:
    """Build Paddle's attributes of a reduction."""
    dim = dimensions(axis)
    whole = not dim or len(dim) == len(x.shape)
    return {"dim": dim, "keep_dim": keepdim, "reduce_all": whole}


def dimensions(axis: Axis) -> list[int]:
    """Convert an axis, several or None (all) to a list; the op checks them."""
    return [] if axis is None else as_list(axis)


def sum(
    x: Any,
    axis: Axis = None,
    dtype: Any = None,
    keepdim: bool = False,
    name: Any = None,
) -> Any:
    """The sum over `axis` (a number, several, or None for all).

    Integers and bool are added up in int64; `dtype` is that of the result, and the sum
    is of numbers cast to it. The empty sum is 0.

    >>> import numpy as np
    >>> sum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=-1)
    array([3., 7.])
    """
    x = x if dtype is None else cast(x, dtype)
    total = ops.reduce_sum(x, dim=dimensions(axis), keep_dim=keepdim)
    return total if dtype is None or total.dtype == x.dtype else cast(total, dtype)


def mean(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The mean over `axis` (a number, several, or None for all) of floating numbers.

    Raises:
        DTypeError: Integers, whose mean need not be an integer: cast them first.

    >>> import numpy as np
    >>> mean(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    array([2., 3.])
    """
    return ops.reduce_mean(x, **reduction(x, axis, keepdim))


def max(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The maximum over `axis`; every maximal element gets the whole gradient."""
    return reductions.reduce_max(x, **reduction(x, axis, keepdim))


def min(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The minimum over `axis`; every minimal element gets the whole gradient."""
    return reductions.reduce_min(x, **reduction(x, axis, keepdim))


def amax(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The maximum over `axis`; maximal elements share the gradient evenly.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor([3.0, 1.0, 3.0], stop_gradient=False)
    >>> tg.grad(tg.amax(x), x)[0].tolist(), tg.grad(tg.max(x), x)[0].tolist()
    ([0.5, 0.0, 0.5], [1.0, 0.0, 1.0])
    """
    return reductions.reduce_amax(x, **reduction(x, axis, keepdim))


def amin(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The minimum over `axis`; minimal elements share the gradient evenly."""
    return reductions.reduce_amin(x, **reduction(x, axis, keepdim))


def prod(
    x: Any,
    axis: Axis = None,
    keepdim: bool = False,
    dtype: Any = None,
    name: Any = None,
) -> Any:
    """The product over `axis`; the empty product is 1.

    >>> import numpy as np
    >>> prod(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    array([3., 8.])
    """
    x = x if dtype is None else cast(x, dtype)
    return reductions.reduce_prod(x, **reduction(x, axis, keepdim))


def logsumexp(
    x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None
) -> Any:
    """log sum exp(x) over `axis`, without overflow.

    >>> import numpy as np
    >>> logsumexp(np.array([1000.0, 1000.0])) - np.log(2.0)
    np.float64(1000.0)
    """
    where = reduction(x, axis, keepdim)
    dim, keep, whole = where.values()
    return reductions.logsumexp(x, axis=dim, keepdim=keep, reduce_all=whole)


def all(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """True if all elements over `axis` are true (not 0)."""
    return reductions.reduce_all_(x, **reduction(x, axis, keepdim))


def any(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """True if any element over `axis` is true (not 0)."""
    return reductions.reduce_any_(x, **reduction(x, axis, keepdim))


def count_nonzero(
    x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None
) -> Any:
    """Count the elements over `axis` that are not 0.

    >>> import numpy as np
    >>> count_nonzero(np.array([[1.0, 0.0], [2.0, 3.0]]), axis=1)
    array([1, 2])
    """
    return sum(cast(cast(x, "bool"), "int64"), axis, keepdim=keepdim)


def nansum(
    x: Any,
    axis: Axis = None,
    dtype: Any = None,
    keepdim: bool = False,
    name: Any = None,
) -> Any:
    """The sum over `axis`, NaN excluded.

    >>> import numpy as np
    >>> nansum(np.array([1.0, np.nan, 2.0]))
    np.float64(3.0)
    """
    return sum(reductions.zero_nan(x), axis, dtype, keepdim)


def nanmean(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The mean over `axis`, NaN excluded.

    >>> import numpy as np
    >>> nanmean(np.array([1.0, np.nan, 2.0]))
    np.float64(1.5)
    """
    count = sum(equal(x, x), axis, keepdim=keepdim)
    return nansum(x, axis, keepdim=keepdim) / cast(count, x.dtype)


def norm(
    x: Any,
    p: float | str = "fro",
    axis: Axis = None,
    keepdim: bool = False,
    name: Any = None,
) -> Any:
    """The p-norm over `axis`: (sum of |x|^p)^(1/p).

    Args:
        x: Floating numbers.
        p: The order: a number, inf for the largest |x|, -inf for the smallest, 0 for
            the number of non-zeros, or "fro" (Frobenius), which is 2.
        axis: One dimension, several that form one vector, or None for all.
        keepdim: Keep these dimensions, with size 1.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: The order is another text.

    Where the norm has no derivative, such as at 0, its gradient is 0.

    >>> import numpy as np
    >>> norm(np.array([[3.0, 4.0], [6.0, 8.0]]), axis=1)
    array([ 5., 10.])

    In Paddle this is `paddle.linalg.norm`.
    """
    several = isinstance(axis, (list, tuple))
    if several and len(dimensions(axis)) == 1:
        several, axis = False, dimensions(axis)[0]
    if p == "fro" and (several or axis is None):
        dim = dimensions(axis) if several else [0]
        return frobenius_norm(x, dim=dim, keep_dim=keepdim, reduce_all=not several)
    where = {"axis": -1 if axis is None else axis, "asvector": axis is None}
    return p_norm(x, porder=order(x, p), **where, keepdim=keepdim)


def order(x: Any, p: Any) -> float:
    """Convert the order of a norm to a number.

    Raises:
        InvalidValueError: The order is no number, nor "fro".
    """
    if p == "fro":
        return 2.0
    if isinstance(p, Real) and not isnan(p):
        return float(p)
    reason = InvalidValueError(f"the order is a number or 'fro', got {p!r}")
    raise explain("p_norm", ["X"], [x], {"porder": p}, reason)
