"""Pass `parameter_folding`: run operators on parameters once, for inference.

A bias reshaped to the channels of an image, or the embeddings of constant positions,
would otherwise be computed again in every run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.op import GradOp
from teachgraph.passes.constants import constant_of
from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import Graph, pure
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Work
from teachgraph.static.variable import EMPTY

__all__ = ["parameter_folding"]


@register("parameter_folding")
def parameter_folding(work: Work) -> None:
    """Compute once what follows from parameters, for inference; it needs the scope.

    The result becomes a parameter itself, unless it is larger than the inputs.
    """
    graph = work.graph
    if graph.scope is None:
        return
    for at, operator in graph.walk():
        value = folded(graph, operator, at)
        if value is None:
            continue
        name = graph.add_constant(f"{operator.output_arg_names[0]}.folded", value)
        places = [graph.writer(read, at) for read in operator.input_arg_names]
        if not work.drop(at, name, [place for place in places if place is not None]):
            graph.live_out.discard(name)


def folded(graph: Graph, operator: Derived, at: int) -> Any:
    """Compute the result of an operator on parameters, None if it is unknown."""
    op, names = operator.op, operator.input_arg_names
    if isinstance(op, GradOp) or not pure(operator) or EMPTY in names:
        return None
    result, *others = operator.output_arg_names
    if not graph.temporary(result) or not all(map(graph.is_unused, others)):
        return None
    values = {name: value_of(graph, name, at) for name in names}
    if any(v is None for v in values.values()) or not names:
        return None
    arguments = op.arguments(
        {
            slot: [values[n] for n in slotted]
            for slot, slotted in operator.inputs.items()
        }
    )
    try:
        out = op.context().run(op.kernel, *arguments, **operator.own_attrs)
    except Exception:  # the run raises it, with the user's line
        return None
    value = np.array(out[0] if isinstance(out, tuple) else out)
    return value if value.size <= sum(v.size for v in values.values()) else None


def value_of(graph: Graph, name: str, at: int) -> Any:
    """Return the value of a name if it is the same in every run, else None."""
    if graph.writes.get(name):
        return constant_of(graph, name, at)
    known = graph.variable(name).persistable
    return graph.scope.values.get(name) if known else None
