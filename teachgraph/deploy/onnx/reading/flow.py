"""Importers of `If` and `Loop`, as `cond` and `while_loop`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from teachgraph.control_flow.cond import cond
from teachgraph.control_flow.loop import while_loop
from teachgraph.core.errors import ShapeError
from teachgraph.deploy.onnx.reading.reader import Node, as_variable, is_traced, reads
from teachgraph.deploy.onnx.types import dtype_of
from teachgraph.ops import functions as f

BRANCHES = ("then_branch", "else_branch")


def build_subgraph(node: Node, name: str) -> list[Any]:
    """Build a subgraph in the current block; return its results."""
    with node.reader.inside():
        return node.reader.graph(node.attrs[name])


@reads("If")
def branch(node: Node) -> Any:
    """Build both branches; of a constant condition, only the one taken."""
    condition = node.x()
    if not is_traced(condition):
        return tuple(
            build_subgraph(node, "then_branch" if condition.all() else "else_branch")
        )

    def side(name: str) -> Any:
        return lambda: [as_variable(v) for v in build_subgraph(node, name)]

    ranks = zip(*map(partial(outputs_of, node), BRANCHES), strict=True)
    if any(None not in pair and len(set(pair)) > 1 for pair in ranks):
        node.refuse("branches whose results have different numbers of dimensions")
    flag = condition if len(condition.shape) < 2 else f.reshape(condition, [])
    try:
        return tuple(cond(flag, side("then_branch"), side("else_branch")))
    except ShapeError as error:
        return node.refuse(f"branches whose results differ: {error}")


def outputs_of(node: Node, name: str) -> list[int | None]:
    """Return the rank of each result of a subgraph, None where undeclared."""
    kinds = [output.type.tensor_type for output in node.attrs[name].output]
    return [len(k.shape.dim) if k.HasField("shape") else None for k in kinds]


@reads("Loop")
def loop(node: Node) -> Any:
    """Build a `while_loop`; scan outputs are concatenated in each iteration."""
    body = node.attrs["body"]
    first = [as_variable(node.x(i)) for i in range(2, len(node))]
    scanned = [empty_scan_output(node, out) for out in body.output[1 + len(first) :]]
    most = node.x() if node.has(0) else np.array(np.iinfo(np.int64).max)
    most = f.reshape(as_variable(most), [])
    start = node.x(1) if node.has(1) else np.array(True)
    start = f.reshape(as_variable(start), [])

    def condition(number: Any, holds: Any, *_: Any) -> Any:
        return f.logical_and(holds, f.less_than(number, most))

    def iteration(number: Any, holds: Any, *values: Any) -> list[Any]:
        carried, stacks = values[: len(first)], list(values[len(first) :])
        with node.reader.inside():
            names = [info.name for info in body.input]
            node.reader.values.update(
                zip(names, (number, holds, *carried), strict=True)
            )
            again, *results = map(as_variable, node.reader.graph(body))
        rows = results[len(first) :]
        stacks = [
            f.concat([stack, f.unsqueeze(row, [0])], 0)
            for stack, row in zip(stacks, rows, strict=True)
        ]
        one = np.array(1, np.int64)
        return [
            f.add(number, one),
            f.reshape(again, []),
            *results[: len(first)],
            *stacks,
        ]

    number = as_variable(np.array(0, np.int64))
    last = while_loop(condition, iteration, [number, start, *first, *scanned])
    return tuple(last[2:])


def empty_scan_output(node: Node, output: Any) -> Any:
    """Return a scan output before the first iteration, with no rows."""
    kind = output.type.tensor_type
    sizes = [d.dim_value if d.HasField("dim_value") else -1 for d in kind.shape.dim]
    if -1 in sizes:
        node.refuse(f"the shape of {output.name!r}, which it stacks, is not known")
    return as_variable(np.zeros([0, *sizes], dtype_of(kind.elem_type)))
