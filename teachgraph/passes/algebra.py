"""Pass `algebra`: simplify arithmetic with constants, exact to the last bit.

x + 0 is not always x: for x = -0 it is +0. So for floating x only x - 0 and x + -0 are
simplified, for integers either zero.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph.passes.constants import constant_of
from teachgraph.passes.identities import attr, dtype_of
from teachgraph.passes.pattern import Match, node
from teachgraph.passes.registry import by_rules
from teachgraph.passes.rewriting import Replacement, Rule, same_as
from teachgraph.static.operator import Operator

__all__ = ["RULES"]

Meets = Callable[[Any], bool]


def is_number(number: float) -> Meets:
    """Return a test that a constant is this number everywhere."""
    return lambda value: bool((value == number).all())


def adds_nothing(value: Any) -> bool:
    """True if x + value is x, also for x = -0."""
    zero = bool((value == 0).all())
    # x + -0 is x for every x, but -0 + 0 is 0.
    return zero and (value.dtype.kind != "f" or bool(np.signbit(value).all()))


def takes_nothing(value: Any) -> bool:
    """True if x - value is x, also for x = -0."""
    zero = bool((value == 0).all())
    # x - 0 is x for every x, but -0 - -0 is 0.
    return zero and (value.dtype.kind != "f" or not np.signbit(value).any())


def drop_neutral(slot: str, meets: Meets) -> Callable[[Match], Replacement]:
    """Rewrite an operator to its other input, if a slot has a constant of this kind."""

    def rewrite(match: Match) -> Replacement:
        operator, other = match.root, "Y" if slot == "X" else "X"
        value = constant_of(match.graph, operator.inputs[slot][0], match.at)
        x, out = match.spec("x"), match.graph.variable(operator.outputs["Out"][0]).spec
        fits = value is not None and value.dtype == x.dtype and out == x
        if value is None or not fits or attr(operator, "axis") != -1:
            return None
        # A larger constant would broadcast x: the result is another shape.
        never_grows = value.size == 1 and value.ndim <= len(x.shape)
        if not never_grows or value.dtype.kind == "b" or not meets(value):
            return None
        return same_as("x")(match) if operator.inputs[other][0] == match["x"] else None

    return rewrite


def to_the_first(operator: Operator) -> bool:
    """True for a power of 1 of floating numbers."""
    return bool(attr(operator, "factor") == 1) and dtype_of(operator).kind == "f"


def negates(operator: Operator) -> bool:
    """True for x * -1 + 0."""
    minus = attr(operator, "scale") == -1 and attr(operator, "bias") == 0
    return bool(minus) and dtype_of(operator).kind != "b"


RULES = [
    Rule(node("elementwise_add", X="x"), drop_neutral("Y", adds_nothing)),
    Rule(node("elementwise_add", Y="x"), drop_neutral("X", adds_nothing)),
    Rule(node("elementwise_sub", X="x"), drop_neutral("Y", takes_nothing)),
    Rule(node("elementwise_mul", X="x"), drop_neutral("Y", is_number(1))),
    Rule(node("elementwise_mul", Y="x"), drop_neutral("X", is_number(1))),
    Rule(node("elementwise_div", X="x"), drop_neutral("Y", is_number(1))),
    Rule(node("elementwise_pow", X="x"), drop_neutral("Y", is_number(1))),
    Rule(node("pow", X="x", where=to_the_first), same_as("x")),
    Rule(
        node(
            "scale",
            name="second",
            where=negates,
            X=node("scale", name="first", where=negates, X="x", shared=True),
        ),
        same_as("x"),
    ),
]

by_rules(
    "algebra",
    "Simplify x * 1, x / 1, x - 0, x to the power 1 and -(-x), to the last bit.",
    RULES,
)
