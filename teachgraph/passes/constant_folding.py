"""Compute now what does not depend on anything that is fed or kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph import dtypes
from teachgraph.ops.op import GradOp
from teachgraph.passes.constants import MOST_ELEMENTS, constant_of, constant_step
from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import EMPTY, Graph, pure
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Work

__all__ = ["constant_folding"]


@register("constant_folding")
def constant_folding(work: Work) -> None:
    """Compute now what does not depend on anything that is fed or kept.

    An operator whose inputs are all constants becomes its result: a `fill_constant`, or
    an `assign_value` where the elements differ. Large results are left to the run, and
    so is whatever cannot be computed, which fails there, at its own line.
    """
    graph = work.graph
    for at, operator in graph.walk():
        results = folded(graph, operator, at)
        if results is None:
            continue
        places = [graph.writer(name, at) for name in operator.input_arg_names]
        steps = [
            constant_step(name, value)
            for name, value in zip(operator.output_arg_names, results, strict=True)
        ]
        work.put(at, steps, [place for place in places if place is not None], "")


def folded(graph: Graph, operator: Derived, at: int) -> list[Any] | None:
    """What an operator gives, None if that is not known or too much."""
    op = operator.op
    names = operator.input_arg_names
    unfit = not names or isinstance(op, GradOp) or not pure(operator)
    if unfit or EMPTY in operator.output_arg_names:
        return None
    values = {name: constant_of(graph, name, at) for name in names}
    if any(value is None for value in values.values()):
        return None
    arguments = op.arguments(
        {slot: [values[n] for n in listed] for slot, listed in operator.inputs.items()}
    )
    try:
        out = op.context().run(op.kernel, *arguments, **operator.own_attrs)
    except Exception:
        return None
    results = list(out) if isinstance(out, tuple) else [out]
    return results if all(map(small, results)) else None


def small(value: Any) -> bool:
    """Whether a result may stand in a program."""
    is_array = isinstance(value, (np.ndarray, np.generic))
    known = is_array and value.dtype in dtypes.PADDLE_CODES
    return known and value.size <= MOST_ELEMENTS
