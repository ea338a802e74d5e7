"""The memory plan: right on any program, and what a run really takes.

A run in an arena is the check of a plan: each value is stored at its offset as soon as
it is computed, over whatever lay there. If two that are needed at once overlapped, the
results would be others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teachgraph as tg
from teachgraph import static
from teachgraph.control_flow.flow import Flow
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.steps import run_steps
from teachgraph.nn import functional as F
from teachgraph.planning import lifetimes
from teachgraph.planning.arena import Span, pack_spans
from teachgraph.planning.executor import Executor, Plan
from teachgraph.static import Variable
from tests.effort import examples
from tests.passes.test_random import EXACT, Made, grown, programs
from tests.static.fresh import fresh

pytestmark = pytest.mark.further

spans = st.builds(
    lambda size, start, length: Span(size, start, start + length),
    st.integers(0, 1000),
    st.integers(0, 30),
    st.integers(0, 10),
)


@given(st.lists(spans, max_size=40))
def test_no_two_that_are_needed_at_once_overlap(found: list[Span]) -> None:
    placed = list(zip(found, pack_spans(found), strict=True))
    for i, (one, at) in enumerate(placed):
        assert at >= 0
        for other, there in placed[:i]:
            if one.start <= other.end and other.start <= one.end:
                assert at + one.size <= there or there + other.size <= at


@given(st.lists(spans, min_size=1, max_size=40))
def test_an_arena_is_at_least_what_is_needed_at_once(found: list[Span]) -> None:
    size = max(
        at + span.size for span, at in zip(found, pack_spans(found), strict=True)
    )
    times = range(42)
    live = [sum(s.size for s in found if s.start <= t <= s.end) for t in times]
    assert max(live) <= size <= sum(span.size for span in found)


def test_what_follows_one_another_shares_one_place() -> None:
    chain = [Span(64, at, at + 1) for at in range(20)]
    assert max(pack_spans(chain)) == 64


def in_an_arena(plan: Plan, feed: dict[str, Any], scope: Any) -> list[Any]:
    """Run a program with each value where the plan puts it."""
    memory = plan.memory({name: np.shape(value) for name, value in feed.items()})
    arena = np.zeros(memory.planned_peak, "uint8")
    values: dict[str, Any] = {**feed, **{n: scope.values[n] for n in plan.reads}}
    for at, step in enumerate(plan.steps):
        if isinstance(step, Flow):
            run_steps([step], values)  # its values stay where they are made
            continue
        given = [None if n is None else values[n] for n in step.arguments]
        results = [None if r is None else np.asarray(r) for r in step.compute(given)]
        for name, result in zip(step.outputs, results, strict=True):
            if name is None or result is None:
                continue
            mine = [
                b for b in memory.buffers if name in b.names and b.start <= at <= b.end
            ]
            inside = np.may_share_memory(result, arena)
            if not mine or (inside and name not in {b.name for b in mine}):
                values[name] = result
                continue
            where = mine[-1].offset
            room = arena[where : where + result.nbytes].view(result.dtype)
            values[name] = room.reshape(result.shape)
            values[name][...] = result
    return [np.array(values[name]) for name in plan.fetches]


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small values are taken care of as large ones are."""
    monkeypatch.setattr(lifetimes, "LARGE", 0)


def trained(made: Made) -> tuple[Variable, list[Variable]]:
    """A random program with its way back: the loss, and what else to fetch."""
    values = grown(made)
    loss = tg.mean(values[-1] * values[-1])
    fetched = [values[i % len(values)] for i in made.fetched]
    if made.trained and static.default_main_program().all_parameters():
        getattr(tg.optimizer, made.trained)(0.1).minimize(loss)
    else:
        slopes = static.gradients(loss, [values[0]])
        fetched += [slope for slope in slopes if slope is not None]
    return loss, fetched


@pytest.mark.usefixtures("everything_is_large")
@settings(max_examples=examples(120), deadline=None, derandomize=True)
@given(programs(EXACT))
def test_any_program_runs_in_its_arena(made: Made) -> None:
    with fresh() as built:
        loss, fetched = trained(made)
        executor = Executor()
        if built.startup.global_block().ops:
            executor.run(built.startup)
        feed = {"x": np.random.default_rng(0).normal(size=(3, 4))}
        names = [v.name for v in (loss, *fetched)]
        plan = executor.plan(built.main, feed, names).written
        wanted = Executor(interpret=True).plan(built.main, feed, plan.fetches)
        kept = {name: np.copy(v) for name, v in built.scope.values.items()}
        found = in_an_arena(plan, feed, built.scope)
        for name, value in zip(
            plan.fetches, wanted.run(feed, built.scope), strict=True
        ):
            np.testing.assert_array_equal(found[plan.fetches.index(name)], value)
        assert kept.keys() <= built.scope.values.keys()


@pytest.mark.usefixtures("everything_is_large")
@settings(max_examples=examples(150), deadline=None, derandomize=True)
@given(programs(EXACT))
def test_writing_over_what_is_done_with_changes_no_result(made: Made) -> None:
    """Nor what was fed, nor a parameter that no operator updates."""
    with fresh() as built:
        loss, fetched = trained(made)
        if built.startup.global_block().ops:
            Executor().run(built.startup)
        before = {n: np.array(v) for n, v in built.scope.values.items()}
        feed = {"x": np.random.default_rng(0).normal(size=(3, 4))}
        kept = feed["x"].copy()
        found = Executor().run(built.main, feed, [loss, *fetched])
        after = dict(built.scope.values)
        np.testing.assert_array_equal(feed["x"], kept)
        built.scope.values.update({n: v.copy() for n, v in before.items()})
        wanted = Executor(interpret=True).run(built.main, feed, [loss, *fetched])
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, other)
        for name, value in after.items():
            np.testing.assert_array_equal(value, built.scope.values[name])


def overwritten(fetches: Sequence[Variable]) -> int:
    """How many calls of the generated code may write over an input."""
    return Executor().compiled(fetch_list=list(fetches)).source.count("out=reusable(")


def test_a_large_temporary_is_written_over() -> None:
    x = static.data("x", [512, 512])
    out = tg.tanh(F.relu(x * 2.0))
    assert overwritten([out]) == 2, "the fed value itself is the user's"
    feed = {"x": np.random.default_rng(0).normal(size=(512, 512)).astype("float32")}
    (found,) = Executor().run(feed=feed, fetch_list=[out])
    np.testing.assert_array_equal(found, np.tanh(np.maximum(feed["x"] * 2, 0)))


def test_what_a_view_looks_into_is_not_written_over() -> None:
    """Only who holds an array is asked: the reshaped value is needed after the relu."""
    x = static.data("x", [512, 512])
    double = x * 2.0
    seen = tg.reshape(double, [-1])
    sharp = F.relu(double)
    total = tg.reshape(seen, [512, 512]) + sharp
    assert overwritten([total])
    feed = {"x": np.random.default_rng(0).normal(size=(512, 512)).astype("float32")}
    (found,) = Executor().run(feed=feed, fetch_list=[total])
    double_ = feed["x"] * 2
    np.testing.assert_array_equal(found, double_ + np.maximum(double_, 0))


def test_a_broadcast_result_is_not_written_over_its_smaller_input() -> None:
    x, y = static.data("x", [None, 600]), static.data("y", [None, 600])
    out = (x * 2.0) + (y * 3.0)
    one, many = np.ones((1, 600), "float32"), np.ones((700, 600), "float32")
    (found,) = Executor().run(feed={"x": one, "y": many}, fetch_list=[out])
    np.testing.assert_array_equal(found, np.full((700, 600), 5.0))


def test_a_rule_that_needs_a_shape_lets_the_numbers_go() -> None:
    """Adding needs nothing of its inputs but their shapes on the way back."""
    x = static.data("x", [None, 512])
    hidden = static.nn.fc(x, 512)
    tg.optimizer.SGD(0.1).minimize(tg.mean(tg.tanh(hidden)))
    source = Executor().compiled().source
    assert "fc_0_tmp_0 = like(fc_0_tmp_0)" in source


def test_a_plan_in_words() -> None:
    x = static.data("x", [None, 256])
    loss = tg.mean(static.nn.fc(static.nn.fc(x, 256, activation="relu"), 256))
    tg.optimizer.SGD(0.1).minimize(loss)
    plan = Executor().memory_plan(
        feed={"x": np.ones((64, 256), "float32")}, fetch_list=[loss]
    )
    lines = str(plan).splitlines()
    assert lines[0].startswith(f"memory plan: {plan.planned_peak / 1024:.1f} kB for ")
    assert any(line.startswith("most is needed at step ") for line in lines)
    assert plan.planned_peak >= max(plan.live)
    assert plan.planned_peak < plan.naive_peak


def test_without_sharing_new_values_of_parameters_take_bytes_too() -> None:
    x = static.data("x", [4, 16])
    tg.optimizer.SGD(0.1).minimize(tg.mean(static.nn.fc(x, 16)))
    plan = Executor().memory_plan()
    whole = sum(part.size * len(part.names) for part in plan.buffers)
    assert {"fc_0.w_0", "fc_0.b_0"} <= {n for part in plan.buffers for n in part.names}
    assert whole - 64 * len(plan.buffers) < plan.naive_peak <= whole


def test_a_plan_of_unknown_sizes_asks_for_them() -> None:
    x = static.data("x", [None, 256])
    with pytest.raises(InvalidValueError, match=r"'x' is declared \[-1, 256\]"):
        Executor().memory_plan(fetch_list=[x * 2.0])


def taken_by(run: Any) -> int:
    """Bytes of arrays, at most, while something runs."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def test_a_deep_training_step_takes_what_is_planned() -> None:
    """What kernels need on the way is not planned; here it is small beside the rest."""
    x = static.data("x", [None, 64, 16, 16])
    h = x
    for _ in range(24):
        h = F.relu(static.nn.batch_norm(static.nn.conv2d(h, 64, 1)) + h)
    tg.optimizer.Momentum(0.1).minimize(tg.mean(h))
    executor = Executor()
    executor.run(static.default_startup_program())
    feed = {"x": np.ones((8, 64, 16, 16), "float32")}
    executor.run(feed=feed)
    plan = executor.memory_plan(feed=feed)
    taken = taken_by(lambda: executor.run(feed=feed))
    assert taken == pytest.approx(plan.planned_peak, rel=0.15)
    assert plan.planned_peak < 0.6 * plan.naive_peak


@pytest.mark.parametrize(
    "model", [pytest.param("resnet50", marks=pytest.mark.full), "bert-mini"]
)
def test_a_process_takes_what_is_planned_for_a_model(model: str) -> None:
    """The allocator is told to give back what is freed; else it keeps up to a third."""
    told = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "65536"}
    command = [sys.executable, "-m", "tests.executor.peak", model]
    ran = subprocess.run(command, env=told, check=True, capture_output=True, text=True)
    found = json.loads(ran.stdout)
    assert found["planned"] <= 0.6 * found["naive"]
    assert found["taken"] == pytest.approx(found["planned"], rel=0.15)
