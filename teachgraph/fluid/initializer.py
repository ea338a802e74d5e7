"""Paddle 1.x's `fluid.initializer`: initializers with 1.x's arguments."""

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
    """Glorot and Bengio's initializer, uniform or normal.

    >>> Xavier(uniform=False)
    XavierNormal(fan_in=None, fan_out=None, seed=0)
    """
    return (XavierUniform if uniform else XavierNormal)(fan_in, fan_out, seed=seed)


def MSRA(  # noqa: N802  Paddle's name
    uniform: bool = True, fan_in: int | None = None, seed: int = 0
) -> Initializer:
    """The initializer of He et al., uniform or normal.

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
    """Normal distribution with mean `loc`.

    >>> NormalInitializer(loc=1.0, scale=2.0)
    NormalInitializer(mean=1.0, std=2.0, seed=0)
    """

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> None:
        super().__init__(loc, scale, seed=seed)


@dataclass(frozen=True, init=False)
class TruncatedNormalInitializer(initializer.TruncatedNormal):
    """Normal distribution with mean `loc`, truncated at 2 `scale`."""

    def __init__(self, loc: float = 0.0, scale: float = 1.0, seed: int = 0) -> None:
        super().__init__(loc, scale, seed=seed)


@dataclass(frozen=True, init=False)
class UniformInitializer(initializer.Uniform):
    """Uniform distribution over [low, high), with `diag_val` on a diagonal.

    Args:
        low: The lower bound, inclusive.
        high: The upper bound, exclusive.
        seed: The seed; 0 uses the generator of `teachgraph.seed`.
        diag_num: The number of elements that are `diag_val`: the i-th has the flat
            index i (diag_step + 1).
        diag_step: The number of columns, for the main diagonal.
        diag_val: The value on the diagonal.
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
