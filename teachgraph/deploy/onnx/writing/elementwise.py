"""Converters of elementwise ops of two tensors, which broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.deploy.onnx.writing.writer import CONVERTERS, Converter, Step, writes

ARITHMETIC = {
    "elementwise_add": "Add",
    "elementwise_max": "Max",
    "elementwise_min": "Min",
    "elementwise_mul": "Mul",
    "elementwise_pow": "Pow",
    "elementwise_sub": "Sub",
}

COMPARED = {
    "equal": "Equal",
    "greater_equal": "GreaterOrEqual",
    "greater_than": "Greater",
    "less_equal": "LessOrEqual",
    "less_than": "Less",
}

TRUTH = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}


def operands(step: Step, dtype: Any) -> tuple[str, str]:
    """Return both operands in one dtype; sizes of 1 align y at the `axis`."""
    x, y = step.get_as("x", dtype), step.get_as("y", dtype)
    axis, ndim = step.attrs.get("axis", -1), len(step.variable("y").shape)
    trailing = 0 if axis == -1 else step.ndim - axis - ndim
    if trailing > 0:
        axes = step.ints(*range(ndim, ndim + trailing))
        y = step.put("Unsqueeze", y, axes)
    return x, y


def common(step: Step) -> Any:
    """Return the promoted dtype of both operands."""
    return np.result_type(step.variable("x").dtype, step.variable("y").dtype)


def arithmetic(theirs: str) -> Converter:
    """Return the converter that computes in the dtype of the result."""
    return lambda step: step.give(theirs, *operands(step, step.result().dtype))


def compared(theirs: str) -> Converter:
    """Return the converter that compares in the promoted dtype."""
    return lambda step: step.give(theirs, *operands(step, common(step)))


CONVERTERS.update({ours: arithmetic(theirs) for ours, theirs in ARITHMETIC.items()})
CONVERTERS.update({ours: compared(theirs) for ours, theirs in COMPARED.items()})


@writes(*TRUTH)
def logical(step: Step) -> None:
    """Export a logical op; numbers are cast to booleans."""
    step.give(TRUTH[step.operator.type], *operands(step, np.bool_))


BITS = {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor"}


@writes(*BITS)
def bitwise(step: Step) -> None:
    """Export a bitwise op; before opset 18 for booleans only."""
    theirs, dtype = BITS[step.operator.type], step.result().dtype
    if dtype == np.bool_:
        return step.give(theirs, *operands(step, dtype))
    if step.writer.opset < 18:
        step.refuse("the bits of whole numbers need opset_version=18")
    return step.give(f"Bitwise{theirs}", *operands(step, dtype))


@writes("not_equal")
def not_equal(step: Step) -> None:
    """Export not equal, which ONNX does not have."""
    step.give("Not", step.put("Equal", *operands(step, common(step))))


@writes("elementwise_div")
def quotient(step: Step) -> None:
    """Export the quotient, which both cut for integers; over True it is x."""
    dtype = step.result().dtype
    step.give("And" if dtype == np.bool_ else "Div", *operands(step, dtype))


@writes("elementwise_mod")
def modulo(step: Step) -> None:
    """Export the remainder with the sign of the divisor."""
    x, y = operands(step, step.result().dtype)
    if step.result().dtype.kind in "iu":
        return step.give("Mod", x, y)
    rest, opposite = truncated(step, x, y)
    return step.give("Where", opposite, step.put("Add", rest, y), rest)


def truncated(step: Step, x: str, y: str) -> tuple[str, str]:
    """Append the remainder with the sign of x, and whether that of y is opposite.

    Unlike x - floor(x / y) y it has a value where y is infinite.
    """
    rest = step.put("Mod", x, y, fmod=1)
    signs = step.put("Mul", step.put("Sign", rest), step.put("Sign", y))
    return rest, step.put("Less", signs, step.constant(0, step.result().dtype))


@writes("elementwise_floordiv")
def floordiv(step: Step) -> None:
    """Export the quotient, rounded down; ONNX truncates integers towards zero."""
    x, y = operands(step, step.result().dtype)
    if step.result().dtype.kind in "iu":
        return step.give("Div", step.put("Sub", x, step.put("Mod", x, y)), y)
    rest, opposite = truncated(step, x, y)
    whole = step.put("Round", step.put("Div", step.put("Sub", x, rest), y))
    below = step.cast(opposite, step.result().dtype)
    zero = step.put("Equal", y, step.constant(0, step.result().dtype))
    return step.give(
        "Where", zero, step.put("Div", x, y), step.put("Sub", whole, below)
    )


@writes("where")
def where(step: Step) -> None:
    """Export the selection of x where the condition holds, else y."""
    dtype = step.result().dtype
    x, y = step.get_as("x", dtype), step.get_as("y", dtype)
    step.give("Where", step.get_as("condition", np.bool_), x, y)


@writes("sum")
def total(step: Step) -> None:
    """Export the sum of several tensors."""
    step.give("Sum", *step.all("x"))


@writes("equal_all")
def equal_all(step: Step) -> None:
    """Export a test that all elements are equal."""
    same = step.cast(step.put("Equal", *operands(step, common(step))), np.int32)
    step.give("Cast", step.reduced("ReduceMin", same, None, keep=False), to=9)
