"""Convolution and its two gradients as matrix products with im2col, on arrays.

Column j of an image is window j, so a convolution is the filter, a matrix with a row
for each output channel, times the columns. Its two gradients are products with the
same columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from math import prod
from operator import iadd
from typing import Any

import numpy as np

from teachgraph.ops.windows import (
    Steps,
    blocks,
    counts,
    inside,
    padded,
    windows_of,
)

__all__ = ["backward_filter", "backward_input", "forward"]

CACHED = 1 << 17
"""Elements of copies that the cache keeps for a product of the filter gradient. Blocks
of 4 MB took up to twice as long; one large image is not copied at all."""


def matrices(w: Any, groups: int) -> Any:
    """Reshape a filter [O, C, *window] to a matrix [O, C * window], one per group."""
    return w.reshape(groups, len(w) // groups, prod(w.shape[1:]))


def forward(x: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Multiply the filter with the columns of each image: [N, O, *count]."""
    image = np.ascontiguousarray(padded(x, axes))
    rows, inner, windows = matrices(w, groups), prod(w.shape[1:]), prod(counts(axes))
    # Blocks write into the result itself, so that no second copy of it exists.
    out = np.empty((len(x), *rows.shape[:2], windows), np.result_type(x, w))
    for part in blocks(len(x), groups * inner * windows):
        # No copy where the windows are one element large and stand side by side.
        columns = unrolled(image[part], axes)
        columns = columns.reshape(len(columns), groups, inner, windows)
        np.matmul(rows, columns, out=out[part])
    return out.reshape(len(x), len(w), *counts(axes))


def unrolled(x: Any, axes: Sequence[Steps]) -> Any:
    """Extract the columns of a padded image: [N, C, *window, *count].

    With a stride and overlapping windows, such as 7 elements every 2, every step-th
    element is copied to its own array first: then columns copy contiguous memory.
    """
    *others, last = axes
    if not 1 < last.step < last.window / 2:
        return windows_of(x, axes)
    thinned = [np.ascontiguousarray(x[..., n :: last.step]) for n in range(last.step)]
    near = [*others, replace(last, window=1, step=1)]
    window = [axis.window for axis in axes]
    out = np.empty((*x.shape[:2], *window, *counts(axes)), x.dtype)
    for nth in range(last.window):
        shift, which = divmod(nth * last.dilation, last.step)
        place = (slice(None),) * (1 + len(axes)) + (slice(nth, nth + 1),)
        out[place] = windows_of(thinned[which][..., shift:], near)
    return out


def backward_input(g: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Multiply the transposed filter with the outputs, and sum the columns (col2im).

    Outputs [N, O, *count] become images [N, C, *image].
    """
    channels, window, windows = w.shape[1] * groups, w.shape[2:], prod(counts(axes))
    rows = matrices(w, groups).swapaxes(1, 2)
    g = g.reshape(len(g), groups, len(w) // groups, windows)
    sizes = [axis.image for axis in axes]
    if all(axis.window == axis.step == 1 for axis in axes) and sizes == counts(axes):
        return np.matmul(rows, g).reshape(len(g), channels, *sizes)
    out = np.zeros((len(g), channels, *sizes), np.result_type(g, w))
    for part in blocks(len(g), channels * prod(window) * windows):
        columns = np.matmul(rows, g[part])
        columns = columns.reshape(len(columns), channels, *window, *counts(axes))
        for place in np.ndindex(*window):
            seen, elements = inside(axes, place)
            out[part][(..., *elements)] += columns[:, :, *place][(..., *seen)]
    return out


def backward_filter(x: Any, g: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Multiply the outputs with the transposed columns, summed over all images.

    The result is a filter [O, C / groups, *window].
    """
    inner = x.shape[1] // groups, *[axis.window for axis in axes]
    view = windows_of(np.ascontiguousarray(padded(x, axes)), axes)
    view = view.reshape(len(x), groups, *inner, *counts(axes))
    g = g.reshape(len(g), groups, g.shape[1] // groups, prod(counts(axes)))

    def product(part: slice) -> Any:
        # All images of the block side by side: one product, and no sum after it.
        columns = np.moveaxis(view[part], 0, 1 + len(inner))
        columns = columns.reshape(groups, prod(inner), len(g[part]) * g.shape[-1])
        rows = np.moveaxis(g[part], 0, 2).reshape(*g.shape[1:3], columns.shape[-1])
        # BLAS is faster at tall results; a large one takes longer to transpose.
        if rows.shape[1] < 200:
            return (columns @ rows.swapaxes(1, 2)).swapaxes(1, 2)
        return rows @ columns.swapaxes(1, 2)

    size = groups * (prod(inner) + g.shape[2]) * g.shape[-1]
    # The sum of the products takes time too, if these are large.
    at_once = max(CACHED, 4 * groups * g.shape[2] * prod(inner))
    parts = blocks(len(x), size, at_once)
    return reduce(iadd, map(product, parts)).reshape(-1, *inner)
