"""Deterministic transforms: to tensor, normalise, resize, centre crop, pad, grey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.creation import tensor_of
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError
from teachgraph.vision.transforms import functional as F
from teachgraph.vision.transforms.base import BaseTransform
from teachgraph.vision.transforms.geometry import (
    check_padding_mode,
    frame,
    height_and_width,
)
from teachgraph.vision.transforms.kinds import pixels
from teachgraph.vision.transforms.sampling import checked_interpolation

__all__ = [
    "CenterCrop",
    "Grayscale",
    "Normalize",
    "Pad",
    "Resize",
    "ToTensor",
    "Transpose",
]

Keys = Sequence[str | None] | None


class ToTensor(BaseTransform):
    """Convert an image [H, W, C] to a Tensor [C, H, W]; uint8 0..255 to float32 0..1.

    In Paddle this is `paddle.vision.transforms.ToTensor`.

    >>> tensor = ToTensor()(np.full((2, 3, 1), 255, "uint8"))
    >>> tensor.shape, tensor.dtype, float(tensor.max())
    ([1, 2, 3], dtype('float32'), 1.0)
    """

    def __init__(self, data_format: str = "CHW", keys: Keys = None) -> None:
        super().__init__(keys)
        self.data_format = data_format

    def _apply_image(self, image: Any) -> Any:
        return F.to_tensor(image, self.data_format)


class Normalize(BaseTransform):
    """Compute (image - mean) / std, channel by channel; one number is for all.

    In Paddle this is `paddle.vision.transforms.Normalize`, where one number always
    means three channels.

    >>> Normalize(127.5, 127.5)(np.zeros((1, 2, 2), "uint8")).tolist()
    [[[-1.0, -1.0], [-1.0, -1.0]]]
    """

    def __init__(
        self,
        mean: float | Sequence[float] = 0.0,
        std: float | Sequence[float] = 1.0,
        data_format: str = "CHW",
        to_rgb: bool = False,
        keys: Keys = None,
    ) -> None:
        super().__init__(keys)
        if not np.all(np.asarray(std)):
            raise InvalidValueError(f"std should not be 0, but got {std}")
        self.mean, self.std = mean, std
        self.data_format, self.to_rgb = data_format, to_rgb

    def _apply_image(self, image: Any) -> Any:
        return F.normalize(image, self.mean, self.std, self.data_format, self.to_rgb)


class Transpose(BaseTransform):
    """Reorder the axes of an image: [H, W, C] to [C, H, W], as an array.

    In Paddle this is `paddle.vision.transforms.Transpose`.

    >>> Transpose()(np.zeros((2, 3, 4))).shape, Transpose()(np.zeros((2, 3))).shape
    ((4, 2, 3), (1, 2, 3))
    """

    def __init__(self, order: Sequence[int] = (2, 0, 1), keys: Keys = None) -> None:
        super().__init__(keys)
        if sorted(order) != [0, 1, 2]:
            raise InvalidValueError(f"order should be of 0, 1 and 2, but got {order}")
        self.order = tuple(order)

    def _apply_image(self, image: Any) -> Any:
        if isinstance(image, Tensor):
            return tensor_of(image.numpy().transpose(self.order))
        return np.ascontiguousarray(pixels(image).transpose(self.order))


class Resize(BaseTransform):
    """Scale to (height, width), or the shorter side to one number.

    In Paddle this is `paddle.vision.transforms.Resize`.

    >>> Resize(2)(np.zeros((4, 6, 3), "uint8")).shape
    (2, 3, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        interpolation: str = "bilinear",
        keys: Keys = None,
    ) -> None:
        super().__init__(keys)
        height_and_width(size)
        self.size = size
        self.interpolation = checked_interpolation(interpolation)

    def _apply_image(self, image: Any) -> Any:
        return F.resize(image, self.size, self.interpolation)


class CenterCrop(BaseTransform):
    """Crop the middle.

    In Paddle this is `paddle.vision.transforms.CenterCrop`.

    >>> CenterCrop(2)(np.zeros((4, 6, 3), "uint8")).shape
    (2, 2, 3)
    """

    def __init__(self, size: int | Sequence[int], keys: Keys = None) -> None:
        super().__init__(keys)
        self.size = height_and_width(size)

    def _apply_image(self, image: Any) -> Any:
        return F.center_crop(image, self.size)


class Pad(BaseTransform):
    """Pad an image on all sides.

    In Paddle this is `paddle.vision.transforms.Pad`.

    >>> Pad((1, 2))(np.zeros((4, 6, 3), "uint8")).shape
    (8, 8, 3)
    """

    def __init__(
        self,
        padding: int | Sequence[int],
        fill: Any = 0,
        padding_mode: str = "constant",
        keys: Keys = None,
    ) -> None:
        super().__init__(keys)
        self.padding, self.fill = padding, fill
        self.padding_mode = padding_mode
        frame(padding)
        check_padding_mode(padding_mode)

    def _apply_image(self, image: Any) -> Any:
        return F.pad(image, self.padding, self.fill, self.padding_mode)


class Grayscale(BaseTransform):
    """Convert to luminance, in one or three channels.

    In Paddle this is `paddle.vision.transforms.Grayscale`.

    >>> Grayscale()(np.zeros((4, 6, 3), "uint8")).shape
    (4, 6, 1)
    """

    def __init__(self, num_output_channels: int = 1, keys: Keys = None) -> None:
        super().__init__(keys)
        self.num_output_channels = num_output_channels

    def _apply_image(self, image: Any) -> Any:
        return F.to_grayscale(image, self.num_output_channels)
