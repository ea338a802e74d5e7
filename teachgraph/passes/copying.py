"""Copies of programs that passes rewrite, with the origin of each operator.

The user's program is never changed. Each operator of the copy lists the operators of
that program whose work it does: one at first, several after a fusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from teachgraph.control_flow.place_seeds import place_seed
from teachgraph.core.callsite import Callsite
from teachgraph.core.observe import announce
from teachgraph.static.block import Block
from teachgraph.static.clone import copy_variable
from teachgraph.static.operator import Operator
from teachgraph.static.program import Program

__all__ = ["Derived", "Origin", "copied"]


class Origin(NamedTuple):
    """An operator of the user's program: its place, its type and its line."""

    idx: int
    type: str
    callsite: Callsite | None

    def __str__(self) -> str:
        where = "" if self.callsite is None else f" ({self.callsite.short})"
        return f"#{self.idx} {self.type}{where}"


class Derived(Operator):
    """An operator of a rewritten program.

    Attributes:
        origin: The operator of the user's program that it is a copy of, if it is one.
        sources: The operators whose work it does, if a rewrite has made it.
    """

    origin: Origin | None = None
    sources: Sequence[Derived] = ()

    @property
    def origins(self) -> list[Origin]:
        """The operators of the user's program whose work it does, in their order."""
        seen: dict[Derived, None] = {self: None}
        stack = [self]
        while stack:
            new = [source for source in stack.pop().sources if source not in seen]
            seen.update(dict.fromkeys(new))
            stack += new
        origins = {source.origin for source in seen if source.origin is not None}
        return sorted(origins, key=lambda origin: origin.idx)


def copied(program: Program, copy: Program) -> None:
    """Fill an empty program with the blocks of another one.

    A random operator's seed follows from its place in its program, so the copy gets
    the seed of the original as an attribute.
    """
    copy.random_seed = program.random_seed
    copy.asked = program.asked
    copy.op_role = program.op_role
    for source in program.blocks[1:]:
        copy._create_block(source.parent_idx)
    copy.current_block_idx = 0
    for source, target in zip(program.blocks, copy.blocks, strict=True):
        target.forward_block_idx = source.forward_block_idx
        target.backward_block_idx = source.backward_block_idx
        for variable in source.vars.values():
            copy_variable(variable, target)
        copy_operators(source, target)


def copy_operators(source: Block, target: Block) -> None:
    """Append a copy of every operator of a block."""
    copies: dict[Operator, Operator] = {}
    for place, operator in enumerate(source.ops):
        copy = derived(operator, place, target)
        copy.twin = operator.twin and copies.get(operator.twin, operator.twin)
        if (seed := place_seed(operator, place)) is not None:
            copy.attrs["seed"] = seed
        copies[operator] = copy
        target.ops.append(copy)
        announce("operator_inserted", copy, place)
    target.program.touch()


def derived(operator: Operator, place: int, target: Block) -> Derived:
    """Copy an operator into another block, with its origin."""
    copy = Derived(
        target,
        operator.type,
        {slot: list(names) for slot, names in operator.inputs.items()},
        {slot: list(names) for slot, names in operator.outputs.items()},
        {name: copied_attribute(value) for name, value in operator.attrs.items()},
    )
    copy.callsite = operator.callsite
    if isinstance(operator, Derived):
        copy.sources = (operator,)
    else:
        copy.origin = Origin(place, operator.type, operator.callsite)
    return copy


def copied_attribute(value: Any) -> Any:
    """Copy a mutable attribute."""
    return list(value) if isinstance(value, list) else value
