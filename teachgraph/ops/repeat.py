"""Broadcasting, tiling and repeating; their gradients sum over the copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import unbroadcast
from teachgraph.ops.places import slice_coordinates, summed_at

__all__ = [
    "broadcast_among",
    "expand_v2",
    "repeat_interleave",
    "tile",
    "unrepeat",
    "untile",
]


@op(key="expand", needs="a shape to which that of X broadcasts; -1 keeps a size")
def expand_v2(x: Any, *, shape: Sequence[int]) -> Any:
    """Broadcast `x` to a shape; -1 keeps a size.

    Raises:
        ShapeError: The shape has fewer dimensions than `x`, or a size below -1.
    """
    leading = len(shape) - x.ndim
    if leading < 0 or min(shape, default=0) < -1 or -1 in shape[:leading]:
        raise ShapeError(f"{list(x.shape)} cannot become {list(shape)}")
    old = (1,) * leading + x.shape
    full = [n if m == -1 else m for m, n in zip(shape, old, strict=True)]
    # A copy: the repeated elements of a broadcast view share memory.
    return np.array(np.broadcast_to(x, full))


@expand_v2.grad
def expand_v2_grad(dout: Any, x: Like) -> Any:
    """dx = dout summed over the broadcast dimensions."""
    return unbroadcast(dout, x)


@op(key="broadcast_tensors", needs="shapes that broadcast")
def broadcast_among(x: Any, *y: Any) -> Any:
    """Broadcast `x` to the shape to which it and all of `y` broadcast."""
    shapes = [part.shape for part in y]
    return np.array(np.broadcast_to(x, np.broadcast_shapes(x.shape, *shapes)))


@broadcast_among.grad(of=("x",))
def broadcast_among_grad(dout: Any, x: Like, *y: Like) -> Any:
    """dx = dout summed over the broadcast dimensions."""
    return (unbroadcast(dout, x),)


def check_times(times: Sequence[int]) -> None:
    """Require non-negative counts.

    Raises:
        InvalidValueError: A count is negative.
    """
    if min(times, default=0) < 0:
        raise InvalidValueError(f"repeated {min(times)} times")


def tiles(shape: Sequence[int], times: Sequence[int]) -> list[int]:
    """Interleave times and sizes: the shape of a tiled x with a dimension per tile."""
    ndim = max(len(shape), len(times))
    often = [1] * (ndim - len(times)) + list(times)
    sizes = [1] * (ndim - len(shape)) + list(shape)
    return [n for pair in zip(often, sizes, strict=True) for n in pair]


@op
def tile(x: Any, *, repeat_times: Sequence[int]) -> Any:
    """Repeat `x` as a whole repeat_times[k] times along dimension k."""
    check_times(repeat_times)
    return np.tile(x, tuple(repeat_times))


@tile.grad
def tile_grad(dout: Any, x: Like, *, repeat_times: Sequence[int]) -> Any:
    """dx = the sum of dout's tiles."""
    return untile(dout, x, repeat_times=repeat_times)


@op(needs="a shape of X that is Y's, tiled")
def untile(x: Any, y: Any, *, repeat_times: Sequence[int]) -> Any:
    """Sum all tiles: the adjoint of `tile`."""
    split = x.reshape(tiles(y.shape, repeat_times))
    return split.sum(tuple(range(0, split.ndim, 2)), dtype=x.dtype).reshape(y.shape)


@untile.grad(of=("x",))
def untile_grad(dout: Any, *, repeat_times: Sequence[int]) -> Any:
    """dx = dout repeated."""
    return tile(dout, repeat_times=repeat_times)


def repeat_counts(repeats: Any, times: int) -> Any:
    """Resolve the counts: one number for all, or an array."""
    counts = np.asarray(times if repeats is None else repeats)
    check_times(counts.ravel().tolist())
    return counts


def check_counts(repeats: Any, size: int) -> None:
    """Require one count for all, or one for each slice.

    Raises:
        DTypeError: The counts are no integers.
        ShapeError: Their number is wrong.
    """
    if repeats.dtype.kind not in "iu":
        raise DTypeError(f"counts are integers, got {repeats.dtype}")
    if tuple(repeats.shape) not in {(), (1,), (size,)}:
        raise ShapeError(f"counts of shape {list(repeats.shape)} for {size}")


@op(needs="a count for all, or one for each along the dimension")
def repeat_interleave(
    x: Any,
    repeats_tensor: Any = None,
    *,
    dim: int = 0,
    Repeats: int = 0,  # noqa: N803  Paddle's name
) -> Any:
    """Repeat each slice along `dim`, by `repeats_tensor` or by `Repeats` for all."""
    infer_repeat_interleave(x, repeats_tensor, dim=dim, Repeats=Repeats)
    return np.repeat(x, repeat_counts(repeats_tensor, Repeats), dim)


@repeat_interleave.grad(of=("x",))
def repeat_interleave_grad(
    dout: Any,
    x: Like,
    repeats_tensor: Any,
    *,
    dim: int,
    Repeats: int,  # noqa: N803  Paddle's name
) -> Any:
    """dx = dout summed over the copies of each slice."""
    return unrepeat(dout, x, repeats_tensor, dim=dim, Repeats=Repeats)


@repeat_interleave.infers
def infer_repeat_interleave(
    x: Like,
    repeats_tensor: Like | None,
    *,
    dim: int,
    Repeats: int,  # noqa: N803  Paddle's name
) -> Any:
    """The size along `dim` is unknown (-1) if the counts are a tensor."""
    at = normalize_axis_index(dim, x.ndim)
    if repeats_tensor is not None:
        check_counts(repeats_tensor, x.shape[at])
    check_times([Repeats])
    size = x.shape[at] * Repeats if repeats_tensor is None else -1
    return [((*x.shape[:at], size, *x.shape[at + 1 :]), x.dtype)]


@op(needs="a shape of X that is Y's, with each slice repeated")
def unrepeat(
    x: Any,
    y: Any,
    repeats_tensor: Any = None,
    *,
    dim: int = 0,
    Repeats: int = 0,  # noqa: N803  Paddle's name
) -> Any:
    """Sum the copies of each slice: the adjoint of `repeat_interleave`."""
    counts = np.broadcast_to(repeat_counts(repeats_tensor, Repeats), y.shape[dim])
    source = np.repeat(np.arange(y.shape[dim]), counts)
    return summed_at(
        slice_coordinates(y.shape, dim, source), x, np.zeros(y.shape, x.dtype)
    )


@unrepeat.infers
def infer_unrepeat(x: Like, y: Like, repeats_tensor: Any, **_: int) -> Any:
    """Y's shape."""
    return [(y.shape, x.dtype)]


@unrepeat.grad(of=("x",))
def unrepeat_grad(
    dout: Any,
    repeats_tensor: Any,
    *,
    dim: int,
    Repeats: int,  # noqa: N803  Paddle's name
) -> Any:
    """dx = dout repeated."""
    return repeat_interleave(dout, repeats_tensor, dim=dim, Repeats=Repeats)
