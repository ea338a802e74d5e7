"""Add up gradients as they come, instead of keeping all of them for one sum.

    g0 = ...; g1 = ...; g2 = ...; g = g0 + g1 + g2
    g0 = ...; g1 = ...; s = g0 + g1; g2 = ...; g = s + g2

A weight that a loop of layers shares has a gradient from each of them. What the second
form keeps does not grow with their number, and each sum can be written over the last.
"""

from __future__ import annotations

from collections.abc import Sequence

from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import Graph
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Step, Work

__all__ = ["gradient_sum"]

LARGE = 1 << 16
"""Of fewer bytes it saves less than the calls cost."""


@register("gradient_sum")
def gradient_sum(work: Work) -> None:
    """Add up gradients as they come, so that few are kept at a time.

    The terms are added in the same order, so the sum is the same to the last bit.
    """
    graph = work.graph
    for at, operator in list(graph.walk()):
        if operator.type == "sum" and len(operator.input("X")) > 2:
            spread_out(work, at, operator)


def spread_out(work: Work, at: int, operator: Derived) -> None:
    """Put a sum of two in place of a sum of many, and the others where terms are made.

    If all terms are made just before it, nothing is won.
    """
    graph, terms = work.graph, operator.input("X")
    made = [graph.writer(term, at) for term in terms]
    places = [place for place in made if place is not None]
    single = all(graph.temporary(term) for term in terms)
    if len(places) < len(terms) or not single or not large(graph, terms[0]):
        return
    ready = [max(places[: count + 1]) for count in range(len(terms))]
    if ready[1] == ready[-1]:
        return
    total, steps = terms[0], []
    for term, place in zip(terms[1:-1], ready[1:-1], strict=True):
        inputs, total = [total, term], another(graph, total)
        steps.append(work.step(added(inputs, [total]), [operator]))
        graph.put_after(place, steps[-1])
    last = added([total, terms[-1]], operator.output("Out"))
    steps.append(work.step(last, [operator]))
    graph.replace(at, steps[-1:])
    work.note([operator], steps, "")


def added(terms: Sequence[str], out: Sequence[str]) -> Step:
    """A sum."""
    return Step("sum", {"X": terms}, {"Out": out}, {})


def large(graph: Graph, name: str) -> bool:
    """Whether a value has enough bytes, if each unknown size is 1."""
    return graph.variable(name).spec.nbytes() >= LARGE


def another(graph: Graph, like: str) -> str:
    """A variable for a sum so far."""
    variable = graph.variable(like)
    return graph.new(like, variable.shape, variable.dtype)
