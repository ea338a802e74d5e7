"""The shapes that a program's values have for one feed: no size is unknown then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from teachgraph.core.build import infer
from teachgraph.core.op import GradOp, slot_name
from teachgraph.core.program import GRAD, Spec, Variable
from teachgraph.core.steps import Call, Step

__all__ = ["Specs", "specs_of"]

Specs = dict[str, Spec]


def specs_of(
    steps: Sequence[Step],
    variables: Mapping[str, Variable],
    fed: Mapping[str, Sequence[int]],
) -> Specs:
    """Shape and dtype of each value, by name.

    A size stays -1 where it depends on values, or on a feed whose shape is not given.

    Args:
        steps: What the program runs, in order.
        variables: What is known of its variables.
        fed: The shapes of the feeds.
    """
    specs = {
        name: Spec(tuple(fed.get(name, v.shape)), v.dtype)
        for name, v in variables.items()
    }
    for step in steps:
        if isinstance(step, Call) and any(unknown(specs, n) for n in step.outputs):
            specs.update(outputs_of(step, specs))
    return specs


def unknown(specs: Specs, name: str | None) -> bool:
    """Tell whether a value has a size that is not known."""
    return name in specs and -1 in specs[name].shape


def outputs_of(call: Call, specs: Specs) -> Specs:
    """Infer a call's outputs for inputs of these shapes, as far as possible."""
    op = call.operator.op
    if isinstance(op, GradOp):
        return gradients_of(call, op, specs)
    inputs = [None if name is None else specs.get(name) for name in call.arguments]
    if any(spec is not None and -1 in spec.shape for spec in inputs):
        return {}
    try:
        inferred = infer(op, inputs, call.operator.own_attrs)
    except Exception:  # its sizes depend on values, and these are none
        return {}
    pairs = zip(call.outputs, inferred, strict=False)
    return {name: spec for name, spec in pairs if name is not None}


def gradients_of(call: Call, op: GradOp, specs: Specs) -> Specs:
    """A gradient is like what it is the gradient of."""
    twin, gradient_specs = call.operator.twin, Specs()
    for name in op.source.of:
        slot = slot_name(name)
        gradients = call.operator.outputs.get(f"{slot}{GRAD}", [])
        likes = [] if twin is None else twin.inputs.get(slot, [])
        for gradient, like in zip(gradients, likes, strict=False):
            if gradient in specs and like in specs:
                gradient_specs[gradient] = Spec(
                    specs[like].shape, specs[gradient].dtype
                )
    return gradient_specs
