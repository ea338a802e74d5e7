"""Paddle 2's `nn.initializer`: what parameters start as."""

from teachgraph.ops.initializer import (
    Assign,
    Constant,
    Initializer,
    Normal,
    Uniform,
    XavierNormal,
    XavierUniform,
)

__all__ = [
    "Assign",
    "Constant",
    "Initializer",
    "Normal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
]
