"""What a value looks like, in few numbers: at most 2 kB, however big the tensor.

Norm and counts of NaN and infinity are exact; so are minimum, maximum and mean, up to a
million elements. The rest is taken from a sample where a tensor is large; the histogram
says so with its stride, the heat map is a picture anyway.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachgraph_widgets.events import Stats

__all__ = ["Seen", "dtype_name", "outline", "stats_of", "summary"]

Array = NDArray[Any]

BINS = 32
SIDE = 32
FIRST = 8
SAMPLE = 2048
WHOLE = 1_000_000
FEW = 48
"""So few numbers Python has compared before NumPy has begun."""

BY_PYTHON: tuple[Callable[[Any], Any], ...] = min, max, sum
LARGEST = 1e308
TAME, TINY = 1e14, 1e-14
BY_NUMPY = np.minimum.reduce, np.maximum.reduce, np.add.reduce
HEAT_BYTES = 1200
"""What hist, first and the figures leave of 2 kB, in the worst case."""
PICTURE_BYTES = HEAT_BYTES * 3 // 4
"""The same, before base64 makes four letters of three bytes."""
LEAST_SIDE = 8


Seen = tuple[Any, ...]
"""The fields of `Stats`, in the schema's order, up to the last that is there."""


def summary(value: Any) -> Seen:
    """All that is shown of a value.

    >>> stats = stats_of(summary(np.arange(4.0).reshape(2, 2)))
    >>> stats["mean"], stats["heat"]
    (1.5, [[0.0, 1.0], [2.0, 3.0]])
    """
    array = np.asarray(value)
    flat = floats(array)
    seen = figures(array, flat, WHOLE)
    low, high, nan, inf = seen[2], seen[3], seen[7], seen[8]
    first = tuple(flat[:FIRST].tolist())
    if flat.size == 1 or low is None:
        return (*seen[:11], first)
    stride = 1 if flat.size <= SAMPLE else stride_for(array)
    sample = flat if stride == 1 else flat[::stride]
    if nan or inf:
        sample = sample[np.isfinite(sample)]
    head = *seen[:9], histogram(sample, low, high)
    if is_picture(array.shape):
        return *head, (), first, stride, *picture(array, low, high)
    largest = math.inf if nan or inf else max(high, -low)
    head = *head, heat_map(array, largest), first
    return (*head, stride) if stride > 1 else head


def outline(value: Any) -> Seen:
    """The figures alone, for what is over the budget.

    >>> stats_of(outline(np.ones((2, 2))))["norm"]
    2.0
    """
    array = np.asarray(value)
    return figures(array, floats(array), SAMPLE)


def stats_of(seen: Seen) -> Stats:
    """What was seen of a value, as the log has it: numbers to six digits."""
    shape, dtype, low, high, mean, std, norm, nan, inf, hist, heat, first, *more = seen
    stats: Stats = {
        "shape": list(shape),
        "dtype": dtype,
        "min": rounded(low),
        "max": rounded(high),
        "mean": rounded(mean),
        "std": rounded(std),
        "norm": rounded(norm),
        "nan": nan,
        "inf": inf,
        "hist": list(hist),
        "heat": [list(row) for row in heat],
        "first": [rounded(x) for x in first],
    }
    if more and more[0] > 1:
        stats["stride"] = more[0]
    if len(more) > 1:
        stats["image"], stats["image_size"] = more[1], list(more[2])
    return stats


def floats(array: Array) -> Array:
    """The elements in a row, in a type that sums and products do not leave."""
    flat = array.ravel()
    if array.dtype.kind == "f" and array.dtype.itemsize > 2:
        return flat
    if array.dtype.kind in "biuf":
        return flat.astype(np.float64)
    return np.empty(0)


def figures(array: Array, flat: Array, whole: int) -> Seen:
    """The figures of an array whose elements are `flat`.

    The norm is exact; the others are those of a sample if there are more than `whole`.
    """
    shape, dtype = array.shape, dtype_name(array.dtype)
    if flat.size == 1:
        return (shape, dtype, *single(float(flat[0])))
    if not flat.size:
        return shape, dtype, None, None, None, None, None, 0, 0, (), (), ()
    seen = flat if flat.size <= whole else flat[:: stride_for(array)].copy()
    least, greatest, total = BY_PYTHON if seen.size <= FEW else BY_NUMPY
    numbers = seen.tolist() if seen.size <= FEW else seen
    low, high = float(least(numbers)), float(greatest(numbers))
    tame = low > -TAME and high < TAME  # so their squares add up without a warning
    squares = float(np.dot(flat, flat)) if tame and seen is flat else calm(flat)
    if not math.isfinite(squares):
        return (shape, dtype, *wild(flat))
    mean = float(total(numbers)) / seen.size
    std = 0.0 if low == high else spread(seen, mean, squares / flat.size)
    return shape, dtype, low, high, mean, std, math.sqrt(squares), 0, 0, (), (), ()


def calm(flat: Array) -> float:
    """The sum of the squares, without a warning if that is too large or none."""
    with np.errstate(all="ignore"):
        return float(np.dot(flat, flat))


def wild(flat: Array) -> Seen:
    """The figures of elements that are not all finite, or whose squares are not."""
    nan = int(np.count_nonzero(np.isnan(flat)))
    finite = flat[np.isfinite(flat)].astype(np.float64)
    inf = flat.size - nan - finite.size
    if not finite.size:
        return None, None, None, None, None, nan, inf, (), (), ()
    low, high = float(finite.min()), float(finite.max())
    scale = max(abs(low), abs(high)) or 1.0
    small = finite / scale
    mean, std = scale * float(small.mean()), scale * float(small.std())
    norm = scale * math.sqrt(float(np.dot(small, small)))
    return low, high, mean, std, norm, nan, inf, (), (), ()


def single(value: float) -> Seen:
    """The figures of one number, without NumPy's cost per call."""
    if math.isfinite(value):
        return value, value, value, 0.0, abs(value), 0, 0, (), (), (value,)
    nan = int(math.isnan(value))
    return None, None, None, None, None, nan, 1 - nan, (), (), (None,)


_dtype_names: dict[Any, str] = {}


def dtype_name(dtype: Any) -> str:
    """The name of a dtype, which NumPy takes long to spell."""
    found = _dtype_names.get(dtype)
    if found is None:
        found = _dtype_names[dtype] = str(dtype)
    return found


def spread(values: Array, mean: float, mean_square: float) -> float:
    """The standard deviation, from the sums there are where they are precise enough."""
    variance = mean_square - mean * mean
    if variance > 1e-3 * mean_square:
        return math.sqrt(variance)
    return float(values[:SAMPLE].astype(np.float64).std())


def rounded(value: float | None) -> float | None:
    """Six significant digits; None for what JSON has no word for."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.6g}")


def stride_for(array: Array) -> int:
    """How far apart to sample: so that no column of a matrix is left out for good."""
    stride = -(-array.size // SAMPLE)
    columns = array.shape[-1] if array.ndim else 1
    while stride > 1 and math.gcd(stride, columns) > 1:
        stride += 1
    return max(stride, 1)


def histogram(sample: Array, low: float, high: float) -> tuple[int, ...]:
    """How many of the sample fall into each of 32 equal bins."""
    if high <= low:
        return (int(sample.size),) + (0,) * (BINS - 1)
    if TINY < high - low < TAME:
        scaled = (sample - low) * (BINS / (high - low))
        counts = np.bincount(scaled.astype(np.intp), minlength=BINS).tolist()
        return *counts[: BINS - 1], sum(counts[BINS - 1 :])
    with np.errstate(all="ignore"):  # halves: the range itself may be too large
        share = (sample.astype(np.float64) / 2 - low / 2) / (high / 2 - low / 2)
    bins = np.clip(np.nan_to_num(share) * BINS, 0, BINS - 1).astype(np.intp)
    return tuple(np.bincount(bins, minlength=BINS).tolist())


def heat_map(array: Array, largest: float) -> tuple[tuple[float | None, ...], ...]:
    """The values as a small picture: means of blocks, None where a block is not finite.

    A vector is one row; of more than two dimensions the first matrix is taken. No
    value is larger than `largest`.
    """
    while array.ndim > 2:
        array = array[0]
    matrix = array.reshape(1, -1) if array.ndim < 2 else array
    if largest < TAME:
        return pooled_whole(matrix, largest)
    rows, columns = matrix.shape
    small = np.asarray(matrix[picked(rows)][:, picked(columns)], np.float64)
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


def pooled_whole(matrix: Array, largest: float) -> tuple[tuple[float, ...], ...]:
    """A picture of values of which none is too large: nothing can go wrong.

    Of many, a cell is the mean of four or more that lie evenly in its block.
    """
    digits = 2 - math.floor(math.log10(largest)) if largest > TINY else 16
    rows, columns = matrix.shape
    height, width = fitting(rows, columns, HEAT_BYTES // cell_width(digits))
    apart = max(1, rows // (2 * height)), max(1, columns // (2 * width))
    small = matrix[:: apart[0], :: apart[1]].astype(np.float64)
    drawn = pool(pool(small, height).T, width).T.round(digits)
    return tuple(map(tuple, drawn.tolist()))


def is_picture(shape: tuple[int, ...]) -> bool:
    """Whether an array holds pictures, channels before rows and columns.

    >>> is_picture((64, 3, 32, 32)), is_picture((16, 3, 3, 3)), is_picture((28, 28))
    (True, False, False)
    """
    *_, channels, rows, columns = (0, 0, 0, *shape)
    pictured = len(shape) in (3, 4) and channels in (1, 3)
    return pictured and min(rows, columns) >= LEAST_SIDE and 0 not in shape


def picture(array: Array, low: float, high: float) -> tuple[str, tuple[int, int]]:
    """The first picture as base64, and its size: `low` is black, `high` white."""
    first = array[0] if array.ndim == 4 else array
    rows, columns = first.shape[1:]
    scale = min(1.0, math.sqrt(PICTURE_BYTES / first.size), SIDE / max(rows, columns))
    height, width = max(1, int(rows * scale)), max(1, int(columns * scale))
    small = first[:, picked(rows)][:, :, picked(columns)].astype(np.float64)
    with np.errstate(all="ignore"):
        pooled = [pool(pool(channel, height).T, width).T for channel in small]
        share = (np.stack(pooled, axis=-1) - low) / ((high - low) or 1.0)
        pixels = np.clip(np.nan_to_num(share) * 255, 0, 255).astype(np.uint8)
    return b64encode(pixels.tobytes()).decode(), (height, width)


def short(value: float, digits: int) -> float | None:
    """A cell that writes short, None where there is no number."""
    if not math.isfinite(value):
        return None
    if abs(digits) < 16 or abs(value) > LARGEST:  # NumPy's rounding was good enough
        return value
    return round(value, digits)


@lru_cache(maxsize=256)
def picked(count: int) -> Array | slice:
    """Which of so many rows to look at: all, or at most 64 spread evenly."""
    wanted = 2 * SIDE
    return slice(None) if count <= wanted else np.arange(wanted) * count // wanted


def pool(matrix: Array, count: int) -> Array:
    """The means of `count` groups of consecutive rows."""
    rows = len(matrix)
    if rows == count:
        return matrix
    starts, sizes = groups(rows, count)
    means: Array = np.add.reduceat(matrix, starts, axis=0) / sizes
    return means


@lru_cache(maxsize=256)
def groups(rows: int, count: int) -> tuple[Array, Array]:
    """Where each of `count` groups of rows begins, and how many each has, upright."""
    starts = np.arange(count) * rows // count
    return starts, np.diff(np.append(starts, rows))[:, None]


def cell_width(digits: int) -> int:
    """How many bytes a cell takes at most when rounded to so many decimals."""
    if digits > 4 or digits < -20:
        return 10  # as Python writes it: 1.23e-05
    return digits + 4 if digits > 0 else min(7 - digits, 20)


@lru_cache(maxsize=256)
def fitting(rows: int, columns: int, cells: int) -> tuple[int, int]:
    """The largest picture of at most 32x32, and of so many cells, in proportion."""
    height, width = min(rows, SIDE), min(columns, SIDE)
    while height * width > cells:
        if height >= width:
            height -= 1
        else:
            width -= 1
    return height, width
