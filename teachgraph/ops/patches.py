"""Unfold (im2col) and fold (col2im)."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.ops.windows import (
    Steps,
    check_positive,
    cropped,
    padded,
    steps,
    tap,
    windows_of,
)

__all__ = ["fold", "unfold"]


def patch_windows(
    image: Sequence[int],
    kernel_sizes: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    dilations: Sequence[int],
) -> list[Steps]:
    """Compute the windows; padding is top, left, bottom, right.

    Raises:
        ShapeError: No window fits, or the image is not 2-D.
        InvalidValueError: A number is invalid.
    """
    if len(image) != 2:
        raise ShapeError(f"an image has two dimensions, not {len(image)}")
    numbers_of = {
        "kernel_sizes": kernel_sizes,
        "strides": strides,
        "dilations": dilations,
    }
    for what, numbers in numbers_of.items():
        check_positive(what, numbers, 2)
    if len(paddings) != 4 or min(paddings) < 0:
        raise InvalidValueError(f"paddings are 4 numbers from 0 on, not {paddings}")
    pads = list(zip(paddings[:2], paddings[2:], strict=True))
    return steps(image, kernel_sizes, strides, pads, dilations)


def counts(axes: Sequence[Steps]) -> int:
    """Number of windows."""
    return prod(axis.count for axis in axes)


@op(outputs=("y",), needs="images [N, C, H, W] and windows that fit")
def unfold(
    x: Any,
    *,
    kernel_sizes: Sequence[int],
    strides: Sequence[int] = (1, 1),
    paddings: Sequence[int] = (0, 0, 0, 0),
    dilations: Sequence[int] = (1, 1),
) -> Any:
    """Extract windows as columns [N, C * window, windows] (im2col)."""
    axes = patch_windows(x.shape[2:], kernel_sizes, strides, paddings, dilations)
    columns = windows_of(padded(x, axes), axes)
    return columns.reshape(len(x), x.shape[1] * prod(kernel_sizes), counts(axes))


@unfold.infers
def infer_unfold(x: Like, *, kernel_sizes: Sequence[int], **others: Any) -> Any:
    """[N, C * window, windows]."""
    axes = patch_windows(x.shape[2:], kernel_sizes, **others)
    shape = x.shape[0], x.shape[1] * prod(kernel_sizes), counts(axes)
    return [(shape, x.dtype)]


@unfold.grad
def unfold_grad(
    dy: Any,
    x: Like,
    *,
    kernel_sizes: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    dilations: Sequence[int],
) -> Any:
    """dx = dout folded."""
    return fold(
        dy,
        output_sizes=list(x.shape[2:]),
        kernel_sizes=kernel_sizes,
        strides=strides,
        paddings=paddings,
        dilations=dilations,
    )


@op(outputs=("y",), needs="columns [N, C * window, windows], one for each window")
def fold(
    x: Any,
    *,
    output_sizes: Sequence[int],
    kernel_sizes: Sequence[int],
    strides: Sequence[int] = (1, 1),
    paddings: Sequence[int] = (0, 0, 0, 0),
    dilations: Sequence[int] = (1, 1),
) -> Any:
    """Sum columns at their windows to images [N, C, H, W] (col2im)."""
    axes = patch_windows(output_sizes, kernel_sizes, strides, paddings, dilations)
    channels = check_columns(x, axes)
    columns = x.reshape(len(x), channels, *kernel_sizes, *(a.count for a in axes))
    sizes = [axis.before + axis.image + axis.missing for axis in axes]
    out = np.zeros((len(x), channels, *sizes), x.dtype)
    # One addition for each element of a window, not for each window.
    for place in np.ndindex(*kernel_sizes):
        tap(out, axes, place)[...] += columns[:, :, *place]
    # A copy, so that the padded array is freed.
    return cropped(out, axes).copy()


def check_columns(x: Any, axes: Sequence[Steps]) -> int:
    """Compute the number of channels from the columns.

    Raises:
        DTypeError: The columns are bool, which has no sum.
        ShapeError: The columns are not [N, C * window, windows].
    """
    if x.dtype.kind == "b":
        raise DTypeError("True and False are not added up, bool")
    window = prod(axis.window for axis in axes)
    if len(x.shape) != 3 or x.shape[1] % window or x.shape[2] != counts(axes):
        wanted = f"[N, C * {window}, {counts(axes)}]"
        raise ShapeError(f"columns are {wanted} here, not {list(x.shape)}")
    return int(x.shape[1] // window)


@fold.infers
def infer_fold(x: Like, *, output_sizes: Sequence[int], **others: Any) -> Any:
    """[N, C, H, W]."""
    axes = patch_windows(output_sizes, **others)
    return [((x.shape[0], check_columns(x, axes), *output_sizes), x.dtype)]


@fold.grad
def fold_grad(
    dy: Any,
    *,
    kernel_sizes: Sequence[int],
    strides: Sequence[int],
    paddings: Sequence[int],
    dilations: Sequence[int],
) -> Any:
    """dx = dout unfolded."""
    return unfold(
        dy,
        kernel_sizes=kernel_sizes,
        strides=strides,
        paddings=paddings,
        dilations=dilations,
    )
