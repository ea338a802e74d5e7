"""Observers come and go; announcements of ops on Tensors, and of gradients on the tape.

What announces these wraps functions of the core from the first observer on until the
last is gone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from teachgraph.core.observe import announce, observers
from teachgraph.core.op import Op, force
from teachgraph.core.tape import Flow, Node, Output, Visit, backward_pass
from teachgraph.core.tensor import Tensor, run_op

__all__ = ["attach", "detach", "unwatched"]


def attach(observer: Any) -> None:
    """Let `observer` watch from now on."""
    if not observers:
        run_op.wrap(ops_told, innermost=True)
        backward_pass.wrap(gradients_told)
    observers.append(observer)


def detach(observer: Any) -> None:
    """Let `observer` watch no more."""
    observers.remove(observer)
    if not observers:
        run_op.unwrap(ops_told)
        backward_pass.unwrap(gradients_told)


@contextmanager
def unwatched() -> Iterator[None]:
    """Let nobody watch inside the `with` block: it is the framework's own affair."""
    hidden = observers[:]
    for observer in hidden:
        detach(observer)
    try:
        yield
    finally:
        for observer in hidden:
            attach(observer)


def ops_told(run: Callable[..., Any]) -> Callable[..., Any]:
    """A run of an op that the observers are told of."""

    def run_observed(
        op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], results: type[Tensor]
    ) -> Any:
        for observer in observers:
            observer.op_begin(op.type, inputs, attrs)
        try:
            result = run(op, inputs, attrs, results)
        except Exception as error:
            announce("op_failed", op.type, inputs, attrs, error)
            raise
        outputs = result if isinstance(result, tuple) else (result,)
        node = node_of(outputs)
        for observer in observers:
            observer.op_end(op.type, inputs, outputs, attrs, node)
        return result

    return run_observed


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
        leaves = reverse(
            seeds, order, lambda node, dout: observed_visit(visit, node, dout)
        )
        for leaf, grad in leaves.items():
            announce("grad_ready", leaf, grad)
        return leaves

    return reverse_observed


def observed_visit(visit: Visit, node: Any, dout: Any) -> Flow:
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
