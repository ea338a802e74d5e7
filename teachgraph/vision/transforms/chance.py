"""Random transforms: flips, crops, rotations, affine maps, erasing.

Parameters are drawn from the generator behind `teachgraph.seed`, once for all the
fields of a sample.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.random import generator
from teachgraph.vision.transforms import functional as F
from teachgraph.vision.transforms.base import BaseTransform, Pair, chance, interval
from teachgraph.vision.transforms.geometry import height_and_width
from teachgraph.vision.transforms.kinds import pixels, size_of
from teachgraph.vision.transforms.sampling import checked_interpolation

__all__ = [
    "RandomAffine",
    "RandomCrop",
    "RandomErasing",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomRotation",
    "RandomVerticalFlip",
]

Keys = Sequence[str | None] | None
Box = tuple[int, int, int, int]
"""Top, left, height, width."""
TRIES = 10


class _Flip(BaseTransform):
    def __init__(self, prob: float = 0.5, keys: Keys = None) -> None:
        super().__init__(keys)
        self.prob = _probability(prob)

    def _get_params(self, inputs: tuple[Any, ...]) -> bool:
        return chance(self.prob)


class RandomHorizontalFlip(_Flip):
    """Swap left and right with probability `prob`.

    In Paddle this is `paddle.vision.transforms.RandomHorizontalFlip`.

    >>> import numpy as np
    >>> RandomHorizontalFlip(prob=1)(np.array([[1, 2]])).tolist()
    [[2, 1]]
    """

    def _apply_image(self, image: Any) -> Any:
        return F.hflip(image) if self.params else image


class RandomVerticalFlip(_Flip):
    """Swap top and bottom with probability `prob`.

    In Paddle this is `paddle.vision.transforms.RandomVerticalFlip`.

    >>> import numpy as np
    >>> RandomVerticalFlip(prob=1)(np.array([[1], [2]])).tolist()
    [[2], [1]]
    """

    def _apply_image(self, image: Any) -> Any:
        return F.vflip(image) if self.params else image


class RandomCrop(BaseTransform):
    """Crop at a uniformly random position.

    Args:
        size: Height and width, or the side of a square.
        padding: Padding applied first, as for `Pad`.
        pad_if_needed: Pad a smaller image to `size`.
        fill: The padding's colour.
        padding_mode: The kind of padding, as for `Pad`.
        keys: The kinds of a sample's fields.

    Raises:
        InvalidValueError: The image is too small.

    In Paddle this is `paddle.vision.transforms.RandomCrop`.

    >>> import numpy as np
    >>> RandomCrop(3, padding=1)(np.zeros((2, 2))).shape
    (3, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        padding: int | Sequence[int] | None = None,
        pad_if_needed: bool = False,
        fill: Any = 0,
        padding_mode: str = "constant",
        keys: Keys = None,
    ) -> None:
        super().__init__(keys)
        self.size = height_and_width(size)
        self.padding, self.pad_if_needed = padding, pad_if_needed
        self.fill, self.padding_mode = fill, padding_mode

    def _get_params(self, inputs: tuple[Any, ...]) -> tuple[int, int]:
        rows, columns = size_of(self._padded(self._image(inputs)))
        height, width = self.size
        if rows < height or columns < width:
            raise InvalidValueError(
                f"a piece of {height} x {width} can't be cut from {rows} x {columns} "
                "pixels; pad_if_needed=True frames what is too small"
            )
        return _draw_corner(rows - height + 1, columns - width + 1)

    def _get_param(self, img: Any, output_size: tuple[int, int]) -> tuple[int, ...]:
        """Draw the top, left, height and width of a piece of an image."""
        rows, columns = size_of(img)
        height, width = output_size
        return (*_draw_corner(rows - height + 1, columns - width + 1), height, width)

    def _padded(self, image: Any) -> Any:
        if self.padding is not None:
            image = F.pad(image, self.padding, self.fill, self.padding_mode)
        if self.pad_if_needed:
            rows, columns = size_of(image)
            missing = (max(0, self.size[1] - columns), max(0, self.size[0] - rows))
            image = F.pad(image, missing, self.fill, self.padding_mode)
        return image

    def _apply_image(self, image: Any) -> Any:
        return F.crop(self._padded(image), *self.params, *self.size)


class RandomResizedCrop(BaseTransform):
    """Crop a region of random area and aspect ratio, and resize it to `size`.

    Args:
        size: Height and width of the result, or the side of a square.
        scale: The least and greatest share of the image's area.
        ratio: The least and greatest width / height.
        interpolation: 'nearest' or 'bilinear'.
        keys: The kinds of a sample's fields.

    In Paddle this is `paddle.vision.transforms.RandomResizedCrop`.

    >>> import numpy as np
    >>> RandomResizedCrop((4, 5))(np.zeros((20, 30, 3), "uint8")).shape
    (4, 5, 3)
    """

    def __init__(
        self,
        size: int | Sequence[int],
        scale: Sequence[float] = (0.08, 1.0),
        ratio: Sequence[float] = (3 / 4, 4 / 3),
        interpolation: str = "bilinear",
        keys: Keys = None,
    ) -> None:
        super().__init__(keys)
        self.size = height_and_width(size)
        self.scale = interval("scale", scale, 0, lowest=0)
        self.ratio = interval("ratio", ratio, 0, lowest=1e-9)
        self.interpolation = checked_interpolation(interpolation)

    def _get_params(self, inputs: tuple[Any, ...]) -> Box:
        rows, columns = size_of(self._image(inputs))
        box = _draw_box(rows, columns, self.scale, self.ratio)
        return box or self._middle(rows, columns)

    def _middle(self, rows: int, columns: int) -> Box:
        """Compute the largest central region of an allowed ratio, as a fallback."""
        low, high = self.ratio
        width = min(columns, max(1, round(rows * high)))
        height = min(rows, max(1, round(columns / low)))
        return (rows - height) // 2, (columns - width) // 2, height, width

    def _apply_image(self, image: Any) -> Any:
        return F.resize(F.crop(image, *self.params), self.size, self.interpolation)


class RandomRotation(BaseTransform):
    """Rotate by a random angle.

    Args:
        degrees: The largest angle in both directions; or the least and greatest angle,
            counter-clockwise.
        interpolation: 'nearest' or 'bilinear'.
        expand: Make the result large enough for all corners.
        center: (x, y) of the fixed point, by default the middle.
        fill: The value outside the image.
        keys: The kinds of a sample's fields.

    In Paddle this is `paddle.vision.transforms.RandomRotation`.

    >>> import numpy as np
    >>> RandomRotation((90, 90))(np.array([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        interpolation: str = "nearest",
        expand: bool = False,
        center: Sequence[float] | None = None,
        fill: Any = 0,
        keys: Keys = None,
    ) -> None:
        super().__init__(keys)
        self.degrees = interval("degrees", degrees, around=0)
        self.interpolation = checked_interpolation(interpolation)
        self.expand, self.center, self.fill = expand, center, fill

    def _get_params(self, inputs: tuple[Any, ...]) -> float:
        return generator().uniform(*self.degrees)

    def _apply_image(self, image: Any) -> Any:
        return F.rotate(
            image, self.params, self.interpolation, self.expand, self.center, self.fill
        )


class RandomAffine(BaseTransform):
    """Apply a random affine map: shear, rotate, scale and translate.

    Args:
        degrees: The largest angle in both directions; or the least and greatest angle.
        translate: The largest shifts, as shares of the width and the height.
        scale: The least and greatest factor.
        shear: The largest angle along x in both directions; or least and greatest; or
            least and greatest for x and for y.
        interpolation: 'nearest' or 'bilinear'.
        fill: The value outside the image.
        center: (x, y) of the fixed point, by default the middle.
        keys: The kinds of a sample's fields.

    In Paddle this is `paddle.vision.transforms.RandomAffine`.

    >>> import numpy as np
    >>> RandomAffine(0, scale=(1, 1))(np.array([[1, 2], [3, 4]])).tolist()
    [[1, 2], [3, 4]]
    """

    def __init__(
        self,
        degrees: float | Sequence[float],
        translate: Sequence[float] | None = None,
        scale: Sequence[float] | None = None,
        shear: float | Sequence[float] | None = None,
        interpolation: str = "nearest",
        fill: Any = 0,
        center: Sequence[float] | None = None,
        keys: Keys = None,
    ) -> None:
        super().__init__(keys)
        self.degrees = interval("degrees", degrees, around=0)
        self.translate = (0.0, 0.0) if translate is None else tuple(translate)
        if len(self.translate) != 2 or not all(0 <= t <= 1 for t in self.translate):
            raise InvalidValueError("translate should be two shares between 0 and 1")
        self.scale = interval("scale", (1, 1) if scale is None else scale, 1, 1e-9)
        self.shear = _shears(0 if shear is None else shear)
        self.interpolation = checked_interpolation(interpolation)
        self.fill, self.center = fill, center

    def _get_params(self, inputs: tuple[Any, ...]) -> dict[str, Any]:
        rows, columns = size_of(self._image(inputs))
        uniform = generator().uniform
        across, down = self.translate[0] * columns, self.translate[1] * rows
        return {
            "angle": uniform(*self.degrees),
            "translate": (round(uniform(-across, across)), round(uniform(-down, down))),
            "scale": uniform(*self.scale),
            "shear": [uniform(*limits) for limits in self.shear],
        }

    def _apply_image(self, image: Any) -> Any:
        settings = (self.interpolation, self.fill, self.center)
        return F.affine(image, *self.params.values(), *settings)


class RandomErasing(BaseTransform):
    """Erase a random region with probability `prob`.

    Args:
        prob: The probability.
        scale: The least and greatest share of the image's area.
        ratio: The least and greatest height / width, drawn uniformly in the logarithm.
        value: A number, one for each channel, or 'random' for noise.
        inplace: Accepted for Paddle's sake; the input image is unchanged.
        keys: The kinds of a sample's fields.

    Source: Z. Zhong et al. (2020), Random Erasing Data Augmentation. In Paddle this is
    `paddle.vision.transforms.RandomErasing`.

    >>> import numpy as np
    >>> erased = RandomErasing(prob=1, scale=(0.2, 0.3))(np.ones((10, 10)))
    >>> 60 < erased.sum() < 90
    np.True_
    """

    def __init__(
        self,
        prob: float = 0.5,
        scale: Sequence[float] = (0.02, 0.33),
        ratio: Sequence[float] = (0.3, 3.3),
        value: Any = 0,
        inplace: bool = False,
        keys: Keys = None,
    ) -> None:
        super().__init__(keys)
        self.prob = _probability(prob)
        self.scale = interval("scale", scale, 0, lowest=0)
        self.ratio = interval("ratio", ratio, 0, lowest=1e-9)
        if isinstance(value, str) and value != "random":
            raise InvalidValueError("value must be 'random' when type is str")
        self.value, self.inplace = value, inplace

    def _get_params(self, inputs: tuple[Any, ...]) -> tuple[Box, Any] | None:
        if not chance(self.prob):
            return None
        rows, columns, channels = pixels(self._image(inputs)).shape
        low, high = self.ratio
        box = _draw_box(rows, columns, self.scale, (1 / high, 1 / low))
        if box is None:
            return None
        if isinstance(self.value, str):
            return box, generator().normal(size=(*box[2:], channels))
        return box, self.value

    def _apply_image(self, image: Any) -> Any:
        if self.params is None:
            return image
        box, value = self.params
        return F.erase(image, *box, value)


def _draw_corner(rows: int, columns: int) -> tuple[int, int]:
    return int(generator().integers(rows)), int(generator().integers(columns))


def _draw_box(rows: int, columns: int, scale: Pair, ratio: Pair) -> Box | None:
    """Draw a region with share of the area and width / height within the limits.

    Return None if none of ten draws fits into the image.
    """
    for _ in range(TRIES):
        area = rows * columns * generator().uniform(*scale)
        shape = math.exp(generator().uniform(math.log(ratio[0]), math.log(ratio[1])))
        width, height = round(math.sqrt(area * shape)), round(math.sqrt(area / shape))
        if 0 < width <= columns and 0 < height <= rows:
            top, left = _draw_corner(rows - height + 1, columns - width + 1)
            return top, left, height, width
    return None


def _shears(shear: float | Sequence[float]) -> list[Pair]:
    if isinstance(shear, Sequence) and len(shear) == 4:
        return [interval("shear", shear[:2], 0), interval("shear", shear[2:], 0)]
    return [interval("shear", shear, 0), (0.0, 0.0)]


def _probability(prob: float) -> float:
    if not 0 <= prob <= 1:
        raise InvalidValueError(f"prob should be between 0 and 1, but got {prob}")
    return prob
