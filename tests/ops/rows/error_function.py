"""Rows for `teachgraph/ops/error_function.py`."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from tests.ops.contract import UNARY_LACKS, Case, Row, each, unary
from tests.ops.values import numbers


def inverse(x: float) -> float:
    """The number whose erf is x, by halving an interval that holds it."""
    low, high = -6.0, 6.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if math.erf(middle) < x else (low, middle)
    return (low + high) / 2


ROWS = (
    Row(
        "erf",
        (
            *unary(),
            Case("far out", (np.array([-30.0, -5.5, 1.0, 3.0, 30.0]),)),
            Case("near 0", (np.array([-1e-9, 0.0, 1e-300]),)),
        ),
        each(math.erf),
        lambda t, x: t.erf(x),
        lacks=UNARY_LACKS,
    ),
    Row(
        "erfinv",
        unary(partial(numbers, low=-0.95, high=0.95)),
        each(inverse),
        lambda t, x: t.erfinv(x),
        lacks=UNARY_LACKS,
    ),
)
