"""Parameters and images that are the same here and beside PyTorch, and not stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

VISION: dict[str, tuple[int, ...]] = {
    "lenet": (4, 1, 28, 28),
    "resnet18": (4, 3, 64, 64),
    "resnet50": (4, 3, 64, 64),
    "mobilenet_v2": (4, 3, 64, 64),
}
"""The networks that are held to PyTorch's, with the shape of their images."""

CLASSES = 10


def drawn(*shape: int, low: float, high: float, start: int) -> Array:
    """Numbers from a raw stream of bits, which NumPy promises not to change.

    Nets need a greater variety than the even steps of `tests/ops/values.py` have.
    """
    bits = np.random.PCG64(start).random_raw(int(np.prod(shape)))
    return (low + (high - low) * (bits / 2.0**64)).reshape(shape)


def values(shapes: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    """A value for each of PyTorch's names: its place in the list is where it starts."""
    return {
        name: value(name, tuple(shape), start).astype(np.float32)
        for start, (name, shape) in enumerate(shapes.items(), 1)
    }


def value(name: str, shape: tuple[int, ...], start: int) -> Array:
    """Weights whose product keeps the variance, and scales and variances near 1.

    What is added in a residual block is small beside its input; with more of it the
    last digits of deep nets in training would be chance, in PyTorch as well.
    """
    if len(shape) > 1:
        limit = sqrt(6.0 / float(np.prod(shape[1:])))
        return drawn(*shape, low=-limit, high=limit, start=start)
    last = name.endswith(("bn3.weight", "conv.3.weight"))
    if name.endswith(("running_var", "weight")) and not last:
        return drawn(*shape, low=0.5, high=1.5, start=start)
    return drawn(*shape, low=-0.2, high=0.2, start=start)


def images(*shape: int) -> Array:
    """Images around 0."""
    return drawn(*shape, low=-1.0, high=1.0, start=0).astype(np.float32)


def some(array: Array) -> Array:
    """A few elements all over an array."""
    flat = np.ravel(array)
    return flat[:: max(1, flat.size // 7)][:8]
