"""The tape: what each op leaves behind, and the reverse pass over it.

A node knows its op, where each input came from, and what the op's rule asked to keep.
The reverse pass visits nodes so that each comes after all its consumers, hands every
gradient on as soon as it is whole, and lets go of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import count
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from teachgraph.errors import BackwardTwiceError, at_user_line
from teachgraph.observe import observers
from teachgraph.ops.op import force

if TYPE_CHECKING:
    from teachgraph.eager.tensor import Tensor
    from teachgraph.ops.op import Op

__all__ = ["Edge", "Node", "Output", "reverse", "topological"]

Edge = Union["Node", "Output", "Tensor"]
"""Where an input came from: the node that made it, or the leaf tensor itself."""

Trace = Callable[[Any, Union["Edge", None]], Any]


clock = count()
age = attrgetter("born")


class Node:
    """One op that ran: enough of it to go back.

    Attributes:
        op: What ran.
        edges: For each input, where it came from; None where no gradient is wanted.
        saved: What the op's rule keeps; None once a reverse pass has used it.
        attrs: The attributes it ran with.
        born: When it was made; leaves count as older than any node.
    """

    __slots__ = ("__weakref__", "attrs", "born", "edges", "op", "saved")

    def __init__(
        self,
        op: Op,
        edges: Sequence[Edge | None],
        saved: Sequence[Any],
        attrs: Mapping[str, Any],
    ) -> None:
        self.op = op
        self.edges = edges
        self.saved: Sequence[Any] | None = saved
        self.attrs = attrs
        self.born = next(clock)

    def __repr__(self) -> str:
        return f"<Node {self.op.type}{' (freed)' if self.saved is None else ''}>"


class Output:
    """One of several outputs of a node: gradients meet here before the node runs."""

    __slots__ = ("__weakref__", "born", "edges", "index", "node")

    def __init__(self, node: Node, index: int) -> None:
        self.node, self.index, self.edges = node, index, (node,)
        self.born = node.born + 0.5


def topological(roots: Iterable[Edge]) -> list[Edge]:
    """Everything the roots came from, each after all its consumers.

    An op is always younger than what it consumes, so the order of creation, read
    backwards, is such an order.
    """
    found = set(roots)
    stack = list(found)
    while stack:
        for edge in stack.pop().edges:
            if edge is not None and edge not in found:
                found.add(edge)
                stack.append(edge)
    return sorted(found, key=age, reverse=True)


def leading_to(targets: Mapping[Edge, Any], order: Sequence[Edge]) -> set[Edge | None]:
    """The targets and everything that was made from one of them."""
    found: set[Edge | None] = set()
    for node in reversed(order):
        if node in targets or any(edge in found for edge in node.edges):
            found.add(node)
    return found


def check_kept(order: Sequence[Edge]) -> None:
    """Refuse a second pass over a freed graph before it changes anything."""
    for node in order:
        if isinstance(node, Node) and node.saved is None:
            raise BackwardTwiceError(
                at_user_line(
                    f"backward came through {node.op.type} a second time, but what it "
                    "had saved was freed by the first: give that one retain_graph=True"
                )
            )


def accumulate(grads: dict[Edge, Any], edge: Edge, grad: Any) -> None:
    """Add a contribution: the one place where gradients meet."""
    grads[edge] = grads[edge] + grad if edge in grads else grad


def reverse(
    seeds: Mapping[Edge, Any],
    *,
    targets: Mapping[Edge, Any] | None = None,
    blocked: Collection[Edge] = (),
    trace: Trace | None = None,
    retain_graph: bool = False,
) -> dict[Edge, Any]:
    """Carry the seeds back to the leaves, or to the targets.

    Args:
        seeds: The gradient each root starts with: arrays, or Tensors to create a graph.
        targets: Where gradients are wanted; by default, at every leaf.
        blocked: Where no gradient may pass.
        trace: Given to record the gradients themselves: makes a kept array and the edge
            it came along the Tensor it was.
        retain_graph: Whether the graph can be gone through again.

    Returns:
        For each leaf or target reached, its whole gradient.

    Raises:
        BackwardTwiceError: The graph was freed by an earlier pass.
    """
    order = topological(seeds)
    needed = None if targets is None else leading_to(targets, order) - {*blocked}
    path = order if needed is None else [node for node in order if node in needed]
    check_kept(path)
    grads: dict[Edge, Any] = dict(seeds)
    parts: dict[Node, list[Any]] = {}
    found: dict[Edge, Any] = {}
    for node in path:
        dout = grads.pop(node, None)
        if observers and dout is not None:
            for observer in observers:
                observer.grad_ready(node, dout)
        if targets is not None and node in targets and dout is not None:
            found[node] = dout
        if node.__class__ is Output:
            collect(parts, node, dout)
        elif node.__class__ is Node:
            upstream = parts.pop(node, None) if dout is None else (dout,)
            if upstream is not None:
                step(node, upstream, grads, needed, trace)
            if not retain_graph:
                free(node)
        elif targets is None and dout is not None:
            found[node] = dout
    return found


def collect(parts: dict[Node, list[Any]], output: Output, dout: Any) -> None:
    """Put the gradient of one output in its place among the node's."""
    node = output.node
    slots = parts.setdefault(node, [None] * len(node.op.outputs))
    before = slots[output.index]
    slots[output.index] = dout if before is None else before + dout


def step(
    node: Node,
    upstream: Sequence[Any],
    grads: dict[Edge, Any],
    needed: set[Edge | None] | None,
    trace: Trace | None,
) -> None:
    """Run one node's rule and hand its gradients on."""
    if observers:
        for observer in observers:
            observer.grad_begin(node)
    gradients = rule_of(node, upstream, trace)
    for index, (edge, dx) in enumerate(zip(node.edges, gradients, strict=True)):
        if edge is None or dx is None or (needed is not None and edge not in needed):
            continue
        grad = force(dx)
        if observers:
            for observer in observers:
                observer.grad_flows(node, index, edge, grad)
        accumulate(grads, edge, grad)


def rule_of(
    node: Node, upstream: Sequence[Any], trace: Trace | None
) -> tuple[Any, ...]:
    """The gradients (or lambdas) that the rule of a node gives for its inputs."""
    rule, saved = node.op.rule, node.saved
    assert rule is not None
    assert saved is not None
    if trace is not None:
        saved = [
            traced(node, source, value, trace)
            for source, value in zip(saved_sources(node), saved, strict=True)
        ]
    if len(upstream) > 1:
        upstream = [upstream[i] for i in rule.upstream]
    return rule(upstream, saved, node.attrs)


def saved_sources(node: Node) -> list[int]:
    """Where each kept value came from: input i as i, output i as -1 - i."""
    rule, saved = node.op.rule, node.saved
    assert rule is not None
    assert saved is not None
    sources = list(rule.sources)
    if rule.variadic:
        sources += range(sources[-1] + 1, sources[-1] + 1 + len(saved) - len(sources))
    return sources


def traced(node: Node, source: int, value: Any, trace: Trace) -> Any:
    """A kept array as the Tensor it was, so that the rule can be recorded."""
    if not isinstance(value, np.ndarray):
        return value
    if source >= 0:
        return trace(value, node.edges[source])
    single = len(node.op.outputs) == 1
    return trace(value, node if single else Output(node, -1 - source))


def free(node: Node) -> None:
    """Let go of what a node kept."""
    node.saved = None
    if observers:
        for observer in observers:
            observer.node_freed(node)
