"""The tape: the node each recorded op leaves behind, and the reverse pass over them.

A node knows its op, the vertex each input came from, and what the op's rule asked to
save. The reverse pass visits nodes so that each comes after all its consumers: its
gradient is whole by then, is passed on by the op's rule, and is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, count
from operator import attrgetter, itemgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self, Union

from teachgraph.core.errors import BackwardTwiceError
from teachgraph.core.extend import HookPoint
from teachgraph.core.op import ERROR_STATE, IGNORE_ALL, Attrs, Op

if TYPE_CHECKING:
    from teachgraph.core.tensor import Tensor

Edge = Union["Node", "Output", "Tensor"]
"""The origin of an input: the node that computed it, or the leaf tensor itself."""

Flow = Iterable[tuple[Edge | None, Any]]
"""For each input of a node, where its gradient goes, and the gradient: an array, a
Tensor, a lambda that computes it, or None."""

Visit = Callable[[Any, Any], Flow]
"""Takes a node and its whole gradient; computes the gradients of its inputs."""

Gradients = dict[Any, Any]
"""The gradient at each vertex."""

clock = count(0, 2)
"""Each node takes the next time at its birth; its outputs take the one after it."""


class Node:
    """One recorded call of an op.

    Attributes:
        edges: For each input, where it came from; None where no gradient is wanted.
        saved: What the op's rule needs; None once a backward pass has freed it.
        born: When; an op is younger than what it consumes.
    """

    __slots__ = ("__weakref__", "attrs", "born", "edges", "op", "saved")

    def __init__(
        self,
        op: Op,
        edges: Sequence[Edge | None],
        saved: Sequence[Any] | None,
        attrs: Attrs,
    ) -> None:
        self.op, self.edges = op, edges
        self.saved, self.attrs = saved, attrs
        self.born = next(clock)

    def __repr__(self) -> str:
        return f"<Node {self.op.type}{' (freed)' if self.saved is None else ''}>"


class Output(tuple[Any, ...]):
    """One of several outputs of a node: its gradients add up before the node's turn.

    A tuple, so equal by value: double backward makes the vertex of an output again.
    """

    __slots__ = ()
    node: Any = property(itemgetter(0))
    index: Any = property(itemgetter(1))
    born: Any = property(itemgetter(2))
    edges: Any = property(itemgetter(slice(1)))
    saved: Sequence[Any] = ()

    def __new__(cls, node: Node, index: int) -> Self:
        """The vertex of the output at `index`."""
        return tuple.__new__(cls, (node, index, node.born + 1))

    def pass_on(self, dout: Any) -> Flow:
        """Hand the gradient to the node, at the place of this output."""
        douts = PerOutput([None] * len(self.node.op.outputs))
        douts[self.index] = dout
        return ((self.node, douts),)


class PerOutput(list[Any]):
    """Upstream gradients of an op with several outputs; None where none arrived."""

    __slots__ = ()

    def of(self, rule: Any) -> Sequence[Any]:
        """Those that a rule takes, in its order."""
        return [*map(self.__getitem__, rule.upstream)]

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
    vertices: list[Any] = [*{*roots}]
    reached = {None, *vertices}
    for edge in chain.from_iterable(map(edges_of, vertices)):  # they grow meanwhile
        if edge not in reached:
            reached.add(edge)
            vertices.append(edge)
    return sorted(filter(edges_of, vertices), key=age, reverse=True)


def visit_node(node: Any, dout: Any, retain: bool = False) -> Flow:
    """Run the rule of a node's op, then free what the node has saved, or retain it."""
    if node.__class__ is not Node:
        return node.pass_on(dout)  # type: ignore[no-any-return]
    upstream = dout.of(node.op.rule) if dout.__class__ is PerOutput else (dout,)
    gradients = node.op.rule.gradients(upstream, node.saved, node.attrs)  # type: ignore[union-attr, arg-type]
    node.saved = node.saved if retain else None
    return zip(node.edges, gradients, strict=True)


def reverse(seeds: Gradients, order: Sequence[Any], visit: Visit) -> Gradients:
    """Carry gradients from the seeds back along `order`; return those of the leaves.

    No leaf has a turn, so the gradients of leaves are left at the end. A rule's lambdas
    are called only where somebody wants the gradient.
    """
    grads = dict(seeds)
    for node in order:
        if (dout := grads.pop(node, None)) is not None:
            for edge, given in visit(node, dout):
                if edge is not None and given is not None:
                    dx = given() if given.__class__ is FunctionType else given
                    grads[edge] = grads[edge] + dx if edge in grads else dx
    return grads


backward_pass = HookPoint(reverse)


def backward_from(seeds: Gradients, order: Sequence[Any], visit: Visit) -> Gradients:
    """Check that nothing on the way is freed, then run the pass, silent about NaN."""
    if None in map(saved_of, order):
        raise freed_before(order)
    token = ERROR_STATE.set(IGNORE_ALL)  # slopes may be infinite, silently as in Paddle
    try:
        return backward_pass.call(seeds, order, visit)
    finally:
        ERROR_STATE.reset(token)


def freed_before(order: Sequence[Any]) -> BackwardTwiceError:
    """The error for a graph through which a backward pass has gone before."""
    freed = next(node for node in order if node.saved is None)
    return BackwardTwiceError.here(
        f"backward came through {freed.op.type} a second time, but what it had "
        "saved was freed by the first: give the first retain_graph=True"
    )
