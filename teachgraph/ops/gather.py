"""Gathering by index, and the adjoint: scatter-add.

Gradients of an element that is read several times accumulate.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import gt
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import reduce_to
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.places import (
    check_index,
    checked,
    fitting,
    grid,
    integral,
    slice_coordinates,
    summed_at,
)

__all__ = [
    "gather",
    "gather_nd",
    "index_add",
    "index_sample",
    "index_select",
    "scatter_nd_add",
    "take_along_axis",
    "to_places",
    "within",
    "zeros",
]


def zeros(x: Any, dout: Any) -> Any:
    """Zeros in the shape of `x` and the dtype of `dout`."""
    return fill_any_like(x, value=0.0, dtype=dtypes.PADDLE_CODES[dout.dtype])


def index_shape(shape: Sequence[int]) -> Sequence[int]:
    """Normalise the shape of an index to [] or [n]; [n, 1] is [n], as in Paddle.

    Raises:
        ShapeError: It is another one.
    """
    if len(shape) > 2 or tuple(shape[1:]) not in {(), (1,)}:
        raise ShapeError(f"an index is a list, got one of shape {list(shape)}")
    return shape[:1]


@op(needs="an index that is a list of integers")
def gather(x: Any, index: Any, *, axis: int = 0) -> Any:
    """The slices of `x` at `index` along `axis`."""
    at = normalize_axis_index(axis, x.ndim)
    return np.take(
        x, check_index(index.reshape(index_shape(index.shape)), x.shape[at]), at
    )


@gather.grad(of=("x",))
def gather_grad(dout: Any, x: Like, index: Any, *, axis: int) -> Any:
    """Scatter-add: each slice accumulates the gradients of its copies."""
    return index_add(zeros(x, dout), dout, index, axis=axis)


@gather.infers
def infer_gather(x: Like, index: Like, *, axis: int) -> Any:
    """The index's shape replaces the axis."""
    integral(index)
    at = normalize_axis_index(axis, x.ndim)
    return [((*x.shape[:at], *index_shape(index.shape), *x.shape[at + 1 :]), x.dtype)]


@op(needs="an index that is a list of integers")
def index_select(x: Any, index: Any, *, dim: int = 0) -> Any:
    """The slices of `x` at `index` along `dim`."""
    return gather.kernel(x, index, axis=dim)


@index_select.grad(of=("x",))
def index_select_grad(dout: Any, x: Like, index: Any, *, dim: int) -> Any:
    """Scatter-add: each slice accumulates the gradients of its copies."""
    return index_add(zeros(x, dout), dout, index, axis=dim)


@index_select.infers
def infer_index_select(x: Like, index: Like, *, dim: int) -> Any:
    """The index's size replaces the axis."""
    return infer_gather(x, index, axis=dim)


@op(needs="values in the shape of the slices they are added to")
def index_add(x: Any, add_value: Any, index: Any, *, axis: int = 0) -> Any:
    """A copy of `x` with a value added to each slice at `index`."""
    at = normalize_axis_index(axis, x.ndim)
    list_shape = index_shape(index.shape)
    if add_value.shape != (*x.shape[:at], *list_shape, *x.shape[at + 1 :]):
        raise ShapeError(f"values of shape {list(add_value.shape)} do not fit")
    # Flat, as [n, 1] means the same index as [n].
    items = check_index(index.reshape(-1), x.shape[at])
    values = add_value.reshape((*x.shape[:at], items.size, *x.shape[at + 1 :]))
    return summed_at(slice_coordinates(x.shape, at, items), fitting(values, x), x)


@index_add.grad(of=("x", "add_value"))
def index_add_grad(dout: Any, add_value: Like, index: Any, *, axis: int) -> Any:
    """dx = dout; dvalue = the slices of dout at the index."""

    def dvalue() -> Any:
        return reduce_to(gather(dout, index, axis=axis), add_value)

    return dout, dvalue


def gather_axis(index: Any, x: Any, axis: int) -> int:
    """Resolve the axis, and check that the index fits `x`.

    Raises:
        ShapeError: The ranks differ, or the index is larger beside the axis.
    """
    at = normalize_axis_index(axis, len(x.shape))
    beside = map(gt, without_axis(index.shape, at), without_axis(x.shape, at))
    if len(index.shape) != len(x.shape) or any(beside):
        raise ShapeError(
            f"an index of shape {list(index.shape)} does not fit into {list(x.shape)}"
        )
    return at


def without_axis(sizes: Sequence[int], at: int) -> Sequence[int]:
    """All sizes but one."""
    return [*sizes[:at], *sizes[at + 1 :]]


def along_axis(index: Any, x: Any, axis: int) -> list[Any]:
    """Compute the coordinates in `x` of an index along an axis."""
    at = gather_axis(index, x, axis)
    coordinates = grid(index.shape)
    coordinates[at] = checked(index, x.shape[at])
    return coordinates


@op(
    outputs=("result",),
    needs="an index with the dimensions of Input, no larger beside the axis",
)
def take_along_axis(
    input: Any,
    index: Any,
    *,
    Axis: int,  # noqa: N803  Paddle's name
) -> Any:
    """result[i, j] = input[index[i, j], j] for axis 0, and so on."""
    return input[tuple(along_axis(index, input, Axis))]


@take_along_axis.grad(of=("input",))
def take_along_axis_grad(
    dresult: Any,
    input: Like,
    index: Any,
    *,
    Axis: int,  # noqa: N803  Paddle's name
) -> Any:
    """Scatter-add: each element accumulates the gradients of its copies."""
    return to_places(dresult, input, index, Axis)


@take_along_axis.infers
def infer_take_along_axis(
    input: Like,
    index: Like,
    *,
    Axis: int,  # noqa: N803  Paddle's name
) -> Any:
    """The shape of the index."""
    integral(index)
    gather_axis(index, input, Axis)
    return [(index.shape, input.dtype)]


@op(needs="integers, and an element for them to stand for")
def within(x: Any, y: Any, *, mode: str) -> Any:
    """Wrap or clip indices to the range of the vector `y`.

    Raises:
        InvalidValueError: An unknown mode, or `y` is empty.
    """
    integral(x)
    if mode not in {"wrap", "clip"} or not y.shape[0]:
        raise InvalidValueError(f"mode {mode!r}, {y.shape[0]} elements")
    return x % y.shape[0] if mode == "wrap" else np.clip(x, 0, y.shape[0] - 1)


@op
def add_along_axis(x: Any, y: Any, index: Any, *, axis: int) -> Any:
    """A copy of `x` with `y` added where `take_along_axis` would read: its adjoint."""
    return summed_at(along_axis(index, x, axis), fitting(y, x), x)


@add_along_axis.grad(of=("x", "y"))
def add_along_axis_grad(dout: Any, index: Any, *, axis: int) -> Any:
    """dx = dout; dy = the elements of dout at the index."""
    return dout, lambda: take_along_axis(dout, index, Axis=axis)


def to_places(dout: Any, x: Any, index: Any, axis: int) -> Any:
    """Scatter the gradient of elements chosen along `axis` back to their positions.

    A scalar counts as a vector of one, whose element was chosen.
    """
    return add_along_axis(zeros(x, dout), dout, index, axis=axis) if x.shape else dout


@op(needs="as many rows in Index as in X")
def index_sample(x: Any, index: Any) -> Any:
    """out[i, j] = x[i, index[i, j]]: some elements of each row.

    Raises:
        ShapeError: The inputs are no matrices with equally many rows.
    """
    check_rows(x, index)
    # Paddle refuses negative indices here, which the next kernel counts from the end.
    check_index(index, x.shape[1])
    return take_along_axis.kernel(x, index, Axis=1)


def check_rows(x: Any, index: Any) -> None:
    """Require matrices with equally many rows.

    Raises:
        ShapeError: They are not.
    """
    if len(x.shape) != 2 or len(index.shape) != 2 or x.shape[0] != index.shape[0]:
        raise ShapeError(f"{list(x.shape)} and {list(index.shape)}")


@index_sample.grad(of=("x",))
def index_sample_grad(dout: Any, x: Like, index: Any) -> Any:
    """Scatter-add: each element accumulates the gradients of its copies."""
    return to_places(dout, x, index, 1)


def columns(index: Any, shape: Sequence[int], from_end: bool) -> list[Any]:
    """Split an index's last dimension into coordinates of the first dimensions.

    Args:
        index: Integers [..., k].
        shape: Of what is read or written.
        from_end: Negative coordinates count from the end, as in x[index]; without,
            they are refused.

    Raises:
        ShapeError: There are more coordinates than dimensions.
        OutOfRangeError: A coordinate is past the end.
    """
    depth(index, shape)
    check = checked if from_end else check_index
    return [
        check(index[..., i], size)
        for i, size in zip(range(index.shape[-1]), shape, strict=False)
    ]


def depth(index: Any, shape: Sequence[int]) -> int:
    """Count the coordinates of an index.

    Raises:
        ShapeError: There are more than dimensions, or the index has no dimension.
    """
    if not index.shape or not index.shape[-1] <= len(shape):
        raise ShapeError(
            f"an index of shape {list(index.shape)} holds {index.shape[-1:] or 'no'} "
            f"coordinates in its last dimension, for {len(shape)} dimensions"
        )
    return int(index.shape[-1])


@op(needs="an index whose last dimension holds the first coordinates in X")
def gather_nd(x: Any, index: Any, *, from_end: bool = False) -> Any:
    """out[i] = x[index[i, 0], index[i, 1], ...]; without coordinates, all of x."""
    if not depth(index, x.shape):
        # Nothing is indexed, but an index of floating numbers is still an error.
        integral(index)
        return np.array(np.broadcast_to(x, (*index.shape[:-1], *x.shape)))
    return x[tuple(columns(index, x.shape, from_end))]


@gather_nd.grad(of=("x",))
def gather_nd_grad(dout: Any, x: Like, index: Any, *, from_end: bool) -> Any:
    """Scatter-add: each element accumulates the gradients of its copies."""
    if index.shape[-1] == 0:
        return reduce_to(dout, x)
    return scatter_nd_add(zeros(x, dout), dout, index, from_end=from_end)


@gather_nd.infers
def infer_gather_nd(x: Like, index: Like, *, from_end: bool) -> Any:
    """The dimensions of the index but the last, then those of X it does not fix."""
    integral(index)
    return [((*index.shape[:-1], *x.shape[depth(index, x.shape) :]), x.dtype)]


@op(needs="updates in the shape of what gather_nd would read")
def scatter_nd_add(x: Any, updates: Any, index: Any, *, from_end: bool = False) -> Any:
    """A copy of `x` with updates[i] added to x[index[i, 0], index[i, 1], ...].

    Raises:
        ShapeError: The updates have another shape than x[index].
    """
    first = columns(index, x.shape, from_end)
    rest = x.shape[len(first) :]
    if updates.shape != (*index.shape[:-1], *rest):
        raise ShapeError(f"updates of shape {list(updates.shape)} do not fit")
    ones = (1,) * len(rest)
    first = [column.reshape(column.shape + ones) for column in first]
    return summed_at([*first, *grid(rest)], fitting(updates, x), x)


@scatter_nd_add.grad(of=("x", "updates"))
def scatter_nd_add_grad(dout: Any, updates: Like, index: Any, *, from_end: bool) -> Any:
    """dx = dout; dupdates = the elements of dout at the index."""

    def dupdates() -> Any:
        return reduce_to(gather_nd(dout, index, from_end=from_end), updates)

    return dout, dupdates
