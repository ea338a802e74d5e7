"""Compute now what does not depend on anything that is fed or kept."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import GradOp
from teachgraph.core.program import EMPTY, Variable
from teachgraph.passes.constants import MOST_ELEMENTS, constant_of, constant_step
from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import Graph, pure
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Work

__all__ = ["constant_folding"]


@register("constant_folding")
def constant_folding(work: Work) -> None:
    """Compute now what does not depend on anything that is fed or kept.

    An operator whose inputs are all constants becomes its result: a `fill_constant`, or
    an `assign_value` where the elements differ. So does one that asks only how large
    its input is, where no run can have another size. Large results are left to the run,
    and so is whatever cannot be computed, which fails there, at its own line.
    """
    graph = work.graph
    settled = settled_shapes(graph)
    for at, operator in graph.walk():
        results = folded(graph, operator, at, settled)
        if results is None:
            continue
        places = [graph.writer(name, at) for name in operator.input_arg_names]
        steps = [
            constant_step(name, value)
            for name, value in zip(operator.output_arg_names, results, strict=True)
        ]
        work.put(at, steps, [place for place in places if place is not None], "")


OF_SHAPE = frozenset({"fill_any_like", "fill_zeros_like", "shape", "size"})
"""Ops that look at no element of their input."""


def settled_shapes(graph: Graph) -> set[str]:
    """The variables whose shape is the same in all runs.

    A feed is held to its declared shape, and an operator's shapes follow from those of
    its inputs; not so what the user's own function gives, or a loop.
    """
    fed = {v.name for v in graph.block.vars.values() if v.is_data and known(v)}
    settled, others = fed, set[str]()
    for _, operator in graph.walk():
        names = operator.input_arg_names
        follows = names and pure(operator) and settled.issuperset(names)
        for name in operator.output_arg_names:
            sure = follows and name != EMPTY and known(graph.variable(name))
            (settled if sure else others).add(name)
    return settled - others


def known(variable: Variable) -> bool:
    """Whether all sizes of a variable are declared."""
    return -1 not in variable.shape


def folded(
    graph: Graph, operator: Derived, at: int, settled: Collection[str]
) -> list[Any] | None:
    """What an operator gives, None if that is not known or too much."""
    op = operator.op
    names = operator.input_arg_names
    unfit = not names or isinstance(op, GradOp) or not pure(operator)
    if unfit or EMPTY in operator.output_arg_names:
        return None
    if op.type in OF_SHAPE and names[0] in settled:
        values = {names[0]: of_that_shape(graph.variable(names[0]))}
    else:
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


def of_that_shape(variable: Variable) -> Any:
    """An array of a variable's shape and dtype that takes no room."""
    return np.broadcast_to(np.zeros((), variable.dtype), variable.shape)


def small(value: Any) -> bool:
    """Whether a result may stand in a program."""
    is_array = isinstance(value, (np.ndarray, np.generic))
    known = is_array and value.dtype in dtypes.PADDLE_CODES
    return known and value.size <= MOST_ELEMENTS
