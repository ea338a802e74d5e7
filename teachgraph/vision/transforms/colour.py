"""Colour functions: brightness, contrast, saturation, hue, grey, normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.creation import tensor_of as as_tensor
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.vision.transforms.kinds import Pixels, is_pillow, on_pixels, pixels

__all__ = [
    "adjust_brightness",
    "adjust_contrast",
    "adjust_hue",
    "adjust_saturation",
    "normalize",
    "to_grayscale",
    "to_tensor",
]

LUMA = np.array([0.299, 0.587, 0.114])
"""Weights of red, green and blue in the luminance (ITU-R BT.601)."""


@on_pixels
def adjust_brightness(img: Pixels, brightness_factor: float) -> Pixels:
    """Mix an image with black: 0 is black, 1 the image, 2 twice as bright.

    Results are clipped: integers to the range of their dtype; floats to 0..1, or to
    0..255 if a pixel exceeds 1.

    >>> adjust_brightness(np.array([[100, 200]], "uint8"), 1.5).tolist()
    [[150, 255]]
    """
    return _mixed(img, 0.0, _factor(brightness_factor))


@on_pixels
def adjust_contrast(img: Pixels, contrast_factor: float) -> Pixels:
    """Mix an image with its mean grey: 0 is that grey, 1 the image.

    >>> adjust_contrast(np.array([[100, 200]], "uint8"), 0.5).tolist()
    [[125, 175]]
    """
    mean = _grey(img).mean()
    if np.issubdtype(img.dtype, np.integer):
        mean = np.floor(mean + 0.5)
    return _mixed(img, mean, _factor(contrast_factor))


@on_pixels
def adjust_saturation(img: Pixels, saturation_factor: float) -> Pixels:
    """Mix an image with its grey version: 0 is grey, 1 the image, 2 gaudy.

    >>> adjust_saturation(np.array([[[255, 0, 0]]], "uint8"), 0).tolist()
    [[[76, 76, 76]]]
    """
    return _mixed(img, _grey(img), _factor(saturation_factor))


@on_pixels
def adjust_hue(img: Pixels, hue_factor: float) -> Pixels:
    """Rotate the hues: by 1/3 red becomes green, by -1/3 blue. Grey stays grey.

    Raises:
        InvalidValueError: The factor is not within -1/2 and 1/2.

    >>> adjust_hue(np.array([[[255, 0, 0]]], "uint8"), 1 / 3).tolist()
    [[[0, 255, 0]]]
    """
    if not -0.5 <= hue_factor <= 0.5:
        raise InvalidValueError(f"hue_factor:{hue_factor} is not in [-0.5, 0.5].")
    if img.shape[2] != 3:
        return img.copy()
    hue, chroma, top = _hue(img.astype("float64"))
    # Each channel is the top one less its share of the chroma, which is 0 within 1/6 of
    # the circle around the channel's own hue, and then rises over the next 1/6 to all.
    away = np.abs(
        (hue[:, :, None] + hue_factor - np.array([0, 1 / 3, 2 / 3]) + 0.5) % 1 - 0.5
    )
    rotated = top[:, :, None] - chroma[:, :, None] * (6 * away - 1).clip(0, 1)
    return _clipped(np.rint(rotated) if img.dtype == np.uint8 else rotated, img)


def _hue(image: Pixels) -> tuple[Pixels, Pixels, Pixels]:
    """Compute hue (0..1, red at 0), chroma (0 for grey) and the largest channel."""
    red, green, blue = np.moveaxis(image, 2, 0)
    top, chroma = image.max(2), np.ptp(image, axis=2)
    safe = np.where(chroma > 0, chroma, 1)
    sector = np.select(
        [top == red, top == green],
        [(green - blue) / safe, 2 + (blue - red) / safe],
        4 + (red - green) / safe,
    )
    return sector / 6, chroma, top


@on_pixels
def to_grayscale(img: Pixels, num_output_channels: int = 1) -> Pixels:
    """Convert to luminance, 0.299 R + 0.587 G + 0.114 B, in one or three channels.

    Raises:
        InvalidValueError: `num_output_channels` is neither 1 nor 3.

    >>> to_grayscale(np.array([[[255, 0, 0]]], "uint8")).tolist()
    [[[76]]]
    """
    if num_output_channels not in {1, 3}:
        raise InvalidValueError("num_output_channels should be either 1 or 3")
    grey = _grey(img).astype(img.dtype)
    return grey.repeat(num_output_channels, axis=2)


def normalize(
    img: Any,
    mean: float | Sequence[float],
    std: float | Sequence[float],
    data_format: str = "CHW",
    to_rgb: bool = False,
) -> Any:
    """Compute (img - mean) / std, channel by channel.

    Args:
        img: An array or Tensor in the order of `data_format`, or a Pillow image.
        mean: One for all channels, or one each.
        std: One for all channels, or one each.
        data_format: 'CHW' or 'HWC'.
        to_rgb: Reverse the channels first, from BGR to RGB.

    Returns:
        float32 (float64 if it was): a Tensor for a Tensor, else an array. Of a Pillow
        image, with 'CHW', the channels come first.

    Raises:
        InvalidValueError: Another format.
        ShapeError: As many means or deviations as channels were expected.

    >>> normalize(np.full((1, 1, 3), 255, "uint8"), 127.5, 127.5, "HWC").tolist()
    [[[1.0, 1.0, 1.0]]]
    """
    if data_format not in {"CHW", "HWC"}:
        raise InvalidValueError(f"data_format is 'CHW' or 'HWC', not {data_format!r}")
    first = data_format == "CHW"
    if is_pillow(img):
        array = pixels(img).transpose(2, 0, 1) if first else pixels(img)
    else:
        array = img.numpy() if isinstance(img, Tensor) else np.asarray(img)
    axis = 0 if first and array.ndim == 3 else -1
    values = array.astype("float64" if array.dtype == np.float64 else "float32")
    values = np.flip(values, axis) if to_rgb else values
    channels = 1 if array.ndim == 2 else array.shape[axis]
    centre, spread = (_by_channel(v, channels, axis, values) for v in (mean, std))
    result = np.ascontiguousarray((values - centre) / spread)
    return as_tensor(result) if isinstance(img, Tensor) else result


def _by_channel(
    numbers: float | Sequence[float], channels: int, axis: int, values: Pixels
) -> Pixels:
    line: Pixels = np.atleast_1d(np.asarray(numbers, values.dtype))
    if line.ndim != 1 or len(line) not in {1, channels}:
        raise ShapeError(
            f"an image of {channels} channels needs 1 or {channels} means and standard "
            f"deviations, but got {numbers!r}"
        )
    return line.reshape(-1, 1, 1) if axis == 0 else line


def to_tensor(pic: Any, data_format: str = "CHW") -> Any:
    """Convert an image to a Tensor; uint8 0..255 becomes float32 0..1.

    Args:
        pic: uint8 or float [H, W, C] or [H, W], or a Pillow image.
        data_format: 'CHW' or 'HWC', the order of the result.

    Raises:
        InvalidValueError: Another format.
        DTypeError: `pic` is no image.

    >>> to_tensor(np.full((2, 3, 1), 51, "uint8")).numpy()[0, 0].tolist()
    [0.20000000298023224, 0.20000000298023224, 0.20000000298023224]
    """
    if data_format not in {"CHW", "HWC"}:
        raise InvalidValueError(f"data_format is 'CHW' or 'HWC', not {data_format!r}")
    if isinstance(pic, Tensor):
        return pic
    array = pixels(pic)
    if array.dtype == np.uint8:
        array = array.astype("float32") / np.float32(255)
    elif array.dtype == np.bool_:
        array = array.astype("float32")
    array = array.transpose(2, 0, 1) if data_format == "CHW" else array
    return as_tensor(np.ascontiguousarray(array))


def _grey(image: Pixels) -> Pixels:
    """Compute the luminance of each pixel, [H, W, 1]; rounded for integer pixels."""
    if image.shape[2] != 3:
        return image[:, :, :1].astype("float64")
    grey: Pixels = (image @ LUMA)[:, :, None]
    return np.floor(grey + 0.5) if np.issubdtype(image.dtype, np.integer) else grey


def _mixed(image: Pixels, other: Any, factor: float) -> Pixels:
    return _clipped(other + (image.astype("float64") - other) * factor, image)


def _clipped(values: Pixels, image: Pixels) -> Pixels:
    """Clip values to the range of the image's pixels, and cast to their dtype."""
    if np.issubdtype(image.dtype, np.integer):
        top: float = np.iinfo(image.dtype).max
    else:
        top = 1.0 if image.size == 0 or image.max() <= 1 else 255.0
    return values.clip(0, top).astype(image.dtype)


def _factor(factor: float) -> float:
    if not factor >= 0:
        raise InvalidValueError(f"a factor should be from 0 on, but got {factor}")
    return factor
