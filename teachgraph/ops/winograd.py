"""Convolution with windows of 3 x 3 by Winograd's algorithm F(2 x 2, 3 x 3), on arrays.

Two neighbouring outputs of a filter w over elements d take four products, not six:

    y[0] = d[0] w[0] + d[1] w[1] + d[2] w[2] = m[0] + m[1] + m[2]
    y[1] = d[1] w[0] + d[2] w[1] + d[3] w[2] = m[1] - m[2] - m[3]

    m[0] = (d[0] - d[2]) w[0]    m[1] = (d[1] + d[2]) (w[0] + w[1] + w[2]) / 2
    m[3] = (d[1] - d[3]) w[2]    m[2] = (d[2] - d[1]) (w[0] - w[1] + w[2]) / 2

In matrices, y = A' [(G w) * (B' d)], and the adjoint in the filter is

    dw = G' [(A dy) * (B' d)]

Along rows and columns, a tile of 2 x 2 outputs takes 16 products, not 36. Summed over
the channels, each of the 16 is a product of matrices: [O, C] times [C, tiles].

An output is a difference of larger sums: its rounding error is relative to the largest
elements of its tile, not to its own window's. Source: Lavin and Gray, "Fast Algorithms
for Convolutional Neural Networks", 2015.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from teachgraph.ops.depthwise import phase_slices
from teachgraph.ops.windows import Steps, counts

__all__ = ["backward_filter", "forward", "is_faster"]

AT_ONCE = 1 << 18
"""Elements of transformed tiles at a time: 1 MB, which stays in the cache."""

G = np.array([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]], np.float32)
BOTH = np.kron(G, G)
"""G along rows and columns: a filter's nine weights to 16."""


def is_faster(
    x: Any,
    other: Any,
    filters: Sequence[int],
    axes: Sequence[Steps],
    groups: int,
    *,
    wide: int = 64,
) -> bool:
    """True if it is faster than im2col for these operands.

    It multiplies less and adds more, 12 times for each element of image and output.
    Measured: 0.7 of the time with 128 channels, 0.8 with 64, and as much with 32; of
    the filter's gradient 0.6, 0.85 and 0.85. With fewer tiles than channels, most of
    the time would go into transforming the filter. `wide` is the number of channels
    that the image or the output must have.
    """
    if len(axes) != 2 or groups != 1 or not x.dtype == other.dtype == np.float32:
        return False
    channels, number = filters[:2], len(x) * prod(tiles(axes))
    return (
        all((axis.window, axis.step, axis.dilation) == (3, 1, 1) for axis in axes)
        and min(channels) >= 32
        and max(channels) >= wide
        and max(channels) <= number < len(x) * prod(counts(axes)) / 3
    )


def tiles(axes: Sequence[Steps]) -> list[int]:
    """Number of tiles along each dimension; the last may stand out by an output."""
    return [(axis.count + 1) // 2 for axis in axes]


def batches(images: int, channels: int, axes: Sequence[Steps]) -> Iterator[slice]:
    """Yield blocks of images of which a row of tiles has AT_ONCE elements, or of 8."""
    step = max(AT_ONCE // (16 * channels * tiles(axes)[1]), 8)
    return (slice(first, first + step) for first in range(0, images, step))


def blocks(images: int, channels: int, axes: Sequence[Steps]) -> Iterator[slice]:
    """Yield blocks of rows of tiles which have AT_ONCE elements together."""
    rows, columns = tiles(axes)
    step = max(AT_ONCE // (16 * channels * columns * images), 1)
    return (slice(first, min(first + step, rows)) for first in range(0, rows, step))


def phases(x: Any, axes: Sequence[Steps], sizes: Sequence[int]) -> Any:
    """Pad images and separate even from odd rows and columns: [2, 2, C, *sizes, N].

    With the images side by side, the transforms add long runs of memory.
    """
    out = np.zeros((2, 2, x.shape[1], *sizes, len(x)), x.dtype)
    halves = [replace(axis, step=2) for axis in axes]
    interleaved = np.moveaxis(x, 0, -1)
    for phase in np.ndindex(2, 2):
        pairs = map(phase_slices, halves, sizes, phase)
        inside, elements = zip(*pairs, strict=True)
        out[phase][:, *inside] = interleaved[:, *elements]
    return out


def of_elements(even: Any, odd: Any, next_even: Any, next_odd: Any) -> Any:
    """B' d for four neighbours."""
    out = np.empty((4, *even.shape), even.dtype)
    np.subtract(even, next_even, out[0])
    np.add(odd, next_even, out[1])
    np.subtract(next_even, odd, out[2])
    np.subtract(odd, next_odd, out[3])
    return out


def of_products(m: Any) -> Any:
    """A' m: two outputs from four products."""
    out = np.empty((2, *m.shape[1:]), m.dtype)
    np.add(m[0], m[1], out[0])
    out[0] += m[2]
    np.subtract(m[1], m[2], out[1])
    out[1] -= m[3]
    return out


def of_outputs(even: Any, odd: Any) -> Any:
    """A dy: the adjoint of `of_products`."""
    out = np.empty((4, *even.shape), even.dtype)
    out[0] = even
    np.add(even, odd, out[1])
    np.subtract(even, odd, out[2])
    np.negative(odd, out[3])
    return out


def transformed(x: Any, rows: slice) -> Any:
    """Transform the tiles of an image's phases, columns first: [4, 4, C, tiles]."""
    near, far = x[:, :, :, rows], x[:, :, :, rows.start + 1 : rows.stop + 1]
    lines = of_elements(near[0], near[1], far[0], far[1])
    even, odd = lines[:, 0], lines[:, 1]
    out = of_elements(
        even[..., :-1, :], odd[..., :-1, :], even[..., 1:, :], odd[..., 1:, :]
    )
    return out.reshape(4, 4, x.shape[2], -1)


def transformed_outputs(g: Any, rows: slice) -> Any:
    """Transform the tiles of an output's phases, columns first: [4, 4, O, tiles]."""
    lines = of_outputs(g[0, :, :, rows], g[1, :, :, rows])
    return of_outputs(lines[:, 0], lines[:, 1]).reshape(4, 4, g.shape[2], -1)


def forward(x: Any, w: Any, axes: Sequence[Steps]) -> Any:
    """Convolve: [N, O, *count]."""
    filters = BOTH @ w.swapaxes(2, 3).reshape(-1, 9).T
    filters = filters.reshape(4, 4, *w.shape[:2])
    out = np.empty((len(x), len(w), *counts(axes)), x.dtype)
    for images in batches(len(x), max(w.shape[:2]), axes):
        convolve(x[images], filters, axes, out[images])
    return out


def convolve(x: Any, filters: Any, axes: Sequence[Steps], out: Any) -> None:
    """Multiply transformed filters with the tiles of some images."""
    height, width = tiles(axes)
    separate = phases(x, axes, (height + 1, width + 1))
    for rows in blocks(len(x), max(filters.shape[2:]), axes):
        products = filters @ transformed(separate, rows)
        y = of_products(of_products(products).swapaxes(0, 1))
        y = np.moveaxis(y.reshape(2, 2, len(filters[0, 0]), -1, width, len(x)), -1, 2)
        block = out[:, :, 2 * rows.start : 2 * rows.stop]
        for i, j in np.ndindex(2, 2):
            outputs = block[:, :, i::2, j::2]
            outputs[...] = y[i, j, :, :, : outputs.shape[2], : outputs.shape[3]]


def backward_filter(x: Any, g: Any, axes: Sequence[Steps]) -> Any:
    """Adjoint in the filter: [O, C, 3, 3]."""
    shape = g.shape[1], x.shape[1]
    total = np.zeros((4, 4, *shape), x.dtype)
    for images in batches(len(x), max(shape), axes):
        add_products_with_tiles(total, x[images], g[images], axes)
    filters = total.reshape(16, -1).T @ BOTH
    return filters.reshape(*shape, 3, 3).swapaxes(2, 3)


def add_products_with_tiles(total: Any, x: Any, g: Any, axes: Sequence[Steps]) -> None:
    """Multiply the outputs of each block with its tiles, and add: [4, 4, O, C]."""
    height, width = tiles(axes)
    separate = phases(x, axes, (height + 1, width + 1))
    whole = [replace(axis, image=axis.count, before=0) for axis in axes]
    upstream = phases(g, whole, (height, width))
    for rows in blocks(len(x), max(g.shape[1], x.shape[1]), axes):
        columns = transformed(separate, rows).swapaxes(2, 3)
        total += transformed_outputs(upstream, rows) @ columns
