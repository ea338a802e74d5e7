"""Window reductions (maximum, mean) and the adjoint of the mean, on arrays.

They are separable, computed along one dimension after the other: a window's maximum is
the maximum of the maxima of its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from teachgraph.ops.windows import Axis, Shares, Steps, blocks, padded, tap

__all__ = [
    "average",
    "first_places",
    "largest",
    "lie_apart",
    "sizes",
    "spread_along",
    "spread_to_first",
]


def reduce_windows(axis: Axis, x: Any, dim: int, combine: Any) -> Any:
    """Reduce each window along one dimension of a padded image."""
    before = (slice(None),) * dim
    if isinstance(axis, Steps):
        parts = [x[(*before, axis.elements(nth))] for nth in range(axis.window)]
        return reduce(combine, parts) if len(parts) > 1 else parts[0]
    ranges = zip(axis.starts(), axis.ends(), strict=True)
    return np.stack([combine.reduce(x[(*before, slice(*r))], dim) for r in ranges], dim)


def largest(x: Any, axes: Sequence[Axis]) -> Any:
    """Compute the maximum of each window."""
    x = padded(x, axes, -np.inf)
    for dim, axis in enumerate(axes, start=2):
        x = reduce_windows(axis, x, dim, np.maximum)
    return x


def sizes(axes: Sequence[Axis], *, exclusive: bool) -> Any:
    """Number of elements of each window; one number if all are equal."""
    each = reduce(np.multiply.outer, [a.sizes(exclusive=exclusive) for a in axes])
    first = each.flat[0]
    return int(first) if (each == first).all() else each


def average(x: Any, axes: Sequence[Axis], *, exclusive: bool) -> Any:
    """Compute the mean of each window, padding excluded if `exclusive`."""
    total = padded(x, axes)
    for dim, axis in enumerate(axes, start=2):
        total = reduce_windows(axis, total, dim, np.add)
    return (total / sizes(axes, exclusive=exclusive)).astype(x.dtype, copy=False)


def spread_along(axis: Axis, x: Any, dim: int) -> Any:
    """Adjoint of summing along one dimension: add each value to its window."""
    before = (slice(None),) * dim
    if isinstance(axis, Shares):
        out = np.zeros((*x.shape[:dim], axis.image, *x.shape[dim + 1 :]), x.dtype)
        for i, ends in enumerate(zip(axis.starts(), axis.ends(), strict=True)):
            out[(*before, slice(*ends))] += x[(*before, slice(i, i + 1))]
        return out
    length = axis.before + axis.image + axis.missing
    out = np.zeros((*x.shape[:dim], length, *x.shape[dim + 1 :]), x.dtype)
    for nth in range(axis.window):
        out[(*before, axis.elements(nth))] += x
    return out


def first_places(x: Any, out: Any, axes: Sequence[Axis]) -> Any:
    """Compute the flat index of each window's first maximum; NaN is the largest."""
    x = padded(x, axes, -np.inf)
    places = list(np.ndindex(*[axis.window for axis in axes]))
    nowhere = np.isnan(out).any()
    missing = np.ones(out.shape, np.bool_)
    nth = np.zeros(out.shape, np.min_scalar_type(len(places)))
    # `nth` counts the elements before the maximum; one found nowhere else is the last.
    for place in places[:-1]:
        seen = tap(x, axes, place)
        missing &= seen != out
        # NaN differs from itself: a window whose maximum is NaN ends at its first NaN.
        if nowhere:
            missing &= ~np.isnan(seen)
        nth += missing
    if all(isinstance(a, Steps) and not (a.before or a.missing) for a in axes):
        # Without padding an element lies equally far from the first of each window.
        image = tuple(axis.image for axis in axes)
        distances = [np.ravel_multi_index(place, image) for place in places]
        where = np.take(np.array(distances, np.int32), nth)
        where += flat_indices(axes, places[0])
        return where
    numbers = np.stack([flat_indices(axes, place) for place in places])
    windows = numbers[0].size
    which = nth.reshape(-1, windows) * np.intp(windows) + np.arange(windows)
    return np.take(numbers, which).reshape(out.shape)


def spread_to_first(g: Any, x: Any, out: Any, axes: Sequence[Axis]) -> Any:
    """Put each element of `g` where its window first has its maximum `out`.

    The windows lie apart, and no maximum is NaN, which differs from itself.
    """
    # Windows without gaps write every element.
    full = all(axis.window * axis.count == axis.image for axis in axes)
    dx = (np.empty if full else np.zeros)(x.shape, g.dtype)
    *places, last = np.ndindex(*[axis.window for axis in axes])
    # Bits times True or False: of floating numbers, inf times False would be NaN.
    bits = f"i{g.itemsize}"
    for part in blocks(len(x), 8 * x[:1].size):
        left, shares = g[part].view(bits).copy(), dx[part].view(bits)
        for place in places:
            # NumPy converts a whole array faster than it multiplies by True or False.
            taken = (tap(x[part], axes, place) == out[part]).astype(bits)
            taken *= left
            tap(shares, axes, place)[...] = taken
            left ^= taken
        tap(shares, axes, last)[...] = left
    return dx


def lie_apart(axes: Sequence[Axis]) -> bool:
    """True if no element is in two windows, and none of them is padding."""
    return all(
        isinstance(axis, Steps)
        and axis.window <= axis.step
        and not (axis.before or axis.missing)
        for axis in axes
    )


def flat_indices(axes: Sequence[Axis], place: Sequence[int]) -> Any:
    """Flat index of the element at `place` of each window: [*count]."""
    image = tuple(axis.image for axis in axes)
    pairs = zip(axes, place, strict=True)
    where = np.ix_(*[axis.positions(nth) for axis, nth in pairs])
    return np.ravel_multi_index(where, image).astype(np.int32)
