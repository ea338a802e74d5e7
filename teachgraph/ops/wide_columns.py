"""Convolution and its filter gradient with im2col along all dimensions but the first.

Columns of 3x3 windows copy an image nine times. Lines of windows that are one row tall
copy it three times:

    lines[row, c, j, place] = image[c, row, place step + j dilation]

Lines of successive rows follow one another in memory, so the columns of a row of
outputs are a view of them. A convolution is one product for each row of outputs; the
gradient of its filter is one for each row of the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from teachgraph.ops.windows import Steps, counts, cropped, windows_of

__all__ = ["backward_filter", "forward", "gradient_is_faster", "is_faster"]

SMALL = 100**3
"""Multiplications up to which OpenBLAS does not pack its operands. Convolutions of such
products took 0.55 to 0.9 of the time."""

ACROSS = 32
"""Columns a product should have: images of shorter rows are placed side by side."""


def is_faster(
    images: int, filters: Sequence[int], axes: Sequence[Steps], groups: int
) -> bool:
    """True if a convolution is faster than with full columns.

    That needs more than a few small products, of 32 filters or of all; 16 will do where
    a multiple of 32 columns fills the vectors.
    """
    outputs, inner, tall, *_ = filters
    if tall == 1 or inner == 1 or axes[0].dilation > 1 or few(images, filters, axes):
        return False
    each, width = outputs // groups, across(images, axes)
    size, rows = prod(filters[1:]) * width, max(min(each, 32 if width % 32 else 16), 8)
    return rows * size <= SMALL and each // parts_of(each, size) >= rows


def gradient_is_faster(
    images: int, filters: Sequence[int], axes: Sequence[Steps], groups: int
) -> bool:
    """True if the gradient of the filter is faster than with full columns.

    Its products sum over one image, which may be neither small nor smaller than them.
    """
    outputs, inner, tall, *wide = filters
    if tall == 1 or axes[0].step > 1 or few(images, filters, axes):
        return False
    places, size = prod(counts(axes)), inner * prod(wide) * outputs // groups
    return places > 250 and places > size // 400


def few(images: int, filters: Sequence[int], axes: Sequence[Steps]) -> bool:
    """True for so few multiplications that all else takes longer."""
    return images * prod(filters) * prod(counts(axes)) < 2 * SMALL


def images_across(images: int, axes: Sequence[Steps]) -> int:
    """Number of images whose rows are placed side by side."""
    return min(-(-ACROSS // prod(counts(axes[1:]))), images)


def across(images: int, axes: Sequence[Steps]) -> int:
    """Number of columns of a row of outputs."""
    return images_across(images, axes) * prod(counts(axes[1:]))


def parts_of(rows: int, size: int) -> int:
    """Number of equal parts of a matrix's rows whose products are small."""
    parts = (n for n in range(1, rows + 1) if rows % n == 0)
    return next((n for n in parts if rows // n * size <= SMALL), rows)


def framed(x: Any, images: int, axes: Sequence[Steps], groups: int) -> tuple[Any, Any]:
    """Zeros with room for `images`, and a view of the lines of the padded images.

    The lines are [groups, rows, C, *wide, N, *counts].
    """
    sizes = [axis.before + axis.image + axis.missing for axis in axes]
    frame = np.zeros((images, x.shape[1], *sizes), x.dtype)
    one_row = Steps(sizes[0], 1, 1, 1, 0, 0, sizes[0])
    view = windows_of(frame, [one_row, *axes[1:]])
    view = view.reshape(images, groups, -1, *view.shape[3:])
    rows = len(axes) + 2
    return cropped(frame, axes), np.moveaxis(view, (0, rows), (rows, 1))


def forward(x: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Multiply the filter with the columns of each row of outputs: [N, O, *count]."""
    depth, width = prod(w.shape[1:]), across(len(x), axes)
    merged, each, height = images_across(len(x), axes), len(w) // groups, axes[0].count
    parts = parts_of(each, depth * width)
    filters = w.swapaxes(1, 2).reshape(groups, parts, 1, each // parts, depth)
    image, view = framed(x, merged, axes, groups)
    lines = np.empty(view.shape, x.dtype)
    group, row, *_, element = lines.strides
    shape = groups, 1, height, depth, width
    strides = group, 0, row * axes[0].step, width * element, element
    columns = as_strided(lines, shape, strides)
    out = np.empty((len(x), len(w), *counts(axes)), np.result_type(x, w))
    for end in range(merged, len(x) + merged, merged):
        # The last block may compute images of the one before again.
        start = min(end, len(x)) - merged
        image[...] = x[start : start + merged]
        lines[...] = view
        part = out[start : start + merged]
        part = part.reshape(merged, groups, parts, each // parts, height, -1)
        if merged == 1:
            np.matmul(filters, columns, out=part[0].swapaxes(2, 3))
        else:
            products = np.matmul(filters, columns)
            products = products.reshape(*products.shape[:4], merged, -1)
            part[...] = products.transpose(4, 0, 1, 3, 2, 5)
    return out


def backward_filter(x: Any, g: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Multiply lines with the outputs, summed over images: [O, C / groups, *window].

    The outputs of an image are one line, and those of the window's nth row are its
    lines from their nth row on.
    """
    (first, *others), places = axes, prod(counts(axes))
    image, view = framed(x, 1, axes, groups)
    view = np.moveaxis(view, 1, -len(axes))  # [groups, C, *wide, 1, rows, *counts]
    lines = np.empty(view.shape, x.dtype)
    inner = prod(lines.shape[1 : -len(axes) - 1])
    group, *_, line, row = lines.strides[: -len(axes) + 1 or None]
    item = lines.itemsize
    each = g.shape[1] // groups
    # Sums of small products are faster than large ones, if these have few rows.
    pieces = parts_of(places, inner * each) if inner < 32 else 1
    shape = groups, first.window, pieces, inner, places // pieces
    strides = group, row * first.dilation, shape[-1] * item, line, item
    shifted = as_strided(lines, shape, strides)
    total = np.zeros((*shape[:4], each), np.result_type(x, g))
    for source, outputs in zip(x, g, strict=True):
        image[...] = source
        lines[...] = view
        pixels = outputs.reshape(groups, 1, each, pieces, -1)
        total += shifted @ pixels.transpose(0, 1, 3, 4, 2)
    wide = [axis.window for axis in others]
    total = np.add.reduce(total, axis=2)
    total = total.reshape(groups, first.window, -1, *wide, each)
    turned = np.moveaxis(total, (-1, 1), (1, 3))
    return turned.reshape(g.shape[1], -1, first.window, *wide)
