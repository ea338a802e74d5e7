"""Basic slicing: `slice`, its adjoint `unslice`, `set_value` and crop.

A slice is a start, an end and a stride along some axes. `slice` and `unslice` are each
other's adjoint; `set_value` writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import reduce_to
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.places import fitting
from teachgraph.ops.shape import unsqueeze2

__all__ = [
    "OPEN_END",
    "crop_tensor",
    "set_value",
    "slice_",
    "strided_slice",
    "unslice",
]

OPEN_END = 2**31 - 1
"""Paddle's constant for an open end."""

Numbers = Sequence[int]


def window(
    ndim: int, axes: Numbers, starts: Numbers, ends: Numbers, strides: Numbers = ()
) -> tuple[Any, ...]:
    """Build NumPy's index of a slice.

    As in Paddle, an end of -1 with a negative stride is before the first element.

    Raises:
        InvalidValueError: A stride is 0.
        OutOfRangeError: An axis is out of range.
    """
    try:
        return slice_index(ndim, axes, starts, ends, strides)
    except IndexError:
        message = f"axes {list(axes)} of {ndim} dimensions"
        raise OutOfRangeError(message) from None


def slice_index(
    ndim: int, axes: Numbers, starts: Numbers, ends: Numbers, strides: Numbers
) -> tuple[Any, ...]:
    """Build the index; raise IndexError if an axis is out of range."""
    # The index ends with `...`, so that a 0-D result is an array, not a NumPy scalar.
    index = [slice(None)] * ndim
    if not strides:
        for axis, start, end in zip(axes, starts, ends, strict=True):
            index[axis] = slice(start, end)
        return (*index, ...)
    if 0 in strides:
        raise InvalidValueError(f"no stride is 0, got {list(strides)}")
    for axis, start, end, stride in zip(axes, starts, ends, strides, strict=True):
        down_to_the_first = end == -1 and stride < 0
        index[axis] = slice(start, None if down_to_the_first else end, stride)
    return (*index, ...)


def squeezed(part: Any, decrease_axis: Numbers) -> Any:
    """Drop axes of size 1."""
    return part.squeeze(tuple(decrease_axis)) if decrease_axis else part


NEEDS = "as many starts as ends and axes"


@op(type="slice", key="slice", needs=NEEDS)
def slice_(
    input: Any,
    *,
    axes: Numbers,
    starts: Numbers,
    ends: Numbers,
    decrease_axis: Numbers = (),
) -> Any:
    """Slice from starts to ends along `axes`, then drop `decrease_axis`."""
    return squeezed(input[window(input.ndim, axes, starts, ends)], decrease_axis)


@slice_.grad
def slice_grad(
    dout: Any,
    input: Like,
    *,
    axes: Numbers,
    starts: Numbers,
    ends: Numbers,
    decrease_axis: Numbers,
) -> Any:
    """dx = zeros with dout in the slice."""
    where = {"axes": axes, "starts": starts, "ends": ends}
    return unslice(dout, input, **where, decrease_axis=decrease_axis)


@op(needs=f"{NEEDS}, and strides that are not 0")
def strided_slice(
    input: Any,
    *,
    axes: Numbers,
    starts: Numbers,
    ends: Numbers,
    strides: Numbers,
    decrease_axis: Numbers = (),
) -> Any:
    """Slice every stride-th element from starts to ends; negative strides reverse."""
    part = input[window(input.ndim, axes, starts, ends, strides)]
    return squeezed(part, decrease_axis)


@strided_slice.grad
def strided_slice_grad(
    dout: Any,
    input: Like,
    *,
    axes: Numbers,
    starts: Numbers,
    ends: Numbers,
    strides: Numbers,
    decrease_axis: Numbers,
) -> Any:
    """dx = zeros with dout in the slice."""
    where = {"axes": axes, "starts": starts, "ends": ends, "strides": strides}
    return unslice(dout, input, **where, decrease_axis=decrease_axis)


@op
def unslice(
    x: Any,
    y: Any,
    *,
    axes: Numbers,
    starts: Numbers,
    ends: Numbers,
    strides: Numbers = (),
    decrease_axis: Numbers = (),
) -> Any:
    """Zeros shaped like `y` with `x` in a slice: the adjoint of slicing."""
    out = np.zeros(y.shape, x.dtype)
    part = out[window(out.ndim, axes, starts, ends, strides)]
    part[...] = x.reshape(part.shape)
    return out


@unslice.grad(of=("x",))
def unslice_grad(
    dout: Any,
    x: Like,
    *,
    axes: Numbers,
    starts: Numbers,
    ends: Numbers,
    strides: Numbers,
    decrease_axis: Numbers,
) -> Any:
    """dx = the slice of dout."""
    where = {"axes": axes, "starts": starts, "ends": ends}
    return slice_op(dout, **where, strides=strides, decrease_axis=decrease_axis)


def slice_op(x: Any, *, strides: Numbers, **where: Any) -> Any:
    """Apply `slice`, or `strided_slice` if a stride is not 1."""
    if all(stride == 1 for stride in strides):
        return slice_(x, **where)
    return strided_slice(x, strides=strides, **where)


@op(needs="a size and an offset for each dimension of X, and a part inside of X")
def crop_tensor(x: Any, *, shape: Numbers, offsets: Numbers) -> Any:
    """Crop a part of a shape at `offsets`; -1 extends to the end.

    Raises:
        ShapeError: The part is not inside x.
    """
    if not len(shape) == len(offsets) == x.ndim:
        raise ShapeError(f"{len(shape)} sizes, {len(offsets)} offsets")
    for offset, length, size in zip(offsets, shape, x.shape, strict=True):
        if min(offset, length + 1) < 0 or offset + max(length, 0) > size:
            raise ShapeError(f"{length} elements from {offset} on, of {size}")
    return x[window(x.ndim, **crop_attrs(shape, offsets))]


def crop_attrs(shape: Numbers, offsets: Numbers) -> dict[str, Any]:
    """Convert shape and offsets to the attributes of `slice`."""
    ends = [
        OPEN_END if length == -1 else offset + length
        for length, offset in zip(shape, offsets, strict=True)
    ]
    return {"axes": list(range(len(ends))), "starts": list(offsets), "ends": ends}


@crop_tensor.grad
def crop_tensor_grad(dout: Any, x: Like, *, shape: Numbers, offsets: Numbers) -> Any:
    """dx = zeros with dout in the slice."""
    return unslice(dout, x, **crop_attrs(shape, offsets))


@op(needs="a value that broadcasts to the part it replaces")
def set_value(
    input: Any,
    value_tensor: Any = None,
    *,
    axes: Numbers,
    starts: Numbers,
    ends: Numbers,
    steps: Numbers,
    decrease_axes: Numbers = (),
    none_axes: Numbers = (),
    shape: Numbers = (),
    values: Sequence[float] = (),
    dtype: int = dtypes.PADDLE_CODES[dtypes.float32],
) -> Any:
    """A copy of `input` with a slice set to a value: a tensor, or `values`.

    The value broadcasts to the slice without its `decrease_axes`, each of size 1, and
    with new axes of size 1 at `none_axes`: x[0, None] has axis 0 and none axis 0.
    """
    out = np.array(input)
    if value_tensor is None:
        new = np.array(values, dtypes.of_code(dtype)).reshape(tuple(shape))
    else:
        new = fitting(value_tensor, out)
    part = out[window(out.ndim, axes, starts, ends, steps)]
    part = np.expand_dims(np.squeeze(part, tuple(decrease_axes)), tuple(none_axes))
    part[...] = new
    return out


@set_value.grad
def set_value_grad(
    dout: Any,
    value_tensor: Like,
    *,
    axes: Numbers,
    starts: Numbers,
    ends: Numbers,
    steps: Numbers,
    decrease_axes: Numbers,
    none_axes: Numbers,
) -> Any:
    """dinput = dout with 0 in the slice; dvalue = the slice of dout."""
    where = {"axes": axes, "starts": starts, "ends": ends}

    def dinput() -> Any:
        code = dtypes.PADDLE_CODES[dout.dtype]
        zero = {"values": [0.0], "shape": [1], "dtype": code}
        dropped = {"decrease_axes": decrease_axes, "none_axes": none_axes}
        return set_value(dout, None, **where, steps=steps, **dropped, **zero)

    def dvalue() -> Any:
        part = slice_op(dout, **where, strides=steps, decrease_axis=decrease_axes)
        part = unsqueeze2(part, axes=none_axes) if none_axes else part
        if (more := len(value_tensor.shape) - len(part.shape)) > 0:
            part = unsqueeze2(part, axes=list(range(more)))
        return reduce_to(part, value_tensor)

    return dinput, dvalue
