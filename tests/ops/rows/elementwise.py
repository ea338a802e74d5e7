"""Rows for `teachgraph/ops/elementwise.py`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from tests.ops.contract import (
    EVERY,
    NUMBERS,
    PAIR_WRONG,
    Array,
    Case,
    Row,
    Wrong,
    always,
    beside,
    binary,
    pairwise,
)
from tests.ops.values import integers, numbers, positive, turned

TIED = (np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 3.0]))
HALVED = "PyTorch gives each side of a tie half"


def torch_pair(name: str) -> Callable[..., Any]:
    """PyTorch's function of that name, with Paddle's `axis`."""

    def twin(t: Any, x: Any, y: Any, axis: int = -1) -> Any:
        return getattr(t, name)(x, beside(x, y, axis))

    return twin


def arithmetic(
    op: str, function: Callable[[Any, Any], Any], twin: str, *more: Case, **facts: Any
) -> Row:
    cases = facts.pop("cases", binary())
    facts = {"accepts": NUMBERS, "wrong": PAIR_WRONG, **facts}
    return Row(op, (*cases, *more), pairwise(function), torch_pair(twin), **facts)


def comparison(op: str, function: Callable[[Any, Any], bool], twin: str) -> Row:
    """Rows without a derivative; whole numbers, so that some are equal."""

    def whole(*shape: int, start: int = 1) -> Array:
        return integers(*shape, below=3, start=start).astype(float)

    return arithmetic(
        op,
        function,
        twin,
        cases=binary(whole),
        accepts=EVERY,
        gives=always("bool"),
        gradient=False,
    )


def without_axis(
    op: str, function: Callable[[Any, Any], Any], twin: str, **facts: Any
) -> Row:
    """The newer ones, which broadcast as NumPy does and no other way."""
    cases = tuple(case for case in binary() if not case.attrs)
    wrong = tuple(wrong for wrong in PAIR_WRONG if not wrong.attrs)
    return arithmetic(op, function, twin, cases=cases, wrong=wrong, **facts)


FIXED: Any = {"constant": (2,)}
SIGNS = (np.array([7.0, -7.0, 7.0, -7.0]), np.array([2.0, 2.0, -2.0, -2.0]))
DIVIDED = binary(partial(numbers, low=1.0, high=4.0))
DIVISION_BY_0 = Wrong(
    "integers by 0",
    (np.array([1, 2]), np.array([1, 0])),
    error="InvalidValueError",
    says="by zero",
    by_value=True,
)


ROWS = (
    arithmetic("elementwise_add", operator.add, "add", accepts=EVERY),
    arithmetic("elementwise_sub", operator.sub, "sub"),
    arithmetic("elementwise_mul", operator.mul, "mul", accepts=EVERY),
    arithmetic(
        "elementwise_div",
        operator.truediv,
        "div",
        cases=binary(partial(numbers, low=1.0, high=4.0)),
        accepts=EVERY,
    ),
    arithmetic(
        "elementwise_pow",
        operator.pow,
        "pow",
        Case(
            "a negative number to a whole power",
            (np.array([-2.0, -0.5, 3.0]), np.array([2.0, 3.0, 1.0])),
            constant=(1,),
        ),
        cases=binary(positive),
    ),
    arithmetic(
        "elementwise_max",
        max,
        "maximum",
        Case(
            "a tie",
            TIED,
            smooth=False,
            differs=HALVED,
            paddle=lambda dout: (dout * [0, 1, 0], dout * [1, 0, 1]),
        ),
        accepts=EVERY,
    ),
    arithmetic(
        "elementwise_min",
        min,
        "minimum",
        Case(
            "a tie",
            TIED,
            smooth=False,
            differs=HALVED,
            paddle=lambda dout: (dout * [0, 0, 0], dout * [1, 1, 1]),
        ),
        accepts=EVERY,
    ),
    arithmetic(
        "elementwise_floordiv",
        lambda x, y: float(x // y),
        "floor_divide",
        Case("signs", SIGNS),
        cases=DIVIDED,
        wrong=(*PAIR_WRONG, DIVISION_BY_0),
        gradient=False,
    ),
    arithmetic(
        "elementwise_mod",
        lambda x, y: float(x % y),
        "remainder",
        Case("signs", SIGNS),
        cases=DIVIDED,
        wrong=(*PAIR_WRONG, DIVISION_BY_0),
    ),
    without_axis("elementwise_fmax", max, "fmax", accepts=EVERY),
    without_axis("elementwise_fmin", min, "fmin", accepts=EVERY),
    without_axis(
        "logaddexp",
        lambda x, y: math.log(math.exp(x) + math.exp(y)),
        "logaddexp",
        gives=lambda dtype, attrs: (dtype if dtype[0] == "f" else "float32",),
    ),
    Row(
        "lerp",
        (
            Case("scalar", (numbers(), numbers(start=9), numbers(start=5)), **FIXED),
            Case(
                "1-D",
                (numbers(5), numbers(5, start=9), numbers(5, start=5)),
                **FIXED,
            ),
            Case(
                "broadcast",
                (numbers(4, 1), numbers(5, start=9), numbers(start=5)),
                **FIXED,
            ),
            Case("empty", (numbers(0, 3), numbers(3), numbers()), **FIXED),
            Case(
                "not contiguous",
                (turned(numbers(4, 5)), turned(numbers(5)), numbers()),
                **FIXED,
            ),
        ),
        lambda x, y, weight: (1 - weight) * x + weight * y,
        lambda t, x, y, weight: t.lerp(x, y, weight),
        wrong=(Wrong("sizes that differ", (numbers(4), numbers(5), numbers())),),
    ),
    comparison("equal", operator.eq, "eq"),
    comparison("not_equal", operator.ne, "ne"),
    comparison("less_than", operator.lt, "lt"),
    comparison("less_equal", operator.le, "le"),
    comparison("greater_than", operator.gt, "gt"),
    comparison("greater_equal", operator.ge, "ge"),
)
