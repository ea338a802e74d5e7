"""What `x[index]` and `x[index] = value` mean, in ops.

Integers, slices, None and `...` are one `slice` or `strided_slice` (and `unsqueeze2`).
Arrays of integers and masks are a `gather_nd` over the dimensions they stand for, which
are first brought to the front. What the result looks like is as in NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import index as whole
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    OpError,
    OutOfRangeError,
    ShapeError,
    describe,
    explain,
)
from teachgraph.core.op import Traced
from teachgraph.ops.gather import gather_nd
from teachgraph.ops.scatter import index_put, together
from teachgraph.ops.search import where_index
from teachgraph.ops.shape import transpose2, unsqueeze2
from teachgraph.ops.slicing import OPEN_END, set_value, slice_, strided_slice

__all__ = ["as_indices", "get_item", "set_item"]


@dataclass
class Plan:
    """An index, read.

    Attributes:
        axes: The dimensions that integers and slices stand for.
        starts: Where each begins.
        ends: Where each ends.
        strides: How far it is from one element to the next.
        dropped: Those of the axes that an integer stands for.
        added: Where None puts in a dimension, once those are dropped.
        arrays: For each dimension that then is, its index, or None for all of it.
        places: Where arrays and integers stand among the items of the index.
        before: How many dimensions of the result come before the first of these.
    """

    axes: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    strides: list[int] = field(default_factory=list)
    dropped: list[int] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    arrays: list[Any] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    before: int = 0

    @property
    def window(self) -> dict[str, list[int]]:
        """The window, in the words of `slice`."""
        return {"axes": self.axes, "starts": self.starts, "ends": self.ends}

    @property
    def indexed(self) -> list[int]:
        """The dimensions that have an array for an index."""
        return [i for i, array in enumerate(self.arrays) if array is not None]

    @property
    def plain(self) -> list[int]:
        """The others."""
        return [i for i, array in enumerate(self.arrays) if array is None]

    def cut(self, axis: int, start: int, end: int, stride: int) -> None:
        """Take this part along a dimension."""
        self.axes.append(axis)
        self.starts.append(start)
        self.ends.append(end)
        self.strides.append(stride)

    def special(self, place: int) -> None:
        """Note that an array or an integer stands there."""
        if not self.places:
            self.before = len(self.arrays)
        self.places.append(place)

    @property
    def front(self) -> int:
        """How many dimensions of the result come before those of the arrays.

        As in NumPy: these stand where the arrays stood, but at the very front if
        something stands between the arrays.
        """
        apart = self.places[-1] - self.places[0] >= len(self.places)
        return 0 if apart else self.before


def planned(index: Any, shape: Sequence[int]) -> Plan:
    """Read an index of an array of this shape.

    Raises:
        InvalidValueError: An item is nothing an index is made of.
        OutOfRangeError: An integer is past the end, or there are too many items.

    >>> plan = planned((0, slice(1, 3)), [4, 5])
    >>> plan.window, plan.dropped
    ({'axes': [0, 1], 'starts': [0, 1], 'ends': [1, 3]}, [0])
    """
    plan, axis = Plan(), 0
    for place, item in enumerate(full(items_of(index), len(shape))):
        if item is None:
            plan.added.append(len(plan.arrays))
            plan.arrays.append(None)
        elif item is Ellipsis:
            continue
        elif isinstance(item, slice):
            take_slice(plan, item, axis, shape[axis])
        elif isinstance(item, int):
            plan.special(place)
            take_integer(plan, item, axis, shape[axis])
        else:
            plan.special(place)
            plan.arrays += columns_of(item, shape[axis : axis + width(item)])
        axis += width(item)
    return plan


def items_of(index: Any) -> list[Any]:
    """The items of an index: None, `...`, slices, integers and arrays."""
    return [item_of(item) for item in (index if isinstance(index, tuple) else [index])]


def item_of(item: Any) -> Any:
    """One item, lists as arrays and arrays of one number as integers.

    Raises:
        InvalidValueError: It is nothing an index is made of.
    """
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (list, range)):
        item = np.asarray(item) if len(item) else np.zeros(0, np.int64)
    if isinstance(item, (np.ndarray, Traced)) and (item.shape or is_later(item)):
        return indexing(item)
    try:
        if not isinstance(item, (bool, np.bool_)):
            return whole(item)
    except TypeError:
        pass
    raise InvalidValueError(
        "an index is made of integers, slices, None, ... and arrays of integers or "
        f"bool, got {describe(item)}"
    )


def is_later(item: Any) -> bool:
    """Whether its value is known only when a program runs."""
    return isinstance(item, Traced) and not hasattr(item, "__index__")


def indexing(item: Any) -> Any:
    """An array, if it can be an index.

    Raises:
        DTypeError: It has neither integers nor bool.
    """
    if item.dtype.kind not in "biu":
        raise DTypeError(f"an index is made of integers or bool, got {item.dtype}")
    return item


def width(item: Any) -> int:
    """How many dimensions an item stands for."""
    if item is None or item is Ellipsis:
        return 0
    is_mask = isinstance(item, (np.ndarray, Traced)) and item.dtype == dtypes.bool
    return len(item.shape) if is_mask else 1


def full(items: list[Any], ndim: int) -> list[Any]:
    """The items, with slices before the `...` they are, or for what is left out.

    Raises:
        OutOfRangeError: There are more than dimensions.
        InvalidValueError: `...` comes twice.
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
    """One element along a dimension, which is dropped.

    Raises:
        OutOfRangeError: There is no such element.
    """
    if size != -1 and not -size <= item < size:
        raise OutOfRangeError(
            f"index {item} is out of range for axis {axis} of size {size}"
        )
    plan.cut(axis, item, OPEN_END if item == -1 else item + 1, 1)
    plan.dropped.append(axis)


def take_slice(plan: Plan, item: slice, axis: int, size: int) -> None:
    """Several elements along a dimension; nothing is cut where that is all of them.

    Raises:
        InvalidValueError: A bound is no integer, or the stride is 0.
    """
    plan.arrays.append(None)
    try:
        start, end, stride = (
            None if n is None else whole(n) for n in (item.start, item.stop, item.step)
        )
    except TypeError:
        raise InvalidValueError(f"bounds are integers, got {item}") from None
    if stride == 0:
        raise InvalidValueError("a slice goes on by 1 or more, or back, not by 0")
    if (start, end, stride or 1) == (None, None, 1):
        return
    if (stride or 1) > 0:
        plan.cut(axis, start or 0, OPEN_END if end is None else end, stride or 1)
    else:
        first = OPEN_END if start is None else start
        plan.cut(axis, first, last_of(end, size), stride or 1)


def last_of(end: int | None, size: int) -> int:
    """Where a slice that goes backwards ends; -1 is Paddle's word for "at the first".

    Raises:
        InvalidValueError: It is the last but 0 of an unknown number.
    """
    if end == -1 and size == -1:
        raise InvalidValueError("from the end to -1 backwards, the size must be known")
    return -1 if end is None else size - 1 if end == -1 else end


def columns_of(item: Any, shape: Sequence[int]) -> list[Any]:
    """An index for each dimension an array stands for: several for a mask.

    Raises:
        ShapeError: A mask has another shape than what it covers.
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


@dataclass(frozen=True)
class Column:
    """One of the columns of what `where_index` found."""

    found: Any
    number: int

    @property
    def shape(self) -> tuple[int]:
        """One dimension."""
        return (self.found.shape[0],)

    def read(self) -> Any:
        """The index it is."""
        i = self.number
        return slice_(self.found, axes=[1], starts=[i], ends=[i + 1], decrease_axis=[1])


INDICES = "for each dimension an index from -size to size - 1, or a slice"


def read_plan(x: Any, index: Any) -> Plan:
    """The plan of an index of `x`; what is wrong with it is told of the op `slice`."""
    try:
        return planned(index, list(x.shape))
    except OpError as error:
        raise explain("slice", ["Input"], [x], {}, error, needs=INDICES) from None


def get_item(x: Any, index: Any) -> Any:
    """x[index].

    Args:
        x: An array, Tensor or Variable.
        index: An integer, slice, None, `...`, an array, Tensor, Variable or list of
            integers or bool, or a tuple of these.

    Raises:
        InvalidValueError: It is nothing an index is made of.
        OutOfRangeError: An integer is past the end, or there are too many of them.

    >>> get_item(np.arange(12).reshape(3, 4), (slice(None, None, 2), [3, 0]))
    array([[ 3,  0],
           [11,  8]])
    """
    plan = read_plan(x, index)
    part = seen(x, plan)
    if not plan.indexed:
        return part
    picked = gather_nd(turned(part, plan.indexed + plan.plain), coordinates(plan))
    return turned(picked, moved(plan)) if plan.front else picked


def seen(x: Any, plan: Plan) -> Any:
    """What integers, slices and None leave of `x`, and put in."""
    if plan.axes or not (plan.added or plan.indexed):
        x = cut_out(x, plan)
    return unsqueeze2(x, axes=plan.added) if plan.added else x


def cut_out(x: Any, plan: Plan) -> Any:
    """The part in the window."""
    operate = getattr(x, "operate", call)
    attrs: dict[str, Any] = {**plan.window, "decrease_axis": plan.dropped}
    if all(stride == 1 for stride in plan.strides):
        return operate(slice_, x, **attrs)
    return operate(strided_slice, x, strides=plan.strides, **attrs)


def call(op: Any, *inputs: Any, **attrs: Any) -> Any:
    """The op of these inputs."""
    return op(*inputs, **attrs)


def turned(x: Any, axes: list[int]) -> Any:
    """`x` with its dimensions in this order."""
    return x if axes == sorted(axes) else transpose2(x, axis=axes)


def rank(plan: Plan) -> int:
    """How many dimensions the arrays have once they are broadcast."""
    return max(len(plan.arrays[i].shape) for i in plan.indexed)


def moved(plan: Plan) -> list[int]:
    """The order that brings the arrays' dimensions from the front to their place."""
    arrays, front = rank(plan), plan.front
    others = range(arrays, arrays + len(plan.plain))
    return [*others[:front], *range(arrays), *others[front:]]


def coordinates(plan: Plan) -> Any:
    """The arrays as one index for `gather_nd`."""
    arrays = [plan.arrays[i] for i in plan.indexed]
    found = [array.found for array in arrays if isinstance(array, Column)]
    if len(found) == len(arrays) and all(one is found[0] for one in found):
        return found[0]
    return together(list(map(read_column, arrays)))


def read_column(array: Any) -> Any:
    """An index of a dimension, read out of a mask's if need be."""
    return array.read() if isinstance(array, Column) else array


def as_indices(x: Any, indices: Sequence[Any]) -> list[Any]:
    """Indices of integers for the first dimensions of `x`, masks among them or not."""
    found: list[Any] = []
    for index in indices:
        item = index if isinstance(index, (np.ndarray, Traced)) else np.asarray(index)
        covered = list(x.shape)[len(found) : len(found) + width(item)]
        found += columns_of(indexing(item), covered)
    return list(map(read_column, found))


def set_item(x: Any, index: Any, value: Any) -> Any:
    """A copy of `x` in which x[index] is the value, which broadcasts to that part.

    Gradients flow to `x` where it was kept, and to the value.

    Args:
        x: An array, Tensor or Variable.
        index: As for `get_item`.
        value: A number, list, array, Tensor or Variable.

    Raises:
        InvalidValueError: It is nothing an index is made of.
        OutOfRangeError: An integer is past the end, or there are too many of them.
        ShapeError: The value does not broadcast to that part.
        DTypeError: `x` is made of integers, the value is not.

    >>> set_item(np.zeros(4), slice(None, None, 2), [1.0, 2.0])
    array([1., 0., 2., 0.])
    """
    plan = read_plan(x, index)
    if not isinstance(value, (np.ndarray, Traced)):
        value = np.asarray(value)
    if not plan.indexed:
        return written(x, plan, value)
    order = plan.indexed + plan.plain
    part = turned(seen(x, plan), order)
    arrays = [read_column(plan.arrays[i]) for i in plan.indexed]
    part = index_put(part, beside(value, plan), *arrays)
    part = turned(part, np.argsort(order).tolist())
    return written(x, plan, part) if plan.axes or plan.added else part


def beside(value: Any, plan: Plan) -> Any:
    """A value for x[index], turned as its dimensions are when arrays come first."""
    ndim = rank(plan) + len(plan.plain)
    if not plan.front or len(value.shape) <= len(plan.plain) - plan.front:
        return value
    missing = ndim - len(value.shape)
    if missing > 0:
        value = unsqueeze2(value, axes=list(range(missing)))
    return turned(value, np.argsort(moved(plan)).tolist())


def written(x: Any, plan: Plan, value: Any) -> Any:
    """A copy of `x` with this value in the window; one number is an attribute."""
    number = not isinstance(value, Traced) and not value.shape
    attrs: dict[str, Any] = {
        **plan.window,
        "steps": plan.strides,
        "decrease_axes": plan.dropped,
        "none_axes": plan.added,
        "dtype": dtypes.PADDLE_CODES[dtypes.convert(x.dtype)],
    }
    if not number:
        return set_value(x, value, **attrs)
    if not np.can_cast(value.dtype, x.dtype, "same_kind"):
        error = DTypeError(f"{value.item()!r} does not fit into {x.dtype}")
        raise set_value.explain([x, value], {}, error)
    return set_value(x, None, **attrs, values=[value.item()], shape=[1])
