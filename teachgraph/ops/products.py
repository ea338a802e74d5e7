"""Convolution forward, backward-input and backward-filter: choice of algorithm.

Large images use im2col along all dimensions but the first (`wide_columns`), where that
is faster. A batch of small images is merged into one image with another dimension.
Forward and backward-input, which may be computed as a convolution, then use full im2col
(`columns`) or im2col by window rows (`conv_rows`), whichever is faster. The filter
gradient of a depthwise convolution is not a product of matrices (`depthwise`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from math import prod
from operator import iadd
from types import ModuleType
from typing import Any

import numpy as np

from teachgraph.ops import columns, conv_rows, depthwise, wide_columns
from teachgraph.ops.windows import Steps, blocks, counts

__all__ = ["backward_filter", "backward_input", "forward"]

NARROW = 20
"""Elements of a row up to which merging the images of a batch pays."""


def forward(x: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Convolve: [N, O, *count]."""
    if wide_columns.is_faster(len(x), w.shape, axes, groups):
        return wide_columns.forward(x, w, axes, groups)
    if not narrow(len(x), axes):
        return faster_module(x.shape, w.shape, axes, groups).forward(x, w, axes, groups)
    out = np.empty((len(x), len(w), *counts(axes)), np.result_type(x, w))
    for part, wide in image_blocks(len(x), w.shape, axes, groups):
        out[part] = apart(forward(together(x[part]), w[..., None], wide, groups))
    return out


def backward_input(g: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Adjoint in the image: outputs [N, O, *count] to images [N, C, *image]."""
    if all(map(can_mirror, axes)):
        filters = w.shape[1] * groups, len(w) // groups, *w.shape[2:]
        mirrors = list(map(mirror, axes))
        if wide_columns.is_faster(len(g), filters, mirrors, groups):
            return wide_columns.forward(g, mirrored(w, groups), mirrors, groups)
    if narrow(len(g), axes) and axes[-1].image < NARROW:
        sizes = [axis.image for axis in axes]
        out = np.empty((len(g), w.shape[1] * groups, *sizes), np.result_type(g, w))
        for part, wide in image_blocks(len(g), w.shape, axes, groups):
            out[part] = apart(
                backward_input(together(g[part]), w[..., None], wide, groups)
            )
        return out
    if mirroring_pays(len(g), w.shape, axes, groups):
        return forward(g, mirrored(w, groups), list(map(mirror, axes)), groups)
    return faster_module(g.shape, w.shape, axes, groups).backward_input(
        g, w, axes, groups
    )


def backward_filter(x: Any, g: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Adjoint in the filter: [O, C / groups, *window]."""
    window = [axis.window for axis in axes]
    filters = g.shape[1], x.shape[1] // groups, *window
    if depthwise.is_faster(filters, axes, groups):
        return depthwise.backward_filter(x, g, axes, groups)
    if wide_columns.gradient_is_faster(len(x), filters, axes, groups):
        return wide_columns.backward_filter(x, g, axes, groups)
    if not narrow(len(x), axes):
        return columns.backward_filter(x, g, axes, groups)
    parts = (
        backward_filter(together(x[part]), together(g[part]), wide, groups)
        for part, wide in image_blocks(len(x), filters, axes, groups)
    )
    return reduce(iadd, parts).reshape(filters)


def faster_module(
    image: Sequence[int], filters: Sequence[int], axes: Sequence[Steps], groups: int
) -> ModuleType:
    """Choose the faster module, `conv_rows` or `columns`."""
    return conv_rows if conv_rows.is_faster(image, filters, axes, groups) else columns


def narrow(images: int, axes: Sequence[Steps]) -> bool:
    """True if merging the images of a batch pays.

    NumPy copies and adds contiguous runs of memory, and those of small images are
    short: unmerged, runs of 10 elements took 1.5 times as long, runs of 28 less. A
    window of one element needs no copies; but products of few columns take longer.
    """
    places, window = prod(counts(axes)), prod(axis.window for axis in axes)
    return images >= 8 and axes[-1].count < NARROW and (window > 1 or places < 40)


def image_blocks(
    images: int, filters: Sequence[int], axes: Sequence[Steps], groups: int
) -> Iterator[tuple[slice, list[Steps]]]:
    """Yield blocks of images to merge, and the windows over them."""
    size = groups * prod(filters[1:]) * prod(counts(axes))
    for part in blocks(images, size):
        count = len(range(*part.indices(images)))
        yield part, [*axes, Steps(count, 1, 1, 1, 0, 0, count)]


def together(x: Any) -> Any:
    """View a batch of images as one with another dimension: [1, C, *sizes, N]."""
    return np.moveaxis(x, 0, -1)[None]


def apart(x: Any) -> Any:
    """Undo `together`, as a view."""
    return np.moveaxis(x[0], -1, 0)


def mirroring_pays(
    images: int, filters: Sequence[int], axes: Sequence[Steps], groups: int
) -> bool:
    """True if backward-input is faster as a convolution, without scatter-add.

    That needs stride 1. With more outputs than channels it has more columns, and was
    slower; with as many it was up to twice as fast. It transposes the filter: where
    that is large compared with the columns, it took twice as long.
    """
    few = min(filters[1] * groups, images * prod(counts(axes)) // 2)
    return filters[0] <= few and all(map(can_mirror, axes))


def can_mirror(axis: Steps) -> bool:
    """True if the elements of the image have windows of outputs, without gaps."""
    return axis.step == 1 and axis.before <= axis.dilation * (axis.window - 1)


def mirror(axis: Steps) -> Steps:
    """For each element of the image compute the window of outputs it contributes to."""
    before = axis.dilation * (axis.window - 1) - axis.before
    return Steps(axis.count, axis.window, 1, axis.dilation, before, 0, axis.image)


def mirrored(w: Any, groups: int) -> Any:
    """Transpose and flip a filter: [C, O / groups, *window]."""
    outputs, inner, *window = w.shape
    parts = w.reshape(groups, outputs // groups, inner, *window).swapaxes(1, 2)
    turned = np.flip(parts, tuple(range(3, parts.ndim)))
    return turned.reshape(groups * inner, outputs // groups, *window)
