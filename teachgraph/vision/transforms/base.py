"""`BaseTransform`, base of all transforms, and `Compose`, which chains them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.random import generator

__all__ = ["BaseTransform", "Compose", "Pair", "chance", "interval"]

Pair = tuple[float, float]


class Compose:
    """Chain of transforms.

    An error gets a note that names the transform.

    In Paddle this is `paddle.vision.transforms.Compose`.

    >>> Compose([lambda image: image + 1, lambda image: image * 2])(3)
    8
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = list(transforms)

    def __call__(self, data: Any) -> Any:
        """Apply all transforms in order."""
        for place, transform in enumerate(self.transforms):
            try:
                data = transform(data)
            except Exception as error:
                name = getattr(transform, "__name__", type(transform).__name__)
                error.add_note(f"in transform {place} of a Compose: {name}")
                raise
        return data

    def __repr__(self) -> str:
        names = [type(transform).__name__ for transform in self.transforms]
        return f"Compose({', '.join(names)})"


class BaseTransform:
    """A transform of images, or of samples with images in them.

    Subclasses define `_apply_image(image)`; `_apply_mask` and the like to change other
    fields of the sample consistently; and `_get_params(inputs)`, whose result is
    `self.params`, to draw random values once for all of them.

    Args:
        keys: The kinds of a sample's fields: 'image', 'mask', ...; a field goes through
            `_apply_<key>`; fields without a key, or with the key None, are unchanged.
            By default the first is the image and the rest is unchanged.

    In Paddle this is `paddle.vision.transforms.BaseTransform`.

    >>> class Invert(BaseTransform):
    ...     def _apply_image(self, image):
    ...         return 255 - image
    >>> Invert()(3), Invert()((3, "label")), Invert(keys=("image", "image"))((3, 5))
    (252, (252, 'label'), (252, 250))
    """

    def __init__(self, keys: Sequence[str | None] | None = None) -> None:
        if isinstance(keys, str) or not isinstance(keys, Sequence | None):
            raise InvalidValueError(f"keys should be a list or tuple, but got {keys!r}")
        self.keys: tuple[str | None, ...] = ("image",) if keys is None else tuple(keys)
        self.params: Any = None

    def __call__(self, inputs: Any) -> Any:
        """Transform an image or a sample."""
        fields = inputs if isinstance(inputs, tuple) else (inputs,)
        self.params = self._get_params(fields)
        known = [
            field if key is None else self._method(key)(field)
            for key, field in zip(self.keys, fields, strict=False)
        ]
        done = (*known, *fields[len(known) :])
        return done if isinstance(inputs, tuple) else done[0]

    def _method(self, key: str) -> Callable[[Any], Any]:
        method: Callable[[Any], Any] | None = getattr(self, f"_apply_{key}", None)
        if method is None:
            raise NotImplementedError(f"{type(self).__name__} has no _apply_{key}")
        return method

    def _get_params(self, inputs: tuple[Any, ...]) -> Any:
        """Draw the parameters shared by all the fields of a sample; by default none."""

    def _apply_image(self, image: Any) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _apply_image")

    def _image(self, inputs: tuple[Any, ...]) -> Any:
        """Return the first image among the fields."""
        return inputs[self.keys.index("image") if "image" in self.keys else 0]


def chance(probability: float) -> bool:
    """Draw True with this probability.

    >>> chance(0.0), chance(1.0)
    (False, True)
    """
    return bool(generator().random() < probability)


def interval(
    name: str, value: float | Sequence[float], around: float, lowest: float = -np.inf
) -> Pair:
    """Resolve a range: a pair unchanged, a number d as (around - d, around + d).

    Raises:
        InvalidValueError: A negative number, no pair, or one that is no interval.

    >>> interval("brightness", 0.25, around=1, lowest=0), interval("hue", (-0.5, 0), 0)
    ((0.75, 1.25), (-0.5, 0.0))
    """
    if isinstance(value, Sequence):
        pair = tuple(map(float, value))
    elif value >= 0:
        pair = (max(lowest, around - value), float(around + value))
    else:
        pair = ()
    if len(pair) != 2 or not lowest <= pair[0] <= pair[1]:
        raise InvalidValueError(
            f"{name} should be a number from 0 on or an interval (low, high) not below "
            f"{lowest}, but got {value!r}"
        )
    return pair
