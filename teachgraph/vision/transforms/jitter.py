"""Random colour transforms: brightness, contrast, saturation, hue, colour jitter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.random import generator
from teachgraph.vision.transforms import functional as F
from teachgraph.vision.transforms.base import BaseTransform, Pair, interval

__all__ = [
    "BrightnessTransform",
    "ColorJitter",
    "ContrastTransform",
    "HueTransform",
    "SaturationTransform",
]

Keys = Sequence[str | None] | None
Limits = float | Sequence[float]


class _Factor(BaseTransform):
    """Base: an adjustment by a random factor around NEUTRAL, which changes nothing."""

    NEUTRAL: ClassVar[float] = 1.0
    LOWEST: ClassVar[float] = 0.0

    def __init__(self, value: Limits, keys: Keys = None) -> None:
        super().__init__(keys)
        self.value: Pair = interval("value", value, self.NEUTRAL, self.LOWEST)

    def _get_params(self, inputs: tuple[Any, ...]) -> float:
        return generator().uniform(*self.value)

    def _apply_image(self, image: Any) -> Any:
        if self.value == (self.NEUTRAL, self.NEUTRAL):
            return image
        return self._adjusted(image)

    def _adjusted(self, image: Any) -> Any:
        raise NotImplementedError


class BrightnessTransform(_Factor):
    """Brighten by a factor from 1 - value (at least 0) to 1 + value, or an interval.

    In Paddle this is `paddle.vision.transforms.BrightnessTransform`.

    >>> import numpy as np
    >>> BrightnessTransform((0.5, 0.5))(np.array([[100]], "uint8")).tolist()
    [[50]]
    """

    def _adjusted(self, image: Any) -> Any:
        return F.adjust_brightness(image, self.params)


class ContrastTransform(_Factor):
    """Change the contrast by a factor from 1 - value to 1 + value, or an interval.

    In Paddle this is `paddle.vision.transforms.ContrastTransform`.

    >>> import numpy as np
    >>> ContrastTransform((0, 0))(np.array([[100, 200]], "uint8")).tolist()
    [[150, 150]]
    """

    def _adjusted(self, image: Any) -> Any:
        return F.adjust_contrast(image, self.params)


class SaturationTransform(_Factor):
    """Change the saturation by a factor from 1 - value to 1 + value, or an interval.

    In Paddle this is `paddle.vision.transforms.SaturationTransform`.

    >>> import numpy as np
    >>> SaturationTransform((0, 0))(np.array([[[255, 0, 0]]], "uint8")).tolist()
    [[[76, 76, 76]]]
    """

    def _adjusted(self, image: Any) -> Any:
        return F.adjust_saturation(image, self.params)


class HueTransform(_Factor):
    """Rotate the hues by -value to value of the circle (at most 1/2), or an interval.

    In Paddle this is `paddle.vision.transforms.HueTransform`.

    >>> import numpy as np
    >>> HueTransform((1 / 3, 1 / 3))(np.array([[[255, 0, 0]]], "uint8")).tolist()
    [[[0, 255, 0]]]
    """

    NEUTRAL = 0.0
    LOWEST = -0.5

    def __init__(self, value: Limits, keys: Keys = None) -> None:
        super().__init__(value, keys)
        if self.value[1] > 0.5 or (not isinstance(value, Sequence) and value > 0.5):
            raise InvalidValueError(f"value should be within [0, 0.5], but got {value}")

    def _adjusted(self, image: Any) -> Any:
        return F.adjust_hue(image, self.params)


class ColorJitter(BaseTransform):
    """Change brightness, contrast, saturation and hue, in a random order.

    Args:
        brightness: As for BrightnessTransform.
        contrast: As for ContrastTransform.
        saturation: As for SaturationTransform.
        hue: As for HueTransform.
        keys: The kinds of a sample's fields.

    In Paddle this is `paddle.vision.transforms.ColorJitter`.

    >>> import numpy as np
    >>> ColorJitter(brightness=(2, 2))(np.array([[100]], "uint8")).tolist()
    [[200]]
    """

    def __init__(
        self,
        brightness: Limits = 0,
        contrast: Limits = 0,
        saturation: Limits = 0,
        hue: Limits = 0,
        keys: Keys = None,
    ) -> None:
        super().__init__(keys)
        self.steps: list[_Factor] = [
            BrightnessTransform(brightness),
            ContrastTransform(contrast),
            SaturationTransform(saturation),
            HueTransform(hue),
        ]

    def _get_params(self, inputs: tuple[Any, ...]) -> list[tuple[_Factor, float]]:
        order = generator().permutation(len(self.steps))
        return [
            (step, step._get_params(inputs))
            for step in map(self.steps.__getitem__, order)
        ]

    def _apply_image(self, image: Any) -> Any:
        for step, factor in self.params:
            step.params = factor
            image = step._apply_image(image)
        return image
