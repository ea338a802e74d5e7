"""Places in an array, given by coordinates: checked, and added to.

Coordinates are one integer array a dimension, which broadcast with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from teachgraph.core.errors import DTypeError, OutOfRangeError

__all__ = ["along", "checked", "fitting", "grid", "integral", "summed_at"]


def integral(index: Any) -> None:
    """An index is made of integers.

    Raises:
        DTypeError: It is not.
    """
    if index.dtype.kind not in "iu":
        raise DTypeError(f"an index is made of integers, got {index.dtype}")


def checked(index: Any, size: int) -> Any:
    """An index along a dimension of this size, with negative ones counted from its end.

    Raises:
        DTypeError: It is not made of integers.
        OutOfRangeError: One is past the end.
    """
    integral(index)
    index = index.astype(np.int64, copy=False)
    wrong = (index < -size) | (index >= size)
    if wrong.any():
        raise OutOfRangeError(
            f"index {index[wrong].flat[0]} is out of range for a size of {size}"
        )
    return np.where(index < 0, index + size, index)


def grid(shape: Sequence[int]) -> list[Any]:
    """The coordinates of every element of an array of this shape."""
    return list(np.ogrid[tuple(slice(size) for size in shape)])


def along(shape: Sequence[int], axis: int, index: Any) -> list[Any]:
    """The coordinates of the slices of an array that stand at `index` along `axis`."""
    at = normalize_axis_index(axis, len(shape))
    coordinates = grid((*shape[:at], index.size, *shape[at + 1 :]))
    coordinates[at] = index.reshape(coordinates[at].shape)
    return coordinates


def summed_at(coordinates: Sequence[Any], values: Any, start: Any) -> Any:
    """A copy of `start` with each value added where its coordinates say.

    Values that share a place add up. `np.add.at` is several times faster on places in
    one dimension than on rows of an array, and than sorting.
    """
    out = np.array(start).reshape(-1)
    flat = np.ravel_multi_index(tuple(coordinates), start.shape)
    np.add.at(out, np.broadcast_to(flat, values.shape).reshape(-1), values.reshape(-1))
    return out.reshape(start.shape)


def fitting(value: Any, x: Any) -> Any:
    """A value in the dtype of `x`, where it is to stand.

    Raises:
        DTypeError: It is a fraction, and `x` is made of integers, or the like.
    """
    if not np.can_cast(value.dtype, x.dtype, "same_kind"):
        raise DTypeError(f"{value.dtype} does not fit into {x.dtype}")
    return value.astype(x.dtype, copy=False)
