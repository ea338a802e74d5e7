"""The profiler: what ran, how long, how much it made, for people and for Chrome."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from teachgraph_widgets.profiler import ProfilerError, ProfilerState
from teachgraph_widgets.spans import Span
from teachgraph_widgets.validate import validate

import teachgraph as tg
from teachgraph import static
from teachgraph.core import unique_name
from teachgraph.core.observe import observers

CHROME: dict[str, Any] = {
    "type": "object",
    "required": ["traceEvents", "displayTimeUnit"],
    "properties": {
        "displayTimeUnit": {"enum": ["ms", "ns"]},
        "traceEvents": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "ph", "pid", "tid"],
                "properties": {
                    "name": {"type": "string"},
                    "cat": {"type": "string"},
                    "ph": {"enum": ["X", "M"]},
                    "ts": {"type": "number", "minimum": 0},
                    "dur": {"type": "number", "minimum": 0},
                    "pid": {"type": "integer"},
                    "tid": {"type": "integer"},
                    "args": {"type": "object"},
                },
                "if": {"properties": {"ph": {"const": "X"}}},
                "then": {"required": ["ts", "dur", "cat"]},
            },
        },
    },
}


@pytest.fixture(autouse=True)
def in_programs_of_its_own() -> Iterator[None]:
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        yield
    assert observers == []


def calls(profile: Any) -> dict[str, int]:
    return {row.name: row.calls for row in profile.rows()}


def test_each_op_and_each_gradient_is_counted_with_what_it_made() -> None:
    x = tg.ones([8, 8])
    x.stop_gradient = False
    with tg.profiler.Profiler() as profile:
        y = x
        for _ in range(3):
            y = tg.tanh(y)
        y.sum().backward()
    found = calls(profile)
    assert found["tanh"] == found["tanh_grad"] == 3
    assert found["backward"] == found["ProfileStep#0"] == 1
    rows = {row.name: row for row in profile.rows()}
    assert rows["tanh"].size == 3 * 8 * 8 * 4
    assert rows["tanh_grad"].size == 3 * 8 * 8 * 4
    assert rows["backward"].total >= rows["tanh_grad"].total


def test_time_is_where_it_was_spent() -> None:
    @tg.profiler.RecordEvent("slow")
    def slow() -> None:
        time.sleep(0.03)

    with tg.profiler.Profiler() as profile:
        with tg.profiler.RecordEvent("outer"):
            slow()
            slow()
        tg.ones([2])
    rows = {row.name: row for row in profile.rows()}
    assert rows["slow"].calls == 2
    assert rows["slow"].total >= 0.06
    assert rows["outer"].own < rows["slow"].total <= rows["outer"].total


def test_a_programs_operators_are_timed_those_of_a_branch_inside_it() -> None:
    x = static.data("x", [None, 2])
    out = static.nn.cond(x.sum() > 0.0, lambda: tg.exp(x), lambda: tg.log(x))
    feed = {"x": np.ones((4, 2), "float32")}
    with tg.profiler.Profiler() as profile:
        static.Executor().run(feed=feed, fetch_list=[out])
    spans = {span.name: span for span in profile.spans}
    assert "log" not in spans
    taken, _ = (s for s in profile.spans if s.name == "conditional_block")
    branch, inner = taken, spans["exp"]
    assert branch.start <= inner.start <= inner.end <= branch.end
    assert inner.depth == branch.depth + 1
    assert inner.place[0] == __file__
    assert spans["Executor.run"].seconds >= branch.seconds


def test_a_schedule_says_which_steps_count() -> None:
    seen: list[int] = []
    schedule = tg.profiler.make_scheduler(closed=1, ready=1, record=2, repeat=2)
    with tg.profiler.Profiler(
        scheduler=schedule, on_trace_ready=lambda p: seen.append(len(p.spans))
    ) as profile:
        for _ in range(10):
            tg.ones([1])
            profile.step()
    names = [s.name for s in profile.spans if s.kind == "step"]
    assert names == [f"ProfileStep#{n}" for n in (2, 3, 6, 7)]
    assert len(seen) == 2
    pair = tg.profiler.Profiler(scheduler=(2, 5))
    recording = (ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN)
    assert pair.schedule is not None
    assert [n for n in range(7) if pair.schedule(n) in recording] == [2, 3, 4]


def test_the_table_tells_names_figures_and_its_own_cost() -> None:
    with tg.profiler.Profiler(record_shapes=True) as profile:
        for _ in range(5):
            tg.matmul(tg.ones([16, 16]), tg.ones([16, 16]))
            profile.step(num_samples=16)
    lines = str(profile.summary(time_unit="us")).splitlines()
    assert lines[0].split()[:3] == ["name", "kind", "calls"]
    (row,) = (line.split() for line in lines if line.startswith("matmul_v2"))
    assert row[1:3] == ["op", "5"]
    assert row[-2:] == ["5.1", "kB"]
    assert lines[-1].startswith("measuring took about ")
    assert all(len(line) <= 120 for line in lines)
    assert "5 steps" in profile.step_info()
    assert "samples/s" in profile.step_info()
    with pytest.raises(tg.errors.InvalidValueError, match="time_unit"):
        profile.summary(time_unit="fortnight")


def test_chromes_trace_is_as_chrome_wants_it(tmp_path: Path) -> None:
    x = tg.ones([2])
    with (
        tg.profiler.Profiler(
            record_shapes=True,
            on_trace_ready=tg.profiler.export_chrome_tracing(tmp_path, "me"),
        ) as profile,
        tg.profiler.RecordEvent("<b>mine</b>"),
    ):
        tg.exp(x)
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("me_time_")
    found = json.loads(path.read_text("utf-8"))
    jsonschema.validate(found, CHROME)
    events = {e["name"]: e for e in found["traceEvents"]}
    assert events["exp"]["args"]["shapes"] == "[2]"
    assert events["exp"]["args"]["line"].startswith("test_profiler.py:")
    mine, exp = events["<b>mine</b>"], events["exp"]
    assert mine["ts"] <= exp["ts"]
    assert exp["ts"] + exp["dur"] <= mine["ts"] + mine["dur"] + 1e-3
    loaded = {span.name: span for span in tg.profiler.load_profiler_result(path)}
    assert loaded["exp"].size == 8
    assert len(loaded) == len(profile.spans)
    path.write_text('{"traceEvents": [{"ph": "X"}]}')
    with pytest.raises(tg.errors.InvalidValueError, match="no trace of a profiler"):
        tg.profiler.load_profiler_result(path)


def test_the_flame_is_a_log_that_anyone_may_draw() -> None:
    with tg.profiler.Profiler() as profile:
        tg.exp(tg.ones([2]))
    log = validate(profile.log())
    (event,) = [e for e in log["events"] if e["kind"] == "profile"]
    starts = [(s["start"], s["depth"]) for s in event["spans"]]
    assert starts == sorted(starts)
    assert event["spans"][0]["name"] == "ProfileStep#0"


def test_an_op_that_raises_leaves_the_profile_whole() -> None:
    with tg.profiler.Profiler() as profile:
        with pytest.raises(tg.errors.ShapeError):
            tg.matmul(tg.ones([2, 3]), tg.ones([2, 3]))
        tg.exp(tg.ones([1]))
    spans = {span.name: span for span in profile.spans}
    assert spans["exp"].depth == spans["matmul_v2"].depth == 1


def test_it_is_started_once_and_stepped_while_it_runs() -> None:
    profile = tg.profiler.Profiler()
    with pytest.raises(ProfilerError, match="start"):
        profile.step()
    profile.start()
    with pytest.raises(ProfilerError, match="already"):
        profile.start()
    profile.stop()
    profile.stop()
    assert isinstance(profile.spans[0], Span)


@pytest.mark.parametrize("scheduler", [(1, 2, 3), 5, "all"])
def test_a_schedule_is_two_numbers_or_a_function(scheduler: Any) -> None:
    with pytest.raises(tg.errors.InvalidValueError, match="a scheduler is"):
        tg.profiler.Profiler(scheduler=scheduler)


def test_words_that_are_none_of_ours_are_refused() -> None:
    profile = tg.profiler.Profiler()
    with pytest.raises(tg.errors.InvalidValueError, match="one of SortedKeys"):
        profile.summary(sorted_by="total")
    with pytest.raises(tg.errors.InvalidValueError, match="on_trace_ready is called"):
        tg.profiler.Profiler(on_trace_ready="folder")


@pytest.mark.parametrize("timer_only", [True, False])
def test_the_step_that_begins_with_the_end_of_the_last_is_not_counted(
    timer_only: bool,
) -> None:
    with tg.profiler.Profiler(timer_only=timer_only) as profile:
        for _ in range(3):
            tg.ones([2]).sum()
            profile.step(num_samples=2)
    assert len(profile.steps) == 3
    names = [span.name for span in profile.spans if span.kind == "step"]
    assert names == ([] if timer_only else [f"ProfileStep#{i}" for i in range(3)])
    assert profile.step_info().startswith("3 steps")
    with tg.profiler.Profiler() as profile:
        profile.step()
        tg.ones([2]).sum()
    assert len(profile.steps) == 2, "but one in which something ran is"


def test_a_pylayer_that_raises_leaves_the_profile_whole() -> None:
    class Odd(tg.autograd.PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            raise ValueError

    with tg.profiler.Profiler() as profile:
        with pytest.raises(ValueError):  # noqa: PT011  raised right here
            Odd.apply(tg.ones([1]))
        with tg.profiler.RecordEvent("after"):
            tg.ones([1])
    depths = {span.name: span.depth for span in profile.spans}
    assert depths["Odd"] == depths["after"] == 1
