"""Leave out what nobody needs."""

from __future__ import annotations

from teachgraph.passes.graph import pure
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Work
from teachgraph.static.operator import Operator

__all__ = ["dead_code"]


@register("dead_code")
def dead_code(work: Work) -> None:
    """Leave out what nobody needs.

    What is needed is what is fetched, what outlives the run, and what these are made
    of. An operator that draws random numbers stays, since later ones would draw others
    without it; and so does one that calls the user's own function.
    """
    graph = work.graph
    for at in reversed(range(len(graph.ops))):
        operator = graph.ops[at]
        if operator is None or not spare(operator):
            continue
        if all(graph.useless(name, at) for name in operator.output_arg_names):
            graph.remove(at)
            work.note([operator], [], "")


def spare(operator: Operator) -> bool:
    """Whether an operator does nothing but write its outputs."""
    return pure(operator) or (operator.op.random and bool(operator.attrs.get("seed")))
