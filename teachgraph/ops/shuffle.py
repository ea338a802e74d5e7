"""Pixel shuffle, pixel unshuffle and channel shuffle."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, op

__all__ = ["channel_shuffle", "pixel_shuffle", "pixel_unshuffle"]


def channels_first(x: Any, data_format: str) -> Any:
    """Transpose images to [N, C, H, W].

    Raises:
        InvalidValueError: The format is unknown.
        ShapeError: The images are not 4-D.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise InvalidValueError(f"data_format is NCHW or NHWC, not {data_format!r}")
    if x.ndim != 4:
        raise ShapeError(f"images have four dimensions, not {x.ndim}")
    return x if data_format == "NCHW" else np.moveaxis(x, -1, 1)


def channels_last(x: Any, data_format: str) -> Any:
    """Transpose images [N, C, H, W] back to their format."""
    return x if data_format == "NCHW" else np.moveaxis(x, 1, -1)


def check_divides(what: str, number: int, *sizes: int) -> None:
    """Require a positive number that divides sizes.

    Raises:
        ShapeError: It does not.
    """
    if number < 1 or any(size % number for size in sizes):
        raise ShapeError(f"{what} {number} does not divide {list(sizes)}")


@op(needs="images whose number of channels upscale_factor^2 divides")
def pixel_shuffle(x: Any, *, upscale_factor: int = 1, data_format: str = "NCHW") -> Any:
    """Rearrange [N, C r^2, H, W] to [N, C, H r, W r]: r^2 channels to r x r pixels."""
    image, r = channels_first(x, data_format), upscale_factor
    n, channels, h, w = image.shape
    check_divides("upscale_factor", r)
    check_divides("upscale_factor^2 =", r * r, channels)
    parts = image.reshape(n, channels // (r * r), r, r, h, w)
    out = parts.transpose(0, 1, 4, 2, 5, 3)
    return channels_last(out.reshape(n, channels // (r * r), h * r, w * r), data_format)


@pixel_shuffle.grad
def pixel_shuffle_grad(dout: Any, *, upscale_factor: int, data_format: str) -> Any:
    """dx = dout pixel-unshuffled."""
    return pixel_unshuffle(
        dout, downscale_factor=upscale_factor, data_format=data_format
    )


@op(needs="images whose height and width downscale_factor divides")
def pixel_unshuffle(
    x: Any, *, downscale_factor: int = 1, data_format: str = "NCHW"
) -> Any:
    """Rearrange [N, C, H r, W r] to [N, C r^2, H, W]: inverse of pixel_shuffle."""
    image, r = channels_first(x, data_format), downscale_factor
    n, channels, h, w = image.shape
    check_divides("downscale_factor", r, h, w)
    parts = image.reshape(n, channels, h // r, r, w // r, r)
    out = parts.transpose(0, 1, 3, 5, 2, 4)
    return channels_last(out.reshape(n, channels * r * r, h // r, w // r), data_format)


@pixel_unshuffle.grad
def pixel_unshuffle_grad(dout: Any, *, downscale_factor: int, data_format: str) -> Any:
    """dx = dout pixel-shuffled."""
    return pixel_shuffle(dout, upscale_factor=downscale_factor, data_format=data_format)


@op(needs="images whose number of channels `groups` divides")
def channel_shuffle(x: Any, *, groups: int = 1, data_format: str = "NCHW") -> Any:
    """Interleave groups of channels: the first of each group, then the second, ..."""
    image = channels_first(x, data_format)
    n, channels, h, w = image.shape
    check_divides("groups", groups, channels)
    parts = image.reshape(n, groups, channels // groups, h, w)
    out = parts.swapaxes(1, 2).reshape(image.shape)
    return channels_last(out, data_format)


@channel_shuffle.grad
def channel_shuffle_grad(dout: Any, x: Like, *, groups: int, data_format: str) -> Any:
    """dx = dout shuffled with channels / groups groups, the inverse permutation."""
    channels = x.shape[1 if data_format == "NCHW" else 3]
    size = max(channels // groups, 1)
    return channel_shuffle(dout, groups=size, data_format=data_format)
