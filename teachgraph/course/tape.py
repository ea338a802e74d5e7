"""Single steps of the tape for lesson 02, in which the learner writes the reverse pass.

`pull` runs one node's rule, `free` drops its saved tensors; both announce it to the
observers, so that a learner's own pass is drawn like the framework's. `watched` runs
such a pass, and `Witness` tests that each node waits for all of its gradient.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import BackwardTwiceError
from teachgraph.core.observe import announce, watch
from teachgraph.core.op import force
from teachgraph.core.tape import Edge, Node, topological
from teachgraph.course.checks import attempt, expect
from teachgraph.utils.observe import Observer

__all__ = ["Witness", "free", "is_leaf", "pull", "vertices", "waits_for_all", "watched"]

Array = np.ndarray[Any, Any]


def free(node: Node) -> None:
    """Forget what a node has saved."""
    node.saved = None
    announce("node_freed", node)


def is_leaf(edge: Edge) -> bool:
    """True for a leaf, a tensor that is no output of a recorded op."""
    return isinstance(edge, Tensor)


def vertices(loss: Tensor) -> list[Edge]:
    """The nodes that `loss` came from, each after all its consumers, then the leaves.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor(3.0, stop_gradient=False)
    >>> [is_leaf(vertex) for vertex in vertices(x * x)]
    [False, True]
    """
    nodes = topological([loss.edge])
    behind = dict.fromkeys(edge for node in nodes for edge in node.edges)
    return [*nodes, *(edge for edge in behind if isinstance(edge, Tensor))]


def pull(node: Node, dout: Array) -> list[tuple[Edge, Array]]:
    """Run a node's rule on `dout`, the upstream gradient.

    Returns a pair (edge, gradient) for each input that requires a gradient. An input
    that is used twice comes twice.

    Raises BackwardTwiceError if the node has been freed.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor(3.0, stop_gradient=False)
    >>> [dx.item() for _, dx in pull((x * x).node, np.float32(1.0))]
    [3.0, 3.0]
    """
    if node.saved is None:
        raise BackwardTwiceError(f"{node.op.type} was freed: its saved arrays are gone")
    assert node.op.rule is not None
    announce("grad_ready", node, dout)
    announce("grad_begin", node)
    gradients = node.op.rule((dout,), node.saved, node.attrs)
    pairs: list[tuple[Edge, Array]] = []
    for index, (edge, dx) in enumerate(zip(node.edges, gradients, strict=True)):
        if edge is not None and dx is not None:
            grad = force(dx)
            announce("grad_flows", node, index, edge, grad)
            pairs.append((edge, grad))
    return pairs


def watched(
    backward: Callable[[Tensor], Mapping[Edge, Array]], loss: Tensor
) -> Mapping[Edge, Array]:
    """Run the reverse pass `backward`, announced to the observers.

    If it is an exercise that is not written yet, print that, and return no gradients.
    """
    announce("backward_begin", [loss])
    try:
        nothing: Mapping[Edge, Array] = {}
        gradients = attempt(backward, loss, otherwise=nothing)
        for leaf, grad in gradients.items():
            announce("grad_ready", leaf, grad)
        return gradients
    finally:
        announce("backward_end", [loss])


class Witness(Observer):
    """Observer that counts the gradients each node gets before its rule runs."""

    def __init__(self, loss: Tensor) -> None:
        self.due = Counter[Edge](
            edge
            for node in topological([loss.edge])
            for edge in node.edges
            if edge is not None
        )
        self.arrived: Counter[Edge] = Counter()
        self.begun: Counter[Edge] = Counter()
        self.complaint = ""

    def grad_begin(self, node: Node) -> None:
        """Note a rule that runs too early, or again."""
        self.begun[node] += 1
        missing = self.due[node] - self.arrived[node]
        if self.begun[node] > 1:
            self.complaint = (
                f"the rule of {node.op.type} ran {self.begun[node]} times: once is "
                "enough, if the node waits until its gradient is whole"
            )
        elif missing and not self.complaint:
            self.complaint = (
                f"{node.op.type} ran too early: {missing} of the {self.due[node]} "
                "gradients of its output had not arrived, so it passed on a part"
            )

    def grad_flows(
        self, node: Node | None, index: int, target: Edge, grad: Any
    ) -> None:
        """Count a gradient that flows to a node."""
        self.arrived[target] += 1


@contextmanager
def waits_for_all(loss: Tensor) -> Iterator[list[Node]]:
    """Expect each node to run once, after its gradient is complete.

    Yields the nodes that `loss` depends on.
    """
    witness = Witness(loss)
    nodes = [edge for edge in topological([loss.edge]) if isinstance(edge, Node)]
    try:
        with watch(witness):
            yield nodes
    finally:
        expect(not witness.complaint, witness.complaint)
