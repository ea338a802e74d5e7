"""List operations on arrays of tensors: insert, pop, concatenation, slices, joining.

Each op returns a new array, whose parts are shared with the old one. The adjoint of
removing parts is inserting parts, and vice versa.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.op import Like, op
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.inline_rules import inline_grad
from teachgraph.ops.tensor_array import (
    TensorArray,
    array_index,
    lod_array_length,
    read_from_array,
)

__all__ = [
    "array_place",
    "drop_from_array",
    "insert_into_array",
    "join_arrays",
    "sizes_of_array",
    "slice_array",
    "tensor_array_to_tensor",
    "unslice_array",
]

NEEDS = "I: one whole number, from 0 to the array's length"


@op
def array_place(x: Any, i: Any, *, inserting: bool = False) -> Any:
    """Resolve an index of a list to a non-negative one.

    An insertion past an end of the list goes to that end, as in Python.
    """
    position, length = int(np.reshape(i, ())), len(x)
    from_start = position + length if position < 0 else position
    if inserting:
        from_start = min(max(from_start, 0), length)
    elif not 0 <= from_start < length:
        raise OutOfRangeError(f"the index is {position}, but the list holds {length}")
    return np.array([from_start], np.int64)


@array_place.infers
def array_place_spec(x: Like, i: Like, *, inserting: bool) -> Any:
    """One whole number."""
    return [((1,), np.dtype(np.int64))]


@op(needs=NEEDS)
def insert_into_array(x: Any, value: Any, i: Any) -> Any:
    """Insert a part before the one at `i`."""
    at = array_index(i, len(x) + 1)
    return TensorArray((*x.parts[:at], value, *x.parts[at:]))


@insert_into_array.infers
def insert_into_array_spec(x: Like, value: Like, i: Like) -> Any:
    """An array's spec is that of the part written last."""
    return [(value.shape, value.dtype)]


@inline_grad(insert_into_array, of=("x", "value"))
def insert_into_array_grad(dout: Any, i: Any) -> Any:
    """dx = dout without part i; dvalue = dout[i]."""
    return lambda: drop_from_array(dout, i), lambda: read_from_array(dout, i)


@op(needs=NEEDS)
def drop_from_array(x: Any, i: Any) -> Any:
    """Remove part `i`."""
    at = array_index(i, len(x))
    return TensorArray((*x.parts[:at], *x.parts[at + 1 :]))


@drop_from_array.infers
def drop_from_array_spec(x: Like, i: Like) -> Any:
    """An array like `x`."""
    return [(x.shape, x.dtype)]


@inline_grad(drop_from_array, of=("x",))
def drop_from_array_grad(dout: Any, x: Any, i: Any) -> Any:
    """dx = dout with zeros inserted at i."""
    nothing = fill_any_like(read_from_array(x, i))
    return lambda: insert_into_array(dout, nothing, i)


@op
def join_arrays(x: Any, y: Any) -> Any:
    """Concatenate two arrays of tensors."""
    return TensorArray((*x.parts, *y.parts))


@join_arrays.infers
def join_arrays_spec(x: Like, y: Like) -> Any:
    """An array like them."""
    return [(y.shape, y.dtype)]


@inline_grad(join_arrays)
def join_arrays_grad(dout: Any, x: Any) -> Any:
    """dx = dout[:len(x)], dy = dout[len(x):]."""
    length = lod_array_length(x)
    return (
        lambda: slice_array(dout, None, length),
        lambda: slice_array(dout, length, None),
    )


def between(start: Any, stop: Any, step: int) -> slice:
    """Build a slice; bounds may be arrays of one number."""
    first, last = (None if b is None else int(np.reshape(b, ())) for b in (start, stop))
    return slice(first, last, step)


@op
def slice_array(x: Any, start: Any = None, stop: Any = None, *, step: int = 1) -> Any:
    """x[start:stop:step]."""
    return TensorArray(x.parts[between(start, stop, step)])


@slice_array.infers
def slice_array_spec(x: Like, start: Any, stop: Any, *, step: int) -> Any:
    """An array like `x`."""
    return [(x.shape, x.dtype)]


@inline_grad(slice_array, of=("x",))
def slice_array_grad(dout: Any, x: Any, start: Any, stop: Any, *, step: int) -> Any:
    """dx = dout at the indices of the slice, zeros elsewhere."""
    return lambda: unslice_array(dout, x, start, stop, step=step)


@op
def unslice_array(
    x: Any, like: Any, start: Any = None, stop: Any = None, *, step: int = 1
) -> Any:
    """Zeros like another array, with `x` at the indices of a slice."""
    parts = list(like.zeros().parts)
    for i, part in zip(
        range(len(parts))[between(start, stop, step)], x.parts, strict=True
    ):
        parts[i] = part
    return TensorArray(parts)


@unslice_array.infers
def unslice_array_spec(x: Like, like: Like, start: Any, stop: Any, *, step: int) -> Any:
    """An array like the other."""
    return [(like.shape, like.dtype)]


@inline_grad(unslice_array, of=("x",))
def unslice_array_grad(dout: Any, start: Any, stop: Any, *, step: int) -> Any:
    """dx = dout[start:stop:step]."""
    return lambda: slice_array(dout, start, stop, step=step)


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


@op
def sizes_of_array(x: Any, *, axis: int = 0) -> Any:
    """Sizes of the parts along an axis."""
    return np.array([part.shape[axis] for part in x.parts], np.int32)


@sizes_of_array.infers
def sizes_of_array_spec(x: Like, *, axis: int) -> Any:
    """A vector of unknown length."""
    return [((-1,), np.dtype(np.int32))]
