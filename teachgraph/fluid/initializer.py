"""Paddle 1.x's `fluid.initializer`: the same, by 1.x's arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from teachgraph.ops import initializer
from teachgraph.ops.initializer import (
    Bilinear,
    Initializer,
    KaimingNormal,
    KaimingUniform,
    XavierNormal,
    XavierUniform,
    set_global_initializer,
)

__all__ = [
    "MSRA",
    "Assign",
    "Bilinear",
    "BilinearInitializer",
    "Constant",
    "ConstantInitializer",
    "Initializer",
    "MSRAInitializer",
    "Normal",
    "NormalInitializer",
    "NumpyArrayInitializer",
    "TruncatedNormal",
    "TruncatedNormalInitializer",
    "Uniform",
    "UniformInitializer",
    "Xavier",
    "XavierInitializer",
    "XavierNormal",
    "XavierUniform",
    "set_global_initializer",
]


def Xavier(  # noqa: N802  Paddle's name
    uniform: bool = True,
    fan_in: int | None = None,
    fan_out: int | None = None,
    seed: int = 0,
) -> Initializer:
    """Glorot and Bengio's, spread evenly or normally.

    >>> Xavier(uniform=False)
    XavierNormal(fan_in=None, fan_out=None, seed=0)
    """
    return (XavierUniform if uniform else XavierNormal)(fan_in, fan_out, seed=seed)


def MSRA(  # noqa: N802  Paddle's name
    uniform: bool = True, fan_in: int | None = None, seed: int = 0
) -> Initializer:
    """That of He et al., spread evenly or normally.

    >>> MSRA(fan_in=3)
    KaimingUniform(fan_in=3, negative_slope=0.0, nonlinearity='relu', seed=0)
    """
    return (KaimingUniform if uniform else KaimingNormal)(fan_in, seed=seed)


@dataclass(frozen=True, init=False)
class ConstantInitializer(initializer.Constant):
    """Every element is `value`."""

    def __init__(self, value: float = 0.0, force_cpu: bool = False) -> None:
        super().__init__(value)


@dataclass(frozen=True, init=False)
class NormalInitializer(initializer.Normal):
    """Normally distributed about `loc`.

    >>> NormalInitializer(loc=1.0, scale=2.0)
    NormalInitializer(mean=1.0, std=2.0, seed=0)
    """

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> None:
        super().__init__(loc, scale, seed=seed)


@dataclass(frozen=True, init=False)
class TruncatedNormalInitializer(initializer.TruncatedNormal):
    """Normally distributed about `loc`, and never further than 2 `scale` away."""

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> None:
        super().__init__(loc, scale, seed=seed)


@dataclass(frozen=True, init=False)
class UniformInitializer(initializer.Uniform):
    """Spread evenly over [low, high), but for some elements that are `diag_val`.

    Args:
        low: The least number.
        high: What the numbers stay below.
        seed: Where the random numbers start; 0 goes on with those of `seed`.
        diag_num: How many elements are `diag_val`: the i-th stands at i (diag_step + 1)
            of all elements in a row.
        diag_step: As many columns as a matrix has make that its diagonal.
        diag_val: What stands there.
    """

    diagonal: Mapping[str, float] = field(default_factory=dict, repr=False)

    def __init__(
        self,
        low: float = -1.0,
        high: float = 1.0,
        seed: int = 0,
        diag_num: int = 0,
        diag_step: int = 0,
        diag_val: float = 1.0,
    ) -> None:
        super().__init__(low, high, seed=seed)
        if diag_num:
            where = {"diag_num": diag_num, "diag_step": diag_step, "diag_val": diag_val}
            object.__setattr__(self, "diagonal", where)
        else:
            object.__setattr__(self, "diagonal", {})

    def operation(self, shape: Sequence[int], dtype: np.dtype[Any]) -> Any:
        """A `uniform_random` op."""
        op, attrs = super().operation(shape, dtype)
        return op, {**attrs, **self.diagonal}


class NumpyArrayInitializer(initializer.Assign):
    """The values of an array."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)


BilinearInitializer = Bilinear
Constant, Normal, Uniform = ConstantInitializer, NormalInitializer, UniformInitializer
TruncatedNormal, Assign = TruncatedNormalInitializer, NumpyArrayInitializer
XavierInitializer, MSRAInitializer = Xavier, MSRA
