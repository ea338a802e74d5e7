"""Pass `gradient_sum`: accumulate gradients as they come, instead of in one sum.

    g0 = ...; g1 = ...; g2 = ...; g = g0 + g1 + g2
    g0 = ...; g1 = ...; s = g0 + g1; g2 = ...; g = s + g2

A weight that many layers share has a gradient from each of them. The memory of the
second form does not grow with their number, and each sum can reuse the last one's.
"""

from __future__ import annotations

from collections.abc import Sequence

from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import Graph
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import NewOperator, Work

__all__ = ["gradient_sum"]

LARGE = 1 << 16
"""With fewer bytes, the calls cost more than the memory saves."""


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
    """Replace a sum of many terms by sums of two, each right after its later term.

    If all terms are computed just before the sum, nothing is gained.
    """
    graph, terms = work.graph, operator.input("X")
    writers = [graph.writer(term, at) for term in terms]
    places = [place for place in writers if place is not None]
    single = all(graph.temporary(term) for term in terms)
    if len(places) < len(terms) or not single or not large(graph, terms[0]):
        return
    ready = [max(places[: count + 1]) for count in range(len(terms))]
    if ready[1] == ready[-1]:
        return
    total, sums = terms[0], []
    for term, place in zip(terms[1:-1], ready[1:-1], strict=True):
        inputs, total = [total, term], partial_sum(graph, total)
        sums.append(work.derived(sum_operator(inputs, [total]), [operator]))
        graph.insert_after(place, sums[-1])
    last = sum_operator([total, terms[-1]], operator.output("Out"))
    sums.append(work.derived(last, [operator]))
    graph.replace(at, sums[-1:])
    work.note([operator], sums, "")


def sum_operator(terms: Sequence[str], out: Sequence[str]) -> NewOperator:
    """Build a `sum` operator."""
    return NewOperator("sum", {"X": terms}, {"Out": out}, {})


def large(graph: Graph, name: str) -> bool:
    """True if a value has enough bytes, each unknown size taken as 1."""
    return graph.variable(name).spec.nbytes() >= LARGE


def partial_sum(graph: Graph, like: str) -> str:
    """Create a variable for a partial sum."""
    variable = graph.variable(like)
    return graph.new(like, variable.shape, variable.dtype)
