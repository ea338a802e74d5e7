"""The passes that an Executor makes over a program before it runs it."""

from __future__ import annotations

from collections.abc import Sequence

from teachgraph.autograd.observed import unwatched
from teachgraph.core import program as core
from teachgraph.core.op import GradOp
from teachgraph.passes.registry import DEFAULT, apply_pass
from teachgraph.static.order import check_order
from teachgraph.static.program import Program

__all__ = ["default_passes"]

REWRITTEN = frozenset(
    {
        "assign",
        "cast",
        "dropout",
        "fill_any_like",
        "fill_zeros_like",
        "pow",
        "reshape2",
        "scale",
        "shape",
        "size",
        "transpose2",
    }
)
"""Types of operators that a default pass may rewrite whatever they read."""

CONSTANTS = ("assign_value", "fill_constant")


def default_passes(program: core.Program, fetches: Sequence[str]) -> core.Program:
    """A copy of a program after the default passes; itself if they find nothing."""
    if not isinstance(program, Program) or not can_be_rewritten(
        program.global_block().ops
    ):
        return program
    check_order(program.global_block())
    with unwatched():
        return apply_pass(program, DEFAULT, fetches=fetches, checked=False)


def can_be_rewritten(operators: Sequence[core.Operator]) -> bool:
    """Tell whether a default pass may find something to do.

    It may where an operator's type says so, where one reads a constant, or where two
    are alike. To look costs a hundredth of a copy of the program.
    """
    # First what takes the least time to find out.
    if any(op.type in REWRITTEN or is_long_sum(op) for op in operators):
        return True
    constants, seen = set[str](), set[tuple[object, ...]]()
    for operator in operators:
        reads = operator.input_arg_names
        if operator.type in CONSTANTS:
            constants.update(operator.output_arg_names)
        if not constants.isdisjoint(reads) and not isinstance(operator.op, GradOp):
            return True
        key = (operator.type, *reads, None, repr(operator.own_attrs))
        if reads and key in seen:
            return True
        seen.add(key)
    return False


def is_long_sum(operator: core.Operator) -> bool:
    """Tell whether an operator adds more than two terms."""
    return operator.type == "sum" and len(operator.input_arg_names) > 2
