"""Rows for `teachgraph/ops/trigonometry.py`."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from tests.ops.contract import (
    NUMBERS,
    PAIR_WRONG,
    UNARY_LACKS,
    Case,
    Row,
    binary,
    each,
    pairwise,
    unary,
)
from tests.ops.values import numbers


def angle(name: str, low: float = -2.0, high: float = 2.0) -> Row:
    """A function that Python's `math` and PyTorch have under the same name."""

    def twin(t: Any, x: Any) -> Any:
        return getattr(t, name)(x)

    cases = unary(partial(numbers, low=low, high=high))
    value = each(getattr(math, name))
    return Row(name, cases, value, twin, lacks=UNARY_LACKS)


def pairs() -> tuple[Case, ...]:
    """Points of the plane, away from its centre."""
    return tuple(case for case in binary() if not case.attrs)


ROWS = (
    angle("sin"),
    angle("cos"),
    angle("tan", -1.2, 1.2),
    angle("asin", -0.9, 0.9),
    angle("acos", -0.9, 0.9),
    angle("atan"),
    angle("sinh"),
    angle("cosh"),
    angle("asinh"),
    angle("acosh", 1.2, 4.0),
    angle("atanh", -0.9, 0.9),
    Row(
        "atan2",
        pairs(),
        pairwise(math.atan2),
        lambda t, x1, x2: t.atan2(x1, x2),
        accepts=NUMBERS,
        gives=lambda dtype, attrs: (dtype if dtype[0] == "f" else "float64",),
        wrong=tuple(wrong for wrong in PAIR_WRONG if not wrong.attrs),
    ),
)
"""`asin` to `atanh` keep away from where their slope is infinite."""
