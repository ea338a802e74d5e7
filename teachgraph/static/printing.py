"""Programs as text, as Paddle prints them."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.program import Block, Operator, Parameter, Slots, Variable

__all__ = ["block_text", "operator_line", "variable_line"]


def variable_line(variable: Variable) -> str:
    """The line of a variable."""
    word = "trainable param" if isinstance(variable, Parameter) else "var"
    head = f"{'persist ' * variable.persistable}{word} {variable.name} : "
    if variable.type == "STEP_SCOPES":
        return head + variable.type
    return (
        f"{head}{variable.type}.shape{variable.shape}"
        f".dtype({variable.dtype}).stop_gradient({variable.stop_gradient})"
    )


def operator_line(operator: Operator) -> str:
    """The line of an operator: slots and attributes in the order of their names."""
    attrs = "".join(
        f", {name} = {shown(value) if name != 'sub_block' else f'block[{value}]'}"
        for name, value in sorted(operator.attrs.items())
    )
    inputs, outputs = shown_slots(operator.inputs), shown_slots(operator.outputs)
    return f"{{{outputs}}} = {operator.type}(inputs={{{inputs}}}{attrs})"


def shown_slots(slots: Slots) -> str:
    """Slots in the order of their names."""
    return ", ".join(f"{slot}={names}" for slot, names in sorted(slots.items()))


def shown(value: Any) -> str:
    """An attribute as text: strings bare, arrays by size, all else as Python does."""
    if isinstance(value, np.ndarray):
        return f"<{value.size} values>"
    return value if isinstance(value, str) else repr(value)


def block_text(block: Block) -> str:
    """A block: its variables, then its operators."""
    head = (
        f"{{ // block_idx:{block.idx}  parent_idx:{block.parent_idx}  "
        f"forward_idx:{block.forward_block_idx}  "
        f"backward_idx:{block.backward_block_idx}"
    )
    variables = [f"    {variable}" for variable in block.vars.values()]
    operators = [f"    {operator}" for operator in block.ops]
    return "\n".join([head, *variables, "", *operators, "}"])
