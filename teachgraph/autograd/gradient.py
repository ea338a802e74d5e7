"""Gradients asked for by name: `paddle.grad`, to any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.autograd.tensor import Tensor, seed_for, wrap
from teachgraph.core.errors import InvalidValueError, at_user_line
from teachgraph.core.modes import set_grad_enabled
from teachgraph.core.observe import announce
from teachgraph.core.tape import Edge, reverse

__all__ = ["grad"]

Tensors = Tensor | Sequence[Tensor]


def listed(value: Any) -> list[Any]:
    """One thing as a list of one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


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
    targets, roots = listed(inputs), listed(outputs)
    given = [None] * len(roots) if grad_outputs is None else listed(grad_outputs)
    fixed = [] if no_grad_vars is None else listed(no_grad_vars)
    check(roots, targets, fixed, given, only_inputs)
    keep = create_graph if retain_graph is None else retain_graph
    blocked = {tensor.edge for tensor in fixed}
    seeds = seeds_of(roots, given, create_graph)
    announce("backward_begin", roots)
    try:
        with set_grad_enabled(mode=create_graph):
            found = reverse(
                seeds,
                targets={tensor.edge: None for tensor in targets},
                blocked=blocked,
                trace=wrap if create_graph else None,
                retain_graph=keep,
            )
    finally:
        announce("backward_end", roots)
    return [result(found, tensor, allow_unused) for tensor in targets]


def check(
    roots: Sequence[Any],
    targets: Sequence[Any],
    fixed: Sequence[Any],
    given: Sequence[Any],
    only_inputs: bool,
) -> None:
    """Refuse what `grad` has no meaning for."""
    problem = None
    if not only_inputs:
        problem = "only_inputs=False is not supported; use backward() to fill .grad"
    elif not targets or not roots:
        problem = "outputs and inputs must not be empty"
    elif len(given) != len(roots):
        problem = "The length of grad_outputs must be equal to outputs"
    elif not all(isinstance(t, Tensor) for t in (*roots, *targets, *fixed)):
        problem = "outputs, inputs and no_grad_vars must be Tensors"
    if problem:
        raise InvalidValueError(at_user_line(f"grad: {problem}"))


def seeds_of(
    roots: Sequence[Tensor], given: Sequence[Any], create_graph: bool
) -> dict[Edge, Any]:
    """What each root starts with; a root named twice starts with the sum."""
    seeds: dict[Edge, Any] = {}
    for root, weight in zip(roots, given, strict=True):
        if root.stop_gradient:
            continue
        seed: Any = seed_for(root, weight)
        seed = seed if create_graph else seed.data
        edge = root.edge
        seeds[edge] = seeds[edge] + seed if edge in seeds else seed
    return seeds


def result(found: dict[Edge, Any], tensor: Tensor, allow_unused: bool) -> Tensor | None:
    """The gradient found for one input."""
    value = found.get(tensor.edge)
    if value is not None:
        return value if isinstance(value, Tensor) else Tensor(value)
    if allow_unused:
        return None
    reason = (
        "its stop_gradient is True"
        if tensor.stop_gradient
        else "the outputs do not depend on it"
    )
    raise InvalidValueError(
        at_user_line(
            f"grad: no gradient reaches the input {tensor.label or tensor.shape}: "
            f"{reason}; allow_unused=True gives None for it"
        )
    )
