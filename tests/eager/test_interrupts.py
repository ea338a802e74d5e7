"""Ctrl-C at any moment leaves modes as they were, and a model that took whole steps."""

from __future__ import annotations

import asyncio
import gc
import random
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import modes, unique_name
from teachgraph.core.modes import recording
from teachgraph.planning.whole_steps import WholeStep
from teachgraph.static.scope import Scope, global_scope, scope_guard
from tests.effort import FULL, TORTURE
from tests.static.fresh import fresh

X = np.ones((4, 3), "float32")
INTERRUPTS = 1000 if TORTURE else 200 if FULL else 60

pytestmark = [
    # An interrupt inside a finalizer is told and dropped, as Python does.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.skipif(
        not hasattr(signal, "setitimer"), reason="no timer interrupts here"
    ),
]


@pytest.fixture(autouse=True)
def alone_with_the_collector() -> Iterator[None]:
    """Take away what others have the garbage collector call, such as hypothesis.

    An interrupt in there is dropped, and the next one is long in coming.
    """
    callbacks = gc.callbacks[:]
    gc.callbacks.clear()
    yield
    gc.callbacks[:] = callbacks


AGAIN = 2.0
"""Seconds to the next interrupt, if one is lost in a finalizer: long, as the second one
within a step breaks it off, and a step takes long where others have the processor."""


def interrupted(work: Callable[[], None], after: float) -> bool:
    """True if the work was interrupted, as a signal was to do after some time."""
    before = signal.signal(
        signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT)
    )
    try:
        signal.setitimer(signal.ITIMER_REAL, after, AGAIN)
        while True:
            work()
    except KeyboardInterrupt:
        return True
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def state() -> tuple[Any, ...]:
    """All that a guard replaces."""
    return (
        tg.is_grad_enabled(),
        modes.chosen(),
        static.default_main_program(),
        static.default_startup_program(),
        global_scope(),
        unique_name._counters.value,
        signal.getsignal(signal.SIGINT),
    )


def guards() -> None:
    for _ in range(50):
        with tg.no_grad():
            pass
        with tg.no_grad(), tg.enable_grad():
            pass
    for _ in range(10):
        with (
            static.program_guard(static.Program(), static.Program()),
            modes.using(True),
            unique_name.guard(),
            scope_guard(Scope()),
        ):
            pass


@tg.no_grad()
def decorated() -> None:
    tg.is_grad_enabled()


def building() -> None:
    with modes.using(True), static.program_guard(static.Program(), static.Program()):
        static.nn.fc(static.data("x", [4, 3]), 2)


def differentiating() -> None:
    x = tg.to_tensor(X, stop_gradient=False)
    y = x
    for _ in range(20):
        y = y * x
    tg.grad(y.sum(), x)


@tg.jit.to_static
def traced(x: Any) -> Any:
    return x * 2.0 if x.sum() > 0 else x


def tracing() -> None:
    tg.jit.to_static(lambda x: x * 2.0 if x.sum() > 0 else x)(tg.to_tensor(X))
    with tg.no_grad():
        traced(tg.to_tensor(X))


@pytest.mark.parametrize(
    "work", [guards, decorated, building, differentiating, tracing]
)
def test_the_modes_are_as_before(work: Callable[[], None]) -> None:
    work()
    before = state()
    generator = random.Random(0)  # noqa: S311
    for _ in range(INTERRUPTS):
        assert interrupted(work, generator.uniform(1e-4, 4e-3))
        assert state() == before


def test_a_step_is_whole() -> None:
    net = tg.nn.Sequential(*(tg.nn.Linear(3, 3) for _ in range(4)))
    adam = tg.optimizer.Adam(1e-3, parameters=net.parameters())
    net(tg.to_tensor(X)).sum().backward()
    adam.step()

    def steps() -> set[float]:
        powers = adam.state_dict()
        return {v.item() for name, v in powers.items() if "beta1_pow" in name}

    generator = random.Random(0)  # noqa: S311
    for _ in range(INTERRUPTS):
        assert interrupted(adam.step, generator.uniform(1e-4, 4e-3))
        assert len(steps()) == 1
        assert tg.is_grad_enabled()


def test_a_run_of_a_program_is_whole() -> None:
    with fresh():
        x = static.data("x", [4, 3])
        loss = tg.mean(static.nn.fc(static.nn.fc(x, 3), 3))
        tg.optimizer.Adam(1e-3).minimize(loss)
        executor = static.Executor()
        executor.run(static.default_startup_program())
        generator = random.Random(0)  # noqa: S311
        values = global_scope().values

        def run() -> None:
            executor.run(feed={"x": X}, fetch_list=[loss])

        for _ in range(INTERRUPTS):
            assert interrupted(run, generator.uniform(1e-4, 4e-3))
            powers = [v for name, v in values.items() if "beta1_pow" in name]
            assert len({v.item() for v in powers if v is not None}) == 1


def test_the_second_interrupt_does_not_wait() -> None:
    def step() -> None:
        with WholeStep():
            signal.raise_signal(signal.SIGINT)
            came.append("on")
            signal.raise_signal(signal.SIGINT)
            came.append("further")

    came: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        step()
    assert came == ["on"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_step_in_a_thread_leaves_signals_alone() -> None:
    def work() -> None:
        with WholeStep():
            seen.append(signal.getsignal(signal.SIGINT))

    seen: list[Any] = []
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]


def test_no_other_task_and_no_other_thread_sees_no_grad() -> None:
    async def without(seen: list[bool]) -> None:
        with tg.no_grad():
            for _ in range(3):
                await asyncio.sleep(0)
                seen.append(tg.is_grad_enabled())

    async def other(seen: list[bool]) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
            seen.append(tg.is_grad_enabled())

    async def both() -> None:
        await asyncio.gather(without(inside), other(outside), without(inside))

    inside: list[bool] = []
    outside: list[bool] = []
    asyncio.run(both())
    assert (inside, outside) == ([False] * 6, [True] * 3)

    def here() -> None:
        seen.append(recording.get())

    seen: list[bool] = []
    with tg.no_grad():
        thread = threading.Thread(target=here)
        thread.start()
        thread.join()
    assert seen == [True]
