"""Values of branches and loops whose rank, sizes or dtype depend on the run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg

Function = Callable[[Any, Any], Any]


def branch_of_two_dtypes(x: Any, n: Any) -> Any:
    if n > 1:  # noqa: SIM108
        y = tg.full([1, 2], 3, "int32")
    else:
        y = x * x
    return y * 2.5


def branch_of_two_dtypes_turned(x: Any, n: Any) -> Any:
    if n > 1:  # noqa: SIM108
        y = x * x
    else:
        y = tg.full([1, 2], 3, "int32")
    return y * 2.5


def branch_of_two_ranks(x: Any, n: Any) -> Any:
    if n > 1:  # noqa: SIM108
        y = x.sum()
    else:
        y = tg.stack([x, x * 3.0])
    return y * y


def loop_of_two_dtypes(x: Any, n: Any) -> Any:
    i, y = tg.zeros([], "int32"), tg.ones([2], "int32")
    while i < n:
        y = tg.cast(y, "float32") * x + 0.5
        i = i + 1
    return y * 3.0


def loop_of_two_ranks(x: Any, n: Any) -> Any:
    i, y = tg.zeros([], "int32"), x.sum()
    while i < n:
        y = x * y.sum()
        i = i + 1
    return y * y


def loop_that_grows(x: Any, n: Any) -> Any:
    i, y = tg.zeros([], "int32"), x
    while i < n:
        y = tg.concat([y, y * x.sum()])
        i = i + 1
    return y * y


FUNCTIONS = [
    branch_of_two_dtypes,
    branch_of_two_dtypes_turned,
    branch_of_two_ranks,
    loop_of_two_dtypes,
    loop_of_two_ranks,
    loop_that_grows,
]


def value_and_slope(function: Function, n: int) -> tuple[Any, Any]:
    """What a function gives for n rounds, and the gradient of its sum."""
    x = tg.to_tensor([2.0, -3.0], stop_gradient=False)
    y = function(x, tg.to_tensor(n))
    total = y.sum()
    if not total.stop_gradient:
        total.backward()
    return y.numpy(), np.zeros(2) if x.grad is None else x.grad.numpy()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_traced_functions_give_what_eager_ones_give(function: Function) -> None:
    traced = tg.jit.to_static(function)
    for n in (0, 1, 2, 3, 0, 2, 2):
        value, slope = value_and_slope(function, n)
        got, dx = value_and_slope(traced, n)
        assert got.shape == value.shape
        np.testing.assert_allclose(got, value, rtol=1e-6)
        np.testing.assert_allclose(dx, slope, rtol=1e-6)
        if n or "loop" not in function.__name__:
            assert got.dtype == value.dtype
