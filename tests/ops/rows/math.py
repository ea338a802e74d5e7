"""Rows for `teachgraph/ops/math.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from tests.ops.contract import (
    EVERY,
    FLOATS,
    NUMBERS,
    UNARY_LACKS,
    Array,
    Case,
    Row,
    Wrong,
    each,
    unary,
)
from tests.ops.values import numbers, positive, turned

FROM_CODE = {0: "bool", 2: "int32", 3: "int64", 5: "float32", 6: "float64"}


def function(op: str, value: Any, twin: Any, *more: Case, **facts: Any) -> Row:
    """A row for a function of one input."""
    cases = facts.pop("cases", unary())
    return Row(op, (*cases, *more), value, twin, lacks=UNARY_LACKS, **facts)


def scaled(
    x: Array, scale: float = 1.0, bias: float = 0.0, bias_after_scale: bool = True
) -> Array:
    return x * scale + (bias if bias_after_scale else bias * scale)


def added(*terms: Array) -> Array:
    return np.stack(terms).sum(axis=0)


def sigmoid(x: float) -> float:
    return 0.5 * (1.0 + math.tanh(x / 2.0))


def odds(x: Array, eps: float = 0.0) -> Array:
    p = np.minimum(np.maximum(x, eps), 1 - eps)
    return each(math.log)(p / (1 - p))


def cast_to(x: Array, out_dtype: int, in_dtype: int | None = None) -> Array:
    return np.array([type_of(out_dtype)(item) for item in x.ravel()]).reshape(x.shape)


def type_of(code: int) -> type:
    return {"b": bool, "i": int, "f": float}[FROM_CODE[code][0]]


def cast_in_torch(t: Any, x: Any, out_dtype: int, in_dtype: int | None = None) -> Any:
    return x.to(getattr(t, FROM_CODE[out_dtype]))


def code_of(dtype: str, attrs: Mapping[str, Any]) -> tuple[str, ...]:
    return (FROM_CODE[attrs["out_dtype"]],)


def logarithm(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """A logarithm, which is -inf of 0."""
    return each(lambda x: function(x) if x else -math.inf)


COUNTED: Any = {
    "accepts": NUMBERS,
    "gives": lambda dtype, attrs: (dtype if dtype[0] == "f" else "float32",),
}
"""Of integers they are float32."""

ROWS = (
    function(
        "scale",
        scaled,
        lambda t, x, **attrs: scaled(x, **attrs),
        Case("bias alone", (numbers(4, 3),), {"bias": 2.0}),
        Case("nothing", (numbers(4, 3),)),
        Case(
            "bias first",
            (numbers(4, 3),),
            {"scale": 2.0, "bias": 3.0, "bias_after_scale": False},
        ),
        cases=unary(scale=-3.0, bias=2.0),
        accepts=NUMBERS,
        wrong=(
            Wrong(
                "half of an integer",
                (np.arange(3),),
                {"scale": 0.5},
                "DTypeError",
                "int64",
            ),
        ),
    ),
    Row(
        "sum",
        (
            Case("scalar", (numbers(), numbers(start=5))),
            Case("1-D", (numbers(5), numbers(5, start=9))),
            Case("one alone", (numbers(4, 3),)),
            Case(
                "three",
                (numbers(4, 3), numbers(4, 3, start=20), numbers(4, 3, start=40)),
            ),
            Case("empty", (numbers(0, 3), numbers(0, 3))),
            Case("not contiguous", (turned(numbers(4, 3)), numbers(4, 3, start=9))),
        ),
        added,
        lambda t, *terms: t.stack(terms).sum(dim=0),
        accepts=EVERY,
        wrong=(
            Wrong("shapes that would broadcast", (numbers(4, 3), numbers(3))),
            Wrong("shapes that differ", (numbers(4, 3), numbers(4, 2))),
            Wrong(
                "other dtypes",
                (numbers(4), numbers(4).astype("float32")),
                error="DTypeError",
            ),
        ),
        lacks={"broadcast": "its inputs are of one shape"},
    ),
    function(
        "cast",
        cast_to,
        cast_in_torch,
        Case("to bool", (np.array([0.0, -0.5, 2.0]),), {"out_dtype": 0}, constant=(0,)),
        Case(
            "to int64", (np.array([0.9, -1.9, 2.0]),), {"out_dtype": 3}, constant=(0,)
        ),
        cases=unary(out_dtype=6),
        accepts=EVERY,
        gives=code_of,
        wrong=(
            Wrong("no such type", (numbers(3),), {"out_dtype": 99}, "DTypeError", "99"),
            Wrong("no type at all", (numbers(3),), {}, "DTypeError", "out_dtype"),
        ),
    ),
    function(
        "relu",
        each(lambda x: max(x, 0.0)),
        lambda t, x: t.relu(x),
        Case("at 0", (np.array([0.0, -1.0, 1.0]),), smooth=False),
        accepts=NUMBERS,
        refuses=(),
    ),
    function(
        "sigmoid",
        each(sigmoid),
        lambda t, x: t.sigmoid(x),
        Case("far out", (np.array([-1000.0, -30.0, 30.0, 1000.0]),)),
    ),
    function(
        "tanh",
        each(math.tanh),
        lambda t, x: t.tanh(x),
        Case("far out", (np.array([-1000.0, 1000.0]),)),
    ),
    function("exp", each(math.exp), lambda t, x: t.exp(x), **COUNTED),
    function(
        "expm1",
        each(math.expm1),
        lambda t, x: t.expm1(x),
        Case("small", (np.array([1e-12, -1e-12]),)),
        **COUNTED,
    ),
    function(
        "log1p",
        each(math.log1p),
        lambda t, x: t.log1p(x),
        Case("small", (np.array([1e-12, -1e-12]),)),
        cases=unary(positive),
        **COUNTED,
    ),
    function(
        "log2",
        logarithm(math.log2),
        lambda t, x: t.log2(x),
        cases=unary(positive),
        **COUNTED,
    ),
    function(
        "log10",
        logarithm(math.log10),
        lambda t, x: t.log10(x),
        cases=unary(positive),
        **COUNTED,
    ),
    function(
        "logit",
        odds,
        lambda t, x, eps=0.0: t.logit(x, eps or None),
        Case("clipped", (np.array([0.05, 0.3, 0.99]),), {"eps": 0.1}),
        cases=unary(partial(numbers, low=0.1, high=0.9)),
    ),
    function(
        "log",
        logarithm(math.log),
        lambda t, x: t.log(x),
        cases=unary(positive),
        **COUNTED,
    ),
    function("sqrt", each(math.sqrt), lambda t, x: t.sqrt(x), cases=unary(positive)),
    function(
        "rsqrt",
        each(lambda x: x**-0.5),
        lambda t, x: t.rsqrt(x),
        cases=unary(positive),
    ),
    function(
        "reciprocal",
        each(lambda x: 1 / x),
        lambda t, x: t.reciprocal(x),
        cases=unary(positive),
    ),
    function(
        "pow",
        lambda x, factor=1.0: np.array(
            [number**factor for number in x.ravel().tolist()], x.dtype
        ).reshape(x.shape),
        lambda t, x, factor=1.0: t.pow(x, factor),
        Case("a fraction", (positive(4, 3),), {"factor": -1.5}),
        Case("nothing", (numbers(4, 3),)),
        Case("to the power 0", (np.array([0.0, -1.0, 2.0]),), {"factor": 0.0}),
        Case("of 0", (np.array([0.0, -1.0, 2.0]),), {"factor": 2.0}, smooth=False),
        cases=unary(factor=3.0),
        refuses=("bool",),
        wrong=(
            Wrong(
                "a root of an integer",
                (np.arange(3),),
                {"factor": 0.5},
                "DTypeError",
                "int64",
            ),
            Wrong(
                "an integer divided by",
                (np.arange(3),),
                {"factor": -1.0},
                "InvalidValueError",
                "negative",
            ),
        ),
    ),
    function(
        "square", each(lambda x: x * x), lambda t, x: t.square(x), accepts=NUMBERS
    ),
    function(
        "abs",
        each(lambda x: x if x > 0 else -x),
        lambda t, x: t.abs(x),
        Case("at 0", (np.array([0.0, -1.0, 1.0]),), smooth=False),
        accepts=EVERY,
    ),
    function(
        "sign",
        each(lambda x: (x > 0) - (x < 0)),
        lambda t, x: t.sign(x),
        Case("at 0", (np.array([0.0, -1.0, 1.0]),), smooth=False),
        accepts=NUMBERS,
    ),
    function(
        "clip",
        lambda x, min=-math.inf, max=math.inf: np.where(
            x < min, min, np.where(x > max, max, x)
        ),
        lambda t, x, min=-math.inf, max=math.inf: t.clamp(x, min, max),
        Case("from below", (numbers(4, 3),), {"min": 0.0}),
        Case("from above", (numbers(4, 3),), {"max": 0.0}),
        Case("not at all", (numbers(4, 3),)),
        Case(
            "at the bounds",
            (np.array([-2.0, -1.0, 0.5, 1.0, 2.0]),),
            {"min": -1.0, "max": 1.0},
            smooth=False,
            differs="PyTorch lets the gradient through at the bounds",
            paddle=lambda dout: (dout * [0, 0, 1, 0, 0],),
        ),
        cases=unary(min=-1.0, max=1.0),
        accepts=NUMBERS,
        wrong=(
            Wrong(
                "bounds the wrong way round",
                (numbers(3),),
                {"min": 1.0, "max": 0.0},
                "InvalidValueError",
                "above",
            ),
            Wrong(
                "half a bound of integers",
                (np.arange(3),),
                {"min": 0.5},
                "DTypeError",
                "int64",
            ),
        ),
    ),
    function(
        "stanh",
        lambda x, scale_a=0.67, scale_b=1.7159: scale_b * each(math.tanh)(scale_a * x),
        lambda t, x, scale_a=0.67, scale_b=1.7159: scale_b * t.tanh(scale_a * x),
        Case("other factors", (numbers(4, 3),), {"scale_a": 2.0, "scale_b": -0.5}),
    ),
    Row(
        "increment",
        (
            Case("scalar", (numbers(),)),
            Case("1-D", (numbers(1),), {"step": 2.0}),
            Case("2-D", (numbers(1, 1),), {"step": -0.5}),
        ),
        lambda x, step=1.0: x + step,
        lambda t, x, step=1.0: x + step,
        accepts=FLOATS,
        refuses=("bool",),
        wrong=(
            Wrong("two counters", (numbers(2),), error="ShapeError", says="not 2"),
            Wrong(
                "half a step",
                (np.arange(1),),
                {"step": 0.5},
                "DTypeError",
                "int64",
            ),
        ),
        lacks={
            "broadcast": "one input",
            "empty": "it has one element",
            "not contiguous": "it has one element",
        },
        gradient=False,
        updates=0,
    ),
)
