"""Inlining: a loaded program becomes part of the program that is being traced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.control_flow.sub_block import sub_block_of, traced_into
from teachgraph.core import unique_name
from teachgraph.core.program import Block, Operator, Variable
from teachgraph.jit.model import Traced
from teachgraph.jit.outputs import filled
from teachgraph.jit.tracing import Tracer, as_variable
from teachgraph.static.program import current_block

__all__ = ["inlined"]

NameMap = Mapping[str, Variable]
"""Variables of the traced program, by their names in the loaded one."""


def inlined(
    traced: Traced,
    feeds: Sequence[str],
    inputs: Sequence[Any],
    held: Mapping[str, Tensor],
    tracer: Tracer,
) -> Any:
    """Append a loaded program's operators to the traced one; return its results.

    Args:
        traced: The loaded program and its results.
        feeds: The names of its fed variables.
        inputs: The values that replace them.
        held: Its parameters and buffers, which the traced program adopts.
        tracer: The tracer of the traced program.
    """
    variables = {name: as_variable(x) for name, x in zip(feeds, inputs, strict=True)}
    variables |= {name: tracer.adopt(tensor) for name, tensor in held.items()}
    block = traced.program.global_block()
    variables = dict(copy_operators(block, current_block(), variables))
    fetched = [variables[v.name] for v in traced.results.variables]
    return filled(traced.results.tree, fetched)


def copy_operators(source: Block, target: Block, outer: NameMap) -> NameMap:
    """Append a block's operators to another one, with variables of fresh names.

    Args:
        source: The block to copy.
        target: The block to append to.
        outer: Variables for names from outside the source block.

    Returns:
        Variables for all its names.
    """
    name_map = dict(outer)
    for name, old in source.vars.items():
        # A sub-block may have a variable of its own under an outer name.
        if name not in outer or source.idx:
            name_map[name] = target.create_var(
                unique_name.generate(name),
                old.shape,
                old.dtype,
                stop_gradient=old.stop_gradient,
                type=old.type,
            )
    for operator in source.ops:
        append(operator, target, name_map)
    return name_map


def append(operator: Operator, target: Block, name_map: NameMap) -> None:
    """Append a copy of an operator, and of its sub-block."""
    attrs = deepcopy(operator.attrs)
    if (inner := sub_block_of(operator)) is not None:
        with traced_into(target) as block:
            copy_operators(inner, block, name_map)
        attrs = {name: remapped(value, name_map) for name, value in attrs.items()}
        attrs["sub_block"] = block.idx
    inputs, outputs = (
        {slot: remapped(names, name_map) for slot, names in slots.items()}
        for slots in (operator.inputs, operator.outputs)
    )
    copied = target.insert(len(target.ops), operator.type, inputs, outputs, attrs)
    copied.callsite = operator.callsite


def remapped(value: Any, name_map: NameMap) -> Any:
    """Replace names in a list by those of the traced program; keep anything else."""
    if not isinstance(value, list):
        return value
    return [
        name_map[name].name if isinstance(name, str) and name in name_map else name
        for name in value
    ]
