"""Rows for `teachgraph/ops/rounding.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import FLOATS, NUMBERS, UNARY_LACKS, Case, Row, each, unary
from tests.ops.values import numbers


def rounding(
    op: str, function: Callable[[float], float], twin: Any, dtypes: Any
) -> Row:
    edges = Case("halves", (np.array([0.5, 1.5, 2.5, -0.5, -1.5, 3.0]),), smooth=False)
    cases = (*unary(), edges, Case("large", (numbers(4, low=-1e9, high=1e9),)))
    return Row(op, cases, each(function), twin, lacks=UNARY_LACKS, accepts=dtypes)


def nearest(x: float) -> float:
    """Halves away from 0."""
    return math.copysign(math.floor(abs(x) + 0.5), x)


def nearest_in_torch(t: Any, x: Any) -> Any:
    """PyTorch's own `round` takes halves to even."""
    return t.sign(x) * t.floor(t.abs(x) + 0.5)


ROWS = (
    rounding("floor", math.floor, lambda t, x: t.floor(x), FLOATS),
    rounding("ceil", math.ceil, lambda t, x: t.ceil(x), FLOATS),
    rounding("round", nearest, nearest_in_torch, FLOATS),
    rounding("trunc", math.trunc, lambda t, x: t.trunc(x), NUMBERS),
)
