"""Pass `common_subexpressions`: compute once what a program computes twice."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from teachgraph.passes.graph import Graph, pure
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Work
from teachgraph.static.operator import Operator, OpRole
from teachgraph.static.variable import EMPTY

__all__ = ["common_subexpressions"]

BACKWARD = int(OpRole.BACKWARD)  # arithmetic with flags takes ten times as long


@register("common_subexpressions")
def common_subexpressions(work: Work) -> None:
    """Compute once what a program computes twice.

    Two operators of one type, with the same attributes and the same inputs, have the
    same results, unless they are random. The second one is removed, and its readers
    read the results of the first.

    An operator of the backward that repeats one of the forward stays: it recomputes a
    value so that the forward's need not be saved.
    """
    graph = work.graph
    seen: dict[Hashable, int] = {}
    for at, operator in graph.walk():
        if not pure(operator) or not operator.outputs:
            continue
        key = value_number(graph, operator, at)
        first = seen.setdefault(key, at)
        if first != at:
            merge(work, first, at)


def value_number(graph: Graph, operator: Operator, at: int) -> Hashable:
    """Return a key that is equal for operators that compute the same."""
    inputs = [
        (slot, name, graph.writer(name, at))
        for slot, names in operator.inputs.items()
        for name in names
    ]
    attrs = [(k, frozen(v)) for k, v in sorted(operator.own_attrs.items())]
    wanted = [
        (slot, *[name == EMPTY for name in names])
        for slot, names in operator.outputs.items()
    ]
    back = operator.attrs.get("op_role", 0) & BACKWARD
    return operator.type, tuple(inputs), tuple(attrs), tuple(wanted), back


def frozen(value: Any) -> Hashable:
    """Return an attribute as a key, in which 1, 1.0 and True differ."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    return repr(value)


def merge(work: Work, first: int, second: int) -> None:
    """Replace the second operator's results by the first's, for all their readers."""
    graph = work.graph
    earlier, later = graph.operator(first), graph.operator(second)
    pairs = [
        (name, same)
        for slot, names in later.outputs.items()
        for name, same in zip(names, earlier.outputs[slot], strict=True)
        if name != EMPTY
    ]
    if all(
        graph.unchanged(same, first + 1, second) and graph.may_be(name, same, second)
        for name, same in pairs
    ):
        graph.remove(second)
        for name, same in pairs:
            graph.read_as(name, same)
        work.note([later], [], ", ".join(f"{a} is {b}" for a, b in pairs))
