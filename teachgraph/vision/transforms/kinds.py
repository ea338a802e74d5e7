"""Conversion between the kinds of images: arrays, Tensors and Pillow images."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from teachgraph.autograd.creation import tensor_of
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import DTypeError, ShapeError

__all__ = ["Pixels", "is_pillow", "on_pixels", "pixels", "rounded", "size_of"]

Pixels = np.ndarray[Any, Any]
"""An image as [H, W, C]."""


def is_pillow(image: Any) -> bool:
    """True for a Pillow image; False while Pillow is not loaded."""
    module = sys.modules.get("PIL.Image")
    return module is not None and isinstance(image, module.Image)


def pixels(image: Any) -> Pixels:
    """Convert an image to an array [H, W, C]; a Tensor is [C, H, W] or [H, W].

    Raises:
        DTypeError: The argument is no image.
        ShapeError: It has neither two nor three dimensions.

    >>> pixels(np.zeros((2, 3))).shape, pixels(tensor_of(np.zeros((3, 4, 5)))).shape
    ((2, 3, 1), (4, 5, 3))
    """
    if isinstance(image, Tensor):
        array = image.numpy()
        array = array.transpose(1, 2, 0) if array.ndim == 3 else array
    elif isinstance(image, np.ndarray) or is_pillow(image):
        array = np.asarray(image)
    else:
        raise DTypeError(
            "an image is an array [H, W, C], a Tensor [C, H, W] or a Pillow image, but "
            f"got {type(image).__name__}"
        )
    if array.ndim not in {2, 3}:
        raise ShapeError(f"an image has 2 or 3 dimensions, but got {array.shape}")
    return array if array.ndim == 3 else array[:, :, None]


def on_pixels(function: Callable[..., Pixels]) -> Callable[..., Any]:
    """Decorate a function of [H, W, C] arrays to take and return any kind of image."""

    @wraps(function)
    def wrapped(img: Any, *args: Any, **kwargs: Any) -> Any:
        return _like(img, function(pixels(img), *args, **kwargs))

    return wrapped


def size_of(image: Any) -> tuple[int, int]:
    """Return height and width.

    >>> size_of(np.zeros((2, 3)))
    (2, 3)
    """
    height, width = pixels(image).shape[:2]
    return height, width


def rounded(values: Pixels, dtype: Any) -> Pixels:
    """Cast values to the dtype of pixels; for integers they are rounded and clipped.

    >>> rounded(np.array([-3.0, 1.6, 300.0]), "uint8").tolist()
    [0, 2, 255]
    """
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        values = np.floor(values + 0.5).clip(limits.min, limits.max)
    return values.astype(dtype)


def _like(image: Any, array: Pixels) -> Any:
    """Convert the array to the kind of image that `image` is."""
    flat = array[:, :, 0] if array.shape[2] == 1 else array
    if isinstance(image, Tensor):
        return tensor_of(
            np.ascontiguousarray(array.transpose(2, 0, 1) if image.ndim == 3 else flat)
        )
    if is_pillow(image):
        return sys.modules["PIL.Image"].fromarray(np.ascontiguousarray(flat))
    return np.ascontiguousarray(flat if image.ndim == 2 else array)
