"""Threads that build and run programs at once, each as if it were alone."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import unique_name
from teachgraph.planning.executor import Executor
from teachgraph.static import Program, Variable, default_main_program, program_guard
from teachgraph.static.scope import Scope, global_scope, scope_guard
from tests.static.fresh import Fresh

THREADS, RUNS = 6, 25


@pytest.fixture(autouse=True)
def switching_often() -> Iterator[None]:
    """Let threads interrupt one another a thousand times more often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


def at_once(work: Callable[[int], Any]) -> list[Any]:
    """What some threads give that begin at the same moment."""
    start = threading.Barrier(THREADS)

    def begin(number: int) -> Any:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(begin, range(THREADS)))


def trained_loop() -> Variable:
    """A layer with dropout, applied in a loop, then one of two ways; trained."""
    x, rounds = static.data("x", [None, 4]), static.data("rounds", [1], "int64")
    shared = tg.ParamAttr(name="w")

    def step(i: Any, h: Any) -> Any:
        hidden = tg.tanh(static.nn.fc(h, 4, weight_attr=shared))
        return [i + 1, tg.nn.functional.dropout(hidden, 0.3)]

    start = static.nn.fc(x, 4)
    zero = tg.full([1], 0, "int64")
    _, h = static.nn.while_loop(lambda i, h: i < rounds, step, [zero, start])
    out = static.nn.cond(tg.mean(x) > 0, lambda: h * 2.0, lambda: tg.exp(h) - 1.0)
    loss: Variable = tg.mean(out * out)
    tg.optimizer.Adam(0.05).minimize(loss)
    return loss


def losses(executor: Executor, programs: Fresh, fetch: Any, number: int) -> list[float]:
    """The losses of some steps in a scope of its own, on data that are its own."""
    scope = Scope()
    numbers = np.random.default_rng(number)
    executor.run(programs.startup, scope=scope)
    found = []
    for i in range(RUNS):
        data = numbers.normal(size=(2 + number % 3, 4)).astype("float32")
        feed = {"x": data, "rounds": np.array([i % 4], "int64")}
        found += executor.run(programs.main, feed, [fetch], scope=scope)
    return [float(loss) for loss in found]


@pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("shared", [True, False], ids=["one executor", "one each"])
def test_one_program_in_many_scopes_at_once(
    shared: bool, interpret: bool, programs: Fresh
) -> None:
    """The plan is made by whoever comes first, maybe by two of them at once."""
    loss = trained_loop()
    programs.startup.random_seed = programs.main.random_seed = 7
    one = Executor(interpret=interpret)
    alone = [losses(Executor(), programs, loss, n) for n in range(THREADS)]
    assert len({tuple(run) for run in alone}) == THREADS
    together = at_once(
        lambda n: losses(
            one if shared else Executor(interpret=interpret), programs, loss, n
        )
    )
    assert together == alone


def test_a_chain_over_large_arrays_in_many_scopes_at_once(programs: Fresh) -> None:
    """Whatever memory a plan reuses, one run must not write over another's."""
    x = static.data("x", [None, 64])
    out = x
    for _ in range(4):
        out = tg.tanh(tg.matmul(out, x, transpose_y=True)) @ x + out * 0.5
    executor, feeds = Executor(), []
    for number in range(THREADS):
        draw = np.random.default_rng(number).normal(size=(96 + number, 64))
        feeds.append({"x": draw.astype("float32") / 8})
    alone = [executor.run(programs.main, feed, [out])[0] for feed in feeds]

    def work(number: int) -> bool:
        found = [executor.run(programs.main, feeds[number], [out]) for _ in range(RUNS)]
        return all(np.array_equal(value, alone[number]) for (value,) in found)

    assert all(at_once(work))


def test_each_thread_builds_trains_and_saves_a_program_of_its_own() -> None:
    """Guards hold in their own thread: names, programs and scopes are not mixed up."""

    def work(number: int) -> tuple[str, list[str], float]:
        main, startup = Program(), Program()
        startup.random_seed = 3
        with program_guard(main, startup), unique_name.guard(), scope_guard(Scope()):
            out = static.data("x", [2, 3])
            for _ in range(8):
                out = static.nn.fc(out, 3, activation="tanh")
            loss = tg.mean(out)
            tg.optimizer.SGD(0.1).minimize(loss)
            executor = Executor()
            executor.run(startup)
            feed = {"x": np.ones((2, 3), "float32")}
            value = [executor.run(feed=feed, fetch_list=[loss])[0] for _ in range(5)]
            return str(main), sorted(global_scope().values), float(value[-1])

    first, *others = at_once(work)
    assert all(other == first for other in others)
    assert first[0].count("= sgd(") == 16


def test_the_main_threads_guards_hold_for_threads_without_their_own(
    programs: Fresh,
) -> None:
    """As in Paddle; those of another thread hold only there, and end there."""
    entered, left = threading.Event(), threading.Event()
    own = Program()
    seen: list[Any] = []

    def other() -> None:
        seen.append(default_main_program())
        with program_guard(own), scope_guard(Scope()):
            seen.append(default_main_program())
            entered.set()
            left.wait()
        seen.append(default_main_program())

    thread = threading.Thread(target=other)
    thread.start()
    entered.wait()
    assert default_main_program() is programs.main
    assert global_scope() is programs.scope
    with program_guard(Program()) as _:
        inner = default_main_program()
        left.set()
        thread.join()
    assert seen == [programs.main, own, inner]
    assert default_main_program() is programs.main
