"""A program cut down to what some targets need.

Operators are walked from the last to the first; one is kept if it writes something that
is needed by then, and what it reads is needed in turn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from teachgraph.control_flow.sub_block import position_of, sub_block_of
from teachgraph.core.errors import DTypeError, ProgramError
from teachgraph.core.program import Block, Operator, OpRole, Program, Variable

__all__ = ["needed_operators", "pruned"]


P = TypeVar("P", bound=Program)


def pruned(program: P, feeds: Iterable[str], targets: Iterable[Any]) -> P:
    """A copy with only the operators that the targets need, and their variables.

    Args:
        program: What to cut down.
        feeds: Names of variables that are given: what makes them is not needed.
        targets: Variables, their names, or operators.

    Raises:
        DTypeError: A feed is no name, or a target no Variable, name or operator.
        ProgramError: A target is none of this program.
    """
    names, operators = goals(program, targets)
    keep = needed_operators(program.global_block(), feed_names(feeds), names, operators)
    source: Any = program  # of the public class, which can be cloned
    copy: P = source.clone()
    block = copy.global_block()
    for operator in reversed(program.global_block().ops):
        if operator not in keep:
            block.remove(position_of(operator))
    clear(copy, reached_blocks(block))
    used = {name for op in block.ops for name in names_of(op)} | names
    block.vars = {name: v for name, v in block.vars.items() if name in used}
    copy.touch()
    return copy


def feed_names(feeds: Iterable[str]) -> set[str]:
    """The names of what is given."""
    names = set()
    for name in [feeds] if isinstance(feeds, str) else feeds:
        if not isinstance(name, str):
            raise DTypeError.here(
                "All feeded_var_names of Program._prune_with_input() can only be str, "
                f"but received {type(name)}."
            )
        names.add(name)
    return names


def goals(program: Program, targets: Iterable[Any]) -> tuple[set[str], set[Operator]]:
    """The names and the operators among the targets."""
    names: set[str] = set()
    operators: set[Operator] = set()
    several = isinstance(targets, (list, tuple, set))
    for target in targets if several else [targets]:
        if isinstance(target, Operator):
            operators.add(target)
        elif isinstance(target, (Variable, str)):
            names.add(target if isinstance(target, str) else target.name)
        else:
            raise DTypeError.here(
                "All targets of Program._prune_with_input() can only be Variable or "
                f"Operator, but received {type(target)}."
            )
    strange = {op for op in operators if op.block.program is not program}
    missing = [n for n in sorted(names) if n not in program.global_block().vars]
    if strange or missing:
        raise ProgramError.here(
            f"no targets of this program: {missing or list(strange)}"
        )
    return names, operators


def needed_operators(
    block: Block, feeds: set[str], names: Iterable[str], operators: set[Operator]
) -> set[Operator]:
    """The operators of a block that these names and operators need.

    A parameter that is named needs no update; a gradient that an update reads needs
    whatever the optimizer did to it.
    """
    named, wanted, keep = set(names) - feeds, set[str](), set()
    for operator in reversed(block.ops):
        written = operator.output_arg_names
        update = operator.role & OpRole.OPTIMIZE
        makes = not (named.isdisjoint(written) or update)
        if makes or operator in operators or not wanted.isdisjoint(written):
            keep.add(operator)
            wanted.update(set(names_of(operator)) - feeds)
    return keep


def names_of(operator: Operator) -> list[str]:
    """All variables that an operator names, itself or in the blocks it runs."""
    body = sub_block_of(operator)
    inside = [] if body is None else [n for op in body.ops for n in names_of(op)]
    return operator.input_arg_names + operator.output_arg_names + inside


def reached_blocks(block: Block) -> set[int]:
    """The numbers of a block and of all that its operators enter."""
    numbers = {block.idx}
    for operator in block.ops:
        if (inner := sub_block_of(operator)) is not None:
            numbers |= reached_blocks(inner)
    return numbers


def clear(program: Program, kept: set[int]) -> None:
    """Empty the other blocks; they stay, so that every block keeps its number."""
    for block in program.blocks:
        if block.idx not in kept:
            block.ops.clear()
            block.vars.clear()
