"""Statistics of a value: figures, histogram and heat map in at most 2 kB.

Norm and counts of NaN and infinity are exact; so are minimum, maximum and mean, up to a
million elements. The rest is computed from a sample of a large tensor; the histogram
says so with its stride, the heat map is a picture anyway.

The user's line waits for these computations. All that a copy or a sample suffices for
is computed lazily, when somebody reads the log.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from teachgraph_widgets.events import Stats
from teachgraph_widgets.thumbnails import heat_map, is_picture, picture

__all__ = [
    "LazyStats",
    "Summarizer",
    "ValueStats",
    "dtype_name",
    "number",
    "outline",
    "stats_of",
    "summary",
]

Array = NDArray[Any]

BINS = 32
FIRST = 8
SAMPLE = 2048
WHOLE = 1_000_000
FEW = 48
"""Size up to which Python's `min`, `max` and `sum` are faster than NumPy's."""

BY_PYTHON: tuple[Callable[[Any], Any], ...] = min, max, sum
TAME, TINY = 1e14, 1e-14
BY_NUMPY = np.minimum.reduce, np.maximum.reduce, np.add.reduce
COPIED, MOST_COPIED = 64_000, 16_000_000
SAMPLED = 16 * SAMPLE
"""Approximate bytes of a large value's sample and of the input of its picture."""

MOST_WEIGHT, OUTLINE_WEIGHT = 2000, 500


Figures = tuple[Any, ...]
"""The fields of `Stats`, in the schema's order, up to the last one present."""


class LazyStats:
    """Statistics of a value, computed at the first access.

    Attributes:
        weight: An estimate of its bytes as JSON, rather too high than too low.

    >>> lazy = LazyStats(lambda: summary([1.0, 3.0]), 800)
    >>> lazy.figures is lazy.figures
    True
    """

    __slots__ = ("_figures", "_work", "weight")

    def __init__(self, work: Callable[[], Figures], weight: int) -> None:
        self.weight = weight
        self._work: Callable[[], Figures] | None = work
        self._figures: Figures = ()

    @property
    def figures(self) -> Figures:
        """The figures; the first access computes them and releases the copy."""
        work = self._work
        if work is not None:  # two threads may both do it: the result is the same
            self._figures = work()
            self._work = None
        return self._figures


ValueStats = Figures | LazyStats


class Summarizer:
    """Makes lazy statistics from copies of values, up to a limit of copied bytes.

    Attributes:
        left: The bytes that may still be copied; then all is computed at once.

    >>> array = np.ones(3)
    >>> lazy = Summarizer().summary(array)
    >>> array[:] = 7.0
    >>> stats_of(lazy)["mean"]
    1.0
    """

    def __init__(self, most: int = MOST_COPIED) -> None:
        self.left = most

    def summary(self, array: Array) -> ValueStats:
        """Return all statistics of a value."""
        if array.nbytes > COPIED:
            self.left -= SAMPLED
            later = parts_of(array)
            return LazyStats(later, MOST_WEIGHT) if self.left >= 0 else later()
        return self.later(summary, array, min(700 + 10 * array.size, MOST_WEIGHT))

    def outline(self, array: Array) -> ValueStats:
        """Return the figures alone; for a large value they cost no more than a copy."""
        if array.nbytes > COPIED:
            return outline(array)
        return self.later(outline, array, OUTLINE_WEIGHT)

    def later(
        self, work: Callable[[Array], Figures], array: Array, weight: int
    ) -> ValueStats:
        """Return the lazy result of `work` on the value as it is now."""
        self.left -= array.nbytes
        if array.size == 1 or self.left < 0:
            return work(array)
        return LazyStats(partial(work, array.copy()), weight)


def summary(value: Any) -> Figures:
    """Compute all statistics of a value.

    >>> stats = stats_of(summary(np.arange(4.0).reshape(2, 2)))
    >>> stats["mean"], stats["heat"]
    (1.5, [[0.0, 1.0], [2.0, 3.0]])
    """
    return parts_of(np.asarray(value))()


def parts_of(array: Array) -> Callable[[], Figures]:
    """Read an array once, and return the function that computes its summary.

    That function reads a sample and the input of the picture, not the array.
    """
    flat = floats(array)
    exact = figures(array, flat, WHOLE)
    low, high, nan, inf = exact[2], exact[3], exact[7], exact[8]
    first = tuple(flat[:FIRST].tolist())
    if flat.size == 1 or low is None:
        return lambda: (*exact[:11], first)
    stride = 1 if flat.size <= SAMPLE else stride_for(array)
    sample = flat if stride == 1 else flat[::stride].copy()
    if nan or inf:
        sample = sample[np.isfinite(sample)]
    head = exact[:9]
    if is_picture(array.shape):
        image = picture(array, low, high)
        return lambda: (
            *head, histogram(sample, low, high), (), first, stride, *image()
        )  # fmt: skip
    heat = heat_map(array, math.inf if nan or inf else max(high, -low))
    tail = (first, stride) if stride > 1 else (first,)
    return lambda: (*head, histogram(sample, low, high), heat(), *tail)


def outline(value: Any, whole: int = SAMPLE) -> Figures:
    """Compute the figures of a value over the budget: exact up to `whole` elements.

    >>> stats_of(outline(np.ones((2, 2))))["norm"]
    2.0
    """
    array = np.asarray(value)
    outlined = figures(array, floats(array), whole)
    return outlined if array.size <= whole else (*outlined, stride_for(array))


def number(array: Array) -> Figures:
    """Compute all statistics of a single element, without NumPy's cost per call.

    >>> stats_of(number(np.array([[2.5]])))["first"]
    [2.5]
    """
    dtype = array.dtype
    if dtype.kind not in "biuf":
        return outline(array)
    return (array.shape, dtype_name(dtype), *single(float(array.item())))


def stats_of(value: ValueStats) -> Stats:
    """Return the statistics of a value as the log has them: numbers to six digits."""
    figures = value.figures if isinstance(value, LazyStats) else value
    shape, dtype, low, high, mean, std, norm, nan, inf, hist, heat, *rest = figures
    first, *more = rest
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
    """Flatten an array, in a float type of at least four bytes: sums stay in range."""
    flat = array.ravel()
    if array.dtype.kind == "f" and array.dtype.itemsize > 2:
        return flat
    if array.dtype.kind in "biuf":
        return flat.astype(np.float64)
    return np.empty(0)


def figures(array: Array, flat: Array, whole: int) -> Figures:
    """Compute the figures of an array whose elements are `flat`.

    The norm is exact; the others are those of a sample if there are more than `whole`.
    """
    shape, dtype = array.shape, dtype_name(array.dtype)
    if flat.size == 1:
        return number(array)
    if not flat.size:
        return shape, dtype, None, None, None, None, None, 0, 0, (), (), ()
    sample = flat if flat.size <= whole else flat[:: stride_for(array)].copy()
    least, greatest, total = BY_PYTHON if sample.size <= FEW else BY_NUMPY
    numbers = sample.tolist() if sample.size <= FEW else sample
    low, high = float(least(numbers)), float(greatest(numbers))
    # The squares of such elements add up without overflow: no `errstate` is needed,
    # which costs more than the sum itself. A NaN shows in the sum.
    tame = sample is flat and low > -TAME and high < TAME
    squares = float(np.dot(flat, flat)) if tame else sum_of_squares(flat)
    if not math.isfinite(squares):
        return (shape, dtype, *finite_figures(flat))
    mean = float(total(numbers)) / sample.size
    std = 0.0 if low == high else spread(sample, mean, squares / flat.size)
    return shape, dtype, low, high, mean, std, math.sqrt(squares), 0, 0, (), (), ()


def sum_of_squares(flat: Array) -> float:
    """Compute the sum of the squares, without a warning if it is not finite."""
    with np.errstate(all="ignore"):
        return float(np.dot(flat, flat))


def finite_figures(flat: Array) -> Figures:
    """Compute the figures of the finite elements, scaled so that squares are finite."""
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


def single(value: float) -> Figures:
    """Compute the figures of one number in plain Python."""
    if math.isfinite(value):
        return value, value, value, 0.0, abs(value), 0, 0, (), (), (value,)
    nan = int(math.isnan(value))
    return None, None, None, None, None, nan, 1 - nan, (), (), (None,)


_dtype_names: dict[Any, str] = {}


def dtype_name(dtype: Any) -> str:
    """Return the name of a dtype, cached: `str(dtype)` is slow."""
    name = _dtype_names.get(dtype)
    if name is None:
        name = _dtype_names[dtype] = str(dtype)
    return name


def spread(values: Array, mean: float, mean_square: float) -> float:
    """Compute the standard deviation, from known sums if they are precise enough."""
    variance = mean_square - mean * mean
    if variance > 1e-3 * mean_square:  # else the difference has lost its digits
        return math.sqrt(variance)
    return float(values[:SAMPLE].astype(np.float64).std())


def rounded(value: float | None) -> float | None:
    """Round to six significant digits; None for NaN and infinity, which JSON lacks."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.6g}")


def stride_for(array: Array) -> int:
    """Return the stride of a sample, coprime to the columns: it visits every column."""
    stride = -(-array.size // SAMPLE)
    columns = array.shape[-1] if array.ndim else 1
    while stride > 1 and math.gcd(stride, columns) > 1:
        stride += 1
    return max(stride, 1)


def histogram(sample: Array, low: float, high: float) -> tuple[int, ...]:
    """Count the sample in 32 equal bins."""
    if high <= low:
        return (int(sample.size),) + (0,) * (BINS - 1)
    if TINY < high - low < TAME:
        scaled = (sample - low) * (BINS / (high - low))
        counts = np.bincount(scaled.astype(np.intp), minlength=BINS).tolist()
        return *counts[: BINS - 1], sum(counts[BINS - 1 :])
    with np.errstate(all="ignore"):  # halves: `high - low` may overflow
        share = (sample.astype(np.float64) / 2 - low / 2) / (high / 2 - low / 2)
    bins = np.clip(np.nan_to_num(share) * BINS, 0, BINS - 1).astype(np.intp)
    return tuple(np.bincount(bins, minlength=BINS).tolist())
