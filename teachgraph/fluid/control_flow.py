"""Paddle 1.x's control flow: `While`, conditions written in place, tensor arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.control_flow import arrays
from teachgraph.control_flow.arrays import (
    array_length,
    array_read,
    array_write,
    create_array,
)
from teachgraph.control_flow.cond import case, cond, switch_case
from teachgraph.control_flow.dynamic_rnn import DynamicRNN
from teachgraph.control_flow.if_else import IfElse
from teachgraph.control_flow.loop import While, while_loop
from teachgraph.control_flow.static_rnn import StaticRNN
from teachgraph.control_flow.sub_block import as_variable
from teachgraph.control_flow.switch import Switch
from teachgraph.core.op import find
from teachgraph.ops import functions
from teachgraph.static.print_assert import Assert, Print

__all__ = [
    "Assert",
    "DynamicRNN",
    "IfElse",
    "Print",
    "StaticRNN",
    "Switch",
    "While",
    "array_length",
    "array_read",
    "array_write",
    "case",
    "cond",
    "create_array",
    "equal",
    "greater_equal",
    "greater_than",
    "increment",
    "less_equal",
    "less_than",
    "not_equal",
    "switch_case",
    "tensor_array_to_tensor",
    "while_loop",
]


def comparison(type: str) -> Callable[..., Any]:
    """Return a comparison that can write its result to an existing condition."""

    def compare(x: Any, y: Any, cond: Any = None, force_cpu: Any = None) -> Any:
        if cond is None:
            return getattr(functions, type)(x, y)
        return cond.written_by(find(type), as_variable(x), as_variable(y))

    compare.__name__ = type
    compare.__doc__ = f"Compute `{type}` element by element, into `cond` if present."
    return compare


equal = comparison("equal")
greater_equal = comparison("greater_equal")
greater_than = comparison("greater_than")
less_equal = comparison("less_equal")
not_equal = comparison("not_equal")


def less_than(x: Any, y: Any, force_cpu: Any = None, cond: Any = None) -> Any:
    """Compute `less_than` element by element, into `cond` if present."""
    return comparison("less_than")(x, y, cond)


def increment(x: Any, value: float = 1.0, in_place: bool = True) -> Any:
    """Compute x + value; `in_place` stores it in `x`."""
    if in_place:
        return functions.increment(x, value)
    return functions.cast(x + value, x.dtype)  # a counter plus 1.0 stays whole


def tensor_array_to_tensor(
    input: Any, axis: int = 1, name: Any = None, use_stack: bool = False
) -> tuple[Any, Any]:
    """Join the parts of an array along an axis; returns their sizes along it too."""
    return arrays.tensor_array_to_tensor(input, axis, use_stack)
