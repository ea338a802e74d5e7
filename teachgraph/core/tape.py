"""The tape: what each op leaves behind, and the reverse pass over it.

A node knows its op, where each input came from, and what the op's rule asked to keep.
The reverse pass visits nodes so that each comes after all its consumers, hands every
gradient on as soon as it is whole, and lets go of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from types import FunctionType
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from teachgraph.autograd.hooks import HookHandle, Hooks, register
from teachgraph.autograd.versions import clock, overwritten, overwritten_since
from teachgraph.core.errors import BackwardTwiceError, InPlaceError, at_user_line
from teachgraph.core.observe import announce, observers

if TYPE_CHECKING:
    from teachgraph.autograd.tensor import Tensor
from teachgraph.core.op import Op, Rule
from teachgraph.ops.for_arrays import for_arrays

__all__ = ["Edge", "Node", "Output", "add_hook", "reverse", "topological"]

Edge = Union["Node", "Output", "Tensor"]
"""Where an input came from: the node that made it, or the leaf tensor itself."""

Trace = Callable[[Any, Union["Edge", None]], Any]

Hook = Callable[[Any], Any]
"""What sees a gradient, an array or a Tensor, and returns it or another one."""

age = attrgetter("born")


class Node:
    """One op that ran: enough of it to go back.

    Attributes:
        op: What ran.
        edges: For each input, where it came from; None where no gradient is wanted.
        saved: What the op's rule keeps; None once a reverse pass has used it.
        attrs: The attributes it ran with.
        born: When it was made; leaves count as older than any node.
        hooks: What sees the gradients of its outputs; there from the first hook on.
    """

    __slots__ = ("__weakref__", "attrs", "born", "edges", "hooks", "op", "saved")
    hooks: Hooks

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
        self.born = node.born + 1

    def __eq__(self, other: object) -> bool:
        """An output that was kept and is recorded anew is still the same output."""
        return (
            isinstance(other, Output)
            and other.node is self.node
            and other.index == self.index
        )

    def __hash__(self) -> int:
        return hash((id(self.node), self.index))


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
    """Refuse to go over a graph that is freed or overwritten, before anything changes.

    Raises:
        BackwardTwiceError: What a node had saved is gone.
        InPlaceError: It is no longer the value of its tensor.
    """
    if overwritten:
        for node in order:
            if isinstance(node, Node) and isinstance(node.saved, list):
                check_current(node, node.saved)
    for node in order:
        if node.__class__ is Node and node.saved is None:
            raise BackwardTwiceError(
                at_user_line(
                    f"backward came through {node.op.type} a second time, but what it "
                    "had saved was freed by the first: give that one retain_graph=True"
                )
            )


def check_current(node: Node, saved: Sequence[Any]) -> None:
    """Refuse a node that kept an array whose tensor was changed in place since.

    Raises:
        InPlaceError: It did.
    """
    rule = node.op.rule
    for position, value in enumerate(saved):
        if overwritten_since(value, node.born):
            names = rule.saved if rule is not None else ()
            name = names[min(position, len(names) - 1)] if names else "a tensor"
            raise InPlaceError(
                at_user_line(
                    f"backward needs {name!r} as {node.op.type} saw it, but the tensor "
                    "was changed in place since then: change a clone(), or use an op "
                    "that returns a new tensor"
                )
            )


def add_hook(edge: Edge, hook: Hook) -> HookHandle:
    """Let `hook` see, and replace, every gradient that travels to `edge`."""
    owner, index = (edge.node, edge.index) if isinstance(edge, Output) else (edge, 0)
    if getattr(owner, "hooks", None) is None:
        owner.hooks = {}
    _hooked.anywhere = True
    return register(owner.hooks, hook, index)


class _Hooked:
    """Whether there has ever been a hook: without one, nobody looks for any."""

    anywhere = False


_hooked = _Hooked()


def through_hooks(edge: Edge, dout: Any) -> Any:
    """A whole gradient, after the hooks at its edge."""
    owner, index = (edge.node, edge.index) if isinstance(edge, Output) else (edge, 0)
    hooks = getattr(owner, "hooks", None) or {}
    here = [hook for (of, _), hook in hooks.items() if of == index]
    if here and observers:
        announce("hooks_begin", edge, dout)
    for hook in here:
        dout = hook(dout)
    return dout


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
        InPlaceError: What the graph kept was changed in place since.
    """
    path, needed = route(seeds, targets, blocked)
    check_kept(path)
    grads: dict[Edge, Any] = dict(seeds)
    found: dict[Edge, Any] = {}
    with np.errstate(all="ignore"):  # slopes may be infinite, silently as in Paddle
        for node in path:
            dout = grads.pop(node, None)
            if dout is None:
                continue
            if _hooked.anywhere and dout.__class__ is not list:
                dout = through_hooks(node, dout)
            if observers:
                announce("grad_ready", node, dout)
            if targets is not None and node in targets:
                found[node] = dout
            if node.__class__ is Node:
                step(node, dout, grads, needed, trace)
                if not retain_graph:
                    free(node)
            elif node.__class__ is Output:
                gather(grads, node, dout)
            elif targets is None:
                found[node] = dout
    return found


def step(
    node: Node,
    dout: Any,
    grads: dict[Edge, Any],
    needed: set[Edge | None] | None,
    trace: Trace | None,
) -> None:
    """Run one node's rule and hand its gradients on; here is where they add up."""
    if observers:
        announce("grad_begin", node)
    rule, upstream, saved = taken(node, dout, trace)
    quick = quick_form(rule) if trace is None else None
    try:
        gradients = rule.by(quick, upstream, saved, node.attrs) if quick else None
        found = None if gradients is None else wanted(node, gradients, needed)
    except Exception:
        found = None  # the rule as it is written says which of its ops it was
    if found is None:
        found = wanted(node, rule(upstream, saved, node.attrs), needed)
    for index, edge, grad in found:
        if observers:
            announce("grad_flows", node, index, edge, grad)
        grads[edge] = grads[edge] + grad if edge in grads else grad


def quick_form(rule: Rule) -> Callable[..., Any] | None:
    """The rule of an op for arrays alone, where that is another function."""
    if rule.__class__ is not Rule:
        return None
    quick: Callable[..., Any] = for_arrays(rule.function)
    return None if quick is rule.function else quick


def wanted(
    node: Node, gradients: Sequence[Any], needed: set[Edge | None] | None
) -> list[tuple[int, Edge, Any]]:
    """The gradients of a node's inputs that are wanted, each with where it goes."""
    return [
        (index, edge, dx() if dx.__class__ is FunctionType else dx)
        for index, (edge, dx) in enumerate(zip(node.edges, gradients, strict=True))
        if not (edge is None or dx is None or (needed and edge not in needed))
    ]


def route(
    seeds: Mapping[Edge, Any],
    targets: Mapping[Edge, Any] | None,
    blocked: Collection[Edge],
) -> tuple[list[Edge], set[Edge | None] | None]:
    """The nodes to visit, in order, and those that lead to a target (None: all do)."""
    order = topological(seeds)
    if targets is None:
        return order, None
    needed = leading_to(targets, order) - {*blocked}
    return [node for node in order if node in needed], needed


def gather(grads: dict[Edge, Any], output: Output, dout: Any) -> None:
    """Put the gradient of one output in its place among its node's."""
    douts = grads.setdefault(output.node, [None] * len(output.node.op.outputs))
    before = douts[output.index]
    douts[output.index] = dout if before is None else before + dout


def taken(
    node: Node, dout: Any, trace: Trace | None
) -> tuple[Rule, Sequence[Any], Sequence[Any]]:
    """A node's rule, and what it takes: gradients that arrive, and what was kept."""
    rule = node.op.rule
    assert rule is not None
    assert node.saved is not None
    saved: Sequence[Any] = [*node.saved]
    if trace is not None:
        sources = saved_sources(rule, len(saved))
        pairs = zip(sources, saved, strict=True)
        saved = [traced(node, source, value, trace) for source, value in pairs]
    several = dout.__class__ is list
    return rule, [dout[i] for i in rule.upstream] if several else (dout,), saved


def saved_sources(rule: Rule, count: int) -> list[int]:
    """Where each kept value came from: input i as i, output i as -1 - i."""
    sources = list(rule.sources)
    if rule.variadic:
        sources += range(sources[-1] + 1, sources[-1] + 1 + count - len(sources))
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
        announce("node_freed", node)
