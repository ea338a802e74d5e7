"""Losses."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import Array, Case
from tests.ops.values import numbers
from tests.oracle.functions.function import Function, functional

X, Y = numbers(4, 3), numbers(4, 3, start=40)
LABEL = np.array([2, 0, 1, 1])

REDUCTIONS = ("mean", "sum", "none")


def reductions(*inputs: Array, **facts: Any) -> tuple[Case, ...]:
    """A case for each reduction."""
    attrs = facts.pop("attrs", {})
    return tuple(
        Case(r, inputs, {**attrs, "reduction": r}, **facts) for r in REDUCTIONS
    )


FAMILY = (
    Function(
        "mse_loss",
        functional("mse_loss"),
        functional("mse_loss"),
        reductions(X, Y),
    ),
)
