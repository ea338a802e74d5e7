"""Pass `constant_folding`: run operators on constants while the program is compiled."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import GradOp
from teachgraph.core.program import EMPTY, Variable
from teachgraph.passes.constants import MOST_ELEMENTS, constant_of, constant_operator
from teachgraph.passes.copying import Derived
from teachgraph.passes.graph import Graph, pure
from teachgraph.passes.registry import register
from teachgraph.passes.rewriting import Work

__all__ = ["constant_folding"]


@register("constant_folding")
def constant_folding(work: Work) -> None:
    """Compute now what does not depend on anything that is fed or kept.

    An operator whose inputs are all constants becomes its result: a `fill_constant`, or
    an `assign_value` where the elements differ. So does one that reads only the shape
    of its input, if the shape is the same in every run. Large results are left to the
    run, and so is an operator that fails, which then fails at its own line.
    """
    graph = work.graph
    asked = any(operator.type in OF_SHAPE for _, operator in graph.walk())
    fixed = fixed_shapes(graph) if asked else set[str]()
    for at, operator in graph.walk():
        results = folded(graph, operator, at, fixed)
        if results is None:
            continue
        places = [graph.writer(name, at) for name in operator.input_arg_names]
        constants = [
            constant_operator(name, value)
            for name, value in zip(operator.output_arg_names, results, strict=True)
        ]
        work.put(at, constants, [place for place in places if place is not None], "")


OF_SHAPE = frozenset({"fill_any_like", "fill_zeros_like", "shape", "size"})
"""Ops that read no element of their input."""


def fixed_shapes(graph: Graph) -> set[str]:
    """Find the variables whose shape is the same in all runs.

    A feed must have its declared shape, and an operator's shapes follow from those of
    its inputs; but a loop, or a function of the user's, may give any shape.
    """
    fed = {
        v.name for v in graph.block.vars.values() if v.is_data and has_known_sizes(v)
    }
    fixed, others = fed, set[str]()
    for _, operator in graph.walk():
        names = operator.input_arg_names
        follows = names and pure(operator) and fixed.issuperset(names)
        for name in operator.output_arg_names:
            sure = follows and name != EMPTY and has_known_sizes(graph.variable(name))
            (fixed if sure else others).add(name)
    return fixed - others


def has_known_sizes(variable: Variable) -> bool:
    """True if all sizes of a variable are declared."""
    return -1 not in variable.shape


def folded(
    graph: Graph, operator: Derived, at: int, fixed: Collection[str]
) -> list[Any] | None:
    """Compute the results of an operator; None if they are unknown or too large."""
    op = operator.op
    names = operator.input_arg_names
    unfit = not names or isinstance(op, GradOp) or not pure(operator)
    if unfit or EMPTY in operator.output_arg_names:
        return None
    if op.type in OF_SHAPE and names[0] in fixed:
        values = {names[0]: of_that_shape(graph.variable(names[0]))}
    else:
        values = {name: constant_of(graph, name, at) for name in names}
    if any(value is None for value in values.values()):
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
    results = list(out) if isinstance(out, tuple) else [out]
    return results if all(map(small, results)) else None


def of_that_shape(variable: Variable) -> Any:
    """Return an array of a variable's shape and dtype that occupies one element."""
    return np.broadcast_to(np.zeros((), variable.dtype), variable.shape)


def small(value: Any) -> bool:
    """True if a result is small enough to be an attribute."""
    is_array = isinstance(value, (np.ndarray, np.generic))
    known = is_array and value.dtype in dtypes.PADDLE_CODES
    return known and value.size <= MOST_ELEMENTS
