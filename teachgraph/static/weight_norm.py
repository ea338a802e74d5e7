"""Weight normalisation in a program: a weight as a length and a direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core import unique_name
from teachgraph.core.build import new_parameter
from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.core.ops import elementwise_mul
from teachgraph.ops import naming
from teachgraph.ops.elementwise import elementwise_div
from teachgraph.ops.initializer import Initializer
from teachgraph.ops.lengths import lengths, squares_of
from teachgraph.ops.math import pow_
from teachgraph.ops.param_attr import WeightNormParamAttr
from teachgraph.static.program import (
    current_block,
    default_main_program,
    default_startup_program,
    program_guard,
)
from teachgraph.static.variable import Parameter, Variable

__all__ = ["normalised"]

PARTS = ("abs", "pow", "sum", "norm")
"""Paddle's names of the intermediate values of a norm."""


def normalised(
    layer: str,
    name: str,
    shape: Sequence[int],
    dtype: Any,
    attr: WeightNormParamAttr,
    initializer: Initializer,
) -> Variable:
    """w = g v / |v|: a weight of a layer, made of two new parameters.

    Raises:
        InvalidValueError: The weight has no such dimension.
        ModeError: A function is traced, whose parameters belong to layers.
    """
    dim = attr.dim
    if dim is not None and not 0 <= dim < len(shape):
        reason = f"WeightNormParamAttr: no dimension {dim} in a weight {list(shape)}"
        raise InvalidValueError.here(reason)
    if default_main_program().adopt is not None:
        reason = "WeightNormParamAttr: give a layer to nn.utils.weight_norm instead"
        raise ModeError.here(reason)
    sizes = [size if i == dim else 1 for i, size in enumerate(shape)]
    g = current_block().create_parameter(f"{name}_g", sizes, dtype, attr)
    v: Any = new_parameter.call(f"{name}_v", shape, dtype, attr, initializer)
    begin_as_length(layer, g, v, dim)
    with naming.scope(called(layer)):
        divisor = lengths(v, dim)
    with naming.plain("elementwise_div"):
        ratio = elementwise_div(g, divisor)
    with naming.plain("elementwise_mul"):
        return elementwise_mul(v, ratio)  # type: ignore[no-any-return]


def called(layer: str) -> naming.Namer:
    """The names, after the layer, of the values on the way to a length."""
    keys = iter(PARTS)
    return lambda _: unique_name.generate(f"{layer}.weight_norm_{next(keys)}")


def begin_as_length(layer: str, g: Parameter, v: Parameter, dim: int | None) -> None:
    """Let the startup program set g to the lengths of what v starts as."""
    startup = default_startup_program()
    block = startup.global_block()
    if block.has_var(g.name):
        return
    first = block.create_parameter(g.name, g.shape, g.dtype)
    with program_guard(startup), naming.scope(called(layer)):
        squares = squares_of(block.var(v.name), dim)
    block.append_op(pow_.type, {"X": squares}, {"Out": first}, {"factor": 0.5})
