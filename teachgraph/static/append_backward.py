"""The public `append_backward` and `gradients`, with Paddle's arguments.

The reverse pass is the core's. Gradients of loops and branches, of any order, register
with it when they are imported here; callbacks and recomputation wrap one pass.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from teachgraph.autograd.recompute_program import recomputing
from teachgraph.control_flow import backward as _grad_builders  # noqa: F401
from teachgraph.control_flow import double_backward as _double_grad  # noqa: F401
from teachgraph.core import backward as core
from teachgraph.core.backward import Backward, Visit, Wrapper, names_of
from teachgraph.core.errors import DTypeError, ProgramError
from teachgraph.core.program import Operator, Parameter, Variable
from teachgraph.ops.as_list import as_list
from teachgraph.static import gradient_shapes as _shapes  # noqa: F401
from teachgraph.static.gradient_hooks import apply_hooks, hooks_of

__all__ = ["append_backward", "gradients"]

Callback = Callable[..., Any]


def append_backward(
    loss: Variable,
    parameter_list: Sequence[Variable | str] | None = None,
    no_grad_set: Collection[Variable | str] | None = None,
    callbacks: Sequence[Callback] | None = None,
    checkpoints: Sequence[Any] | None = None,
    distop_context: Any = None,
) -> list[tuple[Parameter, Variable]]:
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
        DTypeError: An argument is of the wrong type.

    In Paddle this is `paddle.static.append_backward`.
    """
    lists = {"parameter_list": parameter_list, "no_grad_set": no_grad_set}
    options = {"callbacks": callbacks, "checkpoints": checkpoints}
    require_types("append_backward", loss=loss, **lists, **options)
    wrappers: list[Wrapper] = [calling_back(callbacks)] if callbacks else []
    if checkpoints:
        require_names(checkpoints)
        wrappers.append(recomputing([*names_of(checkpoints)]))
    return core.append_backward(loss, parameter_list, no_grad_set or (), wrappers)


def calling_back(callbacks: Sequence[Callback]) -> Wrapper:
    """Wrap a reverse pass: it calls functions after each gradient operator.

    They get the block, and the context that Paddle gives them: the operator, and for
    each gradient's name the forward variable's.
    """

    def wrap(backward: Backward, visit: Visit) -> Visit:
        def visit_and_call(operator: Operator, wanted: Sequence[str]) -> None:
            first = len(backward.block.ops)
            visit(operator, wanted)
            for gradient in backward.block.ops[first:]:
                context: dict[str, Any] = {
                    backward.names[name]: name
                    for name in operator.input_arg_names
                    if name in backward.names
                }
                context["__current_op_desc__"] = gradient
                for callback in callbacks:
                    callback(backward.block, dict(context))

        return visit_and_call

    return wrap


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
        DTypeError: An argument is of the wrong type.
        ProgramError: The weights do not fit the targets.

    In Paddle this is `paddle.static.gradients`.
    """
    require_types(
        "gradients",
        targets=targets,
        inputs=inputs,
        target_gradients=target_gradients,
        no_grad_set=no_grad_set,
    )
    roots, leaves = as_list(targets), as_list(inputs)
    weights = as_list(target_gradients) if target_gradients is not None else []
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
    backward = Backward(block, roots, no_grad_set or (), leaves)
    names = backward.run(seeds)
    written = {name for operator in block.ops for name in operator.output_arg_names}
    for leaf in leaves:
        if hooks_of(leaf) and leaf.name in names and leaf.name not in written:
            apply_hooks(backward, names, leaf)
    return [
        block.var(names[leaf.name]) if leaf.name in names else None for leaf in leaves
    ]


NONE = type(None)
ONE_OR_MORE = (Variable, list, tuple)
LIST = (list, tuple, NONE)
COLLECTION = (list, tuple, set, NONE)
KINDS = {
    "loss": (Variable,),
    "targets": ONE_OR_MORE,
    "inputs": ONE_OR_MORE,
    "target_gradients": (*ONE_OR_MORE, NONE),
    "parameter_list": COLLECTION,
    "no_grad_set": COLLECTION,
    "callbacks": LIST,
    "checkpoints": LIST,
}
"""The types of the arguments of `append_backward` and `gradients`."""


def require_types(function: str, **arguments: Any) -> None:
    """Refuse arguments of other types, in Paddle's words.

    A text is none of them: its letters would be taken for names.
    """
    for name, value in arguments.items():
        if not isinstance(value, KINDS[name]):
            allowed = " or ".join(kind.__name__ for kind in KINDS[name])
            raise DTypeError.here(
                f"The type of '{name}' in paddle.static.{function} must be "
                f"{allowed}, but received {type(value)}."
            )


def require_names(checkpoints: Sequence[Any]) -> None:
    """Refuse checkpoints that are neither Variables nor names."""
    for cut in checkpoints:
        if not isinstance(cut, (Variable, str)):
            raise DTypeError.here(
                "checkpoints are Variables or their names, but received "
                f"{type(cut)}: give what the layers returned"
            )
