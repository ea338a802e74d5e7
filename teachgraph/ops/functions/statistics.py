"""Variance, standard deviation, median, quantiles, histogram, bincount."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, nan, prod
from numbers import Real
from typing import Any

from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError, OpError, ShapeError
from teachgraph.core.ops import axes
from teachgraph.ops import rounding, statistics
from teachgraph.ops.as_list import as_list
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.default_dtype import is_floating
from teachgraph.ops.elementwise import elementwise_max, equal, not_equal
from teachgraph.ops.error_message import explain
from teachgraph.ops.functions.math import cast, scale, sqrt, square
from teachgraph.ops.functions.reduce import Axis, dimensions, mean, sum
from teachgraph.ops.gather import take_along_axis
from teachgraph.ops.join import concat
from teachgraph.ops.logic import where
from teachgraph.ops.shape import reshape2, squeeze2, transpose2, unsqueeze2
from teachgraph.ops.slicing import slice_
from teachgraph.ops.sort import argsort

__all__ = [
    "bincount",
    "histogram",
    "median",
    "nanmedian",
    "nanquantile",
    "quantile",
    "std",
    "var",
]


def var(
    x: Any,
    axis: Axis = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: Any = None,
) -> Any:
    """The variance over `axis`: the mean squared distance to the mean.

    If `unbiased` the sum of squares is divided by n - 1 instead of n.

    Raises:
        ShapeError: There are no elements.

    >>> import numpy as np
    >>> var(np.array([1.0, 2.0, 3.0, 6.0]))
    np.float64(4.666666666666667)
    >>> var(np.array([1.0, 2.0, 3.0, 6.0]), unbiased=False)
    np.float64(3.5)
    """
    if 0 in x.shape:
        error = ShapeError("of nothing there is no variance")
        raise explain("var", ["X"], [x], {"axis": axis}, error)
    squares = square(x - mean(x, axis, keepdim=True))
    if not unbiased:
        return mean(squares, axis, keepdim)
    total = sum(squares, axis, keepdim=keepdim)
    # Counted by a sum of ones: in a program the sizes may be unknown.
    ones = fill_any_like(squares, value=1.0)
    free = scale(sum(ones, axis, keepdim=keepdim), bias=-1.0)
    # The variance of a single element is 0, not 0 / 0.
    return total / elementwise_max(free, fill_any_like(free, value=1.0))


def std(
    x: Any,
    axis: Axis = None,
    unbiased: bool = True,
    keepdim: bool = False,
    name: Any = None,
) -> Any:
    """The standard deviation over `axis`: the square root of the variance."""
    return sqrt(var(x, axis, unbiased, keepdim))


def median(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The middle element in sorted order, or the mean of the middle two.

    Integers give float32; where there is a NaN the median is NaN.

    Raises:
        ShapeError: There are no elements, or their number is unknown.

    >>> import numpy as np
    >>> median(np.array([[1.0, 9.0, 2.0, 5.0], [4.0, 3.0, 2.0, 1.0]]), axis=1)
    array([3.5, 2.5])
    """
    x = x if is_floating(x.dtype) else cast(x, "float32")
    along = checked_axes("median", x, axis)
    ordered = in_order("median", x, along)
    middle = at_rank(ordered, (ordered.shape[-1] - 1) / 2)
    return unsqueeze2(middle, axes=along) if keepdim else middle


def quantile(
    x: Any, q: float | Sequence[float], axis: Axis = None, keepdim: bool = False
) -> Any:
    """The q-quantile over `axis`, with linear interpolation.

    Args:
        x: Numbers.
        q: A share from 0 to 1, or several, whose results are stacked along axis 0; a
            list of one is that one, as in Paddle.
        axis: The dimensions; None for all.
        keepdim: Keep these dimensions, with size 1.

    Returns:
        float64, as in Paddle; where there is a NaN the quantile is NaN.

    Raises:
        InvalidValueError: A share is not between 0 and 1, or there is none.
        ShapeError: There are no elements, or their number is unknown.

    >>> import numpy as np
    >>> quantile(np.array([1.0, 2.0, 3.0, 5.0]), [0.5, 0.9])
    array([2.5, 4.4])
    """
    shares = as_list(q)
    if not shares or not all_between(shares):
        reason = InvalidValueError(f"a share is from 0 to 1, got {q!r}")
        raise explain("quantile", ["X"], [x], {"q": q}, reason)
    x = x if x.dtype == dtypes.float64 else cast(x, "float64")
    along = checked_axes("quantile", x, axis)
    ordered = in_order("quantile", x, along)
    quantiles = [at_rank(ordered, share * (ordered.shape[-1] - 1)) for share in shares]
    if keepdim:
        quantiles = [unsqueeze2(part, axes=along) for part in quantiles]
    if len(quantiles) == 1:
        return quantiles[0]
    return concat(*(unsqueeze2(part, axes=[0]) for part in quantiles), axis=0)


def nanmedian(
    x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None
) -> Any:
    """The median over `axis`, NaN excluded; NaN where all are.

    Integers give float32.

    Raises:
        ShapeError: There are no elements, or their number is unknown.

    >>> import numpy as np
    >>> nanmedian(np.array([[1.0, np.nan, 2.0], [4.0, 3.0, 1.0]]), axis=1)
    array([1.5, 3. ])
    """
    x = x if is_floating(x.dtype) else cast(x, "float32")
    along = checked_axes("nanmedian", x, axis)
    middle = among_numbers(in_order("nanmedian", x, along), 0.5)
    return unsqueeze2(middle, axes=along) if keepdim else middle


def nanquantile(
    x: Any, q: float | Sequence[float], axis: Axis = None, keepdim: bool = False
) -> Any:
    """The quantile over `axis`, NaN excluded; NaN where all are.

    >>> import numpy as np
    >>> nanquantile(np.array([1.0, np.nan, 3.0]), 0.25)
    array(1.5)
    """
    shares = as_list(q)
    if not shares or not all_between(shares):
        reason = InvalidValueError(f"a share is from 0 to 1, got {q!r}")
        raise explain("nanquantile", ["X"], [x], {"q": q}, reason)
    x = x if x.dtype == dtypes.float64 else cast(x, "float64")
    along = checked_axes("nanquantile", x, axis)
    ordered = in_order("nanquantile", x, along)
    quantiles = [among_numbers(ordered, share) for share in shares]
    if keepdim:
        quantiles = [unsqueeze2(part, axes=along) for part in quantiles]
    if len(shares) == 1:
        return quantiles[0]
    return concat(*(unsqueeze2(part, axes=[0]) for part in quantiles), axis=0)


def among_numbers(ordered: Any, share: float) -> Any:
    """Compute the quantile of each sorted line without its NaN, which are last.

    A line of nothing else gives a NaN that does not depend on it.
    """
    # NaN differs from itself, and sorting has put it last.
    numbers = cast(equal(ordered, ordered), ordered.dtype)
    count = sum(numbers, -1, keepdim=True)
    rank = scale(count, scale=share, bias=-share)
    rank = elementwise_max(rank, fill_any_like(rank))
    low, high = (
        take_along_axis(ordered, cast(way(rank), "int64"), Axis=-1)
        for way in (rounding.floor, rounding.ceil)
    )
    weight = rank - rounding.floor(rank)
    quantile = low + (high - low) * weight
    quantile = where(quantile, fill_any_like(quantile, value=nan), count > 0.0)
    return squeeze2(quantile, axes=[len(ordered.shape) - 1])


def all_between(shares: Sequence[Any]) -> bool:
    """True if all are numbers from 0 to 1."""
    return all(isinstance(q, Real) and 0 <= float(q) <= 1 for q in shares)


def checked_axes(function: str, x: Any, axis: Axis) -> list[int]:
    """Resolve axes to non-negative ones.

    Raises:
        OpError: An axis is out of range, or repeated.
    """
    ndim = len(x.shape)
    try:
        along = axes(dimensions(axis), ndim, reduce_all=False)
    except (OpError, TypeError, ValueError) as error:
        raise explain(function, ["X"], [x], {"axis": axis}, error) from None
    return sorted(range(ndim) if along is None else along)


def in_order(function: str, x: Any, along: Sequence[int]) -> Any:
    """Merge the axes `along` into a last dimension, and sort along it.

    Raises:
        ShapeError: There are no elements, or their number is unknown.
    """
    sizes = [x.shape[axis] for axis in along]
    count = -1 if -1 in sizes else prod(sizes)
    if count < 1:
        reason = ShapeError(f"it needs a known number of elements, got {count}")
        raise explain(function, ["X"], [x], {"axis": list(along)}, reason)
    others = [axis for axis in range(len(x.shape)) if axis not in along]
    # To `reshape2` 0 is the input's own size, which may be unknown.
    shape = [0 if x.shape[axis] == -1 else x.shape[axis] for axis in others]
    together = transpose2(x, axis=[*others, *along])
    return argsort(reshape2(together, shape=[*shape, count]), axis=-1)[0]


def at_rank(ordered: Any, rank: float) -> Any:
    """Interpolate each sorted line linearly at a fractional rank."""
    below = floor(rank)
    weight = rank - below
    out = element(ordered, below)
    if not weight:
        return out
    return out * (1.0 - weight) + element(ordered, below + 1) * weight


def element(ordered: Any, place: int) -> Any:
    """Take the element at a place of each sorted line; NaN if the line has one."""
    # Sorting puts NaN last, so a NaN shows there; the index then moves to it.
    *others, size = ordered.shape
    last = {"axes": [len(others)], "starts": [size - 1], "ends": [size]}
    largest = slice_(ordered, **last)
    spoiled = cast(not_equal(largest, largest), "int64")
    indices = scale(spoiled, scale=size - 1 - place, bias=place)
    values = take_along_axis(ordered, indices, Axis=-1)
    only = {"axes": [len(others)], "starts": [0], "ends": [1]}
    return slice_(values, **only, decrease_axis=[len(others)])


def histogram(
    input: Any, bins: int = 100, min: float = 0, max: float = 0, name: Any = None
) -> Any:
    """Count the elements in each of `bins` equal intervals of [min, max].

    If min and max are equal, the range is that of the elements.

    >>> import numpy as np
    >>> histogram(np.array([1.0, 2.0, 1.0]), bins=4, min=0, max=3)
    array([0, 2, 1, 0])
    """
    return statistics.histogram(input, bins=bins, min=min, max=max)


def bincount(x: Any, weights: Any = None, minlength: int = 0, name: Any = None) -> Any:
    """Count the occurrences of 0, 1, 2, ... in `x`, or sum their weights.

    >>> import numpy as np
    >>> bincount(np.array([1, 2, 1]), minlength=4)
    array([0, 2, 1, 0])
    """
    return statistics.bincount(x, weights, minlength=minlength)
