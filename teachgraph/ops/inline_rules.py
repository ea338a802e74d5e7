"""Gradient rules of which a Program gets the one op they are, and no `*_grad` op."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from teachgraph.core.backward import Backward
from teachgraph.core.op import Op, Rule, force
from teachgraph.core.program import Operator
from teachgraph.ops import naming

__all__ = ["inline_grad"]


def inline_grad(op: Op, **options: Any) -> Callable[..., Any]:
    """Register an op's gradient rule, each of whose gradients is a lambda of one op.

    As `Op.grad` does, it takes `of`, the inputs that have a gradient.
    """

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        op.rule = Rule(op, function, **options)
        op.grad_builder(append_rule)
        return function

    return register


def append_rule(
    backward: Backward, operator: Operator, parts: Mapping[int, str]
) -> None:
    """Append the rule's own ops, their results named as gradients."""
    rule = operator.op.rule
    assert rule is not None
    values = [
        backward.block._var_recursive(name) if name else None
        for names in backward.rule_inputs(operator).values()
        for name in names or [""]
    ]
    arriving = len(rule.upstream)
    results = rule.gradients(values[:arriving], values[arriving:], operator.own_attrs)
    for position, part in parts.items():
        with naming.called(part):
            force(results[position])
