"""Edits of blocks that the transpilers share: insert, copy and remove."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from teachgraph.core.op import find
from teachgraph.core.program import Slots
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator
from teachgraph.static.variable import Variable

__all__ = [
    "append",
    "append_copy",
    "copy_to",
    "insert",
    "remove_ops",
    "remove_variables",
]


def insert(
    block: Block, at: int, type: str, inputs: Slots, outputs: Slots, **attrs: Any
) -> Any:
    """Insert a new operator, with the defaults of its op."""
    complete = find(type).complete({"op_namescope": "/", **attrs})
    return block.insert(at, type, inputs, outputs, complete)


def append(block: Block, type: str, inputs: Slots, outputs: Slots, **attrs: Any) -> Any:
    """Append a new operator, with the defaults of its op."""
    return insert(block, len(block.ops), type, inputs, outputs, **attrs)


def append_copy(
    block: Block, operator: Operator, names: Mapping[str, str], **attrs: Any
) -> Operator:
    """Append a copy of an operator, outside of name scopes, with some names replaced.

    Slots that hold nothing are left out.
    """
    inputs, outputs = (
        {slot: [names.get(n, n) for n in ns] for slot, ns in side.items() if ns}
        for side in (operator.inputs, operator.outputs)
    )
    copied = {**deepcopy(operator.attrs), "op_namescope": "/", **attrs}
    copy = block.insert(len(block.ops), operator.type, inputs, outputs, copied)
    copy.callsite = operator.callsite
    return copy


def copy_to(block: Block, variable: Variable, **facts: Any) -> Any:
    """Create a variable like another one, with some facts otherwise."""
    properties = {
        "name": variable.name,
        "shape": variable.shape,
        "dtype": variable.dtype,
        "type": variable.type,
        "persistable": variable.type != "STEP_SCOPES",
        **facts,
    }
    if properties["name"] in block.vars:
        return block.vars[properties["name"]]
    return block.create_var(**properties)


def remove_ops(block: Block, operators: Sequence[Operator]) -> None:
    """Remove operators."""
    for operator in operators:
        block.remove(block.ops.index(operator))


def remove_variables(block: Block, names: set[str]) -> None:
    """Remove the variables of these names, where they are."""
    for name in [*block.vars]:
        if name in names:
            block.remove_var(name)
