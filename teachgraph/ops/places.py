"""Coordinates of elements: checks, grids, and scatter-add.

Coordinates are one integer array per dimension, which broadcast with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from teachgraph.core.errors import DTypeError
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
    index = in_range(index, -size, size)
    negative = index < 0
    return np.where(negative, index + size, index) if negative.any() else index


def check_index(index: Any, size: int) -> Any:
    """Check an index along a dimension that counts from the front only.

    Raises:
        DTypeError: The index has another dtype.
        OutOfRangeError: The index is negative or past the end.
    """
    return in_range(index, 0, size)


def in_range(index: Any, least: int, size: int) -> Any:
    """Check that an index is at least `least` and less than `size`."""
    integral(index)
    index = index.astype(np.int64, copy=False)
    wrong = (index < least) | (index >= size)
    if wrong.any():
        raise OutOfRangeError(
            f"index {index[wrong].flat[0]} is out of range for a size of {size}"
        )
    return index


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
    np.add.at(out, np.broadcast_to(flat, values.shape).reshape(-1), values.reshape(-1))
    return out.reshape(start.shape)


def fitting(value: Any, x: Any) -> Any:
    """Cast a value to the dtype of `x`, in which it is to be stored.

    Raises:
        DTypeError: The cast would lose a fraction or the like.
    """
    if not np.can_cast(value.dtype, x.dtype, "same_kind"):
        raise DTypeError(f"{value.dtype} does not fit into {x.dtype}")
    return value.astype(x.dtype, copy=False)
