"""Which values of a program a gradient goes through, when other weights are trained.

A trace notes of each value whether a gradient goes through it, given the weights that
were trained then. With others it is worked out anew; only where the trace had cut a
value off although something behind it was trained, as `detach` does, it stays cut off.
"""

from __future__ import annotations

from collections.abc import Mapping

from teachgraph.jit.model import Traced
from teachgraph.jit.outputs import Outputs
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator

__all__ = ["unfrozen"]


def unfrozen(traced: Traced, stopped: Mapping[str, bool]) -> Traced:
    """A program in which a gradient goes to these weights and not to those.

    Args:
        traced: The program and its results.
        stopped: For each weight, whether no gradient goes to it.
    """
    block = traced.program.global_block()
    if all(block.var(name).stop_gradient == stop for name, stop in stopped.items()):
        return traced
    program = traced.program.clone()
    for name, stop in stopped.items():
        program.global_block().var(name).stop_gradient = stop
    for old, new in zip(traced.program.blocks, program.blocks, strict=True):
        for before, after in zip(old.ops, new.ops, strict=True):
            work_out(old, before, new, after)
    results = Outputs()
    results.nest = traced.results.nest
    find = program.global_block().var
    results.variables = [find(v.name) for v in traced.results.variables]
    return Traced(program, results)


def work_out(old: Block, before: Operator, new: Block, after: Operator) -> None:
    """Say of an operator's results whether a gradient goes through them now."""
    passed_before, passes_now = lets_through(old, before), lets_through(new, after)
    if passed_before == passes_now:
        return
    for name in after.output_arg_names:
        variable = new._find_var_recursive(name)
        if variable is None or variable.persistable or variable.dtype.kind != "f":
            continue
        if not passed_before or not old._var_recursive(name).stop_gradient:
            variable.stop_gradient = not passes_now


def lets_through(block: Block, operator: Operator) -> bool:
    """Whether a gradient goes to anything that an operator reads."""
    found = map(block._find_var_recursive, operator.input_arg_names)
    return any(v is not None and not v.stop_gradient for v in found)
