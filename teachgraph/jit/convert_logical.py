"""`and`, `or`, `not`, chained comparisons and `is None`, also of tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from teachgraph.jit.convert_ifelse import as_condition, convert_ifelse
from teachgraph.jit.tracing import rehearsal
from teachgraph.jit.undefined import Either
from teachgraph.ops import functions
from teachgraph.static.variable import Variable

__all__ = [
    "convert_chain",
    "convert_is_none",
    "convert_logical_and",
    "convert_logical_not",
    "convert_logical_or",
]

SAFE = frozenset(
    {
        "abs",
        "assign",
        "assign_value",
        "cast",
        "equal",
        "fill_constant",
        "greater_equal",
        "greater_than",
        "isfinite_v2",
        "isinf_v2",
        "isnan_v2",
        "less_equal",
        "less_than",
        "logical_and",
        "logical_not",
        "logical_or",
        "logical_xor",
        "not_equal",
        "reduce_all",
        "reduce_any",
        "reduce_mean",
        "reduce_sum",
        "scale",
        "shape",
        "size",
        "square",
    }
)
"""Ops that cannot fail: running one where Python would not does no harm."""

Later = Callable[[], Any]


def convert_logical_and(first: Any, second: Later) -> Any:
    """`first and second()`."""
    condition = as_condition(first)
    if not isinstance(condition, Variable):
        return second() if condition else first
    return both(condition, second, functions.logical_and, when=True)


def convert_logical_or(first: Any, second: Later) -> Any:
    """`first or second()`."""
    condition = as_condition(first)
    if not isinstance(condition, Variable):
        return first if condition else second()
    return both(condition, second, functions.logical_or, when=False)


def both(flag: Variable, second: Later, join: Callable[..., Any], *, when: bool) -> Any:
    """Join two conditions; the second one goes into a branch if it may fail.

    Args:
        flag: The first condition.
        second: Computes the second.
        join: `logical_and` or `logical_or`.
        when: The value of the first for which Python would evaluate the second.
    """
    # A trial run tells which ops the second one needs; a branch costs more than they.
    with rehearsal() as block:
        second()
        harmless = all(op.type in SAFE for op in block.ops)
    if harmless:
        other = as_condition(second())
        if isinstance(other, Variable):
            return join(flag, other)
        return flag if bool(other) is when else not when

    def evaluate() -> tuple[Any]:
        condition = as_condition(second())
        if not isinstance(condition, Variable):
            return (functions.full([], bool(condition), "bool"),)
        # `as_condition` leaves shapes [1] and [1, 1]; the other branch gives [].
        return (functions.reshape(condition, []) if condition.shape else condition,)

    def known() -> tuple[Any]:
        return (functions.full([], not when, "bool"),)

    order = (evaluate, known) if when else (known, evaluate)
    (result,) = convert_ifelse(flag, *order, (), ("the condition",))
    return result


def convert_logical_not(value: Any) -> Any:
    """`not value`."""
    condition = as_condition(value)
    if isinstance(condition, Variable):
        return functions.logical_not(condition)
    return not condition


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
}


def convert_chain(first: Any, *others: tuple[str, Later]) -> Any:
    """`a < b() < c()`: compute each value once, and only if those before agree."""
    (sign, later), *rest = others
    second = later()
    comparison = COMPARISONS[sign](first, second)
    if not rest:
        return comparison
    return convert_logical_and(comparison, lambda: convert_chain(second, *rest))


def convert_is_none(value: Any) -> Any:
    """`value is None`."""
    if isinstance(value, Either) and value.no is None:
        return functions.logical_not(value.flag)
    return value is None
