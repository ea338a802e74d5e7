"""Reshape, squeeze, transpose, broadcast and its adjoint, assign, shape."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from teachgraph.core import dtypes
from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import reshape_as

__all__ = [
    "flatten_contiguous_range",
    "is_empty",
    "reshape2",
    "shape_",
    "size",
    "squeeze2",
    "transpose2",
    "unsqueeze2",
    "view_dtype",
]


@op(needs="a last dimension that holds whole elements of the other dtype")
def view_dtype(input: Any, *, dtype: int) -> Any:
    """Reinterpret the bytes as another dtype (Paddle's code)."""
    return np.array(input, order="C").view(dtypes.of_code(dtype))


@op(needs="a shape of as many elements as X has; one size may be -1, 0 keeps a size")
def reshape2(x: Any, *, shape: Sequence[int]) -> Any:
    """Reshape x; a size of 0 keeps x's, one may be -1."""
    return x.reshape(target_shape(shape, x.shape))


def target_shape(shape: Sequence[int], old: Sequence[int]) -> tuple[int, ...]:
    """Resolve sizes of 0 (keep) in a target shape; -1 is left to NumPy.

    Raises:
        ShapeError: A size is below -1, which NumPy would take for -1.
    """
    if min(shape, default=0) < -1:
        raise ShapeError(f"a size is -1, 0 or more, got {list(shape)}")
    if 0 not in shape:
        return tuple(shape)
    return tuple(old[i] if n == 0 and 0 not in old else n for i, n in enumerate(shape))


@reshape2.grad
def reshape2_grad(dout: Any, x: Like) -> Any:
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
