"""Resizing, pixel and channel shuffle, unfold and fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core import op
from teachgraph.core.errors import InvalidValueError
from teachgraph.nn.functional import pooling
from teachgraph.ops import patches, shuffle

__all__ = [
    "channel_shuffle",
    "fold",
    "interpolate",
    "pixel_shuffle",
    "pixel_unshuffle",
    "unfold",
    "upsample",
]

Sizes = int | Sequence[int]
Factors = float | Sequence[float]

METHODS = {
    "LINEAR": (3,),
    "NEAREST": (4, 5),
    "BILINEAR": (4,),
    "BICUBIC": (4,),
    "TRILINEAR": (5,),
    "AREA": (3, 4, 5),
}
"""The allowed ranks of the input, by mode."""


def interpolate(
    x: Any,
    size: Sizes | None = None,
    scale_factor: Factors | None = None,
    mode: str = "nearest",
    align_corners: bool = False,
    align_mode: int = 0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Resize images.

    Args:
        x: [N, C, *sizes], or [N, *sizes, C] with a `data_format` such as "NHWC".
        size: The new sizes, a number for all or one each.
        scale_factor: The factors of the sizes, instead of `size`.
        mode: "nearest", "linear" (sequences), "bilinear" or "bicubic" (images),
            "trilinear" (volumes), or "area" (the mean of the covered elements).
        align_corners: Map the centres of the corner elements onto each other, else the
            outer edges.
        align_mode: With 1, elements lie at their edge, not their centre.
        data_format: Where the channels are.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: Not exactly one of `size` and `scale_factor`, or an unknown
            mode.
        ShapeError: The mode is for another rank.

    In Paddle this is `paddle.nn.functional.interpolate`.

    >>> import numpy as np
    >>> x = np.array([[[0.0, 1.0]]])
    >>> interpolate(x, size=4, mode="linear", data_format="NCW")
    array([[[0.  , 0.25, 0.75, 1.  ]]])
    """
    check_request(x, size, scale_factor, mode, align_corners, align_mode)
    if mode.upper() == "AREA":
        return means(x, size, scale_factor, data_format)
    how = (mode, align_corners, align_mode, data_format)
    return resized(x, size, scale_factor, *how)


def resized(
    x: Any,
    size: Any,
    scale_factor: Any,
    mode: str,
    align_corners: bool,
    align_mode: int,
    data_format: str,
) -> Any:
    """Apply the op of a mode; this one allows `align_corners` for "nearest" as well."""
    spatial = len(x.shape) - 2
    counts = [-1] * spatial if size is None else per_dimension(size, spatial)
    factors = [] if scale_factor is None else per_dimension(scale_factor, spatial)
    out_d, out_h, out_w = [-1] * (3 - spatial) + counts
    return op.find(f"{mode.lower()}_interp_v2")(
        x,
        align_corners=align_corners,
        align_mode=align_mode,
        data_layout="NHWC" if data_format.endswith("C") else "NCHW",
        interp_method=mode.lower(),
        out_d=out_d,
        out_h=out_h,
        out_w=out_w,
        scale=[float(factor) for factor in factors],
    )


def check_request(
    x: Any,
    size: Any,
    scale_factor: Any,
    mode: str,
    align_corners: bool,
    align_mode: int,
) -> None:
    """Check the arguments of `interpolate`.

    Raises:
        InvalidValueError: An argument is invalid.
    """
    problem = None
    if mode.upper() not in METHODS:
        known = ", ".join(name.lower() for name in METHODS)
        problem = f"the mode is one of {known}, got {mode!r}"
    elif len(x.shape) not in METHODS[mode.upper()]:
        ranks = " or ".join(f"{n}-D" for n in METHODS[mode.upper()])
        problem = f"{mode!r} only supports {ranks} tensors, got {list(x.shape)}"
    elif (size is None) == (scale_factor is None):
        problem = "one of size and scale_factor must be set, not both"
    elif align_corners and mode.upper() in ("NEAREST", "AREA"):
        problem = f"align_corners has no meaning for {mode!r}"
    elif align_mode not in (0, 1):
        problem = f"align_mode is 0 or 1, got {align_mode}"
    if problem is not None:
        raise InvalidValueError.here(f"interpolate: {problem}")


def per_dimension(value: Any, count: int) -> list[Any]:
    """Expand a number to one for each dimension.

    Raises:
        InvalidValueError: The count is wrong.
    """
    numbers = [value] * count if isinstance(value, (int, float)) else list(value)
    if len(numbers) != count:
        raise InvalidValueError.here(
            f"interpolate: {count} numbers are wanted, got {numbers}"
        )
    return numbers


def means(x: Any, size: Any, scale_factor: Any, data_format: str) -> Any:
    """Resize by area, which is adaptive average pooling."""
    spatial = len(x.shape) - 2
    first = 1 if data_format.endswith("C") else 2
    if size is None:
        sizes = x.shape[first : first + spatial]
        pairs = zip(sizes, per_dimension(scale_factor, spatial), strict=True)
        size = [int(n * factor) for n, factor in pairs]
    counts = per_dimension(size, spatial)
    if spatial == 1:
        return pooling.adaptive_avg_pool1d(x, counts[0])
    if spatial == 2:
        return pooling.adaptive_avg_pool2d(x, counts, data_format)
    return pooling.adaptive_avg_pool3d(x, counts, data_format)


upsample = interpolate


def pixel_shuffle(
    x: Any, upscale_factor: int, data_format: str = "NCHW", name: str | None = None
) -> Any:
    """Rearrange [N, C r^2, H, W] to [N, C, H r, W r]: r^2 channels to r x r pixels.

    Raises:
        ShapeError: r^2 does not divide the number of channels.

    Shi et al., 2016. In Paddle this is `paddle.nn.functional.pixel_shuffle`.

    >>> import numpy as np
    >>> pixel_shuffle(np.arange(4).reshape(1, 4, 1, 1), 2)
    array([[[[0, 1],
             [2, 3]]]])
    """
    return shuffle.pixel_shuffle(
        x, upscale_factor=upscale_factor, data_format=data_format
    )


def pixel_unshuffle(
    x: Any, downscale_factor: int, data_format: str = "NCHW", name: str | None = None
) -> Any:
    """Rearrange [N, C, H r, W r] to [N, C r^2, H, W]: inverse of `pixel_shuffle`.

    Raises:
        ShapeError: r does not divide height and width.

    In Paddle this is `paddle.nn.functional.pixel_unshuffle`.
    """
    return shuffle.pixel_unshuffle(
        x, downscale_factor=downscale_factor, data_format=data_format
    )


def channel_shuffle(
    x: Any, groups: int, data_format: str = "NCHW", name: str | None = None
) -> Any:
    """Interleave groups of channels: the first of each group, then the second, ...

    Raises:
        ShapeError: The groups do not divide the number of channels.

    Zhang et al., 2018. In Paddle this is `paddle.nn.functional.channel_shuffle`.

    >>> import numpy as np
    >>> channel_shuffle(np.arange(4).reshape(1, 4, 1, 1), 2).ravel()
    array([0, 2, 1, 3])
    """
    return shuffle.channel_shuffle(x, groups=groups, data_format=data_format)


def unfold(
    x: Any,
    kernel_sizes: Sizes,
    strides: Sizes = 1,
    paddings: Sizes = 0,
    dilations: Sizes = 1,
    name: str | None = None,
) -> Any:
    """Extract the windows of images as columns: im2col.

    Args:
        x: Images [N, C, H, W].
        kernel_sizes: Height and width of the window, or one number for both.
        strides: From one window to the next.
        paddings: Zeros around the image: one number, two (height, width) or four (top,
            left, bottom, right).
        dilations: From one element of a window to the next.
        name: Accepted for Paddle's sake.

    Returns:
        [N, C * window, windows].

    Raises:
        ShapeError: Not even one window fits.

    In Paddle this is `paddle.nn.functional.unfold`.

    >>> import numpy as np
    >>> unfold(np.arange(4).reshape(1, 1, 2, 2), [1, 2])
    array([[[0, 2],
            [1, 3]]])
    """
    return patches.unfold(x, **windows(kernel_sizes, strides, paddings, dilations))


def fold(
    x: Any,
    output_sizes: Sizes,
    kernel_sizes: Sizes,
    strides: Sizes = 1,
    paddings: Sizes = 0,
    dilations: Sizes = 1,
    name: str | None = None,
) -> Any:
    """Sum columns back to images: col2im, the adjoint of `unfold`.

    Args:
        x: Columns [N, C * window, windows].
        output_sizes: Height and width of the images.
        kernel_sizes: Height and width of the window, as for `unfold`.
        strides: From one window to the next.
        paddings: Zeros around the image, which are cut off.
        dilations: From one element of a window to the next.
        name: Accepted for Paddle's sake.

    Returns:
        [N, C, H, W].

    Raises:
        ShapeError: The columns do not fit such windows.

    In Paddle this is `paddle.nn.functional.fold`.
    """
    attrs = windows(kernel_sizes, strides, paddings, dilations)
    return patches.fold(x, output_sizes=height_and_width(output_sizes), **attrs)


def windows(
    kernel_sizes: Sizes, strides: Sizes, paddings: Sizes, dilations: Sizes
) -> dict[str, list[int]]:
    """Build Paddle's window attributes.

    >>> windows(3, 1, [1, 2], 1)["paddings"]
    [1, 2, 1, 2]
    """
    border = height_and_width(paddings)
    return {
        "kernel_sizes": height_and_width(kernel_sizes),
        "strides": height_and_width(strides),
        "paddings": border * 2 if len(border) == 2 else border,
        "dilations": height_and_width(dilations),
    }


def height_and_width(value: Sizes) -> list[int]:
    """Expand a number to height and width."""
    return [value, value] if isinstance(value, int) else list(value)
