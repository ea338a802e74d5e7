"""Twice the operators take twice the work, to build and compile; each run the same."""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from tests.benchmarks.programs import KINDS, built, compiled

pytestmark = pytest.mark.further

Calls = dict[str, int]


def calls(function: Callable[..., Any], *arguments: Any) -> int:
    """How many functions it calls, Python's, C's and generators' steps."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        function(*arguments)
    finally:
        sys.setprofile(None)
    return count


def growth(work: Callable[[int], int]) -> float:
    """How much more each further operator takes in a larger program."""
    work(150)  # imports what is used first
    small, middle, large = (work(n) for n in (150, 300, 600))
    return (large - middle) / (2 * (middle - small))


@pytest.mark.parametrize("kind", KINDS)
def test_building_grows_with_the_operators(kind: str) -> None:
    assert growth(lambda n: calls(built, kind, n)) < 1.15


@pytest.mark.parametrize("kind", KINDS)
def test_compiling_grows_with_the_operators(kind: str) -> None:
    assert growth(lambda n: calls(compiled, *built(kind, n))) < 1.15


@pytest.mark.parametrize(
    "length", [2_000, pytest.param(10_000, marks=pytest.mark.full)]
)
def test_a_long_chain_has_its_gradient(length: int) -> None:
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        first = x = static.data("x", [2])
        x.stop_gradient = False
        for _ in range(length):
            x = tg.tanh(x)
        (dx,) = static.gradients(x, first)
    value = np.array([0.0, 1e-3], np.float32)
    found = static.Executor().run(main, {"x": value}, [x, dx])
    wanted, slope = value.astype(np.float64), np.ones(2)
    for _ in range(length):
        wanted = np.tanh(wanted)
        slope *= 1 - wanted**2
    np.testing.assert_allclose(found[0], wanted, rtol=1e-3)
    np.testing.assert_allclose(found[1], slope, rtol=1e-3)


def test_a_thousand_runs_leave_nothing_behind() -> None:
    main, loss = built("chain", 40)
    executor, scope = static.Executor(), static.Scope()
    parameter, *_ = main.all_parameters()
    scope.var(parameter.name).get_tensor().set(np.eye(8, dtype=np.float32))
    feed = {"x": np.ones((2, 4, 8), np.float32)}

    def runs(count: int) -> None:
        for _ in range(count):
            executor.run(main, feed, [loss], scope=scope)

    def calls_of_one() -> int:
        return calls(runs, 1)

    runs(10)
    before = calls_of_one()
    tracemalloc.start()
    runs(2000)  # until Python's own lists of spare tuples are full
    held, _ = tracemalloc.get_traced_memory()
    runs(1000)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - held < 4096
    assert calls_of_one() == before
