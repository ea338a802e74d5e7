"""The part of a tape that is older than the trace, reconstructed from its nodes.

A node does not refer to its output tensors, only to the tensors that its rule saved.
The shape of an output that no rule saved is unknown.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, NamedTuple

from teachgraph.autograd.gradient import saved_sources
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.tape import Edge, Node, Output

__all__ = ["Past", "past_of"]

MOST_NODES = 2000


class Unknown(NamedTuple):
    """Shape and dtype of an output that no rule saved."""

    shape: tuple[int, ...] = (-1,)
    dtype: str = "unknown"


class Past(NamedTuple):
    """Nodes, oldest first, and the leaves they read.

    Attributes:
        nodes: The nodes.
        leaves: The leaves.
        likes: By the address of a node: a value like each of its outputs.
        left_out: The number of older nodes beyond the limit.
    """

    nodes: list[Node]
    leaves: list[Tensor]
    likes: dict[int, list[Any]]
    left_out: int

    def outputs(self, node: Node) -> list[Any]:
        """Return a value with the shape and dtype of each output of a node."""
        return self.likes[id(node)]


def past_of(tensor: Tensor, known: Container[float]) -> Past:
    """Collect the nodes and leaves that lead to a tensor, down to known nodes.

    A node is known by the moment of its birth: an address may be used again.
    """
    reached: dict[int, Node] = {}
    leaves: dict[int, Tensor] = {}
    stack: list[Edge] = [tensor.edge]
    while stack:
        edge = stack.pop()
        if not isinstance(edge, (Node, Output)):
            assert isinstance(edge, Tensor)
            leaves.setdefault(id(edge), edge)
            continue
        node = edge.node if isinstance(edge, Output) else edge
        if id(node) not in reached and node.born not in known:
            reached[id(node)] = node
            stack.extend(e for e in node.edges if e is not None)
    nodes = sorted(reached.values(), key=lambda node: node.born)
    latest = nodes[-MOST_NODES:]
    left_out = len(nodes) - len(latest)
    return Past(latest, list(leaves.values()), likes_of(latest, tensor), left_out)


def likes_of(nodes: Iterable[Node], tensor: Tensor) -> dict[int, list[Any]]:
    """Return a value like each node's outputs: saved tensors, and the tensor itself."""
    likes: dict[int, list[Any]] = {
        id(node): [Unknown()] * len(node.op.outputs) for node in nodes
    }

    def note(edge: Edge | None, value: Any) -> None:
        node, index = (edge.node, edge.index) if isinstance(edge, Output) else (edge, 0)
        if id(node) in likes and hasattr(value, "shape"):
            likes[id(node)][index] = value

    for node in nodes:
        if node.op.rule is None or not isinstance(node.saved, (list, tuple)):
            continue
        sources = saved_sources(node.op.rule, len(node.saved))
        for source, value in zip(sources, node.saved, strict=True):
            if source >= 0:  # a saved input: the output of the node before
                note(node.edges[source], value)
            elif -source <= len(node.op.outputs):  # output i is saved as -1 - i
                likes[id(node)][-1 - source] = value
    note(tensor.edge, tensor)
    return likes
