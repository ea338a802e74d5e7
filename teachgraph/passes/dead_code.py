"""Pass `dead_code`: remove operators whose results are unused."""

from __future__ import annotations

from teachgraph.passes.graph import pure
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Work
from teachgraph.static.operator import Operator

__all__ = ["dead_code"]


@register("dead_code")
def dead_code(work: Work) -> None:
    """Leave out what nobody needs.

    Needed are the fetched and the persistable variables, and those that they depend on.
    An operator that draws random numbers stays, since later ones would draw others
    without it; so does one that calls a function of the user's.
    """
    graph = work.graph
    for at in reversed(range(len(graph.ops))):
        operator = graph.ops[at]
        if operator is None or not removable(operator):
            continue
        if all(graph.useless(name, at) for name in operator.output_arg_names):
            graph.remove(at)
            work.note([operator], [], "")


def removable(operator: Operator) -> bool:
    """True if an operator does nothing but write its outputs."""
    return pure(operator) or (operator.op.random and bool(operator.attrs.get("seed")))
