"""Geometric functions: resize, crop, pad, flip, rotate, affine maps, erase."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.vision.transforms.kinds import Pixels, on_pixels, size_of
from teachgraph.vision.transforms.sampling import (
    checked_interpolation,
    read_at,
    scaled,
)

__all__ = [
    "affine",
    "center_crop",
    "crop",
    "erase",
    "height_and_width",
    "hflip",
    "pad",
    "resize",
    "rotate",
    "vflip",
]

MODES = ("constant", "edge", "reflect", "symmetric")


def height_and_width(size: int | Sequence[int]) -> tuple[int, int]:
    """Resolve a size: (height, width), or one number for a square.

    Raises:
        InvalidValueError: The sizes are no positive integers.

    >>> height_and_width(3), height_and_width((2, 5))
    ((3, 3), (2, 5))
    """
    both = tuple(size) if isinstance(size, Sequence) else (size, size)
    if len(both) == 1:
        both = (both[0], both[0])
    numbers = all(isinstance(side, (int, float, np.number)) for side in both)
    if not numbers or len(both) != 2 or any(int(s) != s or s < 1 for s in both):
        raise InvalidValueError(
            f"size should be one or two positive integers: {size!r}"
        )
    return int(both[0]), int(both[1])


def resize(img: Any, size: int | Sequence[int], interpolation: str = "bilinear") -> Any:
    """Scale an image to height x width, or its shorter side to one number.

    Where it shrinks, 'bilinear' averages over all source pixels (antialiasing), as
    Pillow does; Paddle does not for Tensors and OpenCV's arrays.

    Raises:
        InvalidValueError: An invalid size, or an unknown interpolation.

    >>> resize(np.zeros((4, 6, 3)), 2).shape, resize(np.zeros((4, 6, 3)), (2, 5)).shape
    ((2, 3, 3), (2, 5, 3))
    """
    height, width = size_of(img)
    if isinstance(size, int):
        short, _ = height_and_width(size)
        if min(height, width) == short:
            return img
        new = (
            (int(short * height / width), short)
            if width <= height
            else (short, int(short * width / height))
        )
    else:
        new = height_and_width(size)
    return _resized(img, *new, checked_interpolation(interpolation))


@on_pixels
def _resized(image: Pixels, height: int, width: int, interpolation: str) -> Pixels:
    return scaled(image, height, width, interpolation)


@on_pixels
def crop(img: Pixels, top: int, left: int, height: int, width: int) -> Pixels:
    """Crop height x width pixels from (top, left) on; outside the image is 0.

    >>> crop(np.arange(6).reshape(2, 3), 1, 1, 1, 2).tolist()
    [[4, 5]]
    """
    rows, columns = img.shape[:2]
    cut = np.zeros((height, width, img.shape[2]), img.dtype)
    above, before = max(0, -top), max(0, -left)
    part = img[max(0, top) : max(0, top + height), max(0, left) : max(0, left + width)]
    if top < rows and left < columns:
        cut[above : above + part.shape[0], before : before + part.shape[1]] = part
    return cut


def center_crop(img: Any, output_size: int | Sequence[int]) -> Any:
    """Crop the middle; a larger size pads with 0.

    >>> center_crop(np.arange(16).reshape(4, 4), 2).tolist()
    [[5, 6], [9, 10]]
    """
    (rows, columns), (height, width) = size_of(img), height_and_width(output_size)
    top, left = round((rows - height) / 2), round((columns - width) / 2)
    return crop(img, top, left, height, width)


def check_padding_mode(mode: Any) -> None:
    """Require a way to pad.

    Raises:
        InvalidValueError: There is no such way.
    """
    if mode not in MODES:
        raise InvalidValueError(
            f"padding_mode should be one of {list(MODES)}, but got {mode!r}"
        )


@on_pixels
def pad(
    img: Pixels,
    padding: int | Sequence[int],
    fill: Any = 0,
    padding_mode: str = "constant",
) -> Pixels:
    """Pad an image on all sides.

    Args:
        img: The image.
        padding: The widths: one for all sides; (left and right, top and bottom); or
            (left, top, right, bottom).
        fill: The padding's colour, a number or one for each channel.
        padding_mode: 'constant' for the colour, 'edge' repeats the outermost pixels,
            'reflect' mirrors without them, 'symmetric' with them.

    Raises:
        InvalidValueError: An invalid width, or an unknown mode.

    >>> pad(np.ones((1, 1)), (1, 0)).tolist()
    [[0.0, 1.0, 0.0]]
    """
    left, top, right, bottom = frame(padding)
    check_padding_mode(padding_mode)
    widths = ((top, bottom), (left, right), (0, 0))
    if padding_mode != "constant":
        return np.pad(img, widths, mode=padding_mode)  # type: ignore[call-overload, no-any-return]
    rows, columns, channels = img.shape
    framed = np.empty(
        (rows + top + bottom, columns + left + right, channels), img.dtype
    )
    framed[:] = fill
    framed[top : top + rows, left : left + columns] = img
    return framed


def frame(padding: int | Sequence[int]) -> tuple[int, int, int, int]:
    """Resolve widths of padding: left, top, right, bottom.

    Raises:
        InvalidValueError: They are not 1, 2 or 4 integers from 0 on.
    """
    widths = tuple(padding) if isinstance(padding, Sequence) else (padding,)
    repeated = {1: widths * 4, 2: widths * 2, 4: widths}.get(len(widths), ())
    numbers = all(isinstance(side, (int, float, np.number)) for side in repeated)
    if not numbers or not repeated or any(int(s) != s or s < 0 for s in repeated):
        raise InvalidValueError(
            f"padding should be 1, 2 or 4 integers from 0 on, but got {padding!r}"
        )
    left, top, right, bottom = map(int, repeated)
    return left, top, right, bottom


@on_pixels
def hflip(img: Pixels) -> Pixels:
    """Swap left and right.

    >>> hflip(np.array([[1, 2]])).tolist()
    [[2, 1]]
    """
    return img[:, ::-1]


@on_pixels
def vflip(img: Pixels) -> Pixels:
    """Swap top and bottom.

    >>> vflip(np.array([[1], [2]])).tolist()
    [[2], [1]]
    """
    return img[::-1]


@on_pixels
def rotate(
    img: Pixels,
    angle: float,
    interpolation: str = "nearest",
    expand: bool = False,
    center: Sequence[float] | None = None,
    fill: Any = 0,
) -> Pixels:
    """Rotate an image by `angle` degrees counter-clockwise.

    Args:
        img: The image.
        angle: In degrees.
        interpolation: 'nearest' or 'bilinear'.
        expand: Make the result large enough for all corners.
        center: (x, y) of the fixed point, by default the middle.
        fill: The value outside the image, a number or one for each channel.

    >>> rotate(np.array([[1, 2], [3, 4]]), 90).tolist()
    [[2, 4], [1, 3]]
    """
    checked_interpolation(interpolation)
    if expand and center is None and angle % 90 == 0:
        return np.rot90(img, round(angle / 90))
    rows, columns = img.shape[:2]
    x, y = (columns / 2, rows / 2) if center is None else center
    # Rows count downwards, so a counter-clockwise angle is negative in mathematics; and
    # `read_at` needs the inverse map, from the new image to the old one. The two signs
    # cancel.
    inverse = _about(x, y, _rotation(angle))
    height, width = rows, columns
    if expand:
        corners = np.array([[0, columns, columns, 0], [0, 0, rows, rows], [1] * 4])
        places = (np.linalg.inv(_square(inverse)) @ corners)[:2].round(9)
        ends, starts = np.ceil(places.max(1)), np.floor(places.min(1))
        width, height = (ends - starts).astype(int).tolist()
        inverse = inverse @ _shift((columns - width) / 2, (rows - height) / 2)
    return read_at(img, inverse.round(15), height, width, interpolation, fill)


@on_pixels
def affine(
    img: Pixels,
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: float | Sequence[float],
    interpolation: str = "nearest",
    fill: Any = 0,
    center: Sequence[float] | None = None,
) -> Pixels:
    """Shear an image, rotate it clockwise, scale and translate it, in this order.

    Args:
        img: The image.
        angle: In degrees, clockwise.
        translate: The shift in pixels, to the right and down.
        scale: The factor.
        shear: In degrees, along x, or along x and y.
        interpolation: 'nearest' or 'bilinear'.
        fill: The value outside the image, a number or one for each channel.
        center: (x, y) of the fixed point, by default the middle.

    Raises:
        InvalidValueError: `scale` is not positive.

    >>> affine(np.array([[1, 2, 3]]), 0, (1, 0), 1, 0).tolist()
    [[0, 1, 2]]
    """
    checked_interpolation(interpolation)
    if scale <= 0:
        raise InvalidValueError(f"scale should be positive, but got {scale}")
    rows, columns = img.shape[:2]
    x, y = (columns / 2, rows / 2) if center is None else center
    along = (shear, 0.0) if isinstance(shear, int | float) else (*shear, 0.0)[:2]
    sx, sy = (math.tan(math.radians(degrees)) for degrees in along)
    linear = (
        scale * _rotation(angle) @ np.array([[1, 0], [-sy, 1]]) @ [[1, -sx], [0, 1]]
    )
    forward = _shift(*translate) @ _square(_about(x, y, linear))
    return read_at(img, np.linalg.inv(forward)[:2], rows, columns, interpolation, fill)


@on_pixels
def erase(
    img: Pixels, i: int, j: int, h: int, w: int, v: Any, inplace: bool = False
) -> Pixels:
    """Set the h x w pixels from (i, j) on to `v`.

    Args:
        img: The image.
        i: The first row.
        j: The first column.
        h: The number of rows.
        w: The number of columns.
        v: A number, one for each channel, or h x w pixels.
        inplace: Accepted for Paddle's sake; the input image is unchanged.

    >>> erase(np.ones((2, 2)), 0, 1, 2, 1, 0).tolist()
    [[1.0, 0.0], [1.0, 0.0]]
    """
    erased = img.copy()
    erased[i : i + h, j : j + w] = v
    return erased


def _rotation(angle: float) -> np.ndarray[Any, Any]:
    """Rotation matrix; clockwise, because y points down."""
    a = math.radians(angle)
    return np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])


def _about(x: float, y: float, linear: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """[2, 3] matrix of a linear map with the fixed point (x, y)."""
    here = np.array([x, y])
    return np.column_stack([linear, here - linear @ here])


def _square(matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.vstack([matrix, [0, 0, 1]])


def _shift(x: float, y: float) -> np.ndarray[Any, Any]:
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])
