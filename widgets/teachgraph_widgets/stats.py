"""What a value looks like, in few numbers: at most 2 kB, however big the tensor.

Norm and counts of NaN and infinity are exact; so are minimum, maximum and mean, up to a
million elements. The rest is taken from a sample where a tensor is large; the histogram
says so with its stride, the heat map is a picture anyway.

The user's line waits while a value is looked at. What can be had later, of a copy or of
a sample, is worked out when somebody reads the log.
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
    "Look",
    "Looks",
    "Seen",
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
"""So few numbers Python has compared before NumPy has begun."""

BY_PYTHON: tuple[Callable[[Any], Any], ...] = min, max, sum
TAME, TINY = 1e14, 1e-14
BY_NUMPY = np.minimum.reduce, np.maximum.reduce, np.add.reduce
COPIED, MOST_COPIED = 64_000, 16_000_000
SAMPLED = 16 * SAMPLE
"""So much is kept of a large value, about: a sample, and what its picture needs."""

MOST_WEIGHT, OUTLINE_WEIGHT = 2000, 500


Figures = tuple[Any, ...]
"""The fields of `Stats`, in the schema's order, up to the last that is there."""


class Look:
    """What is seen of a value, worked out when it is first asked for.

    Attributes:
        weight: About how many bytes it takes as JSON; rather too many than too few.

    >>> look = Look(lambda: summary([1.0, 3.0]), 800)
    >>> look.figures is look.figures
    True
    """

    __slots__ = ("_figures", "_work", "weight")

    def __init__(self, work: Callable[[], Figures], weight: int) -> None:
        self.weight = weight
        self._work: Callable[[], Figures] | None = work
        self._figures: Figures = ()

    @property
    def figures(self) -> Figures:
        """The figures; what they were made of is let go."""
        work = self._work
        if work is not None:  # two threads may both do it: they find the same
            self._figures = work()
            self._work = None
        return self._figures


Seen = Figures | Look


class Looks:
    """Takes of values what is worked out later, as long as that is not too much.

    Attributes:
        left: How many more bytes may be copied; then all is worked out at once.

    >>> array = np.ones(3)
    >>> look = Looks().summary(array)
    >>> array[:] = 7.0
    >>> stats_of(look)["mean"]
    1.0
    """

    def __init__(self, most: int = MOST_COPIED) -> None:
        self.left = most

    def summary(self, array: Array) -> Seen:
        """All that is shown of a value."""
        if array.nbytes > COPIED:
            self.left -= SAMPLED
            later = parts_of(array)
            return Look(later, MOST_WEIGHT) if self.left >= 0 else later()
        return self.later(summary, array, min(700 + 10 * array.size, MOST_WEIGHT))

    def outline(self, array: Array) -> Seen:
        """The figures alone; of a large value they are as quickly had as copied."""
        if array.nbytes > COPIED:
            return outline(array)
        return self.later(outline, array, OUTLINE_WEIGHT)

    def later(
        self, work: Callable[[Array], Figures], array: Array, weight: int
    ) -> Seen:
        """What some work makes of a value as it is now."""
        self.left -= array.nbytes
        if array.size == 1 or self.left < 0:
            return work(array)
        return Look(partial(work, array.copy()), weight)


def summary(value: Any) -> Figures:
    """All that is shown of a value.

    >>> stats = stats_of(summary(np.arange(4.0).reshape(2, 2)))
    >>> stats["mean"], stats["heat"]
    (1.5, [[0.0, 1.0], [2.0, 3.0]])
    """
    return parts_of(np.asarray(value))()


def parts_of(array: Array) -> Callable[[], Figures]:
    """Take from an array what its summary is made of: the result makes it.

    Of more than a sample nothing is looked at again.
    """
    flat = floats(array)
    seen = figures(array, flat, WHOLE)
    low, high, nan, inf = seen[2], seen[3], seen[7], seen[8]
    first = tuple(flat[:FIRST].tolist())
    if flat.size == 1 or low is None:
        return lambda: (*seen[:11], first)
    stride = 1 if flat.size <= SAMPLE else stride_for(array)
    sample = flat if stride == 1 else flat[::stride].copy()
    if nan or inf:
        sample = sample[np.isfinite(sample)]
    head = seen[:9]
    if is_picture(array.shape):
        image = picture(array, low, high)
        return lambda: (
            *head, histogram(sample, low, high), (), first, stride, *image()
        )  # fmt: skip
    heat = heat_map(array, math.inf if nan or inf else max(high, -low))
    tail = (first, stride) if stride > 1 else (first,)
    return lambda: (*head, histogram(sample, low, high), heat(), *tail)


def outline(value: Any, whole: int = SAMPLE) -> Figures:
    """The figures alone, for what is over the budget: exact up to `whole` elements.

    >>> stats_of(outline(np.ones((2, 2))))["norm"]
    2.0
    """
    array = np.asarray(value)
    seen = figures(array, floats(array), whole)
    return seen if array.size <= whole else (*seen, stride_for(array))


def number(array: Array) -> Figures:
    """All that is shown of a single element, without what a look at many takes.

    >>> stats_of(number(np.array([[2.5]])))["first"]
    [2.5]
    """
    dtype = array.dtype
    if dtype.kind not in "biuf":
        return outline(array)
    return (array.shape, dtype_name(dtype), *single(float(array.item())))


def stats_of(seen: Seen) -> Stats:
    """What was seen of a value, as the log has it: numbers to six digits."""
    figures = seen.figures if isinstance(seen, Look) else seen
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
    """The elements in a row, in a type that sums and products do not leave."""
    flat = array.ravel()
    if array.dtype.kind == "f" and array.dtype.itemsize > 2:
        return flat
    if array.dtype.kind in "biuf":
        return flat.astype(np.float64)
    return np.empty(0)


def figures(array: Array, flat: Array, whole: int) -> Figures:
    """The figures of an array whose elements are `flat`.

    The norm is exact; the others are those of a sample if there are more than `whole`.
    """
    shape, dtype = array.shape, dtype_name(array.dtype)
    if flat.size == 1:
        return number(array)
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


def wild(flat: Array) -> Figures:
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


def single(value: float) -> Figures:
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
