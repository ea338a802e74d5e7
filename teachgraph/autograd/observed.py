"""Announcements of ops on Tensors, and of gradients on the tape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from teachgraph.core.observe import announce, while_watched
from teachgraph.core.op import Op, force
from teachgraph.core.tape import Flow, Node, Output, Visit, backward_pass
from teachgraph.core.tensor import Tensor, run_op


def ops_told(run: Callable[..., Any]) -> Callable[..., Any]:
    """A run of an op that the observers are told of."""

    def run_observed(
        op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], results: type[Tensor]
    ) -> Any:
        announce("op_begin", op.type, inputs, attrs)
        try:
            result = run(op, inputs, attrs, results)
        except Exception as error:
            announce("op_failed", op.type, inputs, attrs, error)
            raise
        outputs = result if isinstance(result, tuple) else (result,)
        announce("op_end", op.type, inputs, outputs, attrs, node_of(outputs))
        return result

    return run_observed


while_watched(run_op, ops_told, innermost=True)


def node_of(outputs: Sequence[Tensor]) -> Node | None:
    """The node that an op left on the tape, seen from its outputs."""
    for tensor in outputs:
        if tensor.node is not None:
            node = tensor.node.node if isinstance(tensor.node, Output) else tensor.node
            return node if isinstance(node, Node) else None
    return None


def gradients_told(reverse: Callable[..., Any]) -> Callable[..., Any]:
    """A backward pass that tells the observers of each gradient."""

    def reverse_observed(seeds: Any, order: Any, visit: Visit) -> Any:
        leaves = reverse(seeds, order, lambda node, dout: told(visit, node, dout))
        for leaf, grad in leaves.items():
            announce("grad_ready", leaf, grad)
        return leaves

    return reverse_observed


def told(visit: Visit, node: Any, dout: Any) -> Flow:
    """Visit a node; tell of its whole gradient, and of each one that it passes on."""
    announce("grad_ready", node, dout)
    if node.__class__ is not Node:
        yield from visit(node, dout)
        return
    announce("grad_begin", node)
    flows = [(e, force(dx) if e is not None else None) for e, dx in visit(node, dout)]
    for place, (edge, dx) in enumerate(flows):
        if edge is not None and dx is not None:
            announce("grad_flows", node, place, edge, dx)
            yield edge, dx
    if node.saved is None:
        announce("node_freed", node)


while_watched(backward_pass, gradients_told)
