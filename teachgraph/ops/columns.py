"""The three matrix products of a convolution, on arrays.

Column j of an image is what window j shows, so a convolution is the filter, a matrix
with a row for each output channel, times the columns. Its two gradients are products
with the same columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.ops.windows import Steps, cropped, padded, tap, through

__all__ = ["backward_filter", "backward_input", "forward"]

AT_ONCE = 1 << 20
"""How many elements of columns to make at a time, 4 MB: a batch needs no more memory
than that or its largest image, and blocks of 1 MB made the products slower."""


def blocks(images: int, columns: int) -> Iterator[slice]:
    """As many images at a time as have few enough elements in their columns."""
    step = max(AT_ONCE // max(columns, 1), 1)
    return (slice(first, first + step) for first in range(0, images, step))


def counts(axes: Sequence[Steps]) -> list[int]:
    """How many windows there are along each dimension."""
    return [axis.count for axis in axes]


def matrices(w: Any, groups: int) -> Any:
    """A filter [O, C, *window] as a matrix [O, C * window], one for each group."""
    return w.reshape(groups, len(w) // groups, prod(w.shape[1:]))


def forward(x: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """The filter times the columns of each image: [N, O, *count]."""
    view = through(padded(x, axes), axes)
    rows, inner, windows = matrices(w, groups), prod(w.shape[1:]), prod(counts(axes))
    out = np.empty((len(x), *rows.shape[:2], windows), np.result_type(x, w))
    for part in blocks(len(x), groups * inner * windows):
        # No copy where the windows are one element large and stand side by side.
        columns = view[part].reshape(len(out[part]), groups, inner, windows)
        np.matmul(rows, columns, out=out[part])
    return out.reshape(len(x), len(w), *counts(axes))


def backward_input(g: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """The transposed filter times the outputs: columns, added up where they came from.

    For outputs [N, O, *count] that gives images [N, C, *image].
    """
    if len(w) <= w.shape[1] * groups and all(map(can_mirror, axes)):
        return forward(g, mirrored(w, groups), list(map(mirror, axes)), groups)
    channels, window, windows = w.shape[1] * groups, w.shape[2:], prod(counts(axes))
    rows = matrices(w, groups).swapaxes(1, 2)
    g = g.reshape(len(g), groups, len(w) // groups, windows)
    sizes = [axis.before + axis.image + axis.missing for axis in axes]
    if prod(window) == 1 and sizes == counts(axes):
        return cropped(np.matmul(rows, g).reshape(len(g), channels, *sizes), axes)
    out = np.zeros((len(g), channels, *sizes), np.result_type(g, w))
    for part in blocks(len(g), channels * prod(window) * windows):
        columns = np.matmul(rows, g[part])
        columns = columns.reshape(len(columns), channels, *window, *counts(axes))
        for place in np.ndindex(*window):
            tap(out[part], axes, place)[...] += columns[:, :, *place]
    return cropped(out, axes)


def can_mirror(axis: Steps) -> bool:
    """Whether the adjoint is itself a convolution, which copies where adding up reads.

    That takes windows at steps of one. With more outputs than channels it has more
    columns, and was slower; with as many it was about twice as fast.
    """
    return axis.step == 1 and axis.before <= axis.dilation * (axis.window - 1)


def mirror(axis: Steps) -> Steps:
    """For each element of the image the outputs that it is part of, as a window."""
    before = axis.dilation * (axis.window - 1) - axis.before
    return Steps(axis.count, axis.window, 1, axis.dilation, before, 0, axis.image)


def mirrored(w: Any, groups: int) -> Any:
    """A filter seen from the image: [C, O / groups, *window], the window turned."""
    outputs, inner, *window = w.shape
    parts = w.reshape(groups, outputs // groups, inner, *window).swapaxes(1, 2)
    turned = np.ascontiguousarray(np.flip(parts, tuple(range(3, parts.ndim))))
    return turned.reshape(groups * inner, outputs // groups, *window)


def backward_filter(x: Any, g: Any, axes: Sequence[Steps], groups: int) -> Any:
    """The outputs times the transposed columns, summed over all images.

    That gives filters [O, C / groups, *window].
    """
    inner = x.shape[1] // groups, *[axis.window for axis in axes]
    view = through(padded(x, axes), axes)
    view = view.reshape(len(x), groups, *inner, *counts(axes))
    g = g.reshape(len(g), groups, g.shape[1] // groups, prod(counts(axes)))
    total = np.zeros((*g.shape[1:3], prod(inner)), np.result_type(x, g))
    for part in blocks(len(x), groups * prod(inner) * g.shape[-1]):
        # All images of the block side by side: one product, and no sum after it.
        columns = np.moveaxis(view[part], 0, 1 + len(inner))
        columns = columns.reshape(groups, prod(inner), len(g[part]) * g.shape[-1])
        rows = np.moveaxis(g[part], 0, 2).reshape(*total.shape[:2], columns.shape[-1])
        total += rows @ columns.swapaxes(1, 2)
    return total.reshape(groups * len(total[0]), *inner)
