"""Reshape, squeeze, transpose, broadcast and its adjoint, assign, shape."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from teachgraph.core import dtypes
from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Like, Traced, op
from teachgraph.ops.tensor_array import TensorArray

__all__ = [
    "assign",
    "expand_as_v2",
    "flatten_contiguous_range",
    "is_empty",
    "reduce_to",
    "reshape2",
    "reshape_as",
    "shape_",
    "size",
    "squeeze2",
    "transpose2",
    "unbroadcast",
    "unsqueeze2",
    "view_dtype",
]


def aligned(y: Any, ndim: int, axis: int) -> Any:
    """Append dimensions of 1 to `y`, so that its first one is at `axis` of `ndim`.

    That is how Paddle broadcasts: axis -1 aligns at the right as NumPy does.

    Raises:
        ShapeError: `y` does not fit.
    """
    trailing = 0 if axis == -1 else ndim - axis - y.ndim
    if trailing < 0 or axis < -1:
        raise ShapeError(f"{y.ndim} dimensions from {axis} on do not fit into {ndim}")
    return y.reshape(y.shape + (1,) * trailing) if trailing > 0 else y


@op
def assign(x: Any) -> Any:
    """out = a copy of x; a tensor array, which is immutable, is not copied."""
    return x if isinstance(x, TensorArray) else np.array(x)


@assign.numpy
def assign_numpy(x: Like) -> str:
    """A copy."""
    return "out = np.array(x)"


@assign.grad(inline=True)
def assign_grad(dout: Any) -> Any:
    """dx = dout."""
    return lambda: assign(dout)


@op(key="expand_as", needs="a shape of X that broadcasts to that of Y")
def expand_as_v2(x: Any, y: Any, *, axis: int = -1) -> Any:
    """Broadcast `x` to the shape of `y`."""
    out = np.empty(y.shape, x.dtype)
    out[...] = aligned(x, len(y.shape), axis)
    return out


@expand_as_v2.grad(of=("x",))
def expand_as_v2_grad(dout: Any, x: Like, *, axis: int) -> Any:
    """dx = dout summed over the broadcast dimensions."""
    return unbroadcast(dout, x, axis=axis)


@op(needs="a shape of X to which that of Y broadcasts")
def unbroadcast(x: Any, y: Any, *, axis: int = -1) -> Any:
    """Sum `x` to the shape of `y`: the adjoint of broadcasting.

    Every dimension along which `y` would be broadcast is summed over; the result has
    the dtype of `y`.
    """
    ndim, leading = x.ndim, x.ndim - len(y.shape)
    if leading == 1 and axis != 0 and x.shape[1:] == y.shape and x.dtype == y.dtype:
        return np.add.reduce(x)  # a bias, repeated over the batch
    trailing = 0 if axis == -1 else max(leading - axis, 0)
    narrow = (1,) * (leading - trailing) + tuple(y.shape) + (1,) * trailing
    axes = tuple(i for i in range(ndim) if narrow[i] == 1 and x.shape[i] != 1)
    total = np.add.reduce(x, axis=axes, keepdims=True) if axes else x
    return total.reshape(y.shape).astype(y.dtype, copy=False)


@unbroadcast.grad(of=("x",))
def unbroadcast_grad(dout: Any, x: Like, *, axis: int) -> Any:
    """dx = dout broadcast to x's shape."""
    return expand_as_v2(dout, x, axis=axis)


def reduce_to(dx: Any, x: Any, axis: int = -1) -> Any:
    """Reduce a gradient to the shape and dtype of its input (unbroadcast).

    It costs nothing if they agree. All gradients of broadcasting ops go through here.
    """
    if isinstance(dx, Traced):
        known = -1 not in x.shape and tuple(dx.shape) == tuple(x.shape)
        same = known and dx.dtype == x.dtype
        return dx if same else unbroadcast(dx, x, axis=axis)
    if dx.shape == x.shape and dx.dtype == x.dtype:
        return dx
    return unbroadcast.kernel(dx, x, axis=axis)


def resolved(shape: Sequence[int], old: Sequence[int]) -> tuple[int, ...]:
    """Resolve sizes of 0 (keep) in a target shape; -1 is left to NumPy.

    Raises:
        ShapeError: A size is below -1, which NumPy would take for -1.
    """
    if min(shape, default=0) < -1:
        raise ShapeError(f"a size is -1, 0 or more, got {list(shape)}")
    return tuple(old[i] if n == 0 and 0 not in old else n for i, n in enumerate(shape))


@op(needs="a shape of as many elements as X has; one size may be -1, 0 keeps a size")
def reshape2(x: Any, *, shape: Sequence[int]) -> Any:
    """Reshape x; a size of 0 keeps x's, one may be -1."""
    return x.reshape(resolved(shape, x.shape))


@reshape2.grad
def reshape2_grad(dout: Any, x: Like) -> Any:
    """dx = dout in the shape of x."""
    return reshape_as(dout, x)


@op(needs="as many elements in X as in Y")
def reshape_as(x: Any, y: Any) -> Any:
    """Reshape `x` to the shape of `y`."""
    return x.reshape(y.shape)


@reshape_as.grad(of=("x",))
def reshape_as_grad(dout: Any, x: Like) -> Any:
    """dx = dout in the shape of x."""
    return reshape_as(dout, x)


@op(needs="a last dimension that holds whole elements of the other dtype")
def view_dtype(input: Any, *, dtype: int) -> Any:
    """Reinterpret the bytes as another dtype (Paddle's code)."""
    return np.array(input, order="C").view(dtypes.convert(dtype))


@op
def unsqueeze2(x: Any, *, axes: Sequence[int]) -> Any:
    """Insert a dimension of size 1 at each of `axes`."""
    if [*axes] == [-1]:
        return x[..., None]
    return np.expand_dims(x, tuple(axes))


@unsqueeze2.grad
def unsqueeze2_grad(dout: Any, x: Like) -> Any:
    """dx = dout in the shape of x."""
    return reshape_as(dout, x)


@op(key="squeeze", needs="axes of size 1")
def squeeze2(x: Any, *, axes: Sequence[int] = ()) -> Any:
    """Remove these dimensions of size 1; all such dimensions if `axes` is empty."""
    return np.squeeze(x, tuple(axes) or None)


@squeeze2.grad
def squeeze2_grad(dout: Any, x: Like) -> Any:
    """dx = dout in the shape of x."""
    return reshape_as(dout, x)


@op(key="flatten", needs="a stop_axis that does not come before start_axis")
def flatten_contiguous_range(x: Any, *, start_axis: int = 1, stop_axis: int = 1) -> Any:
    """Merge the dimensions from start_axis to stop_axis into one.

    Raises:
        ShapeError: start_axis is after stop_axis.
    """
    shape = x.shape or (1,)
    start = normalize_axis_index(start_axis, len(shape))
    stop = normalize_axis_index(stop_axis, len(shape)) + 1
    if start >= stop:
        raise ShapeError(f"dimension {stop_axis} comes before {start_axis}")
    return x.reshape((*shape[:start], prod(shape[start:stop]), *shape[stop:]))


@flatten_contiguous_range.grad
def flatten_contiguous_range_grad(dout: Any, x: Like) -> Any:
    """dx = dout in the shape of x."""
    return reshape_as(dout, x)


@op(key="transpose", needs="an axis list that names every dimension of X once")
def transpose2(x: Any, *, axis: Sequence[int]) -> Any:
    """out[i_axis] = x[i]: dimension k of the result is dimension axis[k] of x."""
    return np.transpose(x, axis)


@transpose2.infers
def infer_transpose2(x: Like, *, axis: Sequence[int]) -> Any:
    """x's sizes, permuted."""
    if len(axis) != x.ndim:
        raise ShapeError(f"{len(axis)} axes, {list(axis)}, for {x.ndim} dimensions")
    return [(np.transpose(np.broadcast_to(0, x.shape), axis).shape, x.dtype)]


@transpose2.grad
def transpose2_grad(dout: Any, *, axis: Sequence[int]) -> Any:
    """dx = dout with the inverse permutation."""
    return transpose2(dout, axis=np.argsort([i % len(axis) for i in axis]).tolist())


@op(type="shape")
def shape_(input: Any) -> Any:
    """The sizes of the dimensions, as an array."""
    return np.array(input.shape, np.int32)


@op(key="numel")
def size(input: Any) -> Any:
    """The number of elements, as an array."""
    return np.array(input.size, np.int64)


@op
def is_empty(x: Any) -> Any:
    """out = True if there is no element."""
    return np.array(x.size == 0)
