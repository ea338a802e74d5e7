"""Propagate `stop_gradient` anew when other weights of a program are trained.

A trace sets `stop_gradient` of each variable for the weights that were trained then.
With other weights it changes; but a variable that the trace had stopped although one of
its inputs had a gradient, as `detach` does, stays stopped.
"""

from __future__ import annotations

from collections.abc import Mapping

from teachgraph.jit.model import Traced
from teachgraph.static.block import Block
from teachgraph.static.operator import Operator

__all__ = ["unfrozen"]


def unfrozen(traced: Traced, stopped: Mapping[str, bool]) -> Traced:
    """Return a program with other weights trained; the same one if they are not other.

    Args:
        traced: The program and its results.
        stopped: The `stop_gradient` of each weight.
    """
    block = traced.program.global_block()
    if all(block.var(name).stop_gradient == stop for name, stop in stopped.items()):
        return traced
    program = traced.program.clone()
    for name, stop in stopped.items():
        program.global_block().var(name).stop_gradient = stop
    for old, new in zip(traced.program.blocks, program.blocks, strict=True):
        for before, after in zip(old.ops, new.ops, strict=True):
            propagate(old, before, new, after)
    return traced.of(program)


def propagate(old: Block, before: Operator, new: Block, after: Operator) -> None:
    """Set `stop_gradient` of an operator's outputs, if that of its inputs differs."""
    passed_before, passes_now = any_gradient(old, before), any_gradient(new, after)
    if passed_before == passes_now:
        return
    for name in after.output_arg_names:
        variable = new._find_var_recursive(name)
        if variable is None or variable.persistable or variable.dtype.kind != "f":
            continue
        if not passed_before or not old._var_recursive(name).stop_gradient:
            variable.stop_gradient = not passes_now


def any_gradient(block: Block, operator: Operator) -> bool:
    """True if an input of an operator requires a gradient."""
    inputs = map(block._find_var_recursive, operator.input_arg_names)
    return any(v is not None and not v.stop_gradient for v in inputs)
