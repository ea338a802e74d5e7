"""Paddle 1.x's `fluid.initializer`."""

from __future__ import annotations

from teachgraph.ops.initializer import (
    Assign,
    Bilinear,
    Constant,
    Initializer,
    KaimingNormal,
    KaimingUniform,
    Normal,
    TruncatedNormal,
    Uniform,
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


BilinearInitializer = Bilinear
ConstantInitializer = Constant
MSRAInitializer = MSRA
NormalInitializer = Normal
NumpyArrayInitializer = Assign
TruncatedNormalInitializer = TruncatedNormal
UniformInitializer = Uniform
XavierInitializer = Xavier
