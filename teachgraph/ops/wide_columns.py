"""Convolution and its filter gradient with im2col along all dimensions but the first.

Columns of 3x3 windows copy an image nine times. Lines of windows that are one row tall
copy it three times:

    lines[row, c, j, place] = image[c, row, place step + j dilation]

Lines of successive rows follow one another in memory, so the columns of a row of
outputs are a view of them, and of those of a row of the window too. A convolution is
one product for each row of outputs, or the sum of one for each row of the window:

    out[h] = sum_i w[i] lines[h + i]

The gradient of its filter is one product for each row of the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from teachgraph.ops.cache_lines import zeros
from teachgraph.ops.windows import Steps, counts, inside

__all__ = ["backward_filter", "forward", "gradient_is_faster", "is_faster"]

SMALL = 100**3
"""Multiplications up to which OpenBLAS does not pack its operands. Convolutions of such
products took 0.55 to 0.9 of the time."""

CACHED = 1 << 16
"""Elements of lines of several images to compute at a time: a call has a price."""

ACROSS = 32
"""Columns a product should have: images of shorter rows are placed side by side."""


def is_faster(
    images: int, filters: Sequence[int], axes: Sequence[Steps], groups: int
) -> bool:
    """True if a convolution is faster than with full columns."""
    if filters[1] == 1 or filters[2] == 1 or few(images, filters, axes):
        return False
    sizes = images, filters, axes, groups
    return sum_is_faster(*sizes) or are_small(*sizes)


def sum_is_faster(
    images: int, filters: Sequence[int], axes: Sequence[Steps], groups: int
) -> bool:
    """True if products of whole images, one for each row of the window, are faster.

    Their sum takes time, so each must be large; and a filter is transposed for them.
    Only small products of full vectors are as fast.
    """
    outputs, inner, *_ = filters
    width, places = across(images, axes), prod(counts(axes))
    full = width % 32 == 0 and 32 * prod(filters[1:]) * width <= SMALL
    large = min(outputs // groups, inner) >= 64 and axes[0].step == 1
    return large and not full and places >= 100 and images * places > 1000


def are_small(
    images: int, filters: Sequence[int], axes: Sequence[Steps], groups: int
) -> bool:
    """True if the products of rows of outputs are small, and not too many.

    That needs 32 filters or all; 16 will do where a multiple of 32 columns fills the
    vectors.
    """
    each, width = filters[0] // groups, across(images, axes)
    size, rows = prod(filters[1:]) * width, max(min(each, 32 if width % 32 else 16), 8)
    few_parts = rows * size <= SMALL and each // parts_of(each, size) >= rows
    return few_parts and axes[0].dilation == 1


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
    return places > max(130 if inner >= 64 else 250, size // 400)


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


def at_once(images: int, size: int) -> int:
    """Number of images, a divisor of all, whose lines stay in the cache together."""
    fitting = (n for n in range(images, 1, -1) if images % n == 0)
    return next((n for n in fitting if n * size <= CACHED), 1)


def parts_in(lines: Any, axes: Sequence[Steps]) -> list[tuple[Any, Any]]:
    """Views of what each column of a window has in lines, and its place in an image.

    Lines of images [..., C, *sizes] are [..., C, *wide, rows, *counts]. What lies in
    the padding has no place: lines that begin as zeros keep them there.
    """
    first, *others = axes
    rows, parts = slice(first.before, first.before + first.image), []
    for place in np.ndindex(*[axis.window for axis in others]):
        there, elements = inside(others, place)
        part = lines[(..., *place, rows, *there)]
        parts.append((part, (..., slice(None), *elements)))
    return parts


def fill(parts: Sequence[tuple[Any, Any]], images: Any) -> None:
    """Copy images to the parts of their lines."""
    for part, place in parts:
        part[...] = images[place]


def shape_of_lines(channels: int, axes: Sequence[Steps], groups: int) -> list[int]:
    """Sizes of the lines of an image: [groups, C, *wide, rows, *counts]."""
    first, *others = axes
    wide = [axis.window for axis in others]
    height = first.before + first.image + first.missing
    return [groups, channels // groups, *wide, height, *counts(others)]


def rows_of_window(lines: Any, axes: Sequence[Steps]) -> Any:
    """View of the columns of each row of the window: [tall, N, groups, inner, places].

    The outputs of an image are one line, and those of the window's nth row are its
    lines from their nth row on.
    """
    first, *others = axes
    inner = prod(lines.shape[2 : 2 + len(axes)])
    merged = lines.reshape(*lines.shape[:2], inner, -1)
    row = prod(counts(others)) * first.dilation
    shape = first.window, *merged.shape[:3], prod(counts(axes))
    return as_strided(merged, shape, (row * lines.itemsize, *merged.strides))


def forward(x: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Multiply the filter with the lines of an image: [N, O, *count]."""
    if sum_is_faster(len(x), w.shape, axes, groups):
        return forward_by_window_rows(x, w, axes, groups)
    return forward_by_output_rows(x, w, axes, groups)


def forward_by_window_rows(x: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Sum the products of each row of the window, for all rows of outputs at once."""
    outputs, _, tall, *_ = w.shape
    each = outputs // groups
    filters = np.moveaxis(w, 2, 0).reshape(tall, groups, each, -1)
    lines = zeros((1, *shape_of_lines(x.shape[1], axes, groups)), x.dtype)
    columns = rows_of_window(lines, axes)[:, 0]
    out = np.empty((len(x), outputs, *counts(axes)), np.result_type(x, w))
    term = np.empty((groups, each, columns.shape[-1]), out.dtype)
    parts = parts_in(lines[0], axes)
    images = x.reshape(len(x), *lines.shape[1:3], *x.shape[2:])
    for image, part in zip(images, out.reshape(len(x), *term.shape), strict=True):
        fill(parts, image)
        np.matmul(filters[0], columns[0], out=part)
        for row, seen in zip(filters[1:], columns[1:], strict=True):
            np.add(part, np.matmul(row, seen, out=term), out=part)
    return out


def forward_by_output_rows(x: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Multiply small parts of the filter with the columns of each row of outputs."""
    depth, width = prod(w.shape[1:]), across(len(x), axes)
    merged, each, height = images_across(len(x), axes), len(w) // groups, axes[0].count
    parts = parts_of(each, depth * width)
    filters = w.swapaxes(1, 2).reshape(groups, parts, 1, each // parts, depth)
    sizes, rows = shape_of_lines(x.shape[1], axes, groups), len(axes) + 1
    blocks = at_once(len(x) // merged, merged * prod(sizes))
    shape = blocks, groups, sizes[rows], *sizes[1:rows], merged, *sizes[rows + 1 :]
    lines = zeros(shape, x.dtype)
    places = parts_in(np.moveaxis(lines, (rows + 2, 2), (1, rows + 2)), axes)
    block, group, row, *_, element = lines.strides
    shape = blocks, groups, 1, height, depth, width
    strides = block, group, 0, row * axes[0].step, width * element, element
    columns = as_strided(lines, shape, strides)
    out = np.empty((len(x), len(w), *counts(axes)), np.result_type(x, w))
    count, wide = blocks * merged, width // merged
    for end in range(count, len(x) + count, count):
        # The last blocks may compute images of those before again.
        here = slice(min(end, len(x)) - count, min(end, len(x)))
        fill(places, x[here].reshape(blocks, merged, groups, -1, *x.shape[2:]))
        part = out[here].reshape(blocks, merged, *filters.shape[:2], -1, height, wide)
        if merged == 1:
            np.matmul(filters, columns, out=part[:, 0].swapaxes(3, 4))
        else:
            products = np.matmul(filters, columns)
            products = products.reshape(*products.shape[:5], merged, wide)
            part[...] = products.transpose(0, 5, 1, 2, 4, 3, 6)
    return out


def backward_filter(x: Any, g: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Multiply lines with the outputs, summed over images: [O, C / groups, *window]."""
    shape = shape_of_lines(x.shape[1], axes, groups)
    count = at_once(len(x), prod(shape))
    lines = zeros((count, *shape), x.dtype)
    parts, columns = parts_in(lines, axes), rows_of_window(lines, axes)
    tall, _, _, inner, places = columns.shape
    each = g.shape[1] // groups
    # Sums of small products are faster than large ones, if these have few rows.
    pieces = parts_of(places, inner * each) if inner < 32 else 1
    columns = columns.reshape(tall, count, groups, inner, pieces, -1).swapaxes(3, 4)
    total = np.zeros((tall, count, groups, pieces, inner, each), np.result_type(x, g))
    images = x.reshape(len(x), groups, shape[1], *x.shape[2:])
    pixels = g.reshape(len(g), groups, each, pieces, places // pieces)
    pixels = pixels.transpose(0, 1, 3, 4, 2)
    for start in range(0, len(x), count):
        here = slice(start, start + count)
        fill(parts, images[here])
        total += columns @ pixels[here]
    total = np.add.reduce(total, axis=(1, 3))
    wide = [axis.window for axis in axes[1:]]
    total = total.reshape(tall, groups, -1, *wide, each)
    turned = np.moveaxis(total, (-1, 0), (1, 3))
    return turned.reshape(g.shape[1], -1, tall, *wide)
