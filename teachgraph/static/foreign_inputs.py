"""Inputs of static ops that are no Variables: arrays, numbers, and traced Tensors.

An array or a number becomes a constant of the program. While a function is traced into
a program, a Tensor that meets one of its Variables becomes a Variable as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from teachgraph.core import build, dtypes
from teachgraph.core.op import Op, Traced
from teachgraph.core.program import Block
from teachgraph.errors import MixedModeError
from teachgraph.ops import naming
from teachgraph.ops.creation import assign_value

__all__ = ["adopting"]


@build.adopt.wrap
def adopting(refuse: Any) -> Any:
    """Adopt arrays, and Tensors while a function is traced."""

    def adopt(
        block: Block,
        op: Op,
        value: Any,
        inputs: Sequence[Any],
        attrs: Mapping[str, Any],
    ) -> Any:
        if not isinstance(value, Traced):
            return constant_variable(block, value, inputs)
        if (adopt_tensor := tracer_of(block)) is not None:
            return adopt_tensor(value)
        raise op.explain(inputs, attrs, MixedModeError())

    return adopt


def tracer_of(block: Block) -> Any:
    """The function that adopts Tensors into a program, None if nothing is traced."""
    return getattr(block.program, "adopt", None)


def constant_variable(block: Block, value: Any, inputs: Sequence[Any]) -> Any:
    """An array or a number as an `assign_value` operator."""
    array = np.asarray(value)
    dtype = dtype_beside(inputs, value) or array.dtype
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype)]
    attrs = {"values": array.flatten(), "shape": list(array.shape), "dtype": code}
    with naming.plain("assign"):
        return build.append(block, assign_value, (), attrs)


def dtype_beside(inputs: Sequence[Any], value: Any) -> Any:
    """The dtype that a bare number takes among these inputs."""
    if not isinstance(value, (bool, int, float)):
        return None
    # A Tensor will do: beside one that is still to be adopted there is no Variable.
    return next(x.dtype_beside(value) for x in inputs if hasattr(x, "dtype_beside"))
