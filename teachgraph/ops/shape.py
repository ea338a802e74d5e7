"""Moving elements about: reshape, transpose, expand and its adjoint, concat, slice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from teachgraph.errors import DTypeError, ShapeError
from teachgraph.ops.op import Like, op
from teachgraph.ops.traced import Traced

__all__ = [
    "assign",
    "concat",
    "expand_as_v2",
    "reduce_to",
    "reshape2",
    "reshape_as",
    "slice_",
    "transpose2",
    "unbroadcast",
    "unslice",
    "unsqueeze2",
]


def aligned(y: Any, ndim: int, axis: int) -> Any:
    """`y` with trailing ones, so that its first dimension stands at `axis` of `ndim`.

    That is how Paddle broadcasts: axis -1 aligns at the right as NumPy does.

    Raises:
        ShapeError: `y` does not fit in there.
    """
    trailing = 0 if axis == -1 else ndim - axis - y.ndim
    if trailing < 0 or axis < -1:
        raise ShapeError(f"{y.ndim} dimensions from {axis} on do not fit into {ndim}")
    return y.reshape(y.shape + (1,) * trailing) if trailing > 0 else y


@op
def assign(x: Any) -> Any:
    """A copy: out = x."""
    return np.array(x)


@assign.grad(inline=True)
def assign_grad(dout: Any) -> Any:
    """dx = dout."""
    return lambda: assign(dout)


@op(key="expand_as", needs="a shape of X that broadcasts to that of Y")
def expand_as_v2(x: Any, y: Any, *, axis: int = -1) -> Any:
    """`x` repeated until it has the shape of `y`."""
    out = np.empty(y.shape, x.dtype)
    out[...] = aligned(x, len(y.shape), axis)
    return out


@expand_as_v2.grad(of=("x",))
def expand_as_v2_grad(dout: Any, x: Like, *, axis: int) -> Any:
    """Repeating sums up on the way back."""
    return unbroadcast(dout, x, axis=axis)


@op(needs="a shape of X to which that of Y broadcasts")
def unbroadcast(x: Any, y: Any, *, axis: int = -1) -> Any:
    """`x` summed to the shape of `y`: the adjoint of broadcasting.

    Every dimension along which `y` would be repeated is summed over; the result has the
    dtype of `y`.
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
    """Summing repeats on the way back."""
    return expand_as_v2(dout, x, axis=axis)


def reduce_to(dx: Any, x: Any, axis: int = -1) -> Any:
    """A gradient brought to the shape and dtype of the input it belongs to.

    Free when they agree already. This is the one place where broadcasting is undone.
    """
    if isinstance(dx, Traced):
        known = -1 not in x.shape and tuple(dx.shape) == tuple(x.shape)
        same = known and dx.dtype == x.dtype
        return dx if same else unbroadcast(dx, x, axis=axis)
    if dx.shape == x.shape and dx.dtype == x.dtype:
        return dx
    return unbroadcast.kernel(dx, x, axis=axis)


def resolved(shape: Sequence[int], old: Sequence[int]) -> tuple[int, ...]:
    """A target shape with 0 (keep this one) filled in; -1 is left to NumPy.

    Raises:
        ShapeError: A size is below -1, which NumPy would take for -1.
    """
    if min(shape, default=0) < -1:
        raise ShapeError(f"a size is -1, 0 or more, got {list(shape)}")
    return tuple(old[i] if n == 0 and 0 not in old else n for i, n in enumerate(shape))


@op(needs="a shape of as many elements as X has; one size may be -1, 0 keeps a size")
def reshape2(x: Any, *, shape: Sequence[int]) -> Any:
    """The same elements in rows of other lengths."""
    return x.reshape(resolved(shape, x.shape))


@reshape2.grad
def reshape2_grad(dout: Any, x: Like) -> Any:
    """The gradient, in the shape of x."""
    return reshape_as(dout, x)


@op(needs="as many elements in X as in Y")
def reshape_as(x: Any, y: Any) -> Any:
    """`x` in the shape of `y`."""
    return x.reshape(y.shape)


@reshape_as.grad(of=("x",))
def reshape_as_grad(dout: Any, x: Like) -> Any:
    """The gradient, in the shape of x."""
    return reshape_as(dout, x)


@op
def unsqueeze2(x: Any, *, axes: Sequence[int]) -> Any:
    """`x` with a dimension of size 1 put in at each of `axes`."""
    return np.expand_dims(x, tuple(axes))


@unsqueeze2.grad
def unsqueeze2_grad(dout: Any, x: Like) -> Any:
    """The gradient, in the shape of x."""
    return reshape_as(dout, x)


@op(key="transpose", needs="an axis list that names every dimension of X once")
def transpose2(x: Any, *, axis: Sequence[int]) -> Any:
    """out[i_axis] = x[i]: dimension k of the result is dimension axis[k] of x."""
    return np.transpose(x, axis)


@transpose2.grad
def transpose2_grad(dout: Any, *, axis: Sequence[int]) -> Any:
    """The inverse permutation."""
    return transpose2(dout, axis=np.argsort([i % len(axis) for i in axis]).tolist())


@op(needs="inputs of one dtype and, but for the axis they are joined along, one shape")
def concat(*x: Any, axis: int = 0) -> Any:
    """The inputs one after the other along `axis`."""
    if not x:
        raise ShapeError("there is nothing to join")
    if any(part.dtype != x[0].dtype for part in x):
        raise DTypeError("the inputs have several dtypes")
    return np.concatenate(x, axis)


@concat.grad
def concat_grad(dout: Any, *x: Like, axis: int) -> Any:
    """Each input gets back its own part."""
    lengths = [part.shape[axis] for part in x]
    if -1 in lengths:
        raise ShapeError(f"the sizes along axis {axis} must be known: {lengths}")
    ends = list(accumulate(lengths))
    along = axis % len(x[0].shape)
    return tuple(
        slice_(dout, axes=[along], starts=[end - length], ends=[end])
        for length, end in zip(lengths, ends, strict=True)
    )


@op(type="slice", key="slice", needs="as many starts as ends and axes")
def slice_(
    input: Any,
    *,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    decrease_axis: Sequence[int] = (),
) -> Any:
    """The part from starts to ends along `axes`; `decrease_axis` are then dropped."""
    part = input[window(input.ndim, axes, starts, ends)]
    kept = [n for i, n in enumerate(part.shape) if i not in decrease_axis]
    return part.reshape(kept)


def window(
    ndim: int, axes: Sequence[int], starts: Sequence[int], ends: Sequence[int]
) -> tuple[Any, ...]:
    """The index that cuts out this part of an array, an array also of 0 dimensions."""
    index = [slice(None)] * ndim
    for axis, start, end in zip(axes, starts, ends, strict=True):
        index[axis] = slice(start, end)
    return (*index, ...)


@slice_.grad
def slice_grad(
    dout: Any,
    input: Like,
    *,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    decrease_axis: Sequence[int],
) -> Any:
    """Zeros around the gradient of the part."""
    where = {"axes": axes, "starts": starts, "ends": ends}
    return unslice(dout, input, **where, decrease_axis=decrease_axis)


@op
def unslice(
    x: Any,
    y: Any,
    *,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    decrease_axis: Sequence[int] = (),
) -> Any:
    """Zeros shaped like `y`, with `x` where `slice` would read: its adjoint."""
    out = np.zeros(y.shape, x.dtype)
    part = out[window(out.ndim, axes, starts, ends)]
    part[...] = x.reshape(part.shape)
    return out


@unslice.grad(of=("x",))
def unslice_grad(
    dout: Any,
    x: Like,
    *,
    axes: Sequence[int],
    starts: Sequence[int],
    ends: Sequence[int],
    decrease_axis: Sequence[int],
) -> Any:
    """Only the part inside counts."""
    where = {"axes": axes, "starts": starts, "ends": ends}
    return slice_(dout, **where, decrease_axis=decrease_axis)
