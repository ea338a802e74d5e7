"""Rows for `teachgraph/ops/logic.py`."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import (
    EVERY,
    PAIR_WRONG,
    UNARY_LACKS,
    Array,
    Case,
    Row,
    Wrong,
    always,
    binary,
    each,
    pairwise,
    unary,
)
from tests.ops.values import integers, numbers, turned

MIXED = (*EVERY, "int32")
UNFIT = tuple(wrong for wrong in PAIR_WRONG if not wrong.attrs)
STRANGE = np.array([0.0, -0.0, 1.5, math.inf, -math.inf, math.nan])


def whole(*shape: int, start: int = 1) -> Array:
    """Numbers of which a third are 0."""
    return np.asarray(integers(*shape, below=3, start=start), float)


def bits(*shape: int, start: int = 1) -> Array:
    """Integers, some of them negative."""
    return np.asarray(integers(*shape, below=16, start=start) - 8)


def pairs(make: Callable[..., Array]) -> tuple[Case, ...]:
    return tuple(case for case in binary(make) if not case.attrs)


def truth(op: str, function: Callable[[Any, Any], Any]) -> Row:
    """Logic of two numbers, of which 0 is false."""
    return Row(
        op,
        pairs(whole),
        pairwise(lambda x, y: float(function(bool(x), bool(y)))),
        lambda t, x, y: getattr(t, op)(x, y),
        accepts=MIXED,
        gives=always("bool"),
        wrong=UNFIT,
        gradient=False,
    )


def of_bits(op: str, function: Callable[[Any, Any], Any]) -> Row:
    """Logic of every bit."""

    def value(x: Array, y: Array) -> Array:
        return pairwise(lambda a, b: float(function(int(a), int(b))))(x, y)

    half = Wrong("halves", (numbers(3), numbers(3)), error="DTypeError", says="float64")
    return Row(
        op,
        pairs(bits),
        value,
        lambda t, x, y: getattr(t, op)(x, y),
        accepts=("int64",),
        gives=lambda dtype, attrs: (dtype,),
        refuses=(),
        wrong=(half,),
        gradient=False,
    )


def about(op: str, function: Callable[[float], bool], twin: str) -> Row:
    """What holds of one number."""
    return Row(
        op,
        (*unary(), Case("strange", (STRANGE,))),
        lambda x: each(lambda v: float(function(v)))(x).astype(bool),
        lambda t, x: getattr(t, twin)(x),
        refuses=(),
        gives=always("bool"),
        lacks=UNARY_LACKS,
        gradient=False,
    )


def near(x: Array, y: Array, rtol: float = 1e-5, atol: float = 1e-8) -> Array:
    close = pairwise(lambda a, b: float(abs(a - b) <= atol + rtol * abs(b)))
    return close(x, y).astype(bool)


def chosen(x: Array, y: Array, condition: Array) -> Array:
    x, y, condition = np.broadcast_arrays(x, y, condition)
    triples = zip(condition.ravel(), x.ravel(), y.ravel(), strict=True)
    return np.array([a if c else b for c, a, b in triples]).reshape(x.shape)


def choice(label: str, x: Array, y: Array, *shape: int) -> Case:
    return Case(label, (x, y, np.asarray(integers(*shape, below=2) > 0)))


CLOSE = (
    Case("scalar", (np.array(1.0), np.array(1.0 + 1e-7))),
    Case("1-D", (np.array([1.0, 2.0, 0.0]), np.array([1.00001, 2.1, 1e-9]))),
    Case("broadcast", (whole(4, 3), whole(3, start=400))),
    Case("tolerant", (whole(5), whole(5, start=9)), {"rtol": 0.5, "atol": 1.0}),
    Case("empty", (whole(0, 3), whole(3))),
    Case("not contiguous", (turned(whole(4, 5)), turned(whole(4, 5)))),
)

ROWS = (
    truth("logical_and", operator.and_),
    truth("logical_or", operator.or_),
    truth("logical_xor", operator.xor),
    Row(
        "logical_not",
        unary(whole),
        lambda x: each(lambda v: float(v == 0))(x).astype(bool),
        lambda t, x: t.logical_not(x),
        accepts=MIXED,
        gives=always("bool"),
        lacks=UNARY_LACKS,
        gradient=False,
    ),
    of_bits("bitwise_and", operator.and_),
    of_bits("bitwise_or", operator.or_),
    of_bits("bitwise_xor", operator.xor),
    Row(
        "bitwise_not",
        unary(bits),
        lambda x: -1 - x,
        lambda t, x: t.bitwise_not(x),
        accepts=("int64",),
        refuses=(),
        wrong=(Wrong("a half", (numbers(3),), error="DTypeError", says="float64"),),
        lacks=UNARY_LACKS,
        gradient=False,
    ),
    about("isnan_v2", math.isnan, "isnan"),
    about("isinf_v2", math.isinf, "isinf"),
    about("isfinite_v2", math.isfinite, "isfinite"),
    Row(
        "equal_all",
        (
            Case("scalar", (np.array(1.0), np.array(1.0))),
            Case("1-D", (whole(5), whole(5))),
            Case("one other", (np.array([1.0, 2.0]), np.array([1.0, 3.0]))),
            Case("other shapes", (whole(5), whole(4, 5))),
            Case("NaN", (STRANGE, STRANGE)),
            Case("empty", (whole(0, 3), whole(0, 3))),
            Case("not contiguous", (turned(whole(4, 5)), turned(whole(4, 5)))),
        ),
        lambda x, y: np.array(x.tolist() == y.tolist() and not np.isnan(x).any()),
        lambda t, x, y: t.tensor(t.equal(x, y)),
        refuses=(),
        gives=always("bool"),
        lacks={"broadcast": "other shapes are another value"},
        gradient=False,
    ),
    Row(
        "isclose",
        (*CLOSE, Case("strange", (STRANGE, STRANGE), {"equal_nan": True})),
        lambda x, y, equal_nan=False, **attrs: (
            near(x, y, **attrs) | (x == y) | (equal_nan & np.isnan(x) & np.isnan(y))
        ),
        lambda t, x, y, **attrs: t.isclose(x, y, **attrs),
        refuses=(),
        gives=always("bool"),
        wrong=UNFIT,
        gradient=False,
    ),
    Row(
        "allclose",
        CLOSE,
        lambda x, y, **attrs: near(x, y, **attrs).all(),
        lambda t, x, y, **attrs: t.isclose(x, y, **attrs).all(),
        refuses=(),
        gives=always("bool"),
        wrong=UNFIT,
        gradient=False,
    ),
    Row(
        "where",
        (
            choice("scalar", numbers(), numbers(start=9)),
            choice("1-D", numbers(5), numbers(5, start=9), 5),
            choice("broadcast", numbers(4, 1), numbers(5, start=9), 3, 1, 1),
            choice("broadcast scalars", numbers(), numbers(start=9), 4, 3),
            choice("empty", numbers(0, 3), numbers(3), 3),
            Case(
                "not contiguous",
                (turned(numbers(4, 5)), numbers(5), turned(numbers(4, 5)) > 0),
            ),
        ),
        chosen,
        lambda t, x, y, condition: t.where(condition, x, y),
        accepts=EVERY,
        wrong=(
            Wrong(
                "a number for a condition",
                (numbers(3), numbers(3), numbers(3)),
                error="DTypeError",
                says="not bool",
            ),
            Wrong("sizes that differ", (numbers(4), numbers(5), numbers(5) > 0)),
        ),
    ),
)
