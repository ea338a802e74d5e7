"""What a recording takes grows with the ops, no faster, and stops when the log is full.

Calls and bytes are counted, never seconds: they are the same on a busy machine.
"""

from __future__ import annotations

import ast
import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from teachgraph_widgets.lines import MARKER, Source, mark, marked
from teachgraph_widgets.recorder import Recorder
from teachgraph_widgets.summary import summary

import teachgraph as tg
from teachgraph import static
from teachgraph.core import unique_name

CHAIN = "for _ in range({0}):\n    x = x * 1.0001\n"
DYING = "for _ in range({0}):\n    y = x * 1.0001\n"
WAY_BACK = CHAIN + "x.backward()\n"
RUNS = "for _ in range({0}):\n    step()\n"


@contextmanager
def recorded(text: str, most: int = 0) -> Iterator[tuple[Recorder, Callable[[], None]]]:
    """A recorder of a text, and what runs the text."""
    source = Source(text)
    code = compile(marked(ast.parse(text), source), "<traced>", "exec")
    x = tg.to_tensor(np.ones(4, "float32"), stop_gradient=False)
    recorder = Recorder(source)
    recorder.log.most = most or recorder.log.most
    recorder.begin()
    try:
        yield recorder, lambda: exec(code, {MARKER: mark, "x": x, "step": training()})  # noqa: S102
    finally:
        recorder.end()


def training() -> Callable[[], Any]:
    """A step of a small static program."""
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        x = static.data("x", [2, 3])
        loss = tg.mean(static.nn.fc(x, 4))
        tg.optimizer.SGD(0.1).minimize(loss)
        main, startup = static.default_main_program(), static.default_startup_program()
    executor, scope = static.Executor(), static.Scope()
    executor.run(startup, scope=scope)
    feed = {"x": np.ones((2, 3), "float32")}
    return lambda: executor.run(main, feed, [loss], scope=scope)


def calls(text: str) -> int:
    """How many functions are called in all, while the text runs."""
    with recorded(text) as (_, run):
        return calls_of(run)


def calls_of(act: Callable[[], Any]) -> int:
    """How many functions are called in all."""
    counted = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal counted
        counted += event.endswith("call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        act()
    finally:
        sys.setprofile(before)
    return counted


def kept(text: str, most: int = 0) -> int:
    """How many bytes are still held when the text and its tensors are gone."""
    with recorded(text, most) as (_, run):
        gc.collect()
        tracemalloc.start()
        try:
            run()
            gc.collect()
            held, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    return held


@pytest.mark.parametrize("text", [CHAIN, WAY_BACK], ids=["forward", "and back"])
def test_an_op_costs_the_same_after_many(text: str) -> None:
    calls(text.format(1))  # the first op loads what all need
    few, some, many = (calls(text.format(n)) for n in (200, 400, 1200))
    assert many - some == pytest.approx(4 * (some - few), rel=0.1)


@pytest.mark.parametrize(
    ("text", "most"), [(CHAIN, 1400), (WAY_BACK, 2800)], ids=["forward", "and back"]
)
def test_an_op_is_held_in_few_bytes(text: str, most: int) -> None:
    few, many = (kept(text.format(n)) for n in (400, 1200))
    assert (many - few) / 800 < most


def test_a_full_log_holds_no_more_however_long_it_goes_on() -> None:
    few, many = (kept(DYING.format(n), most=500) for n in (1500, 5500))
    assert many - few < 400_000, "of what has died it forgets a thousand at a time"


def test_a_thousand_runs_are_told_by_a_few() -> None:
    lengths = []
    for runs in (100, 1000):
        with recorded(RUNS.format(runs)) as (recorder, run):
            run()
        lengths.append(len(recorder.log))
    few, many = lengths
    assert many < few * 1.5
    assert kept(RUNS.format(600)) < 2 * kept(RUNS.format(60))


def test_a_line_of_a_long_cell_is_told_in_as_few_steps_as_one_of_a_short() -> None:
    def told(lines: int) -> int:
        with recorded("y = x * 2\n" * lines) as (recorder, run):
            run()
        log = recorder.log.whole()
        return calls_of(lambda: summary(log))

    few, some, many = (told(lines) for lines in (200, 400, 1200))
    assert many - some == pytest.approx(4 * (some - few), rel=0.1)
