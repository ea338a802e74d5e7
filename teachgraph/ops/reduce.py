"""Sums, means and extremes along dimensions, and spreading gradients back over them."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.ops.elementwise import equal
from teachgraph.ops.op import Like, op

__all__ = ["reduce_max", "reduce_mean", "reduce_sum", "spread"]

Axes = tuple[int, ...] | None

total: Any = np.add.reduce
largest: Any = np.maximum.reduce

NEEDS = "dimensions that X has"


def axes(dim: Sequence[int], *, reduce_all: bool) -> Axes:
    """The dimensions a reduction runs over, in NumPy's words."""
    return None if reduce_all or not dim else tuple(dim)


def size(shape: Sequence[int], along: Axes) -> int:
    """How many elements one result is made of."""
    return prod(shape) if along is None else prod(shape[axis] for axis in along)


@op(key="sum", needs=NEEDS)
def reduce_sum(
    x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Any:
    """The sum over the dimensions `dim`."""
    along = axes(dim, reduce_all=reduce_all)
    return total(x, axis=along, keepdims=keep_dim)


@reduce_sum.grad
def reduce_sum_grad(
    dout: Any, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> Any:
    """Every summand gets dout."""
    return spread(dout, x, dim=dim, keep_dim=keep_dim, reduce_all=reduce_all)


@op(key="mean", needs=NEEDS)
def reduce_mean(
    x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Any:
    """The sum over the dimensions `dim`, divided by how many elements that are."""
    along = axes(dim, reduce_all=reduce_all)
    return total(x, axis=along, keepdims=keep_dim) / size(x.shape, along)


@reduce_mean.grad
def reduce_mean_grad(
    dout: Any, x: Like, *, dim: Sequence[int], keep_dim: bool, reduce_all: bool
) -> Any:
    """Every element gets its share, dout / n."""
    return spread(dout, x, dim=dim, keep_dim=keep_dim, reduce_all=reduce_all, mean=True)


@op(key="max", needs=NEEDS)
def reduce_max(
    x: Any, *, dim: Sequence[int] = (), keep_dim: bool = False, reduce_all: bool = False
) -> Any:
    """The largest element over the dimensions `dim`."""
    along = axes(dim, reduce_all=reduce_all)
    return largest(x, axis=along, keepdims=keep_dim)


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
    """The gradient goes to every element that is the largest, as in Paddle."""
    where = {"dim": dim, "keep_dim": keep_dim, "reduce_all": reduce_all}
    return spread(dout, x, **where) * equal(x, spread(out, x, **where))


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
    """`x`, the result of a reduction, repeated over the shape of `y`: its adjoint."""
    shape, along = y.shape, axes(dim, reduce_all=reduce_all)
    if mean:
        x = x / size(shape, along)
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
    """Repeating sums up on the way back."""
    reduce = reduce_mean if mean else reduce_sum
    return reduce(dout, dim=dim, keep_dim=keep_dim, reduce_all=reduce_all)
