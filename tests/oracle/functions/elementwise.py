"""Functions element by element that are made of several ops, or take bare numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import Case
from tests.ops.values import numbers
from tests.oracle.functions.function import Function

X, Y, LOW, HIGH = numbers(4, 3), numbers(4, 3, start=50), numbers(3) - 2, numbers(3) + 1
STRANGE = np.array([np.nan, 1.5, np.inf, -np.inf])


def named(name: str) -> Callable[..., Any]:
    """The function of that name, ours or PyTorch's."""

    def call(library: Any, *inputs: Any, **attrs: Any) -> Any:
        return getattr(library, name)(*inputs, **attrs)

    return call


def beside(name: str, number: float) -> Callable[..., Any]:
    """The function of a tensor and a number."""
    return lambda library, x: getattr(library, name)(x, number)


def with_number(name: str, number: float, twin: str = "") -> Function:
    def in_torch(t: Any, x: Any) -> Any:
        return getattr(t, twin or name)(x, t.tensor(number, dtype=x.dtype))

    cases = (Case("scalar", (numbers(),)), Case("2-D", (X,)), Case("empty", (X[:0],)))
    return Function(f"{name}_number", beside(name, number), in_torch, cases)


FAMILY = (
    with_number("add", 2),
    with_number("subtract", 0.5),
    with_number("multiply", -3),
    with_number("divide", 4),
    with_number("maximum", 0.25),
    with_number("minimum", 0.25),
    with_number("remainder", 0.75),
    with_number("atan2", 1.5),
    Function(
        "frac", named("frac"), named("frac"), (Case("2-D", (X,)), Case("0", (X[0, 0],)))
    ),
    Function(
        "neg", named("neg"), named("neg"), (Case("2-D", (X,)), Case("empty", (X[:0],)))
    ),
    Function("deg2rad", named("deg2rad"), named("deg2rad"), (Case("2-D", (90 * X,)),)),
    Function("rad2deg", named("rad2deg"), named("rad2deg"), (Case("2-D", (X,)),)),
    Function(
        "add_n",
        lambda tg, *terms: tg.add_n(list(terms)),
        lambda t, *terms: t.stack(terms).sum(dim=0),
        (Case("two", (X, Y)), Case("one", (X,))),
    ),
    Function(
        "nan_to_num",
        named("nan_to_num"),
        named("nan_to_num"),
        (
            Case("finite", (X,)),
            Case("strange", (STRANGE,), {"nan": 0.5, "posinf": 9.0, "neginf": -9.0}),
        ),
    ),
    Function(
        "clip_between",
        lambda tg, x, low, high: tg.clip(x, low, high),
        lambda t, x, low, high: t.clamp(x, low, high),
        (Case("broadcast", (X, LOW, HIGH)),),
    ),
    Function(
        "lerp_number",
        lambda tg, x, y: tg.lerp(x, y, 0.25),
        lambda t, x, y: t.lerp(x, y, 0.25),
        (Case("2-D", (X, Y)), Case("broadcast", (X, LOW))),
    ),
    Function(
        "where_number",
        lambda tg, x, condition: tg.where(condition, x, 0.5),
        lambda t, x, condition: t.where(condition, x, 0.5),
        (Case("2-D", (X, Y > 0)), Case("broadcast", (X, LOW > -2))),
    ),
    Function(
        "scale_relu",
        lambda tg, x: tg.scale(x, 2.0, 0.5, act="relu"),
        lambda t, x: t.relu(2.0 * x + 0.5),
        (Case("2-D", (X,)),),
    ),
)
