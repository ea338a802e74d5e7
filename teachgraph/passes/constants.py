"""Constants: values that are attributes of a program's operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.passes.graph import Graph
from teachgraph.passes.rewriting import NewOperator

__all__ = ["CONSTANT", "MOST_ELEMENTS", "constant_of", "constant_operator"]

CONSTANT = ("fill_constant", "assign_value")

MOST_ELEMENTS = 1024
"""A larger value is computed in every run, so that the program stays small."""


def constant_of(graph: Graph, name: str, at: int) -> Any:
    """Return the constant that an operator at `at` reads as `name`, None if unknown."""
    writer = graph.writer(name, at)
    source = None if writer is None else graph.ops[writer]
    if source is None or source.type not in CONSTANT:
        return None
    # A rewrite may have put another operator at that place.
    if name not in source.outputs["Out"]:
        return None
    try:
        if source.input_arg_names or np.prod(source.attrs["shape"]) > MOST_ELEMENTS:
            return None
        return source.op.kernel(**source.own_attrs)
    except Exception:  # of a file whose attributes do not fit: the run will say so
        return None


def constant_operator(name: str, value: Any) -> NewOperator:
    """Build an operator that writes this value."""
    code = dtypes.PADDLE_CODES[value.dtype]
    attrs: dict[str, Any] = {"shape": list(value.shape), "dtype": code}
    if value.size and same_everywhere(value):
        attrs["value"] = float(value.flat[0])
        return NewOperator("fill_constant", {}, {"Out": [name]}, attrs)
    attrs["values"] = value.ravel()
    return NewOperator("assign_value", {}, {"Out": [name]}, attrs)


def same_everywhere(value: Any) -> bool:
    """True if one float represents all elements exactly; -0 and 0 differ."""
    first = value.flat[0]
    exact = value.dtype.kind != "i" or abs(int(first)) < 2**53
    return exact and value.tobytes() == first.tobytes() * value.size
