"""The part of a tape that is older than the trace, read off its nodes.

A node does not know its outputs' tensors, only what its rule kept; what nobody kept has
a shape that is not known any more.
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
    """What stands for a value nobody kept."""

    shape: tuple[int, ...] = (-1,)
    dtype: str = "unknown"


class Past(NamedTuple):
    """Nodes, oldest first, and the leaves they read.

    Attributes:
        nodes: The nodes.
        leaves: The leaves.
        likes: By the address of a node: what is known of each of its outputs.
        left_out: How many more nodes there were.
    """

    nodes: list[Node]
    leaves: list[Tensor]
    likes: dict[int, list[Any]]
    left_out: int

    def outputs(self, node: Node) -> list[Any]:
        """Something of the shape and dtype of each output of a node."""
        return self.likes[id(node)]


def past_of(tensor: Tensor, known: Container[float]) -> Past:
    """What led to a tensor, up to the nodes whose birth is known."""
    found: dict[int, Node] = {}
    leaves: dict[int, Tensor] = {}
    stack: list[Edge] = [tensor.edge]
    while stack:
        edge = stack.pop()
        if not isinstance(edge, (Node, Output)):
            assert isinstance(edge, Tensor)
            leaves.setdefault(id(edge), edge)
            continue
        node = edge.node if isinstance(edge, Output) else edge
        if id(node) not in found and node.born not in known:
            found[id(node)] = node
            stack.extend(e for e in node.edges if e is not None)
    nodes = sorted(found.values(), key=lambda node: node.born)
    kept = nodes[-MOST_NODES:]
    return Past(
        kept, list(leaves.values()), likes_of(kept, tensor), len(nodes) - len(kept)
    )


def likes_of(nodes: Iterable[Node], tensor: Tensor) -> dict[int, list[Any]]:
    """What is known of the outputs: what rules kept, and the tensor itself."""
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
            if source >= 0:
                note(node.edges[source], value)
            elif -source <= len(node.op.outputs):
                likes[id(node)][-1 - source] = value
    note(tensor.edge, tensor)
    return likes
