"""Check of the operators' order: each must find the values that it reads."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from teachgraph.control_flow.sub_block import (
    handed_in,
    in_sight,
    parent_of,
    position_of,
    sub_block_of,
)
from teachgraph.core.errors import ProgramError
from teachgraph.core.program import EMPTY, Block, Operator

__all__ = ["check_order", "first_writer"]


def check_order(block: Block, outside: AbstractSet[str] = frozenset()) -> None:
    """Refuse a block in which something is used before it is defined.

    What is fed or outlives a run has a value from the start. A loop's block is handed
    the loop variables, and a block that goes back over another what that one left.

    Args:
        block: The block; those that its operators enter are looked at where they do.
        outside: The variables around it that have values by then.

    Raises:
        ProgramError: An operator reads what has no value by then. It names the line
            that appended the operator.

    >>> from teachgraph import static
    >>> block = static.Program().global_block()
    >>> x, y = block.create_var("x", [2]), block.create_var("y", [2])
    >>> relu = block.append_op("relu", {"X": x}, {"Out": y})
    >>> check_order(block)
    Traceback (most recent call last):
    ...
    teachgraph.core.errors.ProgramError: relu reads 'x' before it has a value...
    """
    known = {*outside, *initial_variables(block)}
    for operator in block.ops:
        if (inside := sub_block_of(operator)) is not None:
            check_order(inside, known.union(handed_in(operator)))
        for name in operator.input_arg_names:
            if name != EMPTY and (name not in known or unseen(block, name)):
                raise unknown(operator, name)
        known.update(operator.output_arg_names)


def initial_variables(block: Block) -> Iterator[str]:
    """The variables of a block that have values before its first operator runs."""
    own, *before = in_sight(block)
    for seen in before:
        yield from seen.vars
    written = {name for operator in own.ops for name in operator.output_arg_names}
    for name, variable in own.vars.items():
        if variable.persistable or variable.is_data or (before and name not in written):
            yield name


def unknown(operator: Operator, name: str) -> ProgramError:
    """The error for an operator that reads a variable without a value."""
    if unseen(operator.block, name):
        reason = "no variable of that name can be seen from its block"
    elif (writer := first_writer(operator.block, name)) is None:
        reason = "no operator writes it; feed data, or write it first"
    else:
        reason = later(operator, writer, name)
    message = f"{operator.type} reads {name!r} before it has a value: {reason}"
    return ProgramError.here(message, (operator.twin or operator).callsite)


def unseen(block: Block, name: str) -> bool:
    """Say if no variable of that name is in sight from a block."""
    return name not in block.vars and block._find_var_recursive(name) is None


def later(operator: Operator, writer: Operator, name: str) -> str:
    """Why an operator that comes later does not help, or comes too late."""
    where = "" if writer.callsite is None else f" of {writer.callsite.short}"
    if name_reached(operator, name):
        return (
            f"{writer.type}{where}, which writes it, needs in turn what "
            f"{operator.type} gives, so no order would do"
        )
    return f"{writer.type}{where} writes it only later; insert this operator after it"


def first_writer(block: Block | None, name: str) -> Operator | None:
    """The first operator of a block, or else of one around it, to write a variable."""
    while block is not None:
        for operator in block.ops:
            if name in operator.output_arg_names:
                return operator
        block = parent_of(block)
    return None


def name_reached(operator: Operator, name: str) -> bool:
    """Say if a variable depends, directly or not, on what an operator writes."""
    reached = set(operator.output_arg_names)
    for other in operator.block.ops[position_of(operator) + 1 :]:
        if not reached.isdisjoint(other.input_arg_names):
            reached.update(other.output_arg_names)
    return name in reached
