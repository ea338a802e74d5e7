"""Coordinates of elements: checks, grids, and scatter-add.

Coordinates are one integer array per dimension, which broadcast with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from teachgraph.core.errors import DTypeError
from teachgraph.core.ops import all_in_range
from teachgraph.errors import OutOfRangeError

__all__ = [
    "check_index",
    "checked",
    "fitting",
    "grid",
    "integral",
    "slice_coordinates",
    "summed_at",
]


def integral(index: Any) -> None:
    """Require an integer index.

    Raises:
        DTypeError: The index has another dtype.
    """
    if index.dtype.kind not in "iu":
        raise DTypeError(f"an index is made of integers, got {index.dtype}")


def checked(index: Any, size: int) -> Any:
    """Check an index along a dimension, and resolve negative ones.

    Raises:
        DTypeError: The index has another dtype.
        OutOfRangeError: The index is out of range.
    """
    index = as_int64(index)
    if all_in_range(index, size):
        return index
    refuse_outside(index, -size, size)
    return np.where(index < 0, index + size, index)


def check_index(index: Any, size: int) -> Any:
    """Check an index along a dimension that counts from the front only.

    Raises:
        DTypeError: The index has another dtype.
        OutOfRangeError: The index is negative or past the end.
    """
    index = as_int64(index)
    if not all_in_range(index, size):
        refuse_outside(index, 0, size)
    return index


def as_int64(index: Any) -> Any:
    """Require an integer index, and cast it."""
    integral(index)
    return index.astype(np.int64, copy=False)


def refuse_outside(index: Any, least: int, size: int) -> None:
    """Refuse an index that is not at least `least` and less than `size`."""
    wrong = index[(index < least) | (index >= size)]
    if wrong.size:
        raise OutOfRangeError(f"index {wrong[0]} is out of range for a size of {size}")


def grid(shape: Sequence[int]) -> list[Any]:
    """Coordinates of all elements of an array of this shape."""
    # `np.ogrid` does the same, in twenty times the time of small arrays.
    last = len(shape) - 1
    return [
        np.arange(size).reshape((1,) * place + (size,) + (1,) * (last - place))
        for place, size in enumerate(shape)
    ]


def slice_coordinates(shape: Sequence[int], axis: int, index: Any) -> list[Any]:
    """Coordinates of the slices of an array at `index` along `axis`."""
    at = normalize_axis_index(axis, len(shape))
    coordinates = grid((*shape[:at], index.size, *shape[at + 1 :]))
    coordinates[at] = index.reshape(coordinates[at].shape)
    return coordinates


def summed_at(coordinates: Sequence[Any], values: Any, start: Any) -> Any:
    """A copy of `start` with each value added at its coordinates.

    Values at equal coordinates accumulate. `np.add.at` is several times faster on flat
    indices than on rows of an array, and than sorting.
    """
    out = np.array(start).reshape(-1)
    flat = np.ravel_multi_index(tuple(coordinates), start.shape)
    if flat.shape != values.shape:
        flat = np.broadcast_to(flat, values.shape)
    np.add.at(out, flat.reshape(-1), values.reshape(-1))
    return out.reshape(start.shape)


def fitting(value: Any, x: Any) -> Any:
    """Cast a value to the dtype of `x`, in which it is to be stored.

    Raises:
        DTypeError: The cast would lose a fraction or the like.
    """
    if value.dtype is x.dtype:
        return value
    if not np.can_cast(value.dtype, x.dtype, "same_kind"):
        raise DTypeError(f"{value.dtype} does not fit into {x.dtype}")
    return value.astype(x.dtype, copy=False)
