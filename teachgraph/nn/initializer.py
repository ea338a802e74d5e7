"""Paddle 2's `nn.initializer`: initial values of parameters."""

from typing import TYPE_CHECKING

from teachgraph.ops.initializer import (
    Assign,
    Bilinear,
    Constant,
    Dirac,
    Initializer,
    KaimingNormal,
    KaimingUniform,
    Normal,
    Orthogonal,
    TruncatedNormal,
    Uniform,
    XavierNormal,
    XavierUniform,
    calculate_gain,
    set_global_initializer,
)
from teachgraph.ops.left_out import absent
from teachgraph.ops.paddle_modules import known_as

__all__ = [
    "Assign",
    "Bilinear",
    "Constant",
    "Dirac",
    "Initializer",
    "KaimingNormal",
    "KaimingUniform",
    "Normal",
    "Orthogonal",
    "TruncatedNormal",
    "Uniform",
    "XavierNormal",
    "XavierUniform",
    "calculate_gain",
    "set_global_initializer",
]

__path__: list[str] = []
"""Of no modules: Python asks for one where a name is missing."""

if not TYPE_CHECKING:
    __getattr__ = absent("nn.initializer")

known_as("nn.initializer")
