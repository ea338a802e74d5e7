"""Gradients asked for by name: `paddle.grad`, to any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.autograd.hooks import reach_leaves
from teachgraph.autograd.tensor import Tensor, wrap
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.modes import recording
from teachgraph.core.observe import announce
from teachgraph.core.op import Rule
from teachgraph.core.tape import (
    Edge,
    Flow,
    Node,
    Output,
    PerOutput,
    backward_from,
    topological,
)
from teachgraph.core.tensor import seed_for, wrong_gradient
from teachgraph.core.threads import Guard
from teachgraph.ops.as_list import as_list

__all__ = ["grad"]

Tensors = Tensor | Sequence[Tensor]
Gradients = dict[Edge, Any]
Given = Sequence[Any]


def grad(
    outputs: Tensors,
    inputs: Tensors,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Tensors | None = None,
) -> list[Tensor | None]:
    """The gradients of the sum of `outputs` with respect to `inputs`.

    Args:
        outputs: What to differentiate, a Tensor or several.
        inputs: With respect to what.
        grad_outputs: Weights of the outputs (vector-Jacobian product); None is ones.
        retain_graph: Keep the graph; by default only with `create_graph`.
        create_graph: Record the gradients, so that they can be differentiated in turn.
        only_inputs: Must be True, as in Paddle: `.grad` of other leaves is not touched.
        allow_unused: Give None for an input the outputs do not depend on.
        no_grad_vars: Tensors to be taken as constants.

    Returns:
        A list with a Tensor for each input.

    Raises:
        InvalidValueError: An input is not reached, or the arguments do not fit.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor(3.0, stop_gradient=False)
    >>> dx, = tg.grad(x * x * x, x, create_graph=True)
    >>> dx.item(), tg.grad(dx, x)[0].item()
    (27.0, 18.0)
    """
    targets, roots = as_list(inputs), as_list(outputs)
    douts = as_list(() if grad_outputs is None else grad_outputs) or [None] * len(roots)
    constants = [] if no_grad_vars is None else as_list(no_grad_vars)
    retain = create_graph if retain_graph is None else retain_graph
    switches = [only_inputs, create_graph, retain, allow_unused]
    check(roots, targets, constants, douts, switches)
    wanted: set[Edge] = {tensor.edge for tensor in targets}
    seeds = seeds_of(roots, douts, create_graph)
    order = topological(seeds)
    path = leading_to(wanted, order) - {tensor.edge for tensor in constants}
    gradients: Gradients = {}
    pull = pull_recording if create_graph else pull_arrays

    def visit(node: Any, dout: Any) -> Flow:
        """Run a node's rule. Off the path edges are None: their thunks are not called.

        Saved tensors are freed node by node, so that memory falls during the pass.
        """
        if node in wanted:
            gradients[node] = dout
        if node.__class__ is not Node:
            return node.pass_on(dout) if node.node in path else ()
        edges = [edge if edge in path else None for edge in node.edges]
        pulled = pull(node, dout)
        node.saved = node.saved if retain else None
        return zip(edges, pulled, strict=True)

    announce("backward_begin", roots)
    announce("gradients_asked", targets)
    no_leaf_hooks = Guard(reach_leaves.get, reach_leaves.set, False)
    try:
        with no_leaf_hooks, Guard(recording.get, recording.set, create_graph):
            starts = {edge: seed for edge, seed in seeds.items() if edge in path}
            gradients |= backward_from(starts, [n for n in order if n in path], visit)
    finally:
        announce("backward_end", roots)
    grads = [gradient_of(gradients, tensor, order, allow_unused) for tensor in targets]
    announce("gradients_returned", grads)
    return grads


def leading_to(targets: set[Edge], order: Sequence[Edge]) -> set[Edge]:
    """The targets and everything in `order` that was computed from one of them."""
    path = set(targets)
    for node in reversed(order):
        if not path.isdisjoint(node.edges):
            path.add(node)
    return path


def pull_arrays(node: Node, dout: Any) -> Sequence[Any]:
    """Run a node's rule on arrays."""
    rule: Any = node.op.rule
    assert node.saved is not None
    return rule.gradients(upstream_of(rule, dout), node.saved, node.attrs)  # type: ignore[no-any-return]


def upstream_of(rule: Rule, dout: Any) -> Sequence[Any]:
    """The upstream gradients that a rule takes, of one output or of several."""
    return dout.of(rule) if dout.__class__ is PerOutput else (dout,)


def pull_recording(node: Node, dout: Any) -> Sequence[Any]:
    """Run a node's rule on Tensors, so that the gradient is on the tape in turn."""
    rule, saved = node.op.rule, node.saved
    assert rule is not None
    assert saved is not None
    pairs = zip(saved_sources(rule, len(saved)), saved, strict=True)
    tensors = [as_it_was(node, source, value) for source, value in pairs]
    return rule.gradients(upstream_of(rule, dout), tensors, node.attrs)


def saved_sources(rule: Rule, count: int) -> list[int]:
    """The origin of each saved value: input i as i, output i as -1 - i."""
    sources = list(rule.sources)
    if rule.variadic:
        sources += range(sources[-1] + 1, sources[-1] + 1 + count - len(sources))
    return sources


def as_it_was(node: Node, source: int, value: Any) -> Any:
    """A saved array as the Tensor it was, so that a rule can be recorded."""
    if not isinstance(value, np.ndarray):
        return value
    if source >= 0:
        return wrap(value, node.edges[source])
    return wrap(value, node if len(node.op.outputs) == 1 else Output(node, -1 - source))


def check(
    roots: Given, targets: Given, constants: Given, douts: Given, switches: Given
) -> None:
    """Refuse what `grad` has no meaning for."""
    tensors = (*roots, *targets, *constants, *(d for d in douts if d is not None))
    rules = [
        (switches[0], "only_inputs=False is not supported; use backward() for .grad"),
        (roots and targets, "outputs and inputs must not be empty"),
        (len(douts) == len(roots), "length of grad_outputs must be that of outputs"),
        (
            all(isinstance(t, Tensor) for t in tensors),
            "outputs, inputs, grad_outputs and no_grad_vars must be Tensors",
        ),
        (all(isinstance(s, bool) for s in switches), "switches must be True or False"),
    ]
    for right, rule in rules:
        if not right:
            raise InvalidValueError.here(f"grad: {rule}")


def seeds_of(
    roots: Sequence[Tensor], given: Sequence[Any], create_graph: bool
) -> dict[Edge, Any]:
    """The seed of each root; a root named twice starts with the sum."""
    seeds: dict[Edge, Any] = {}
    for root, weight in zip(roots, given, strict=True):
        if root.stop_gradient:
            continue
        seed: Any = seed_for(root, weight)
        if create_graph:
            known = weight is not None
            seed = weight.in_dtype(root.dtype) if known else Tensor.results(seed)
        edge = root.edge
        seeds[edge] = seeds[edge] + seed if edge in seeds else seed
    return seeds


def gradient_of(
    grads: Gradients, tensor: Tensor, order: Sequence[Edge], allow_unused: bool
) -> Tensor | None:
    """The gradient found for one input, of its shape."""
    value = grads.get(tensor.edge)
    if value is not None:
        if [*value.shape] != tensor.shape:
            raise wrong_gradient(tensor, value, order)
        return value if isinstance(value, Tensor) else Tensor.results(value)
    if allow_unused:
        return None
    reason = (
        "its stop_gradient is True"
        if tensor.stop_gradient
        else "the outputs do not depend on it"
    )
    raise InvalidValueError.here(
        f"grad: no gradient reaches the input {tensor.label or tensor.shape}: "
        f"{reason}; allow_unused=True gives None for it"
    )
