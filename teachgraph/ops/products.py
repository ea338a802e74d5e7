"""The three products of a convolution, each by the way that is faster.

They are the result, and its adjoints in the image and in the filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.ops import columns, rowwise
from teachgraph.ops.windows import Steps

__all__ = ["backward_filter", "backward_input", "forward"]


def forward(x: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """The sum of products of the filter with each window: [N, O, *count]."""
    way = rowwise if rowwise.pays(x.shape, w.shape, axes, groups) else columns
    return way.forward(x, w, axes, groups)


def backward_input(g: Any, w: Any, axes: Sequence[Steps], groups: int) -> Any:
    """The adjoint in the image, of outputs [N, O, *count]: [N, C, *image]."""
    if len(w) <= w.shape[1] * groups and all(map(can_mirror, axes)):
        return forward(g, mirrored(w, groups), list(map(mirror, axes)), groups)
    way = rowwise if rowwise.pays(g.shape, w.shape, axes, groups) else columns
    return way.backward_input(g, w, axes, groups)


def backward_filter(x: Any, g: Any, axes: Sequence[Steps], groups: int) -> Any:
    """The adjoint in the filter: [O, C / groups, *window]."""
    window = [axis.window for axis in axes]
    filters = g.shape[1], x.shape[1] // groups, *window
    way = rowwise if rowwise.pays(x.shape, filters, axes, groups) else columns
    return way.backward_filter(x, g, axes, groups)


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
