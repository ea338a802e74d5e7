"""The copy that passes work on: a program whose operators know what they stand for.

The user's program is never touched. Each operator of the copy names the operators of
that program whose work it does: itself at first, several after a fusion.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from teachgraph.control_flow.place_seeds import place_seed
from teachgraph.core.callsite import Callsite
from teachgraph.core.observe import announce
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator
from teachgraph.static.program import Program

__all__ = ["Derived", "Origin", "copied"]


class Origin(NamedTuple):
    """An operator of the user's program: its place there, its type, its line."""

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
        """The operators of the user's program that it stands for, in their order."""
        seen: dict[Derived, None] = {self: None}
        left = [self]
        while left:
            new = [source for source in left.pop().sources if source not in seen]
            seen.update(dict.fromkeys(new))
            left += new
        found = {made.origin for made in seen if made.origin is not None}
        return sorted(found, key=lambda origin: origin.idx)


def copied(program: Program, copy: Program) -> None:
    """Fill an empty program with the blocks of another one.

    Random operators get the seed that they would draw with in the original: it follows
    from their place there.
    """
    copy.random_seed = program.random_seed
    copy.asked = dict(program.asked)
    copy.op_role = program.op_role
    for source in program.blocks[1:]:
        copy._create_block(source.parent_idx)
    copy.current_block_idx = 0
    for source, target in zip(program.blocks, copy.blocks, strict=True):
        target.forward_block_idx = source.forward_block_idx
        target.backward_block_idx = source.backward_block_idx
        for variable in source.vars.values():
            variable.copied_into(target)
        copy_operators(source, target)


def copy_operators(source: Block, target: Block) -> None:
    """Append a copy of every operator of a block, which stands for it."""
    copies: dict[Operator, Operator] = {}
    for place, operator in enumerate(source.ops):
        made = derived(operator, place, target)
        made.twin = operator.twin and copies.get(operator.twin, operator.twin)
        if (seed := place_seed(operator, place)) is not None:
            made.attrs["seed"] = seed
        copies[operator] = made
        target.ops.append(made)
        announce("operator_inserted", made, place)
    target.program.touch()


def derived(operator: Operator, place: int, target: Block) -> Derived:
    """A copy of an operator in another block, which stands for what this one does."""
    made = Derived(
        target,
        operator.type,
        {slot: list(names) for slot, names in operator.inputs.items()},
        {slot: list(names) for slot, names in operator.outputs.items()},
        {name: own(value) for name, value in operator.attrs.items()},
    )
    made.callsite = operator.callsite
    if isinstance(operator, Derived):
        made.sources = (operator,)
    else:
        made.origin = Origin(place, operator.type, operator.callsite)
    return made


def own(value: Any) -> Any:
    """An attribute that may be changed without changing the original's."""
    return list(value) if isinstance(value, list) else value
