"""Rows for `teachgraph/ops/numbers.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import (
    FLOATS,
    PAIR_WRONG,
    UNARY_LACKS,
    Array,
    Case,
    Row,
    Wrong,
    binary,
    pairwise,
    unary,
)
from tests.ops.values import integers, numbers

UNFIT = tuple(wrong for wrong in PAIR_WRONG if not wrong.attrs)
HALF = Wrong("halves", (numbers(3), numbers(3)), error="DTypeError", says="float64")


def whole(*shape: int, start: int = 1) -> Array:
    """Integers, some of them 0 or negative."""
    return np.asarray(integers(*shape, below=40, start=start) - 10)


def steps(*shape: int, start: int = 1) -> Array:
    """Numbers, of which some are 0."""
    x = numbers(*shape, start=start)
    return np.where(np.abs(x) < 0.7, 0.0, x)


def pairs(make: Callable[..., Array]) -> tuple[Case, ...]:
    return tuple(case for case in binary(make) if not case.attrs)


def of_integers(op: str, function: Callable[[int, int], int]) -> Row:
    def value(x: Array, y: Array) -> Array:
        found = pairwise(lambda a, b: float(function(int(a), int(b))))(x, y)
        return found.astype(np.int64)

    return Row(
        op,
        pairs(whole),
        value,
        lambda t, x, y: getattr(t, op)(x, y),
        accepts=("int64",),
        refuses=(),
        wrong=(HALF,),
        gradient=False,
    )


def step(x: float, y: float) -> float:
    return y if x == 0 else float(x > 0)


def halves(x: Array) -> tuple[Array, Array]:
    parts = [math.frexp(v) for v in x.ravel().tolist()]
    mantissa, exponent = ([p[i] for p in parts] for i in (0, 1))
    return np.reshape(mantissa, x.shape), np.reshape(exponent, x.shape).astype(float)


def halves_in_torch(t: Any, x: Any) -> Any:
    mantissa, exponent = t.frexp(x)
    return mantissa, exponent.to(x.dtype)


ROWS = (
    of_integers("gcd", math.gcd),
    of_integers("lcm", math.lcm),
    Row(
        "nextafter",
        pairs(numbers),
        pairwise(math.nextafter),
        lambda t, x, y: t.nextafter(x, y),
        wrong=UNFIT,
        gradient=False,
    ),
    Row(
        "elementwise_heaviside",
        tuple(
            Case(case.label, case.inputs, case.attrs, smooth=False)
            for case in pairs(steps)
        ),
        pairwise(step),
        lambda t, x, y: t.where(x == 0, y, (x > 0).to(y.dtype) + 0.0 * x),
        accepts=(*FLOATS, "int64"),
        refuses=(),
        wrong=UNFIT,
    ),
    Row(
        "frexp",
        (*unary(), Case("powers of 2", (np.array([0.0, 8.0, -0.25, 3e30]),))),
        halves,
        halves_in_torch,
        gives=lambda dtype, attrs: (dtype, dtype),
        lacks=UNARY_LACKS,
        gradient=False,
    ),
)
