"""Indexing: `x[index]` and `x[index] = value` translated to ops.

Integers, slices, None and `...` become one `slice` or `strided_slice` (and
`unsqueeze2`). Integer arrays and masks become a `gather_nd` over the dimensions they
index, which are first transposed to the front; a single bool indexes a new dimension.
Results have NumPy's shapes, but for integers beside arrays: they drop their dimensions
first, as in Paddle and PyTorch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import index as whole
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError, OpError, ShapeError
from teachgraph.core.op import Traced
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.error_message import describe, explain
from teachgraph.ops.gather import gather_nd
from teachgraph.ops.number_arguments import number
from teachgraph.ops.scatter import flat_index, index_put
from teachgraph.ops.search import where_index
from teachgraph.ops.shape import transpose2, unsqueeze2
from teachgraph.ops.slicing import OPEN_END, set_value, slice_, strided_slice

__all__ = ["as_indices", "get_item", "set_item"]


@dataclass
class Plan:
    """Parsed index.

    Attributes:
        axes: The dimensions that integers and slices index.
        starts: The start for each.
        ends: The end for each.
        strides: The stride for each.
        dropped: The axes indexed by an integer.
        added: The dimensions that None or a single bool inserts, after dropping.
        arrays: For each dimension after that, its array index, or None.
    """

    axes: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    strides: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)

    @property
    def window(self) -> dict[str, list[int]]:
        """Attributes of `slice` for the basic part of the index."""
        return {"axes": self.axes, "starts": self.starts, "ends": self.ends}

    @property
    def indexed(self) -> list[int]:
        """Dimensions with an array index."""
        return [i for i, array in enumerate(self.arrays) if array is not None]

    @property
    def plain(self) -> list[int]:
        """Dimensions without an array index."""
        return [i for i, array in enumerate(self.arrays) if array is None]

    def cut(self, axis: int, start: int, end: int, stride: int) -> None:
        """Record a slice along a dimension."""
        self.axes.append(axis)
        self.starts.append(start)
        self.ends.append(end)
        self.strides.append(stride)

    @property
    def front(self) -> int:
        """Count the result dimensions before those of the arrays.

        These replace the arrays' dimensions; but they come first if the arrays are
        separated by a slice or None.
        """
        first, last = self.indexed[0], self.indexed[-1]
        return first if last - first < len(self.indexed) else 0


def planned(index: Any, shape: Sequence[int]) -> Plan:
    """Parse an index of an array of this shape.

    Raises:
        InvalidValueError: An item has an unsupported type.
        OutOfRangeError: An integer is out of range, or there are too many items.

    >>> plan = planned((0, slice(1, 3)), [4, 5])
    >>> plan.window, plan.dropped
    ({'axes': [0, 1], 'starts': [0, 1], 'ends': [1, 3]}, [0])
    """
    plan, axis = Plan(), 0
    for item in full(items_of(index), len(shape)):
        if item is None:
            plan.added.append(len(plan.arrays))
            plan.arrays.append(None)
        elif item is Ellipsis:
            continue
        elif isinstance(item, slice):
            take_slice(plan, item, axis, shape[axis])
        elif isinstance(item, int):
            take_integer(plan, item, axis, shape[axis])
        elif item.dtype == dtypes.bool and not item.shape:
            plan.added.append(len(plan.arrays))
            plan.arrays.append(flag_column(item))
        else:
            plan.arrays += columns_of(item, shape[axis : axis + width(item)])
        axis += width(item)
    return plan


def items_of(index: Any) -> list[Any]:
    """Normalise an index to items: None, `...`, slices, integers and arrays."""
    return [item_of(item) for item in (index if isinstance(index, tuple) else [index])]


def item_of(item: Any) -> Any:
    """Normalise one item: lists to arrays, 0-D arrays to integers, bools to arrays.

    Raises:
        InvalidValueError: The item has an unsupported type.
    """
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (list, range)):
        item = np.asarray(item) if len(item) else np.zeros(0, np.int64)
    elif isinstance(item, (bool, np.bool_)):
        item = np.asarray(item)
    if isinstance(item, (np.ndarray, Traced)) and (
        item.shape or is_later(item) or item.dtype == dtypes.bool
    ):
        return indexing(item)
    try:
        return whole(item)
    except TypeError:
        raise InvalidValueError(
            "an index is made of integers, slices, None, ..., bools and arrays of "
            f"integers or bool, got {describe(item)}"
        ) from None


def is_later(item: Any) -> bool:
    """True if the value is known only when a program runs."""
    return isinstance(item, Traced) and not hasattr(item, "__index__")


def indexing(item: Any) -> Any:
    """Require an array of integers or bool.

    Raises:
        DTypeError: It has another dtype.
    """
    if item.dtype.kind not in "biu":
        raise DTypeError(f"an index is made of integers or bool, got {item.dtype}")
    return item


def width(item: Any) -> int:
    """Number of dimensions that an item indexes."""
    if item is None or item is Ellipsis:
        return 0
    is_mask = isinstance(item, (np.ndarray, Traced)) and item.dtype == dtypes.bool
    return len(item.shape) if is_mask else 1


def full(items: list[Any], ndim: int) -> list[Any]:
    """Expand `...`, and missing items at the end, to full slices.

    Raises:
        OutOfRangeError: There are more items than dimensions.
        InvalidValueError: `...` occurs twice.
    """
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise InvalidValueError("an index has one `...`")
    taken = sum(map(width, items))
    if taken > ndim:
        raise OutOfRangeError(f"{taken} indices for {ndim} dimensions")
    at = dots[0] if dots else len(items)
    return [*items[:at], *[slice(None)] * (ndim - taken), *items[at:]]


def take_integer(plan: Plan, item: int, axis: int, size: int) -> None:
    """Record an integer along a dimension, which is dropped.

    Raises:
        OutOfRangeError: The integer is out of range.
    """
    if not in_bounds(item, size):
        raise OutOfRangeError(
            f"index {item} is out of range for axis {axis} of size {size}"
        )
    plan.cut(axis, item, end_after(item), 1)
    plan.dropped.append(axis)


def take_slice(plan: Plan, item: slice, axis: int, size: int) -> None:
    """Record a slice along a dimension, unless it is a full one.

    Raises:
        InvalidValueError: A bound is no integer, or the stride is 0.
    """
    plan.arrays.append(None)
    try:
        start, end, stride = (
            None if n is None else whole(number(n))
            for n in (item.start, item.stop, item.step)
        )
    except TypeError:
        raise InvalidValueError(f"bounds are integers, got {item}") from None
    if stride == 0:
        raise InvalidValueError("the step of a slice is not 0")
    if (start, end, stride or 1) == (None, None, 1):
        return
    if (stride or 1) > 0:
        plan.cut(axis, start or 0, OPEN_END if end is None else end, stride or 1)
    else:
        first = OPEN_END if start is None else start
        plan.cut(axis, first, last_of(end, size), stride or 1)


def last_of(end: int | None, size: int) -> int:
    """Resolve the end of a slice with negative stride.

    To Paddle an end of -1 with a negative stride is before the first element.

    Raises:
        InvalidValueError: It would have to count from an unknown size.
    """
    if end == -1 and size == -1:
        raise InvalidValueError("a slice backwards to -1 needs a known size")
    return -1 if end is None else size - 1 if end == -1 else end


def columns_of(item: Any, shape: Sequence[int]) -> list[Any]:
    """Split an array index by dimension: several columns for a mask.

    Raises:
        ShapeError: A mask has another shape than the dimensions it covers.
    """
    if item.dtype != dtypes.bool:
        return [item]
    pairs = list(zip(item.shape, shape, strict=False))
    differ = any(-1 not in pair and pair[0] != pair[1] for pair in pairs)
    if differ or len(item.shape) != len(shape):
        raise ShapeError(
            f"a mask of shape {list(item.shape)} does not cover {list(shape)}"
        )
    if not isinstance(item, Traced):
        return list(np.nonzero(item))
    return [Column(where_index(item), i) for i in range(len(shape))]


def flag_column(item: Any) -> Any:
    """Indices along the new dimension of a single bool: [0] if it is true, else []."""
    if is_later(item):
        return Column(where_index(unsqueeze2(item, axes=[0])), 0)
    return np.zeros(int(bool(item)), np.int64)


@dataclass(frozen=True)
class Column:
    """A column of the result of `where_index`, for one dimension of a mask."""

    indices: Any
    number: int

    @property
    def shape(self) -> tuple[int]:
        """Shape of the column: [-1]."""
        return (self.indices.shape[0],)

    def read(self) -> Any:
        """Slice the column out of the result."""
        i = self.number
        return slice_(
            self.indices, axes=[1], starts=[i], ends=[i + 1], decrease_axis=[1]
        )


INDICES = "for each dimension an index from -size to size - 1, or a slice"


def read_plan(x: Any, index: Any) -> Plan:
    """Parse an index of `x`; errors are attributed to the op `slice`."""
    try:
        return planned(index, list(x.shape))
    except OpError as error:
        raise explain("slice", ["Input"], [x], {}, error, needs=INDICES) from None


def in_bounds(index: int, size: int) -> bool:
    """True if there is an element at `index`, or the size is unknown."""
    return -size <= index < size or size == -1


def along_first(x: Any, index: int) -> Any:
    """Slice out x[index], of one dimension fewer."""
    operate = getattr(x, "operate", call)
    one = {"axes": [0], "starts": [index], "ends": [end_after(index)]}
    return operate(slice_, x, **one, decrease_axis=[0])


def end_after(index: int) -> int:
    """The end of the slice that holds one index."""
    # The end after -1 would be 0, which makes the slice empty.
    return OPEN_END if index == -1 else index + 1


def get_item(x: Any, index: Any) -> Any:
    """x[index].

    Args:
        x: An array, Tensor or Variable.
        index: An integer, slice, None, `...`, bool, an array, Tensor, Variable or list
            of integers or bool, or a tuple of these.

    Raises:
        InvalidValueError: An item of the index has an unsupported type.
        OutOfRangeError: An integer is out of range, or there are too many items.

    >>> get_item(np.arange(12).reshape(3, 4), (slice(None, None, 2), [3, 0]))
    array([[ 3,  0],
           [11,  8]])
    """
    if index.__class__ is int and (sizes := x.shape) and in_bounds(index, sizes[0]):
        return along_first(x, index)  # the most frequent index, without a plan
    plan = read_plan(x, index)
    part = basic_index(x, plan)
    if not plan.indexed:
        return part
    part = transposed(part, plan.indexed + plan.plain)
    picked = gather_nd(part, coordinates(plan), from_end=True)
    return transposed(picked, front_permutation(plan)) if plan.front else picked


def basic_index(x: Any, plan: Plan) -> Any:
    """Apply integers, slices and None to `x`."""
    if plan.axes or not (plan.added or plan.indexed):
        x = cut_out(x, plan)
    return unsqueeze2(x, axes=plan.added) if plan.added else x


def cut_out(x: Any, plan: Plan) -> Any:
    """Apply `slice` or `strided_slice`."""
    operate = getattr(x, "operate", call)
    attrs: dict[str, Any] = {**plan.window, "decrease_axis": plan.dropped}
    if all(stride == 1 for stride in plan.strides):
        return operate(slice_, x, **attrs)
    return operate(strided_slice, x, strides=plan.strides, **attrs)


def call(op: Any, *inputs: Any, **attrs: Any) -> Any:
    """Apply an op to inputs."""
    return op(*inputs, **attrs)


def transposed(x: Any, axes: list[int]) -> Any:
    """Transpose `x` to this order of dimensions."""
    return x if axes == sorted(axes) else transpose2(x, axis=axes)


def rank(plan: Plan) -> int:
    """Rank of the broadcast arrays."""
    return max(len(plan.arrays[i].shape) for i in plan.indexed)


def front_permutation(plan: Plan) -> list[int]:
    """Permutation that moves the arrays' dimensions from the front to their place."""
    arrays, front = rank(plan), plan.front
    others = range(arrays, arrays + len(plan.plain))
    return [*others[:front], *range(arrays), *others[front:]]


def coordinates(plan: Plan) -> Any:
    """Combine the arrays to one index for `gather_nd`."""
    arrays = [plan.arrays[i] for i in plan.indexed]
    # If all columns are of one mask, `where_index` has them combined already.
    masks = [array.indices for array in arrays if isinstance(array, Column)]
    if len(masks) == len(arrays) and all(one is masks[0] for one in masks):
        return masks[0]
    return flat_index(list(map(read_column, arrays)))


def read_column(array: Any) -> Any:
    """Return an array index; slice it out if it is a Column."""
    return array.read() if isinstance(array, Column) else array


def as_indices(x: Any, indices: Sequence[Any]) -> list[Any]:
    """Convert indices, masks included, to integers for the first dimensions of `x`."""
    columns: list[Any] = []
    for index in indices:
        item = index if isinstance(index, (np.ndarray, Traced)) else np.asarray(index)
        covered = list(x.shape)[len(columns) : len(columns) + width(item)]
        columns += columns_of(indexing(item), covered)
    return list(map(read_column, columns))


def set_item(x: Any, index: Any, value: Any) -> Any:
    """A copy of `x` in which x[index] is the value, which broadcasts to that part.

    Gradients flow to the unchanged part of `x`, and to the value.

    Args:
        x: An array, Tensor or Variable.
        index: As for `get_item`.
        value: A number, list, array, Tensor or Variable.

    Raises:
        InvalidValueError: An item of the index has an unsupported type.
        OutOfRangeError: An integer is out of range, or there are too many items.
        ShapeError: The value does not broadcast to that part.
        DTypeError: The value is complex, `x` is not.

    >>> set_item(np.zeros(4), slice(None, None, 2), [1.0, 2.0])
    array([1., 0., 2., 0.])
    """
    plan = read_plan(x, index)
    if not isinstance(value, (np.ndarray, Traced)):
        value = np.asarray(value)
    value = cast_to(value, x)
    if not plan.indexed:
        return set_items(x, plan, value)
    order = plan.indexed + plan.plain
    part = transposed(basic_index(x, plan), order)
    arrays = [read_column(plan.arrays[i]) for i in plan.indexed]
    part = index_put(part, value_for_arrays(value, plan), *arrays)
    part = transposed(part, np.argsort(order).tolist())
    return set_items(x, plan, part) if plan.axes or plan.added else part


def value_for_arrays(value: Any, plan: Plan) -> Any:
    """Transpose a value for x[index] to have the arrays' dimensions first."""
    ndim = rank(plan) + len(plan.plain)
    if not plan.front or len(value.shape) <= len(plan.plain) - plan.front:
        return value
    missing = ndim - len(value.shape)
    if missing > 0:
        value = unsqueeze2(value, axes=list(range(missing)))
    return transposed(value, np.argsort(front_permutation(plan)).tolist())


def cast_to(value: Any, x: Any) -> Any:
    """Cast a value to the dtype of `x`: the fraction of a number is dropped."""
    if value.dtype.kind not in "biuf" or x.dtype.kind == "c":
        return value
    if isinstance(value, Traced) and np.can_cast(value.dtype, x.dtype, "same_kind"):
        return value
    with np.errstate(invalid="ignore"):
        return value.astype(x.dtype)


def set_items(x: Any, plan: Plan, value: Any) -> Any:
    """Apply `set_value`; a single number becomes an attribute."""
    number = not (isinstance(value, Traced) or value.shape or value.dtype.kind == "O")
    attrs: dict[str, Any] = {
        **plan.window,
        "steps": plan.strides,
        "decrease_axes": plan.dropped,
        "none_axes": plan.added,
        "dtype": dtypes.PADDLE_CODES[dtypes.convert(x.dtype)],
    }
    if not number:
        return set_value(x, value, **attrs)
    return set_value(x, None, **attrs, values=[value.item()], shape=[1])
