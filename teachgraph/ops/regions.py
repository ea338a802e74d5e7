"""Pooling of regions of interest: each box of an image, cut into bins of equal size.

What a bin holds is a mean or a maximum over rows and columns that are chosen apart from
each other, so a box comes to two small matrices: `rows` [bins, H] and `columns`
[bins, W] of weights. The mean over the bins of an image x is rows @ x @ columns'.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op

__all__ = [
    "pick_maxima",
    "place_maxima",
    "psroi_pool",
    "psroi_spread",
    "roi_align",
    "roi_pool",
    "roi_spread",
]

NEEDS = "floating images [N, C, H, W], boxes [R, 4] and their number in each image"


def check(x: Like, rois: Like, rois_num: Like, *bins: int) -> None:
    """Check dtypes and sizes.

    Raises:
        DTypeError: Images or boxes are not floating, or the numbers no integers.
        InvalidValueError: There is no bin.
        ShapeError: The sizes do not fit.
    """
    if x.dtype.kind != "f" or rois.dtype.kind != "f" or rois_num.dtype.kind != "i":
        kinds = f"{x.dtype}, {rois.dtype} and {rois_num.dtype}"
        raise DTypeError(f"floating images and boxes and integer counts, not {kinds}")
    if bins and min(bins) < 1:
        raise InvalidValueError(f"output_size is at least 1, not {list(bins)}")
    if len(x.shape) != 4 or len(rois.shape) != 2 or rois.shape[1] != 4:
        shapes = f"{list(x.shape)} and {list(rois.shape)}"
        raise ShapeError(f"images [N, C, H, W] and boxes [R, 4], not {shapes}")
    if len(rois_num.shape) != 1:
        raise ShapeError(f"one number of boxes an image, not {list(rois_num.shape)}")


def images_of(x: Any, rois: Any, rois_num: Any) -> Any:
    """For each box the number of its image.

    Raises:
        ShapeError: The numbers do not sum to that of the boxes.
    """
    if len(rois_num) != x.shape[0] or rois_num.sum() != len(rois):
        counts = f"{rois_num.tolist()} for {x.shape[0]} images and {len(rois)} boxes"
        raise ShapeError(f"boxes_num: the number of boxes of each image, not {counts}")
    return np.repeat(np.arange(x.shape[0]), rois_num)


def samples(
    start: float, size: float, bins: int, ratio: int, length: int, dtype: Any
) -> Any:
    """Weights [bins, length] of pixels in the means over points of each bin.

    The points lie evenly; each is interpolated between the two pixels beside it, and
    counts as 0 where it lies more than a pixel outside.
    """
    count = ratio if ratio > 0 else max(0, ceil(size / bins))
    weights = np.zeros((bins, length), dtype)
    if count:
        at = start + (np.arange(bins * count) + 0.5) * (size / (bins * count))
        share = ((at >= -1) & (at <= length)) / count
        at = np.clip(at, 0, length - 1)
        low = at.astype(int)
        high, part = np.minimum(low + 1, length - 1), at - low
        rows = np.repeat(np.arange(bins), count)
        np.add.at(weights, (rows, low), share * (1 - part))
        np.add.at(weights, (rows, high), share * part)
    return weights


def covered(start: float, size: float, bins: int, length: int) -> list[slice]:
    """Pixels that each bin covers, in whole or in part."""
    edges = start + np.arange(bins + 1) * size / bins
    lows = np.clip(np.floor(edges[:-1]), 0, length).astype(int)
    highs = np.clip(np.ceil(edges[1:]), 0, length).astype(int)
    return [slice(low, high) for low, high in zip(lows, highs, strict=True)]


def rounded(box: Any) -> Any:
    """To the nearest whole number, halves away from 0 as in C."""
    return np.trunc(box + np.copysign(0.5, box))


class Bins(NamedTuple):
    """Cut of boxes into bins: the attributes of `roi_align`."""

    pooled_height: int
    pooled_width: int
    spatial_scale: float
    sampling_ratio: int
    aligned: bool

    def weights(self, x: Like, rois: Any) -> Iterator[tuple[Any, Any]]:
        """Yield the weights of rows and of columns of each box."""
        height, width = x.shape[2:]
        ratio = self.sampling_ratio
        for box in rois * self.spatial_scale - (0.5 if self.aligned else 0.0):
            sizes = box[2:] - box[:2]
            # Boxes that are not aligned are at least a pixel large, as in Paddle.
            across, down = sizes if self.aligned else np.maximum(sizes, 1)
            yield (
                samples(box[1], down, self.pooled_height, ratio, height, x.dtype),
                samples(box[0], across, self.pooled_width, ratio, width, x.dtype),
            )


@op(needs=NEEDS)
def roi_align(
    x: Any,
    rois: Any,
    rois_num: Any,
    *,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
) -> Any:
    """Mean of interpolated points of each bin: rows @ x @ columns' for each box."""
    check(x, rois, rois_num, pooled_height, pooled_width)
    how = Bins(pooled_height, pooled_width, spatial_scale, sampling_ratio, aligned)
    images = images_of(x, rois, rois_num)
    out = np.empty((len(rois), x.shape[1], pooled_height, pooled_width), x.dtype)
    for r, (rows, columns) in enumerate(how.weights(x, rois)):
        out[r] = rows @ x[images[r]] @ columns.T
    return out


@roi_align.grad(of=("x",))
def roi_align_grad(
    dout: Any,
    x: Like,
    rois: Any,
    rois_num: Any,
    *,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sampling_ratio: int,
    aligned: bool,
) -> Any:
    """dx = dout spread over the pixels of each box."""
    how = Bins(pooled_height, pooled_width, spatial_scale, sampling_ratio, aligned)
    return roi_spread(dout, x, rois, rois_num, **how._asdict())


@op(needs="bins [R, C, h, w], " + NEEDS)
def roi_spread(
    x: Any,
    y: Any,
    rois: Any,
    rois_num: Any,
    *,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float = 1.0,
    sampling_ratio: int = -1,
    aligned: bool = True,
) -> Any:
    """Images with the bins of each box spread over it: rows' @ x @ columns, added."""
    how = Bins(pooled_height, pooled_width, spatial_scale, sampling_ratio, aligned)
    images = images_of(y, rois, rois_num)
    out = np.zeros(y.shape, x.dtype)
    for r, (rows, columns) in enumerate(how.weights(y, rois)):
        out[images[r]] += rows.T @ x[r] @ columns
    return out


@roi_spread.grad(of=("x",))
def roi_spread_grad(
    dout: Any,
    rois: Any,
    rois_num: Any,
    *,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float,
    sampling_ratio: int,
    aligned: bool,
) -> Any:
    """Adjoint of a linear map: `roi_align`."""
    how = Bins(pooled_height, pooled_width, spatial_scale, sampling_ratio, aligned)
    return roi_align(dout, rois, rois_num, **how._asdict())


def covered_pixels(
    x: Like, rois: Any, scale: float, height: int, width: int
) -> Iterator[tuple[list[slice], list[slice]]]:
    """Yield the rows and the columns of the bins of each box.

    A box goes to the end of its last pixel, and is at least 0.1 long.
    """
    for box in rounded(rois) + np.array([0, 0, 1, 1], rois.dtype):
        left, top, right, bottom = box * scale
        down, across = max(bottom - top, 0.1), max(right - left, 0.1)
        yield (
            covered(top, down, height, x.shape[2]),
            covered(left, across, width, x.shape[3]),
        )


def averaging(parts: list[slice], length: int, dtype: Any) -> Any:
    """Weights [bins, length] of the mean over each bin; 0 for one without pixels."""
    weights = np.zeros((len(parts), length), dtype)
    for row, part in zip(weights, parts, strict=True):
        row[part] = 1 / max(part.stop - part.start, 1)
    return weights


def averages(
    x: Like, rois: Any, scale: float, height: int, width: int
) -> Iterator[tuple[Any, Any]]:
    """Yield the weights of rows and of columns of each box, for means."""
    for rows, columns in covered_pixels(x, rois, scale, height, width):
        yield (
            averaging(rows, x.shape[2], x.dtype),
            averaging(columns, x.shape[3], x.dtype),
        )


@op(needs=NEEDS + "; C is a multiple of the bins")
def psroi_pool(
    x: Any,
    rois: Any,
    rois_num: Any,
    *,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float = 1.0,
) -> Any:
    """Mean of the pixels of each bin, each bin from channels of its own."""
    check(x, rois, rois_num, pooled_height, pooled_width)
    bins = pooled_height, pooled_width
    images = images_of(x, rois, rois_num)
    by_bin = x.reshape(len(x), channels_of(x, *bins), *bins, *x.shape[2:])
    out = np.empty((len(rois), by_bin.shape[1], *bins), x.dtype)
    for r, (rows, columns) in enumerate(averages(x, rois, spatial_scale, *bins)):
        out[r] = np.einsum("ph,cpqhw,qw->cpq", rows, by_bin[images[r]], columns)
    return out


def channels_of(x: Like, height: int, width: int) -> int:
    """Output channels: one for as many input channels as there are bins.

    Raises:
        ShapeError: The channels are no multiple of the bins.
    """
    if x.shape[1] % (height * width):
        raise ShapeError(
            f"{x.shape[1]} channels are no multiple of {height} x {width} bins"
        )
    return int(x.shape[1] // (height * width))


@psroi_pool.grad(of=("x",))
def psroi_pool_grad(
    dout: Any, x: Like, rois: Any, rois_num: Any, *, spatial_scale: float
) -> Any:
    """dx = dout spread over the pixels of each bin."""
    return psroi_spread(dout, x, rois, rois_num, spatial_scale=spatial_scale)


@op(needs="bins [R, C, h, w], " + NEEDS)
def psroi_spread(
    x: Any, y: Any, rois: Any, rois_num: Any, *, spatial_scale: float = 1.0
) -> Any:
    """Images with each bin spread evenly over its pixels, in its own channels."""
    images, bins = images_of(y, rois, rois_num), x.shape[2:]
    out = np.zeros((y.shape[0], *x.shape[1:], *y.shape[2:]), x.dtype)
    for r, (rows, columns) in enumerate(averages(y, rois, spatial_scale, *bins)):
        out[images[r]] += np.einsum("ph,cpq,qw->cpqhw", rows, x[r], columns)
    return out.reshape(y.shape)


@psroi_spread.grad(of=("x",))
def psroi_spread_grad(
    dout: Any, x: Like, rois: Any, rois_num: Any, *, spatial_scale: float
) -> Any:
    """Adjoint of a linear map: `psroi_pool`."""
    height, width = x.shape[2:]
    bins = {"pooled_height": height, "pooled_width": width}
    return psroi_pool(dout, rois, rois_num, **bins, spatial_scale=spatial_scale)


@op(outputs=("out", "argmax"), needs=NEEDS)
def roi_pool(
    x: Any,
    rois: Any,
    rois_num: Any,
    *,
    pooled_height: int,
    pooled_width: int,
    spatial_scale: float = 1.0,
) -> Any:
    """Maximum of the pixels of each bin, and its flat index; 0 and -1 for no pixel."""
    check(x, rois, rois_num, pooled_height, pooled_width)
    images, width = images_of(x, rois, rois_num), x.shape[3]
    out = np.zeros((len(rois), x.shape[1], pooled_height, pooled_width), x.dtype)
    argmax = np.full(out.shape, -1, np.int64)
    for r, (left, top, right, bottom) in enumerate(rounded(rois * spatial_scale)):
        down, across = max(bottom - top + 1, 1), max(right - left + 1, 1)
        rows = covered(top, down, pooled_height, x.shape[2])
        columns = covered(left, across, pooled_width, width)
        for p, q in np.ndindex(out.shape[2:]):
            pixels = x[images[r], :, rows[p], columns[q]]
            if pixels.size:
                flat = pixels.reshape(len(pixels), -1)
                at = flat.argmax(1)
                out[r, :, p, q] = flat.max(1)
                row, column = np.divmod(at, pixels.shape[2])
                place = (row + rows[p].start) * width + column + columns[q].start
                argmax[r, :, p, q] = place
    return out, argmax


@roi_pool.grad(of=("x",))
def roi_pool_grad(dout: Any, argmax: Any, x: Like, rois_num: Any) -> Any:
    """dx = dout at the maxima."""
    return place_maxima(dout, argmax, x, rois_num)


@op(needs="maxima of bins, where they were, images and the boxes in each")
def place_maxima(x: Any, argmax: Any, y: Any, rois_num: Any) -> Any:
    """Images with each element added at the pixel that was the maximum of its bin."""
    out = np.zeros((*y.shape[:2], prod(y.shape[2:])), x.dtype)
    np.add.at(out, places(argmax, rois_num), np.where(argmax < 0, 0, x))
    return out.reshape(y.shape)


def places(argmax: Any, rois_num: Any) -> tuple[Any, Any, Any]:
    """Image, channel and pixel of each maximum; pixel 0 where there was none."""
    images = np.repeat(np.arange(len(rois_num)), rois_num)[:, None, None, None]
    channels = np.arange(argmax.shape[1])[:, None, None]
    return images, channels, np.maximum(argmax, 0)


@place_maxima.grad(of=("x",))
def place_maxima_grad(dout: Any, argmax: Any, rois_num: Any) -> Any:
    """Adjoint of a linear map: `pick_maxima`."""
    return pick_maxima(dout, argmax, rois_num)


@op(needs="images, where the maxima of bins were, and the boxes in each image")
def pick_maxima(x: Any, argmax: Any, rois_num: Any) -> Any:
    """The pixels that were the maxima of their bins; 0 for a bin without pixels."""
    rows = x.reshape(*x.shape[:2], prod(x.shape[2:]))
    return np.where(argmax < 0, x.dtype.type(0), rows[places(argmax, rois_num)])


@pick_maxima.grad(of=("x",))
def pick_maxima_grad(dout: Any, x: Like, argmax: Any, rois_num: Any) -> Any:
    """dx = dout at the maxima."""
    return place_maxima(dout, argmax, x, rois_num)


@roi_align.infers
def infer_aligned(
    x: Like,
    rois: Like,
    rois_num: Like,
    *,
    pooled_height: int,
    pooled_width: int,
    **others: Any,
) -> Any:
    """[R, C, h, w]."""
    check(x, rois, rois_num, pooled_height, pooled_width)
    return [((rois.shape[0], x.shape[1], pooled_height, pooled_width), x.dtype)]


@psroi_pool.infers
def infer_by_position(
    x: Like,
    rois: Like,
    rois_num: Like,
    *,
    pooled_height: int,
    pooled_width: int,
    **others: Any,
) -> Any:
    """[R, C / (h w), h, w]."""
    check(x, rois, rois_num, pooled_height, pooled_width)
    bins = pooled_height, pooled_width
    return [((rois.shape[0], channels_of(x, *bins), *bins), x.dtype)]


@roi_pool.infers
def infer_maxima(x: Like, rois: Like, rois_num: Like, **bins: Any) -> Any:
    """[R, C, h, w], twice."""
    ((shape, dtype),) = infer_aligned(x, rois, rois_num, **bins)
    return [(shape, dtype), (shape, np.dtype(np.int64))]


@roi_spread.infers
def infer_spread(x: Like, y: Like, *others: Any, **attrs: Any) -> Any:
    """The images' shape."""
    return [(y.shape, x.dtype)]


@psroi_spread.infers
def infer_position_spread(x: Like, y: Like, *others: Any, **attrs: Any) -> Any:
    """The images' shape."""
    return [(y.shape, x.dtype)]


@place_maxima.infers
def infer_placed(x: Like, argmax: Like, y: Like, rois_num: Like) -> Any:
    """The images' shape."""
    return [(y.shape, x.dtype)]


@pick_maxima.infers
def infer_picked(x: Like, argmax: Like, rois_num: Like) -> Any:
    """An element for each maximum."""
    return [(argmax.shape, x.dtype)]
