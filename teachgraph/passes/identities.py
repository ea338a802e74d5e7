"""Pass `identities`: remove operators that only copy, merge pairs of layout changes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.passes.pattern import Match, node
from teachgraph.passes.registry import by_rules
from teachgraph.passes.rewriting import NewOperator, Replacement, Rule, same_as
from teachgraph.static.operator import Operator

__all__ = ["RULES"]


def attr(operator: Operator, name: str) -> Any:
    """Return an attribute, or its default."""
    return operator.attrs.get(name, operator.op.attrs.get(name))


def shape_of(operator: Operator, slot: str = "X") -> tuple[int, ...]:
    """Return the shape of the variable in an input slot."""
    return operator.block._var_recursive(operator.inputs[slot][0]).shape


def dtype_of(operator: Operator, slot: str = "X") -> np.dtype[Any]:
    """Return the dtype of the variable in an input slot."""
    return operator.block._var_recursive(operator.inputs[slot][0]).dtype


def scales_by_one(operator: Operator) -> bool:
    """True for x * 1 + 0, unless x is boolean: True * 1 is the number 1."""
    is_number = dtype_of(operator).kind != "b"
    return is_number and attr(operator, "scale") == 1 and attr(operator, "bias") == 0


def keeps_dtype(operator: Operator) -> bool:
    """True for a cast to the dtype of its input.

    Values of two branches may differ from what is stated; their cast says from what.
    """
    stated, out = (attr(operator, name) for name in ("in_dtype", "out_dtype"))
    kept = dtypes.of_code(out) == dtype_of(operator)
    return bool(kept and stated in (None, out))


def keeps_shape(operator: Operator) -> bool:
    """True for a reshape to the shape of its input, with at most one unknown size."""
    shape = shape_of(operator)
    result = operator.block._var_recursive(operator.outputs["Out"][0]).shape
    return shape == result and shape.count(-1) <= 1 and 0 not in shape


def keeps_order(operator: Operator) -> bool:
    """True for a transpose that leaves every dimension in place."""
    axes = attr(operator, "axis")
    return [axis % len(axes) for axis in axes] == list(range(len(axes)))


def drops_nothing(operator: Operator) -> bool:
    """True for dropout in evaluation mode, which returns x itself.

    The other implementation, `downgrade_in_infer`, scales x then.
    """
    implementation = attr(operator, "dropout_implementation")
    return bool(attr(operator, "is_test")) and implementation == "upscale_in_train"


def joined_transposes(match: Match) -> Replacement:
    """Merge two transposes: out_k = y_q(k) = x_p(q(k))."""
    first, second = match.attr("first", "axis"), match.attr("second", "axis")
    axes = [first[i % len(first)] % len(first) for i in second]
    if axes == list(range(len(axes))):
        return same_as("x")(match)
    return [
        NewOperator(
            "transpose2", {"X": [match["x"]]}, match.root.outputs, {"axis": axes}
        ),
    ]


def joined_reshapes(match: Match) -> Replacement:
    """Merge two reshapes, if the second keeps no size of the first by a 0."""
    shape = match.attr("second", "shape")
    first = match.attr("first", "shape")
    if 0 in shape or not always_fits(match.spec("x").shape, first):
        return None
    inputs = {"X": [match["x"]]}
    return [NewOperator("reshape2", inputs, match.root.outputs, {"shape": shape})]


def always_fits(known: Sequence[int], shape: Sequence[int]) -> bool:
    """True if a reshape cannot fail at run time, so that it may be removed.

    Of known sizes it was checked when it was appended; of an unknown number of rows it
    cannot fail if it keeps the rows, or splits them.
    """
    if -1 not in known:
        return True
    rest, columns = known[1:], shape[1:]
    both = known[0] == -1 == shape[0] and min([*rest, *columns], default=1) > 0
    return both and prod(rest) % prod(columns) == 0


RULES = [
    Rule(node("scale", X="x", where=scales_by_one), same_as("x")),
    Rule(node("cast", X="x", where=keeps_dtype), same_as("x")),
    Rule(node("reshape2", X="x", where=keeps_shape), same_as("x")),
    Rule(node("transpose2", X="x", where=keeps_order), same_as("x")),
    Rule(node("dropout", X="x", where=drops_nothing), same_as("x")),
    Rule(node("assign", X="x"), same_as("x")),
    Rule(
        node(
            "transpose2",
            name="second",
            X=node("transpose2", name="first", X="x", shared=True),
        ),
        joined_transposes,
    ),
    Rule(
        node(
            "reshape2",
            name="second",
            X=node("reshape2", name="first", X="x", shared=True),
        ),
        joined_reshapes,
    ),
]

by_rules(
    "identities",
    "Leave out what hands on what it gets: x * 1, casts and reshapes to the same.",
    RULES,
)
