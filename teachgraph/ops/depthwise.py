"""Filter gradient of a depthwise convolution as dot products of shifted lines.

Each channel has a filter of its own, so there is no matrix product to speak of:

    dfilter[c, i, j] = sum_nhw dout[n, c, h, w] image[n, c, h step + i dilation, ...]

Written as one line, row after row of the padded image, an image shows element (i, j) of
all its windows as one slice of that line; the outputs are spread to lines with zeros
where a row of the image goes on. So each element of the gradient is one dot product for
each image. Strides thin images out to images of every step-th element (phases).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from teachgraph.ops.windows import Steps, counts, phase_slices

__all__ = ["backward_filter", "is_faster"]

SHORT = 64
"""Elements of a line below which a dot product costs less than its call."""


def is_faster(filters: Sequence[int], axes: Sequence[Steps], groups: int) -> bool:
    """True for a filter per channel, of more than one element, and large images."""
    depthwise = filters[1] == 1 and filters[0] == groups
    return depthwise and prod(filters) > groups and line_length(axes) > SHORT


def extents(axes: Sequence[Steps]) -> list[int]:
    """Sizes of a phase: every step-th element, as far as windows reach."""
    return [a.count + (a.window - 1) * a.dilation // a.step for a in axes]


def line_length(axes: Sequence[Steps]) -> int:
    """Elements of a line from the start of the first window to that of the last."""
    last = 0
    for axis, extent in zip(axes, extents(axes), strict=True):
        last = last * extent + axis.count - 1
    return last + 1


def lines(x: Any, axes: Sequence[Steps]) -> Any:
    """Pad images and thin them out, as lines: [phases, N * C, elements]."""
    shifts = list(product(*[range(axis.step) for axis in axes]))
    out: Any = np.zeros((len(shifts), *x.shape[:2], *extents(axes)), x.dtype)
    for phase, shift in zip(out, shifts, strict=True):
        each = list(map(phase_slices, axes, extents(axes), shift))
        there, elements = ([pair[side] for pair in each] for side in (0, 1))
        phase[(..., *there)] = x[(..., *elements)]
    return out.reshape(len(shifts), x.shape[0] * x.shape[1], prod(extents(axes)))


def padded_lines(g: Any, axes: Sequence[Steps]) -> Any:
    """Lay outputs out as lines, zeros where no window starts: [N * C, length]."""
    out: Any = np.zeros((*g.shape[:2], *extents(axes)), g.dtype)
    out[(..., *map(slice, counts(axes)))] = g
    return out.reshape(g.shape[0] * g.shape[1], prod(extents(axes)))


def offsets(axes: Sequence[Steps]) -> Iterator[tuple[int, int]]:
    """Yield for each element of a window its phase, and the shift of its line."""
    for place in np.ndindex(*[axis.window for axis in axes]):
        phase = shift = 0
        for nth, axis, extent in zip(place, axes, extents(axes), strict=True):
            whole, rest = divmod(nth * axis.dilation, axis.step)
            phase, shift = phase * axis.step + rest, shift * extent + whole
        yield phase, shift


def backward_filter(x: Any, g: Any, axes: Sequence[Steps], groups: int) -> Any:
    """Multiply the outputs with the shifted lines, and sum: [C, 1, *window]."""
    seen, upstream = lines(x, axes), padded_lines(g, axes)[:, : line_length(axes)]
    size, places = upstream.shape[1], list(offsets(axes))
    each = np.empty((len(upstream), len(places)), np.result_type(x, g))
    for nth, (phase, shift) in enumerate(places):
        np.vecdot(upstream, seen[phase, :, shift : shift + size], out=each[:, nth])
    total = np.add.reduce(each.reshape(len(x), groups, len(places)))
    return total.reshape(groups, 1, *[axis.window for axis in axes])
