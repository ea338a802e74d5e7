"""Reductions: sum, mean, product, extremes, logsumexp, and their adjoints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan, prod
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError
from teachgraph.core.op import Like, Op, op
from teachgraph.ops.axes import Axes, axes, size
from teachgraph.ops.elementwise import equal
from teachgraph.ops.math import FLOATING, exp
from teachgraph.ops.scan import above_minus_infinity, product_before

__all__ = [
    "logsumexp",
    "reduce_all_",
    "reduce_amax",
    "reduce_amin",
    "reduce_any_",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "spread",
    "zero_nan",
]

total: Any = np.add.reduce
product: Any = np.multiply.reduce
largest: Any = np.maximum.reduce
smallest: Any = np.minimum.reduce

NEEDS = "dimensions that X has, each named once"


def counting(dtype: np.dtype[Any]) -> Any:
    """Accumulation dtype of a sum: int64 for integers and bool."""
    return dtype if dtype.kind == "f" else np.int64


@op(key="sum", needs=NEEDS)
def reduce_sum(
    x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Any:
    """The sum over the dimensions `dim`; integers and bool in int64."""
    along = axes(dim, x.ndim, reduce_all=reduce_all)
    return total(x, axis=along, keepdims=keep_dim, dtype=counting(x.dtype))


@reduce_sum.numpy
def reduce_sum_numpy(
    x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> str | None:
    """The sum of floating numbers."""
    if x.dtype.kind != "f" or not x.shape:
        return None
    return f"out = x.sum({arguments(x, dim, keep_dim, reduce_all=reduce_all)})"


def arguments(x: Like, dim: Sequence[int], keep_dim: bool, *, reduce_all: bool) -> str:
    """The arguments of NumPy's reductions, those that differ from its defaults."""
    along, named = axes(dim, x.ndim, reduce_all=reduce_all), list[str]()
    if along is not None:
        named.append(f"axis={along[0] if len(along) == 1 else along}")
    if keep_dim:
        named.append("keepdims=True")
    return ", ".join(named)


@reduce_sum.grad
def reduce_sum_grad(
    dout: Any, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> Any:
    """dx = dout broadcast to x's shape."""
    return spread(dout, x, dim=dim, keep_dim=keep_dim, reduce_all=reduce_all)


@reduce_sum.grad_numpy
def reduce_sum_grad_numpy(
    dout: Like, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> str | None:
    """The gradient of a sum of everything, everywhere."""
    if dim or keep_dim or not x.shape or dout.shape:
        return None
    return f"dx = np.full({sizes_of(x)}, dout)"


def sizes_of(x: Like) -> str:
    """The shape of `x` as text: spelled out where all of it is known."""
    return "x.shape" if -1 in x.shape else str(tuple(x.shape))


def count_of(x: Like, along: Axes) -> str:
    """The number of elements of `x` along some dimensions, as text."""
    sizes = list(x.shape if along is None else (x.shape[axis] for axis in along))
    if -1 not in sizes:
        return str(prod(sizes))
    if along is None:
        return "x.size"
    return " * ".join(f"x.shape[{axis}]" for axis in along)


@op(key="mean", needs=f"{FLOATING}, and {NEEDS}")
def reduce_mean(
    x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Any:
    """The sum over the dimensions `dim`, divided by the number of elements."""
    check_floating(x)
    along = axes(dim, x.ndim, reduce_all=reduce_all)
    return total(x, axis=along, keepdims=keep_dim) / (size(x.shape, along) or nan)


@reduce_mean.numpy
def reduce_mean_numpy(
    x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> str | None:
    """The sum divided by the number of its terms."""
    if x.dtype.kind != "f":
        return None
    if not x.shape:
        return None if dim else "out = x / 1"
    along = axes(dim, x.ndim, reduce_all=reduce_all)
    count = count_of(x, along)
    count = f"({count})" if "*" in count else count
    return (
        f"out = x.sum({arguments(x, dim, keep_dim, reduce_all=reduce_all)}) / {count}"
    )


def check_floating(x: Any) -> None:
    """Require a floating dtype.

    Raises:
        DTypeError: The dtype is another one.
    """
    if x.dtype.kind != "f":
        raise DTypeError(f"{x.dtype} are no floating numbers")


@reduce_mean.grad
def reduce_mean_grad(
    dout: Any, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> Any:
    """dx = dout / n, broadcast to x's shape."""
    return spread(dout, x, dim=dim, keep_dim=keep_dim, reduce_all=reduce_all, mean=True)


@reduce_mean.grad_numpy
def reduce_mean_grad_numpy(
    dout: Like, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> str | None:
    """The gradient of a mean of everything, a share of it everywhere."""
    if dim or keep_dim or dout.shape:
        return None
    if not x.shape:
        return "dx = dout"
    return f"dx = np.full({sizes_of(x)}, dout / {count_of(x, None)})"


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
    return op(type=name, key=name.removeprefix("reduce_"), needs=NEEDS)(kernel)


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


@op(key="reduce_prod", needs=NEEDS)
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


@op(needs=f"{FLOATING}, and {NEEDS}")
def logsumexp(
    x: Any, *, axis: Sequence[int] = (), keepdim: bool = False, reduce_all: bool = False
) -> Any:
    """out = log sum exp(x) over `axis`, shifted by the maximum first."""
    check_floating(x)
    along = axes(axis, x.ndim, reduce_all=reduce_all)
    top = largest(x, axis=along, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    out = np.log(total(np.exp(x - top), axis=along, keepdims=True)) + top
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


@op(needs="what a reduction of Y along these dimensions gives")
def spread(
    x: Any,
    y: Any,
    *,
    dim: Sequence[int] = (),
    keep_dim: bool = False,
    reduce_all: bool = False,
    mean: bool = False,
) -> Any:
    """Broadcast `x`, a reduction's result, to `y`'s shape: the adjoint of a sum."""
    shape = y.shape
    along = axes(dim, len(shape), reduce_all=reduce_all)
    if mean:
        x = x / (size(shape, along) or nan)
    if along is not None and not keep_dim:
        x = np.expand_dims(x, along)
    out = np.empty(shape, x.dtype)
    out[...] = x
    return out


@spread.grad(of=("x",))
def spread_grad(
    dout: Any,
    *,
    dim: Sequence[int],
    keep_dim: bool,
    reduce_all: bool,
    mean: bool,
) -> Any:
    """dx = the sum of dout over the reduced dimensions."""
    reduce = reduce_mean if mean else reduce_sum
    return reduce(dout, dim=dim, keep_dim=keep_dim, reduce_all=reduce_all)
