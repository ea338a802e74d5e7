"""Gather and scatter of pixels by flat index, for max pooling and unpooling.

Pixels are counted row by row. Max pooling scatters its gradient to the maximal pixels
with `scatter_pixels`, whose adjoint is `gather_pixels`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, Op, op
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.windows import channels_first, channels_last

__all__ = ["gather_pixels", "scatter_pixels", "unpool", "unpool3d"]


def in_rows(x: Any) -> Any:
    """Flatten each channel of each image to a row."""
    return x.reshape(prod(x.shape[:2]), prod(x.shape[2:]))


def pixels(index: Any, count: int) -> Any:
    """Flatten indices to rows, and check them against `count` pixels.

    Raises:
        OutOfRangeError: An index is out of range.
    """
    if index.size and not 0 <= index.min() <= index.max() < count:
        wrong = index.min() if index.min() < 0 else index.max()
        raise OutOfRangeError(f"there are {count} pixels, but no number {wrong}")
    return in_rows(index)


@op(needs="numbers of pixels, and as many values for them")
def scatter_pixels(x: Any, y: Any, index: Any, *, data_format: str = "NCHW") -> Any:
    """Zeros shaped like `y` with the elements of `x` added at the pixels `index`."""
    x, index = channels_first(x, data_format), channels_first(index, data_format)
    _, channels, *image = channels_first_shape(y.shape, data_format)
    count = prod(image)
    rows = pixels(index, count)
    numbers = rows + count * np.arange(len(rows))[:, None]
    out = np.zeros((len(x), channels, *image), x.dtype)
    np.add.at(out.reshape(-1), numbers.ravel(), in_rows(x).ravel())
    return channels_last(out, data_format)


def channels_first_shape(shape: Sequence[int], data_format: str) -> Sequence[int]:
    """Shape of an image as [N, C, *sizes]."""
    last = data_format.endswith("C")
    return [shape[0], shape[-1], *shape[1:-1]] if last else shape


@scatter_pixels.grad(of=("x",))
def scatter_pixels_grad(dout: Any, index: Any, *, data_format: str) -> Any:
    """dx = dout at the pixels."""
    return gather_pixels(dout, index, data_format=data_format)


@scatter_pixels.infers
def infer_scatter(x: Like, y: Like, index: Like, *, data_format: str) -> Any:
    """The image's spec."""
    return [(y.shape, x.dtype)]


@op(needs="an image and numbers of its pixels")
def gather_pixels(x: Any, index: Any, *, data_format: str = "NCHW") -> Any:
    """The pixels of each channel at `index`."""
    x, index = channels_first(x, data_format), channels_first(index, data_format)
    gathered = np.take_along_axis(in_rows(x), pixels(index, prod(x.shape[2:])), 1)
    return channels_last(gathered.reshape(index.shape), data_format)


@gather_pixels.grad(of=("x",))
def gather_pixels_grad(dout: Any, x: Like, index: Any, *, data_format: str) -> Any:
    """dx = zeros with dout added at the pixels."""
    return scatter_pixels(dout, x, index, data_format=data_format)


@gather_pixels.infers
def infer_gather(x: Like, index: Like, *, data_format: str) -> Any:
    """The index's shape."""
    return [(index.shape, x.dtype)]


def unpooling(type: str, dims: int) -> Op:
    """Create the unpooling op over `dims` dimensions."""

    def kernel(
        x: Any,
        indices: Any,
        *,
        output_size: Sequence[int],
        unpooling_type: str = "max",
        ksize: Sequence[int] = (),
        strides: Sequence[int] = (),
        paddings: Sequence[int] = (),
        data_format: str = "NCHW" if dims == 2 else "NCDHW",
    ) -> Any:
        """Zeros with each element of `x` at the pixel `indices`.

        Of duplicate indices the last one wins.
        """
        check_maxima(x, indices, output_size, dims)
        out = np.zeros((*x.shape[:2], *output_size), x.dtype)
        rows = pixels(indices, prod(output_size))
        np.put_along_axis(in_rows(out), rows, in_rows(x), 1)
        return out

    def rule(dout: Any, indices: Any) -> Any:
        """dx = dout at the pixels."""
        return gather_pixels(dout, indices)

    def infer(
        x: Like, indices: Like, *, output_size: Sequence[int], **attrs: Any
    ) -> Any:
        """Images of the output size."""
        check_maxima(x, indices, output_size, dims)
        return [((*x.shape[:2], *output_size), x.dtype)]

    unpool_op: Op = op(
        type=type, needs="maxima, the numbers of their pixels, and a size"
    )(kernel)
    rule.__name__ = f"{type}_grad"
    unpool_op.grad(rule, of=("x",))
    unpool_op.infers(infer)
    return unpool_op


def check_maxima(x: Any, indices: Any, size: Sequence[int], dims: int) -> None:
    """Require as many indices as maxima, and a size for each dimension.

    Raises:
        ShapeError: The counts differ.
        DTypeError: The maxima are not floating, or the indices no integers.
    """
    if len(x.shape) != dims + 2 or tuple(x.shape) != tuple(indices.shape):
        raise ShapeError(f"two images of {dims + 2} dimensions of one shape")
    if len(size) != dims or min(size) < 0:
        raise ShapeError(f"{list(size)} is no size of {dims} dimensions")
    if x.dtype.kind != "f" or indices.dtype.kind not in "iu":
        raise DTypeError(
            f"floating maxima and integer indices, not {x.dtype} and {indices.dtype}"
        )


unpool = unpooling("unpool", 2)
unpool3d = unpooling("unpool3d", 3)
