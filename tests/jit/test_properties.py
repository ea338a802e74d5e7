"""Laws that hold for any numbers: loops unroll, branches choose, inputs stay."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import teachgraph as tg
from teachgraph import jit
from tests.effort import examples

NUMBERS = st.lists(st.floats(-3, 3, width=32), min_size=1, max_size=4)


@jit.to_static
def collatz(n: Any) -> Any:
    rounds = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else n * 3 + 1
        rounds += 1
    return rounds


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(1, 60))
def test_a_loop_goes_round_as_often_as_pythons(n: int) -> None:
    assert int(collatz(tg.to_tensor(n))) == collatz.dygraph_function(n)


@jit.to_static
def horner(x: Any, weights: Any, n: Any) -> Any:
    total = 0.0
    for i in range(n):
        if i % 2 == 1:
            continue
        total = total * x + weights[i]
        if total > 50.0:
            break
    return total


@settings(max_examples=examples(25), deadline=None)
@given(st.floats(-3, 3), st.integers(1, 6))
def test_loops_with_jumps_have_the_gradients_of_the_unrolled_ones(
    x: float, n: int
) -> None:
    weights = tg.to_tensor(np.arange(1.0, 7.0))
    one, other = (tg.to_tensor(np.array(x), stop_gradient=False) for _ in range(2))
    found = horner(one, weights, tg.to_tensor(n))
    wanted = horner.dygraph_function(other, weights, n)
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-9)
    found.backward()
    if not wanted.stop_gradient:
        wanted.backward()
    gradient = 0.0 if other.grad is None else other.grad.numpy()
    np.testing.assert_allclose(one.grad.numpy(), gradient, rtol=1e-9)


@jit.to_static
def clipped(x: Any, low: Any, high: Any) -> Any:
    out = []
    for value in x:
        if value < low:
            out.append(low)
        elif low <= value <= high:
            out.append(value)
        else:
            out.append(high)
    return tg.stack(out)


@settings(max_examples=examples(25), deadline=None)
@given(NUMBERS, st.floats(-2, 0), st.floats(0, 2))
def test_branches_choose_as_numpy_clips(
    values: list[float], low: float, high: float
) -> None:
    x = np.array(values, "float64")
    given_ = tg.to_tensor(x)
    found = clipped(given_, tg.to_tensor(np.array(low)), tg.to_tensor(np.array(high)))
    np.testing.assert_array_equal(found.numpy(), np.clip(x, low, high))
    np.testing.assert_array_equal(given_.numpy(), x)
