"""Shapes of gradients: a user's rule is tried when it is put into a program.

The tape compares each gradient with its tensor. A program would not notice until its
numbers are wrong: NumPy broadcasts a gradient of another shape. So a rule that is not
the framework's own is run once on stand-ins, as kernels are when shapes are inferred.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.backward import Backward, Visit, visitor
from teachgraph.core.build import TRIAL_SIZES, sized, stand_in
from teachgraph.core.errors import GradientShapeError, ProgramError
from teachgraph.core.op import force
from teachgraph.core.program import Operator, Spec

__all__ = ["with_shapes"]


@visitor.wrap
def with_shapes(inner: Any) -> Any:
    """Try the rules of users on the path of every reverse pass."""

    def wrap(backward: Backward, visit: Visit) -> Visit:
        visit = inner(backward, visit)
        return trying(backward, visit) if any(map(of_user, backward.path)) else visit

    return wrap


def of_user(operator: Operator) -> bool:
    """Say if the gradient rule of an operator is not the framework's."""
    rule = operator.op.rule
    return rule is not None and not rule.function.__module__.startswith("teachgraph.")


def trying(backward: Backward, visit: Visit) -> Visit:
    """A visit that tries a user's rule before it is put into the program."""

    def visit_tried(operator: Operator, wanted: Sequence[str]) -> None:
        if of_user(operator):
            names = operator.op.arguments(operator.inputs)
            find = operator.block._var_recursive
            specs = [None if name is None else find(name).spec for name in names]
            compared = [n is not None and backward.current(n) in wanted for n in names]
            for size in TRIAL_SIZES:
                compare(operator, specs, compared, size)
        visit(operator, wanted)

    return visit_tried


def compare(
    operator: Operator,
    specs: Sequence[Spec | None],
    compared: Sequence[bool],
    size: int,
) -> None:
    """Run kernel and rule on stand-ins; compare the shapes of the wanted gradients.

    A kernel or rule that the stand-ins do not suit is left alone.

    Raises:
        GradientShapeError: A gradient is of another shape than its input.
        ProgramError: There are too many gradients, or too few.
    """
    trial = sized(specs, size)
    try:
        shapes = gradient_shapes(operator, trial, compared)
    except ProgramError:
        raise
    except Exception:
        return
    for shape, of, declared in zip(shapes, trial, specs, strict=True):
        if of and declared and shape not in (None, of.shape):
            raise wrong_shape(operator, shape, declared, size)


def gradient_shapes(
    operator: Operator, specs: Sequence[Spec | None], wanted: Sequence[bool]
) -> list[tuple[int, ...] | None]:
    """The shape of each wanted gradient for inputs like these, None for the others."""
    op, attrs = operator.op, operator.own_attrs
    assert op.rule is not None
    inputs = [None if spec is None else stand_in(spec) for spec in specs]
    with np.errstate(all="ignore"):
        made = op.kernel(*inputs, **attrs)
        outputs = made if isinstance(made, tuple) else (made,)
        upstream = [np.ones_like(outputs[place]) for place in op.rule.upstream]
        saved = op.rule.keep([*inputs, *outputs])
        given = op.rule.gradients(upstream, saved, attrs)
        pairs = zip(given, wanted, strict=True)
        gradients = [force(value) if asked else None for value, asked in pairs]
    return [None if value is None else np.shape(value) for value in gradients]


def wrong_shape(
    operator: Operator, shape: Any, declared: Spec, size: int
) -> GradientShapeError:
    """The error for a gradient of another shape than its variable."""
    assert operator.op.rule is not None
    unknown = f": with {size} for -1" if -1 in declared.shape else ""
    rule, where = operator.op.rule.type, operator.callsite
    error = GradientShapeError.here(
        f"{rule} gave a gradient of shape {[*shape]} for a tensor of shape "
        f"{[*declared.shape]}{unknown}",
        where,
    )
    error.op, error.where = rule, where
    return error
