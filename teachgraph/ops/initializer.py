"""What a parameter starts as: each initializer names one creation op.

In dynamic mode the op runs at once, in static mode it goes into the startup program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Any, Protocol

import numpy as np

from teachgraph import dtypes
from teachgraph.ops.creation import (
    assign_value,
    fill_constant,
    gaussian_random,
    uniform_random,
)
from teachgraph.ops.op import Op

__all__ = [
    "Assign",
    "Constant",
    "Initializer",
    "Normal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
]

Operation = tuple[Op, dict[str, Any]]


class Initializer(Protocol):
    """Something that knows how a parameter of a given shape begins."""

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """The creation op and its attributes."""


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """How many inputs one output has, and how many outputs one input.

    A matrix is [in, out]; a convolution's filter [out, in, ...] counts its window.

    >>> fans([784, 100]), fans([6, 1, 5, 5])
    ((784, 100), (25, 150))
    """
    if len(shape) < 2:
        size = prod(shape)
        return size, size
    if len(shape) == 2:
        return shape[0], shape[1]
    window = prod(shape[2:])
    return shape[1] * window, shape[0] * window


def total_fan(given: XavierUniform | XavierNormal, shape: Sequence[int]) -> int:
    """fan_in + fan_out, as given or else as the shape says."""
    ins, outs = fans(shape)
    return max((given.fan_in or ins) + (given.fan_out or outs), 1)


def described(
    shape: Sequence[int], dtype: np.dtype[Any], **more: Any
) -> dict[str, Any]:
    """The attributes of a creation op, as Paddle writes them."""
    return {"shape": list(shape), "dtype": dtypes.PADDLE_CODES[dtype], **more}


@dataclass(frozen=True)
class Constant:
    """Every element is `value`."""

    value: float = 0.0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `fill_constant` op."""
        return fill_constant, described(shape, dtype, value=float(self.value))


@dataclass(frozen=True)
class Uniform:
    """Spread evenly over [low, high)."""

    low: float = -1.0
    high: float = 1.0
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `uniform_random` op."""
        limits = {"min": self.low, "max": self.high, "seed": self.seed}
        return uniform_random, described(shape, dtype, **limits)


@dataclass(frozen=True)
class Normal:
    """Normally distributed about `mean`."""

    mean: float = 0.0
    std: float = 1.0
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `gaussian_random` op."""
        moments = {"mean": self.mean, "std": self.std, "seed": self.seed}
        return gaussian_random, described(shape, dtype, **moments)


@dataclass(frozen=True)
class XavierUniform:
    """Uniform within sqrt(6 / (fan_in + fan_out)) (Glorot and Bengio, 2010).

    Keeps the variance of values and gradients about equal through a layer.

    >>> op, attrs = XavierUniform().operation([1, 10], dtypes.float32)
    >>> op.type, round(attrs["max"], 8)
    ('uniform_random', 0.73854895)
    """

    fan_in: int | None = None
    fan_out: int | None = None
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `uniform_random` op."""
        limit = sqrt(6.0 / total_fan(self, shape))
        return Uniform(-limit, limit, self.seed).operation(shape, dtype)


@dataclass(frozen=True)
class XavierNormal:
    """Normal with deviation sqrt(2 / (fan_in + fan_out)) (Glorot and Bengio, 2010)."""

    fan_in: int | None = None
    fan_out: int | None = None
    seed: int = 0

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """A `gaussian_random` op."""
        std = sqrt(2.0 / total_fan(self, shape))
        return Normal(0.0, std, self.seed).operation(shape, dtype)


class Assign:
    """Given values: a list, an array or a Tensor."""

    def __init__(self, value: Any) -> None:
        self.value = np.asarray(value)

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Operation:
        """An `assign_value` op."""
        return assign_value, described(shape, dtype, values=self.value.ravel())
