"""Parts of a variable whose place is known only when the program runs."""

from __future__ import annotations

from typing import Any

from teachgraph.core.op import Traced
from teachgraph.ops import functions

__all__ = ["as_places", "bounded_later", "within_bounds"]


def bounded_later(index: Any) -> bool:
    """Say if a bound of a slice in an index is a variable."""
    items = index if isinstance(index, tuple) else (index,)
    return any(
        isinstance(bound, Traced)
        for item in items
        if isinstance(item, slice)
        for bound in (item.start, item.stop, item.step)
    )


def within_bounds(x: Any, index: Any) -> Any:
    """x[index], where bounds of slices are variables: these axes are gathered first."""
    items = list(index) if isinstance(index, tuple) else [index]
    for axis, item in enumerate(items):
        if isinstance(item, slice) and bounded_later(item):
            there = slice_places(x, axis, item)
            x, items[axis] = functions.gather(x, there, axis), slice(None)
    return x[tuple(items)]


def as_places(x: Any, index: Any) -> Any:
    """An index: its one slice bounded by variables is a list of places instead."""
    items = list(index) if isinstance(index, tuple) else [index]
    later = [axis for axis, item in enumerate(items) if bounded_later(item)]
    if len(later) == 1 and all(isinstance(item, slice) for item in items):
        items[later[0]] = slice_places(x, later[0], items[later[0]])
    return tuple(items)


def slice_places(x: Any, axis: int, item: slice) -> Any:
    """The places on an axis that a slice takes."""
    size = functions.cast(functions.shape(x)[axis], "int64")
    start = bound(0 if item.start is None else item.start, size)
    stop = size if item.stop is None else bound(item.stop, size)
    return functions.arange(start, stop, 1 if item.step is None else item.step, "int64")


def bound(value: Any, size: Any) -> Any:
    """A bound from 0 to the size, which counts from the end if it is negative."""
    index = value
    if not isinstance(value, Traced):
        index = functions.full([], value, "int64")
    place = functions.reshape(functions.cast(index, "int64"), [])
    from_end = functions.where(place < 0, place + size, place)
    low = functions.maximum(from_end, functions.zeros_like(from_end))
    return functions.minimum(low, size)
