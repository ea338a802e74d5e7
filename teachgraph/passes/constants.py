"""Values that stand in the program itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.passes.graph import Graph
from teachgraph.passes.rewriting import Step

__all__ = ["CONSTANT", "MOST_ELEMENTS", "constant_of", "constant_step"]

CONSTANT = ("fill_constant", "assign_value")

MOST_ELEMENTS = 1024
"""A larger value is computed in every run rather than kept in the program."""


def constant_of(graph: Graph, name: str, at: int) -> Any:
    """The value that an operator at `at` reads under this name, None if unknown."""
    writer = graph.writer(name, at)
    maker = None if writer is None else graph.ops[writer]
    if maker is None or maker.type not in CONSTANT or name not in maker.outputs["Out"]:
        return None
    if maker.input_arg_names or np.prod(maker.attrs["shape"]) > MOST_ELEMENTS:
        return None
    return maker.op.kernel(**maker.own_attrs)


def constant_step(name: str, value: Any) -> Step:
    """An operator that writes this value."""
    code = dtypes.PADDLE_CODES[value.dtype]
    attrs: dict[str, Any] = {"shape": list(value.shape), "dtype": code}
    if value.size and same_everywhere(value):
        attrs["value"] = float(value.flat[0])
        return Step("fill_constant", {}, {"Out": [name]}, attrs)
    attrs["values"] = value.ravel()
    return Step("assign_value", {}, {"Out": [name]}, attrs)


def same_everywhere(value: Any) -> bool:
    """Whether one float says it all; -0 and 0 are two."""
    first = value.flat[0]
    exact = value.dtype.kind != "i" or abs(int(first)) < 2**53
    return exact and value.tobytes() == first.tobytes() * value.size
