"""Writes of a body to captured variables: once each, at its end.

An operator that writes one in between writes a variable of the block instead, which the
operators after it read: so every value of an iteration is left for backward.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from teachgraph.control_flow.sub_block import (
    append_assign,
    in_sight,
    replace_name,
    sub_block_of,
)
from teachgraph.core import unique_name
from teachgraph.core.program import EMPTY, Block, Operator, Slots, Variable

__all__ = ["assign_back", "redirect_writes", "renamed"]


def redirect_writes(
    block: Block, names: Collection[str] | None = None
) -> dict[str, Variable]:
    """Redirect a body's writes of captured variables to variables of the block.

    Args:
        block: The body.
        names: The captured variables; by default all, but for those that a branch
            writes in place.

    Returns:
        The newest variable for the name of each that is yet to be assigned.
    """
    fixed = written_in_place(block)
    latest: dict[str, str] = {}
    for operator in block.ops:
        rename(operator.inputs, latest)
        rename_inside(operator, latest)
        new = {
            name: local_copy(block, name)
            for name in operator.output_arg_names
            if name not in block.vars
            and name not in fixed
            and name != EMPTY
            and (names is None or name in names)
        }
        rename(operator.outputs, new)
        rename_inside(operator, before_and_after(latest, new))
        latest.update(new)
    return {name: block.vars[newest] for name, newest in latest.items()}


def before_and_after(
    latest: Mapping[str, str], new: Mapping[str, str]
) -> dict[str, str]:
    """New names for variables that stand under their old names, or the latest."""
    return {**new, **{latest[name]: new[name] for name in new if name in latest}}


def written_in_place(block: Block) -> set[str]:
    """The variables that branches, or gradients of loops, know by their name alone."""
    names: set[str] = set()
    for operator in block.ops:
        if operator.type == "conditional_block":
            names.update(operator.output_arg_names)
        elif sub_block_of(operator) is not None and operator.type.endswith("_grad"):
            names.update(operator.inputs["Out"])
    return names


def rename(slots: Slots, names: Mapping[str, str]) -> None:
    """Put other variables in the place of some."""
    for slot, old in slots.items():
        slots[slot] = [names.get(name, name) for name in old]


def rename_inside(operator: Operator, names: Mapping[str, str]) -> None:
    """Put other variables in the place of some that an operator's block knows."""
    block = sub_block_of(operator)
    if block is None or not names:
        return
    hidden = {name for seen in in_sight(block) for name in seen.vars}
    seen = {old: new for old, new in names.items() if old not in hidden}
    for inner in block.ops:
        rename(inner.inputs, seen)
        rename(inner.outputs, seen)
        rename_inside(inner, seen)


def renamed(block: Block, old: str, new: str) -> None:
    """Give a variable of a block another name, there and in the blocks inside."""
    variable = block.vars.pop(old)
    variable._name = new
    block.vars[new] = variable
    for operator in block.ops:
        replace_name(operator, old, new)
        rename_inside(operator, {old: new})


def assign_back(block: Block, latest: Mapping[str, Variable]) -> None:
    """Append assignments of the captured variables that a block has changed."""
    for name, newest in latest.items():
        append_assign(block, newest.name, name)


def local_copy(block: Block, name: str) -> str:
    """Create a variable of the block like a captured one."""
    like = block._var_recursive(name)
    return block.create_var(
        unique_name.generate(name),
        like.shape,
        like.dtype,
        stop_gradient=like.stop_gradient,
        type=like.type,
    ).name
