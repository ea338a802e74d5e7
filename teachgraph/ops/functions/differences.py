"""Differences and trapezoidal integrals along a dimension; Vandermonde matrices."""

from __future__ import annotations

from itertools import combinations as chosen
from itertools import combinations_with_replacement
from operator import index
from typing import Any

import numpy as np

from teachgraph.core import ops
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Traced
from teachgraph.ops import elementwise, scan
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.functions.indexing import gather
from teachgraph.ops.functions.joining import concat, part, stack
from teachgraph.ops.functions.manipulation import positive_axis, reshape
from teachgraph.ops.functions.reduce import sum
from teachgraph.ops.slicing import OPEN_END

__all__ = [
    "combinations",
    "cumulative_trapezoid",
    "diff",
    "trapezoid",
    "vander",
]

MOST = 10_000
"""The largest number of powers; each of them is an op."""


def neighbours(x: Any, axis: int) -> tuple[Any, Any]:
    """Slice off the last element along an axis, and the first."""
    return part(x, axis, 0, -1), part(x, axis, 1, OPEN_END)


def diff(
    x: Any,
    n: int = 1,
    axis: int = -1,
    prepend: Any = None,
    append: Any = None,
    name: Any = None,
) -> Any:
    """Compute the n-th differences of adjacent elements along `axis`.

    Args:
        x: Numbers; for booleans the result is True where they differ.
        n: The order.
        axis: The dimension.
        prepend: Elements to put before `x` along `axis`.
        append: Elements to put after `x`.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: `n` is not positive.

    >>> import numpy as np
    >>> diff(np.array([1, 4, 9, 16]))
    array([3, 5, 7])
    >>> diff(np.array([1, 4, 9, 16]), n=2)
    array([2, 2])
    """
    if n < 1:
        raise InvalidValueError.here(f"diff: n is 1 or more, got {n}")
    at = positive_axis(x, axis)
    parts = [each for each in (prepend, x, append) if each is not None]
    x = concat(parts, at) if len(parts) > 1 else x
    for _ in range(n):
        before, behind = neighbours(x, at)
        if x.dtype == np.bool_:
            x = elementwise.not_equal(behind, before)
        else:
            x = elementwise.elementwise_sub(behind, before)
    return x


def areas(y: Any, x: Any, dx: float | None, axis: int) -> Any:
    """Compute the area of each trapezoid: the mean of two heights, times a width.

    Raises:
        InvalidValueError: Both `x` and `dx` are given.
        ShapeError: `dx` has more than one dimension.
    """
    if x is not None and dx is not None:
        raise InvalidValueError.here("trapezoid takes x or dx, not both")
    left, right = neighbours(y, axis)
    heights = ops.elementwise_add(left, right) * 0.5
    if x is None and isinstance(dx, Traced):
        if len(dx.shape) > 1:
            raise ShapeError.here("trapezoid: dx is a number, or one for each width")
        return ops.elementwise_mul(heights, dx)
    if x is None:
        return heights * (1.0 if dx is None else float(dx))
    at = axis if len(x.shape) > 1 else 0
    width = diff(x, axis=at)
    if len(x.shape) == 1:
        width = reshape(width, [-1] + [1] * (len(y.shape) - 1 - axis))
    return ops.elementwise_mul(heights, width)


def trapezoid(
    y: Any, x: Any = None, dx: float | None = None, axis: int = -1, name: Any = None
) -> Any:
    """The integral of `y` along `axis` by the trapezoidal rule.

    Args:
        y: Heights.
        x: Their positions: a vector, or as many numbers as in y.
        dx: The distance of positions, if there is no `x`; by default 1.
        axis: The dimension.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> trapezoid(np.array([1.0, 2.0, 4.0]), dx=2.0)
    np.float64(9.0)
    """
    at = positive_axis(y, axis)
    return sum(areas(y, x, dx, at), at)


def cumulative_trapezoid(
    y: Any, x: Any = None, dx: float | None = None, axis: int = -1, name: Any = None
) -> Any:
    """The integrals of `y` along `axis` from the first position to each other one.

    >>> import numpy as np
    >>> cumulative_trapezoid(np.array([1.0, 2.0, 4.0]))
    array([1.5, 4.5])
    """
    at = positive_axis(y, axis)
    return scan.cumsum(areas(y, x, dx, at), axis=at)


def vander(
    x: Any, n: int | None = None, increasing: bool = False, name: Any = None
) -> Any:
    """Vandermonde's matrix: the powers of each number of a vector, the highest first.

    Raises:
        ShapeError: `x` is no vector.
        InvalidValueError: `n` is negative or above 10000, or the length of `x` is not
            known.

    >>> import numpy as np
    >>> vander(np.array([2, 3]), 3)
    array([[4, 2, 1],
           [9, 3, 1]])
    """
    if len(x.shape) != 1:
        raise ShapeError.here(f"vander: {list(x.shape)} is not one list")
    count = x.shape[0] if n is None else index(n)
    if not 0 <= count <= MOST:
        raise InvalidValueError.here(f"vander: {count} powers")
    powers = [fill_any_like(x, value=1.0)]
    while len(powers) < count:
        powers.append(ops.elementwise_mul(powers[-1], x))
    if not count:
        return reshape(part(x, 0, 0, 0), [x.shape[0], 0])
    return stack(powers if increasing else powers[::-1], axis=-1)


def combinations(
    x: Any, r: int = 2, with_replacement: bool = False, name: Any = None
) -> Any:
    """All combinations of r elements of a vector, one per row, in the vector's order.

    Args:
        x: A vector.
        r: The size of a combination.
        with_replacement: Allow repeated elements.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: `x` is no vector of known length.
        InvalidValueError: `r` is negative.

    >>> import numpy as np
    >>> combinations(np.array([1, 2, 3]))
    array([[1, 2],
           [1, 3],
           [2, 3]])
    """
    if len(x.shape) != 1 or x.shape[0] < 0:
        raise ShapeError.here(f"combinations: {list(x.shape)} is not one list")
    if r < 0:
        raise InvalidValueError.here(f"combinations: r = {r} elements")
    ways = combinations_with_replacement if with_replacement else chosen
    rows = list(ways(range(x.shape[0]), r)) if r else []
    picked = gather(x, np.array(rows, np.int64).ravel())
    return reshape(picked, [len(rows), r] if r else [0])
