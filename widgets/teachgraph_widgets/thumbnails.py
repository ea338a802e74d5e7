"""A value as a small picture: a heat map, or the image in a tensor of pictures.

The input of the picture is copied at once; the picture is computed lazily.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Heat", "Picture", "heat_map", "is_picture", "picture"]

Array = NDArray[Any]

SIDE = 32
LARGEST = 1e308
TAME, TINY = 1e14, 1e-14
HEAT_BYTES = 1200
"""Bytes of a heat map: 2 kB less histogram, first elements and figures."""
PICTURE_BYTES = HEAT_BYTES * 3 // 4
"""Bytes of pixels: base64 makes four characters of three bytes."""
LEAST_SIDE = 8

Heat = tuple[tuple[float | None, ...], ...]
Picture = tuple[str, tuple[int, int]]
"""The pixels as base64, with the numbers of rows and columns."""


def first_of(array: Array, ndim: int) -> Array:
    """Return the first of many matrices, or of pictures."""
    while array.ndim > ndim:
        array = array[0]
    return array


def heat_map(array: Array, largest: float) -> Callable[[], Heat]:
    """Return the function that computes a heat map: means of blocks, None for NaN.

    A vector is one row; of more than two dimensions the first matrix is taken. No
    value is larger than `largest`. The values are copied at once.
    """
    array = first_of(array, 2)
    matrix = array.reshape(1, -1) if array.ndim < 2 else array
    if largest < TAME:
        return pooled_whole(matrix, largest)
    rows, columns = matrix.shape
    small = np.array(matrix[picked(rows)][:, picked(columns)], np.float64)
    return lambda: pooled_finite(small, rows, columns)


def pooled_finite(small: Array, rows: int, columns: int) -> Heat:
    """Compute a heat map of a matrix of `rows` and `columns` from its sample."""
    finite = small[np.isfinite(small)]
    if not finite.size:
        return ()
    largest = float(np.abs(finite).max())
    digits = 2 - math.floor(math.log10(largest)) if largest > 1e-300 else 0
    height, width = fitting(rows, columns, HEAT_BYTES // (cell_width(digits)))
    with np.errstate(all="ignore"):
        pooled = pool(pool(small, height).T, width).T
    drawn = pooled.round(digits).tolist() if abs(digits) < 16 else pooled.tolist()
    return tuple([tuple([short(x, digits) for x in row]) for row in drawn])


def pooled_whole(matrix: Array, largest: float) -> Callable[[], Heat]:
    """Return the function for finite values whose sums cannot overflow.

    In a large matrix, a cell is the mean of four or more values spread over its block.
    """
    digits = 2 - math.floor(math.log10(largest)) if largest > TINY else 16
    rows, columns = matrix.shape
    height, width = fitting(rows, columns, HEAT_BYTES // cell_width(digits))
    apart = max(1, rows // (2 * height)), max(1, columns // (2 * width))
    small = matrix[:: apart[0], :: apart[1]].astype(np.float64)

    def drawn() -> Heat:
        pooled = pool(pool(small, height).T, width).T.round(digits)
        return tuple(map(tuple, pooled.tolist()))

    return drawn


def is_picture(shape: tuple[int, ...]) -> bool:
    """True if an array holds pictures, channels before rows and columns.

    >>> is_picture((64, 3, 32, 32)), is_picture((16, 3, 3, 3)), is_picture((28, 28))
    (True, False, False)
    """
    *_, channels, rows, columns = (0, 0, 0, *shape)
    pictured = len(shape) in (3, 4) and channels in (1, 3)
    return pictured and min(rows, columns) >= LEAST_SIDE and 0 not in shape


def picture(array: Array, low: float, high: float) -> Callable[[], Picture]:
    """The first picture: `low` is black, `high` white. It is taken at once."""
    first = first_of(array, 3)
    rows, columns = first.shape[1:]
    scale = min(1.0, math.sqrt(PICTURE_BYTES / first.size), SIDE / max(rows, columns))
    height, width = max(1, int(rows * scale)), max(1, int(columns * scale))
    small = first[:, picked(rows)][:, :, picked(columns)].astype(np.float64)

    def drawn() -> Picture:
        with np.errstate(all="ignore"):
            pooled = [pool(pool(channel, height).T, width).T for channel in small]
            share = (np.stack(pooled, axis=-1) - low) / ((high - low) or 1.0)
            pixels = np.clip(np.nan_to_num(share) * 255, 0, 255).astype(np.uint8)
        return b64encode(pixels.tobytes()).decode(), (height, width)

    return drawn


def short(value: float, digits: int) -> float | None:
    """Round a cell, None where it is not finite."""
    if not math.isfinite(value):
        return None
    if abs(digits) < 16 or abs(value) > LARGEST:  # NumPy's rounding was good enough
        return value
    return round(value, digits)


@lru_cache(maxsize=256)
def picked(count: int) -> Array | slice:
    """Return the indices of rows to sample: all, or 64 spread evenly."""
    wanted = 2 * SIDE
    return slice(None) if count <= wanted else np.arange(wanted) * count // wanted


def pool(matrix: Array, count: int) -> Array:
    """Compute the means of `count` groups of consecutive rows."""
    rows = len(matrix)
    if rows == count:
        return matrix
    starts, sizes = groups(rows, count)
    means: Array = np.add.reduceat(matrix, starts, axis=0) / sizes
    return means


@lru_cache(maxsize=256)
def groups(rows: int, count: int) -> tuple[Array, Array]:
    """Return the begin of each of `count` groups of rows, and the sizes as a column."""
    starts = np.arange(count) * rows // count
    return starts, np.diff(np.append(starts, rows))[:, None]


def cell_width(digits: int) -> int:
    """Return the most bytes that a cell takes as JSON, rounded to `digits` decimals."""
    if digits > 4 or digits < -20:
        return 10  # as Python writes it: 1.23e-05
    return digits + 4 if digits > 0 else min(7 - digits, 20)


@lru_cache(maxsize=256)
def fitting(rows: int, columns: int, cells: int) -> tuple[int, int]:
    """Return the largest shape of at most 32x32, and of at most `cells` cells."""
    height, width = min(rows, SIDE), min(columns, SIDE)
    while height * width > cells:
        if height >= width:
            height -= 1
        else:
            width -= 1
    return height, width
