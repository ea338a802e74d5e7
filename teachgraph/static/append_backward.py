"""Differentiating a program: operators that go back over it are appended to it.

For each operator on the way from the parameters to the loss, taken in reverse, one
gradient operator is appended.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from teachgraph.autograd.recompute_program import Again
from teachgraph.control_flow.backward import WAYS
from teachgraph.control_flow.double_backward import ORDINARY
from teachgraph.core.backward import Callback, Reverse
from teachgraph.core.errors import ProgramError
from teachgraph.core.grad_path import Way, ordinary, own_ways
from teachgraph.static.operator import OpRole
from teachgraph.static.variable import Variable

__all__ = ["append_backward", "gradients"]

own_ways.update(WAYS)
ordinary.update(ORDINARY)


def append_backward(
    loss: Variable,
    parameter_list: Sequence[Variable | str] | None = None,
    no_grad_set: Collection[Variable | str] | None = None,
    callbacks: Sequence[Callback] | None = None,
    checkpoints: Sequence[Any] | None = None,
    distop_context: Any = None,
) -> list[tuple[Variable, Variable]]:
    """Append to the loss's program the operators that compute its gradients.

    Args:
        loss: What to differentiate; if it is no scalar, its elements' sum.
        parameter_list: The parameters wanted; by default every trainable one.
        no_grad_set: Variables to be taken as constants.
        callbacks: Called as f(block, context) after each gradient operator.
        checkpoints: Variables, or their names, that cut the forward into segments. What
            a segment computes inside is not kept, but computed again just before the
            gradients of the segment.
        distop_context: Accepted for Paddle's sake.

    Returns:
        (parameter, gradient) for each parameter reached, in order of creation.

    Raises:
        TypeError: An argument is of the wrong type.

    In Paddle this is `paddle.static.append_backward`.
    """
    check_arguments(loss, parameter_list, callbacks, checkpoints)
    cuts = [v.name if isinstance(v, Variable) else v for v in checkpoints or ()]
    block = loss.block
    if (maker := loss.op) is not None and maker.role == OpRole.FORWARD:
        maker.set_attr("op_role", int(OpRole.LOSS))
    wanted = [v if isinstance(v, str) else v.name for v in parameter_list or ()]
    parameters = {
        parameter.name: parameter
        for parameter in block.program.all_parameters()
        if parameter.trainable and (parameter_list is None or parameter.name in wanted)
    }
    way = Way(block, [loss], no_grad_set or ())
    again = Again(block, way.passed(), cuts) if cuts else None
    found = Reverse(way, parameters, again).run([None], callbacks or ())
    return [
        (parameter, block.var(found[name]))
        for name, parameter in parameters.items()
        if name in found
    ]


def gradients(
    targets: Variable | Sequence[Variable],
    inputs: Variable | Sequence[Variable],
    target_gradients: Any = None,
    no_grad_set: Collection[Variable | str] | None = None,
) -> list[Variable | None]:
    """The gradients of the sum of `targets` with respect to `inputs`, as Variables.

    Args:
        targets: What to differentiate.
        inputs: With respect to what; any variable of the program.
        target_gradients: Weights of the targets, None for ones.
        no_grad_set: Variables to be taken as constants.

    Returns:
        A Variable for each input, None for one that no gradient reaches: the targets
        do not depend on it, or it has `stop_gradient`, as data variables have at first.

    Raises:
        ProgramError: The weights do not fit the targets.

    In Paddle this is `paddle.static.gradients`.
    """
    roots, leaves = listed(targets), listed(inputs)
    weights = listed(target_gradients) if target_gradients is not None else []
    weights = weights or [None] * len(roots)
    if len(weights) != len(roots):
        raise ProgramError("Should have the same number of target_gradients as targets")
    for root, weight in zip(roots, weights, strict=True):
        if weight is not None and weight.shape != root.shape:
            raise ProgramError(
                "The shapes of target and grad are different: "
                f"{root.name} {root.shape}, {weight.name} {weight.shape}"
            )
    block = roots[0].block
    seeds = [None if weight is None else weight.name for weight in weights]
    way = Way(block, roots, no_grad_set or (), leaves)
    found = Reverse(way).run(seeds, ())
    return [
        block.var(found[leaf.name]) if leaf.name in found else None for leaf in leaves
    ]


def check_arguments(
    loss: Any, parameters: Any, callbacks: Any, checkpoints: Any
) -> None:
    """Refuse what `append_backward` has no meaning for, in Paddle's words."""
    for name, value, kinds in (
        ("loss", loss, (Variable,)),
        ("parameter_list", parameters, (list, tuple, set, type(None))),
        ("callbacks", callbacks, (list, tuple, type(None))),
        ("checkpoints", checkpoints, (list, tuple, type(None))),
    ):
        if not isinstance(value, kinds):
            allowed = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(
                f"The type of '{name}' in paddle.static.append_backward must be "
                f"{allowed}, but received {type(value)}."
            )
    for cut in checkpoints or ():
        if not isinstance(cut, (Variable, str)):
            raise TypeError(
                "checkpoints are Variables or their names, but received "
                f"{type(cut)}: give what the layers returned"
            )


def listed(value: Any) -> list[Any]:
    """One thing as a list of one."""
    return list(value) if isinstance(value, (list, tuple)) else [value]
