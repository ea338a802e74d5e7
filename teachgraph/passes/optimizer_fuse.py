"""Pass `optimizer_fuse`: update many small parameters by one operator.

A model has a bias for every layer, and an update of ten numbers takes as long as one of
a thousand: the call dominates.

    b0, m0 = momentum(b0, db0, m0, rate)          b0, b1, m0, m1 =
    b1, m1 = momentum(b1, db1, m1, rate)    ->      fused_update(b0, b1, db0, db1, ...)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import prod

from teachgraph.core.op import slot_name
from teachgraph.ops.fused_update import UPDATES
from teachgraph.passes.common_subexpressions import frozen
from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import Graph
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import NewOperator, Work

__all__ = ["optimizer_fuse"]

WORTH_IT = UPDATES - {"sgd"}
"""Updates of several calls each. For `sgd`, a product and a difference, copying the
elements to and fro costs more than the calls: fused it takes 1.2 times as long.
"""

MOST_ELEMENTS = 4096
"""Copying the elements of a larger parameter takes longer than a call."""


@register("optimizer_fuse")
def optimizer_fuse(work: Work) -> None:
    """Update small parameters of one kind, in one dtype and at one rate, together."""
    graph = work.graph
    groups: dict[Hashable, list[int]] = {}
    for at, operator in graph.walk():
        if small_update(graph, operator):
            groups.setdefault(group_key(graph, operator), []).append(at)
    for places in groups.values():
        # At the last of their places all gradients have been computed.
        last = places[-1]
        together = [at for at in places if may_wait(graph, at, last)]
        if len(together) > 1 and distinct(graph, together):
            work.put(last, [fused_update(graph, together)], together, "")


def small_update(graph: Graph, operator: Derived) -> bool:
    """True if an operator updates a small parameter, element by element."""
    if operator.type not in WORTH_IT:
        return False
    slots = [slot_name(name) for name in operator.op.inputs]
    known = all(len(operator.inputs.get(slot, ())) == 1 for slot in slots)
    return known and 0 < prod(shape_of(graph, operator)) <= MOST_ELEMENTS


def shape_of(graph: Graph, operator: Derived) -> Sequence[int]:
    """Return the shape of the parameter."""
    return graph.variable(operator.input("Param")[0]).shape


def group_key(graph: Graph, operator: Derived) -> Hashable:
    """Return the key of a group: op type, attributes, dtypes and learning rate."""
    attrs = tuple((k, frozen(v)) for k, v in sorted(operator.own_attrs.items()))
    dtypes = tuple(graph.variable(n).dtype for n in operator.input_arg_names)
    rate = operator.input("LearningRate")[0]
    return operator.type, attrs, dtypes, rate


def may_wait(graph: Graph, at: int, last: int) -> bool:
    """True if an operator can move to `last`: nothing reads or writes its variables."""
    operator = graph.operator(at)
    written = set(operator.output_arg_names)
    names = written.union(operator.input_arg_names)
    return all(graph.unchanged(name, at + 1, last + 1) for name in names) and not any(
        at < place <= last for name in written for place in graph.reads.get(name, ())
    )


def distinct(graph: Graph, places: Sequence[int]) -> bool:
    """True if no two of these operators write one variable."""
    names = [name for at in places for name in graph.operator(at).output_arg_names]
    return len(names) == len(set(names))


def fused_update(graph: Graph, places: Sequence[int]) -> NewOperator:
    """Build the operator that replaces all of these."""
    operators = [graph.operator(at) for at in places]
    op = operators[0].op
    inputs = [o.input(slot_name(name))[0] for name in op.inputs for o in operators]
    outputs = [o.output(slot_name(name))[0] for name in op.outputs for o in operators]
    attrs = {
        "update": op.type,
        "count": len(operators),
        "options": operators[0].own_attrs,
    }
    return NewOperator("fused_update", {"X": inputs}, {"Out": outputs}, attrs)
