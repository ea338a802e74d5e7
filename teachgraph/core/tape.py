"""The tape: the node each recorded op leaves behind, and the reverse pass over them.

A node knows its op, the vertex each input came from, and what the op's rule asked to
save. The reverse pass visits nodes so that each comes after all its consumers: its
gradient is whole by then, is passed on by the op's rule, and is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import count
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any, Union

from teachgraph.core.errors import BackwardTwiceError, at_user_line
from teachgraph.core.extend import HookPoint
from teachgraph.core.observe import announce, observers
from teachgraph.core.op import ERROR_STATE, IGNORE_ALL, Op, Rule

if TYPE_CHECKING:
    from teachgraph.core.tensor import Tensor

__all__ = ["Edge", "Node", "Output", "PerOutput", "backward_from", "topological"]

Edge = Union["Node", "Output", "Tensor"]
"""Where an input came from: the node that computed it, or the leaf tensor itself."""

Flow = Iterable[tuple[Edge, Any]]
Visit = Callable[[Any, Any], Flow]

clock = count(0, 2)
"""Each node takes the next time at its birth."""


class Node:
    """One recorded call of an op.

    Attributes:
        op: The op that ran.
        edges: For each input, where it came from; None where no gradient is wanted.
        saved: What the op's rule needs; None once a backward pass has freed it.
        attrs: The attributes of the call.
        born: When; an op is younger than what it consumes.
    """

    __slots__ = ("__weakref__", "attrs", "born", "edges", "op", "saved")

    def __init__(
        self,
        op: Op,
        edges: Sequence[Edge | None],
        saved: Sequence[Any] | None,
        attrs: Mapping[str, Any],
    ) -> None:
        self.op, self.edges, self.saved, self.attrs = op, edges, saved, attrs
        self.born = next(clock)

    def __repr__(self) -> str:
        return f"<Node {self.op.type}{' (freed)' if self.saved is None else ''}>"


class Output:
    """One of several outputs of a node: its gradients add up before the node's turn."""

    __slots__ = ("__weakref__", "born", "edges", "index", "node")
    saved: Sequence[Any] = ()

    def __init__(self, node: Node, index: int) -> None:
        self.node, self.index, self.edges = node, index, (node,)
        self.born = node.born + 1

    def pass_on(self, dout: Any) -> Flow:
        """Hand the gradient to the node, at the place of this output."""
        douts = PerOutput([None] * len(self.node.op.outputs))
        douts[self.index] = dout
        return ((self.node, douts),)

    def __eq__(self, other: object) -> bool:
        """Equal by value: double backward makes the vertex of a saved output again."""
        return (
            isinstance(other, Output)
            and other.node is self.node
            and other.index == self.index
        )

    def __hash__(self) -> int:
        return hash((id(self.node), self.index))


class PerOutput(list[Any]):
    """Upstream gradients of an op with several outputs; None where none arrived."""

    __slots__ = ()

    def __add__(self, other: Any) -> PerOutput:
        """Accumulate output by output."""
        pairs = zip(self, other, strict=True)
        return PerOutput(
            [b if a is None else a if b is None else a + b for a, b in pairs]
        )


edges_of, age, saved_of = attrgetter("edges"), attrgetter("born"), attrgetter("saved")


def topological(roots: Iterable[Edge]) -> list[Edge]:
    """Everything but leaves that the roots came from, each after all its consumers.

    Creation, read backwards, is such an order: an op is younger than its inputs.
    """
    reached: set[Edge | None] = {None, *roots}
    order = list(roots)
    for vertex in order:  # the list grows while it is read
        unseen = {*vertex.edges} - reached
        reached |= unseen
        order += unseen  # type: ignore[arg-type]  # None was reached at the start
    return sorted(filter(edges_of, order), key=age, reverse=True)


def flow(edges: Sequence[Edge | None], gradients: Sequence[Any]) -> list[Any]:
    """Pair each wanted gradient with where it goes; compute only those."""
    return [
        (edge, dx() if dx.__class__ is FunctionType else dx)
        for edge, dx in zip(edges, gradients, strict=True)
        if edge is not None and dx is not None
    ]


def upstream_of(rule: Rule, dout: Any) -> Sequence[Any]:
    """The upstream gradients that a rule takes, of one output or of several."""
    if dout.__class__ is PerOutput:
        return [dout[i] for i in rule.upstream]
    return (dout,)


def pull(node: Any, dout: Any) -> Sequence[Any]:
    """Run the rule of a node's op: a gradient, or a lambda or None, for each input."""
    rule = node.op.rule
    return rule(upstream_of(rule, dout), [*node.saved], node.attrs)  # type: ignore[no-any-return]


def visit_retaining(node: Any, dout: Any) -> Flow:
    """Compute a node's gradients, and where they go; what it has saved is kept."""
    if node.__class__ is not Node:
        return node.pass_on(dout)  # type: ignore[no-any-return]
    return flow(node.edges, pull(node, dout))


def visit_freeing(node: Any, dout: Any) -> Flow:
    """Compute a node's gradients, then free what it has saved."""
    flows = visit_retaining(node, dout)
    if node.__class__ is Node:
        node.saved = None
    return flows


def reverse(
    seeds: Mapping[Any, Any], order: Sequence[Any], visit: Visit
) -> dict[Any, Any]:
    """Carry gradients from the seeds back along `order`; return those of the leaves.

    The gradient of a node is whole at its turn, as all its consumers come before. No
    leaf has a turn, so the gradients of leaves are left at the end.
    """
    grads = dict(seeds)
    for node in order:
        if (dout := grads.pop(node, None)) is not None:
            for edge, dx in visit(node, dout):
                grads[edge] = grads[edge] + dx if edge in grads else dx
    return grads


backward_pass = HookPoint(reverse)


def backward_from(
    seeds: Mapping[Any, Any], order: Sequence[Any], visit: Visit
) -> dict[Any, Any]:
    """Check that nothing on the way is freed, then run the pass, silent about NaN.

    Raises:
        BackwardTwiceError: What a node had saved was freed by an earlier pass.
    """
    if None in map(saved_of, order):
        freed = next(node for node in order if node.saved is None)
        raise BackwardTwiceError(
            at_user_line(
                f"backward came through {freed.op.type} a second time, but what it "
                "had saved was freed by the first: give that one retain_graph=True"
            )
        )
    if observers:
        visit = observed(visit)
    token = ERROR_STATE.set(IGNORE_ALL)  # slopes may be infinite, silently as in Paddle
    try:
        leaves = backward_pass.call(seeds, order, visit)
    finally:
        ERROR_STATE.reset(token)
    for leaf, grad in leaves.items() if observers else ():
        announce("grad_ready", leaf, grad)
    return leaves


def observed(visit: Visit) -> Visit:
    """A visit that tells the observers of each gradient, and of what was freed."""

    def visit_observed(node: Any, dout: Any) -> Flow:
        announce("grad_ready", node, dout)
        if node.__class__ is not Node:
            return visit(node, dout)
        announce("grad_begin", node)
        place, told = 0, []
        for edge, dx in visit(node, dout):
            while node.edges[place] is not edge:
                place += 1
            told.append((place, edge, dx))
            place += 1
        return passed_on(node, told)

    return visit_observed


def passed_on(node: Node, flows: Iterable[tuple[int, Edge, Any]]) -> Flow:
    """Tell of each gradient as it is passed on, and of a node that was freed."""
    for place, edge, dx in flows:
        announce("grad_flows", node, place, edge, dx)
        yield edge, dx
    if node.saved is None:
        announce("node_freed", node)
