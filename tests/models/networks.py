"""Parameters and images that are the same here and beside PyTorch, and not stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
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

PADDLE: dict[str, tuple[str, dict[str, Any], tuple[int, ...]]] = {
    "alexnet": ("alexnet", {}, (1, 3, 224, 224)),
    "densenet": ("densenet121", {}, (2, 3, 64, 64)),
    "googlenet": ("googlenet", {}, (1, 3, 192, 192)),
    "inception": ("inception_v3", {}, (1, 3, 96, 96)),
    "mobilenet v1": ("mobilenet_v1", {"scale": 0.5}, (2, 3, 64, 64)),
    "mobilenet v3, large": ("mobilenet_v3_large", {"scale": 0.5}, (2, 3, 64, 64)),
    "mobilenet v3, small": ("mobilenet_v3_small", {}, (2, 3, 64, 64)),
    "resnext": ("resnext50_32x4d", {}, (1, 3, 64, 64)),
    "shufflenet": ("shufflenet_v2_x0_33", {}, (2, 3, 64, 64)),
    "shufflenet, swish": ("shufflenet_v2_swish", {}, (2, 3, 64, 64)),
    "squeezenet 1.0": ("squeezenet1_0", {}, (2, 3, 64, 64)),
    "squeezenet 1.1": ("squeezenet1_1", {}, (2, 3, 64, 64)),
    "vgg": ("vgg11", {"batch_norm": True, "num_classes": 0}, (1, 3, 32, 32)),
}
"""The networks held to Paddle's: what creates them, the shape of the images."""

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
    if name.endswith(("running_var", "_variance", "weight")) and not last:
        return drawn(*shape, low=0.5, high=1.5, start=start)
    return drawn(*shape, low=-0.2, high=0.2, start=start)


def digest(shapes: Mapping[str, Sequence[int]]) -> str:
    """Hash of names and shapes, in any order."""
    lines = sorted(f"{name} {list(shape)}" for name, shape in shapes.items())
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def images(*shape: int) -> Array:
    """Images around 0."""
    return drawn(*shape, low=-1.0, high=1.0, start=0).astype(np.float32)


def some(array: Array) -> Array:
    """A few elements all over an array."""
    flat = np.ravel(array)
    return flat[:: max(1, flat.size // 7)][:8]
