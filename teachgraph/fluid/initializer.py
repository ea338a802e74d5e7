"""Paddle 1.x's `fluid.initializer`."""

from teachgraph.ops.initializer import (
    Assign,
    Constant,
    Initializer,
    Normal,
    Uniform,
    XavierNormal,
    XavierUniform,
)

ConstantInitializer = Constant
NormalInitializer = Normal
NumpyArrayInitializer = Assign
UniformInitializer = Uniform
Xavier = XavierUniform

__all__ = [
    "Assign",
    "Constant",
    "ConstantInitializer",
    "Initializer",
    "Normal",
    "NormalInitializer",
    "NumpyArrayInitializer",
    "Uniform",
    "UniformInitializer",
    "Xavier",
    "XavierNormal",
    "XavierUniform",
]
