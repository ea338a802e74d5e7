"""Ops on tensor arrays, and on sizes that a program computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import Like, op
from teachgraph.ops.inline_rules import inline_grad
from teachgraph.ops.tensor_array import TensorArray

__all__ = ["fill_sizes", "tensor_array_to_tensor"]


@op(needs="parts of one shape but for the axis they are put together along")
def tensor_array_to_tensor(x: Any, *, axis: int = 0, use_stack: bool = False) -> Any:
    """Stack or concatenate the parts of a tensor array along an axis."""
    return (np.stack if use_stack else np.concatenate)(x.parts, axis)


@tensor_array_to_tensor.infers
def tensor_array_to_tensor_spec(x: Like, *, axis: int, use_stack: bool) -> Any:
    """Infer the shape, whose size along the axis is unknown: so is the length."""
    shape = list(x.shape)
    if use_stack:
        shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, -1)
    else:
        shape[axis] = -1
    return [(tuple(shape), x.dtype)]


@inline_grad(tensor_array_to_tensor)
def tensor_array_to_tensor_grad(
    dout: Any, x: Any, *, axis: int, use_stack: bool
) -> Any:
    """Split the upstream gradient into an array of the parts' gradients."""
    return lambda: shares(dout, x, axis=axis, use_stack=use_stack)


@op
def shares(dout: Any, x: Any, *, axis: int = 0, use_stack: bool = False) -> Any:
    """Split `dout` into an array like `x`."""
    if use_stack:
        return TensorArray(np.moveaxis(dout, axis, 0))
    ends = np.cumsum([part.shape[axis] for part in x.parts])
    return TensorArray(np.split(dout, ends[:-1], axis))


@shares.infers
def shares_spec(dout: Like, x: Like, *, axis: int, use_stack: bool) -> Any:
    """Infer an array like `x`."""
    return [(x.shape, x.dtype)]


@op(key="full")
def fill_sizes(
    *sizes: Any, shape: Sequence[int], value: float = 0.0, dtype: int = 5
) -> Any:
    """Fill a tensor with one value; each -1 of its shape is the next of the sizes."""
    left = iter(sizes)
    known = [int(np.reshape(next(left), ())) if n == -1 else n for n in shape]
    return np.full(known, value, dtypes.convert(dtype))


@fill_sizes.infers
def fill_sizes_spec(
    *sizes: Like, shape: Sequence[int], value: float, dtype: int
) -> Any:
    """Infer the shape as written: the sizes are known only when the program runs."""
    return [(tuple(shape), dtypes.convert(dtype))]
