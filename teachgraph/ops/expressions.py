"""Statements of NumPy that ops come to in generated code, by the op's type."""

from __future__ import annotations

from collections.abc import Callable

from teachgraph.core.op import Op, find

__all__ = ["Expression", "expressions", "grad_numpy", "numpy"]

Expression = Callable[..., str | None]
"""Takes what is known of each input (`Like`, None if left out) and the attributes.

It returns assignments in the op's own parameter and output names, or None where the
kernel's checks are not known to hold.
"""

expressions: dict[str, Expression] = {}


def numpy(op: Op) -> Callable[[Expression], Expression]:
    """Register the NumPy statements that an op comes to; a decorator."""

    def register(expression: Expression) -> Expression:
        expressions[op.type] = expression
        return expression

    return register


def grad_numpy(op: Op) -> Callable[[Expression], Expression]:
    """Register those of its `*_grad` op, in the rule's names; a decorator."""
    assert op.rule is not None
    return numpy(find(op.rule.type))
