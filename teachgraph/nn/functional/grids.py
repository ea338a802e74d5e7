"""Sampling grids: `affine_grid`, `grid_sample` and `temporal_shift`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from typing import Any

import numpy as np

from teachgraph.core import dtypes, ops
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Traced
from teachgraph.core.ops import elementwise_mul
from teachgraph.ops import elementwise, logic, math, rounding
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.functions.indexing import take_along_axis
from teachgraph.ops.functions.joining import concat
from teachgraph.ops.functions.manipulation import expand, pad, reshape, unsqueeze
from teachgraph.ops.functions.math import cast, clip
from teachgraph.ops.matmul import matmul_v2

__all__ = ["affine_grid", "grid_sample", "temporal_shift"]

MODES = ("bilinear", "nearest")
PADDINGS = ("zeros", "border", "reflection")


def steps(size: int, *, align_corners: bool) -> Any:
    """Compute the coordinates of a line of pixels, between -1 and 1.

    With `align_corners` the outer centres lie at -1 and 1, else the outer edges.
    """
    if align_corners:
        return np.linspace(-1.0, 1.0, size) if size > 1 else np.zeros(1)
    return (np.arange(size) * 2.0 + 1.0) / size - 1.0


def affine_grid(
    theta: Any, out_shape: Any, align_corners: bool = True, name: Any = None
) -> Any:
    """Compute the grid of an affine map for `grid_sample`.

    Args:
        theta: Maps [N, 2, 3]; for volumes [N, 3, 4].
        out_shape: [N, C, H, W]; for volumes [N, C, D, H, W].
        align_corners: The centres of the outer pixels lie at -1 and 1, not their
            edges.
        name: Accepted for Paddle's sake.

    Returns:
        [N, H, W, 2], x first; for volumes [N, D, H, W, 3].

    Raises:
        ShapeError: The sizes do not fit.

    In Paddle this is `paddle.nn.functional.affine_grid`.

    >>> import numpy as np
    >>> affine_grid(np.array([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]]), [1, 1, 1, 2])
    array([[[[-0.5,  0. ],
             [ 1.5,  0. ]]]])
    """
    sizes = [int(n) for n in (out_shape.tolist() if tensor(out_shape) else out_shape)]
    spatial = len(sizes) - 2
    if spatial not in {2, 3} or list(theta.shape[1:]) != [spatial, spatial + 1]:
        message = f"affine_grid: maps {list(theta.shape)} for an image {sizes}"
        raise ShapeError.here(message)
    lines = [steps(size, align_corners=align_corners) for size in sizes[2:]]
    axes = np.meshgrid(*lines, indexing="ij")[::-1]
    places = np.stack([*axes, np.ones(sizes[2:])], -1).reshape(-1, spatial + 1)
    constant = places.astype(dtypes.convert(theta.dtype))
    moved = matmul_v2(unsqueeze(constant, 0), theta, trans_y=True)
    return reshape(moved, [-1, *sizes[2:], spatial])


def tensor(x: Any) -> bool:
    """True for an array, a Tensor or a Variable."""
    return isinstance(x, (np.ndarray, Traced))


def grid_sample(
    x: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool = True,
    name: Any = None,
) -> Any:
    """Sample images, or volumes, at the coordinates of a grid.

    Args:
        x: Images [N, C, H, W], or volumes [N, C, D, H, W].
        grid: Coordinates [N, h, w, 2], each x and y, or [N, d, h, w, 3], each x, y and
            z; -1 and 1 are the borders.
        mode: "bilinear" (between the four or eight nearest pixels), or "nearest".
        padding_mode: The value outside the image: "zeros", its "border", or its
            "reflection".
        align_corners: The centres of the outer pixels lie at -1 and 1, not their
            edges.
        name: Accepted for Paddle's sake.

    Returns:
        [N, C, h, w], or [N, C, d, h, w].

    Raises:
        InvalidValueError: An unknown mode or padding.
        ShapeError: The inputs are neither images nor volumes with a grid.

    In Paddle this is `paddle.nn.functional.grid_sample`.

    >>> import numpy as np
    >>> x = np.array([[[[1.0, 3.0], [5.0, 7.0]]]])
    >>> grid_sample(x, np.array([[[[0.0, 0.0], [1.0, -1.0]]]]))
    array([[[[4., 3.]]]])
    """
    if mode not in MODES or padding_mode not in PADDINGS:
        message = (
            f"grid_sample: mode {mode!r} of {MODES}, {padding_mode!r} of {PADDINGS}"
        )
        raise InvalidValueError.here(message)
    sizes = x.shape[2:]
    fits = len(sizes) in {2, 3} and len(grid.shape) == len(x.shape)
    if not fits or grid.shape[-1] != len(sizes):
        message = f"grid_sample: images {list(x.shape)}, a grid {list(grid.shape)}"
        raise ShapeError.here(message)
    how: Any = {"padding_mode": padding_mode, "align_corners": align_corners}
    last = len(sizes) - 1
    where = [
        pixel_coordinates(grid[..., last - k], n, **how) for k, n in enumerate(sizes)
    ]
    if mode == "nearest":
        return pixels(x, [rounding.round_(at) for at in where])
    neighbours = []
    for at in where:
        low = rounding.floor(at)
        neighbours.append([(low, 1.0 - (at - low)), (low + 1.0, at - low)])
    parts = []
    for corner in product(*neighbours):
        weight = reduce(elementwise_mul, [share for _, share in corner])
        parts.append(pixels(x, [at for at, _ in corner]) * unsqueeze(weight, 1))
    return ops.sum_(*parts)


def pixel_coordinates(
    grid: Any, size: int, *, padding_mode: str, align_corners: bool
) -> Any:
    """Convert coordinates in [-1, 1] to pixels; apply the padding mode outside."""
    if align_corners:
        at = (grid + 1.0) * ((size - 1) / 2.0)
    else:
        at = (grid + 1.0) * (size / 2.0) + (-0.5)
    if padding_mode == "reflection":
        edge = 0.0 if align_corners else 0.5
        at = reflected(at + edge, size - 1.0 + 2.0 * edge) + (-edge)
    return at if padding_mode == "zeros" else clip(at, 0.0, size - 1.0)


def reflected(x: Any, size: float) -> Any:
    """Reflect coordinates at 0 and at `size` until they lie between."""
    if not size:
        return x * 0.0
    whole = fill_any_like(x, value=2.0 * size)
    rest = elementwise.elementwise_mod(math.abs_(x), whole)
    return elementwise.elementwise_min(rest, whole - rest)


def pixels(x: Any, where: Sequence[Any]) -> Any:
    """Gather the pixels at rows and columns; 0 outside the image."""
    channels, *sizes = x.shape[1:]
    pairs = [*zip(where, sizes, strict=True)]
    inside = reduce(logic.logical_and, [is_inside(at, size) for at, size in pairs])
    line = clip(where[0], 0.0, sizes[0] - 1.0)
    for at, size in pairs[1:]:
        line = line * float(size) + clip(at, 0.0, size - 1.0)
    flat = reshape(cast(line, "int64"), [0, 1, -1])
    index = expand(flat, [-1, channels, -1])
    flat_values = take_along_axis(reshape(x, [0, 0, -1]), index, 2, broadcast=False)
    wanted = [flat_values.shape[0], channels, *where[0].shape[1:]]
    values = reshape(flat_values, [0 if n == -1 else n for n in wanted])
    return ops.elementwise_mul(values, cast(unsqueeze(inside, 1), x.dtype))


def is_inside(x: Any, size: int) -> Any:
    """Mask of the coordinates within [0, size - 1]."""
    first = elementwise.greater_equal(x, fill_any_like(x))
    last = elementwise.less_equal(x, fill_any_like(x, value=size - 1.0))
    return logic.logical_and(first, last)


def temporal_shift(
    x: Any,
    seg_num: int,
    shift_ratio: float = 0.25,
    name: Any = None,
    data_format: str = "NCHW",
) -> Any:
    """Shift a share of the channels one frame forward, and as many one frame back.

    Args:
        x: The frames of videos, [N seg_num, C, H, W].
        seg_num: The number of frames of each video.
        shift_ratio: The share of the channels from the previous frame, and the share
            from the next one.
        name: Accepted for Paddle's sake.
        data_format: "NCHW" or "NHWC".

    Raises:
        InvalidValueError: An invalid share or format, or incomplete videos.

    Source: Lin et al. 2018, https://arxiv.org/abs/1811.08383. In Paddle this is
    `paddle.nn.functional.temporal_shift`.

    >>> import numpy as np
    >>> frames = np.arange(8.0).reshape(2, 4, 1, 1)
    >>> temporal_shift(frames, 2).reshape(2, 4)
    array([[0., 5., 2., 3.],
           [0., 0., 6., 7.]])
    """
    if data_format not in ("NCHW", "NHWC") or not 0 <= shift_ratio <= 0.5:
        message = f"temporal_shift: {data_format!r}, a share of {shift_ratio}"
        raise InvalidValueError.here(message)
    frames, *rest = x.shape
    if frames > 0 and frames % seg_num:
        message = f"temporal_shift: {frames} frames in videos of {seg_num}"
        raise InvalidValueError.here(message)
    at = 2 if data_format == "NCHW" else 4
    videos = reshape(x, [-1, seg_num, *rest])
    channels = rest[at - 2]
    one, two = int(channels * shift_ratio), int(channels * 2 * shift_ratio)
    padded = pad(videos, [0, 0, 1, 1, 0, 0, 0, 0, 0, 0])
    cuts = ((0, 0, one), (2, one, two), (1, two, channels))
    lead = (slice(None),)
    parts = [
        padded[(*lead, slice(t, t + seg_num), *lead * (at - 2), slice(low, high))]
        for t, low, high in cuts
        if high > low
    ]
    return reshape(concat(parts, at), [-1, *rest])
