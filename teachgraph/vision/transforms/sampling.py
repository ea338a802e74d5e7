"""Resampling of images: scaling, and reading at affinely mapped coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.vision.transforms.kinds import Pixels, rounded

__all__ = ["checked_interpolation", "read_at", "scaled"]

Matrix = np.ndarray[Any, Any]


def checked_interpolation(interpolation: str) -> str:
    """Require 'nearest' or 'bilinear'.

    Raises:
        InvalidValueError: The interpolation is neither.
    """
    if interpolation not in {"nearest", "bilinear"}:
        raise InvalidValueError(
            f"interpolation should be 'nearest' or 'bilinear', got {interpolation!r}"
        )
    return interpolation


def scaled(image: Pixels, height: int, width: int, interpolation: str) -> Pixels:
    """Scale to height x width: first along the rows, then along the columns.

    >>> scaled(np.array([[[0], [4]]], "uint8"), 1, 4, "bilinear").ravel().tolist()
    [0, 1, 3, 4]
    """
    for axis, size in ((1, width), (0, height)):
        if image.shape[axis] != size:
            image = _scaled_along(image, axis, size, interpolation)
    return image


def _scaled_along(image: Pixels, axis: int, size: int, interpolation: str) -> Pixels:
    n = image.shape[axis]
    # Half-pixel centres, as in Pillow.
    centres = (np.arange(size) + 0.5) * (n / size)
    if interpolation == "nearest":
        nearest: Pixels = image.take(np.floor(centres).astype("int64"), axis)
        return nearest
    result = np.tensordot(_weights(centres, n, size), image, axes=(1, axis))
    return rounded(np.moveaxis(result, 0, axis), image.dtype)


def _weights(centres: Matrix, n: int, size: int) -> Matrix:
    """Compute the weight of each input pixel in each output pixel: [size, n].

    A triangle around the output pixel's centre, one input pixel wide to each side; as
    wide as the output pixel where the image shrinks, so that no input pixel is missed.
    """
    reach = max(1.0, n / size)
    distance = np.abs(np.arange(n) + 0.5 - centres[:, None])
    weights = np.maximum(0.0, 1 - distance / reach)
    normed: Matrix = weights / weights.sum(1, keepdims=True)
    return normed


def read_at(
    image: Pixels,
    matrix: Matrix,
    height: int,
    width: int,
    interpolation: str,
    fill: Any = 0,
) -> Pixels:
    """Compute the image whose pixel (x, y) is the old one at `matrix` times (x, y, 1).

    Pixel centres lie at half-integers. Pixels outside the old image are filled.

    Args:
        image: [H, W, C].
        matrix: [2, 3], from new coordinates to old ones.
        height: Of the new image.
        width: Of the new image.
        interpolation: 'nearest' or 'bilinear'.
        fill: A number, or one for each channel.

    >>> mirror = np.array([[-1, 0, 3], [0, 1, 0]])
    >>> read_at(np.array([[[1], [2], [3]]]), mirror, 1, 3, "nearest").ravel().tolist()
    [3, 2, 1]
    """
    y, x = np.mgrid[:height, :width] + 0.5
    x, y = np.tensordot(matrix, np.stack([x, y, np.ones_like(x)]), axes=1)
    rows, columns = image.shape[:2]
    inside = (x >= 0) & (x < columns) & (y >= 0) & (y < rows)
    read = _nearest if interpolation == "nearest" else _bilinear
    # Any valid place serves for the outside: `fill` replaces the value read there.
    values = read(image, np.where(inside, x, 0.5), np.where(inside, y, 0.5))
    return rounded(np.where(inside[:, :, None], values, fill), image.dtype)


def _nearest(image: Pixels, x: Matrix, y: Matrix) -> Pixels:
    read: Pixels = image[np.floor(y).astype("int64"), np.floor(x).astype("int64")]
    return read


def _bilinear(image: Pixels, x: Matrix, y: Matrix) -> Pixels:
    """Interpolate bilinearly between the four nearest pixels."""
    rows, columns = image.shape[:2]
    left, top = np.floor(x - 0.5).astype("int64"), np.floor(y - 0.5).astype("int64")
    right_share = (x - 0.5 - left)[:, :, None]
    lower_share = (y - 0.5 - top)[:, :, None]

    def pixel(row: Matrix, column: Matrix) -> Any:
        return image[row.clip(0, rows - 1), column.clip(0, columns - 1)]

    def line(row: Matrix) -> Any:
        near, far = pixel(row, left), pixel(row, left + 1)
        return near * (1 - right_share) + far * right_share

    mixed: Pixels = line(top) * (1 - lower_share) + line(top + 1) * lower_share
    return mixed
