"""Two logs beside each other: the first event that differs, and the same moments."""

from __future__ import annotations

import inspect
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from teachgraph_widgets.comparing import beside, compare
from teachgraph_widgets.events import Log
from teachgraph_widgets.validate import validate

import teachgraph as tg
from teachgraph.core.errors import InvalidValueError
from teachgraph.course import beside as side_by_side
from tests.widgets import micrograd
from tests.widgets.recording import FOUR_LINES, record

ENGINE = inspect.getsource(micrograd.Value)
DIAMOND = """\
x = Value(2.0)
y = x * x
left = y * x
right = y + x
loss = left * right
loss.backward()
"""
OURS = DIAMOND.replace("Value(2.0)", "tg.to_tensor(2.0, stop_gradient=False)")
MISTAKES = {
    "= for +=": (
        "edge.grad +=",
        "edge.grad =",
        "the whole gradient of y is",
        "the whole gradient of y is 20",
    ),
    "never frees": (
        'announce("node_freed", value)',
        "pass",
        "nothing says here: mul is freed",
        "mul is freed",
    ),
    "no slope": (
        "slope * value.grad",
        "value.grad",
        "the gradient that mul gives left is 1",
        "the gradient that mul gives left is 6",
    ),
    "wrong forward": (
        "self.data + other.data",
        "self.data - other.data",
        "the value of right is 2",
        "the value of right is 6",
    ),
    "another operation": (
        '(self, other), "add")',
        '(self, other), "mul")',
        "line 4 runs mul(y, x)",
        "line 4 runs add(y, x)",
    ),
    "no backward": (
        "        for value in order:\n            slopes",
        "        for value in ():\n            slopes",
        "nothing says here: the gradient that mul gives left is 6",
        "the gradient that mul gives left is 6",
    ),
}


def theirs(source: str = ENGINE) -> Log:
    names: dict[str, Any] = dict(vars(micrograd))
    exec(source, names)  # noqa: S102  our own
    return record(DIAMOND, Value=names["Value"]).log


@pytest.fixture(scope="module")
def ours() -> Log:
    return record(OURS).log


def test_a_right_engine_does_the_same_as_ours(ours: Log) -> None:
    assert compare(theirs(), ours).words == ("no difference", "no difference")
    assert compare(theirs(), ours).first is None


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_said_where_it_first_shows(ours: Log, mistake: str) -> None:
    right, wrong, yours, theirs_is = MISTAKES[mistake]
    assert right in ENGINE
    comparison = compare(theirs(ENGINE.replace(right, wrong)), ours)
    assert comparison.words[0].startswith(yours)
    assert comparison.words[1].startswith(theirs_is)
    assert comparison.first is not None


def test_the_marked_moment_shows_the_difference(ours: Log) -> None:
    wrong = theirs(ENGINE.replace("edge.grad +=", "edge.grad ="))
    comparison = compare(wrong, ours)
    assert comparison.first is not None
    for log, at in zip((wrong, ours), comparison.first, strict=True):
        event: Any = log["events"][at - 1]
        assert (event["kind"], event["total"]) == ("grad", True)


def test_moments_grow_and_end_at_both_ends(ours: Log) -> None:
    yours = theirs()
    stops = compare(yours, ours).stops
    assert stops == sorted(stops)
    assert all(a < b for (a, _), (b, _) in pairwise(stops))
    assert stops[-1] == (len(yours["events"]), len(ours["events"]))


def test_the_order_within_a_pass_is_free(ours: Log) -> None:
    """Another topological order is as right as ours."""
    other = ENGINE.replace("stack += value.edges", "stack += value.edges[::-1]")
    order = [
        [e.get("node") for e in log["events"] if e["kind"] == "grad"]
        for log in (theirs(other), theirs())
    ]
    assert order[0] != order[1]
    assert compare(theirs(other), ours).first is None


def test_programs_are_compared_by_their_operators() -> None:
    a = record(FOUR_LINES)
    b = record(FOUR_LINES.replace("size=10", "size=10, act='relu'"))
    words = compare(a.log, b.log).words
    assert words[0].startswith("line 3 appends reduce_mean(fc_0.tmp_1), of shape []")
    assert words[1].startswith("line 2 appends relu(fc_0.tmp_1), of shape [-1, 10]")
    assert compare(a.log, record(FOUR_LINES).log).first is None


def test_what_only_the_second_does_is_found() -> None:
    a = record("x = tg.to_tensor(2.0)\ny = x * 2.0\n").log
    b = record("x = tg.to_tensor(2.0)\ny = x * 2.0\nz = tg.exp(y)\n").log
    comparison = compare(a, b)
    assert comparison.words[0] == "nothing says here: line 3 runs exp(y)"
    assert comparison.first is not None
    assert comparison.first[0] <= len(a["events"])
    assert compare(b, a).words == comparison.words[::-1]


def test_the_log_of_both_is_a_log(ours: Log) -> None:
    both = validate(beside(theirs(), ours, ("yours", "ours")))
    event: Any = both["events"][-1]
    assert (event["kind"], event["first"]) == ("beside", [])
    assert '"title":"ours"' in event["log"]


def test_show_takes_two() -> None:
    one = tg.show(
        theirs(ENGINE.replace("edge.grad +=", "edge.grad =")), record(OURS).log
    )
    assert one.text.startswith(
        "First difference\nthe first: the whole gradient of y is"
    )
    assert one._repr_html_().count("<img ") == 2
    with pytest.raises(InvalidValueError, match="one thing, or two; got 3"):
        tg.show(one.log, one.log, one.log)


@pytest.mark.parametrize("mode", ["no events", "hostile"])
def test_absurd_logs_are_compared(mode: str, ours: Log) -> None:
    empty: Log = {"version": 1, "title": "", "events": []}
    events: Any = [
        {"kind": "grad", "tensor": 7, "node": 3, "total": False, "value": nothing()},
        {"kind": "free", "node": 12},
        {"kind": "node", "node": 1, "type": "", "inputs": [1], "outputs": [1]},
    ]
    more = {"t": 0.0, "cell": 0, "line": 0, "attrs": {}, "saved": [], "taped": True}
    if mode == "hostile":
        empty["events"] = [
            {**more, **event, "seq": seq} for seq, event in enumerate(events)
        ]
    assert compare(empty, ours).first is not None
    assert compare(ours, empty).first is not None
    assert compare(empty, empty).first is None


def nothing() -> dict[str, Any]:
    names = "min", "max", "mean", "std", "norm"
    value = dict.fromkeys(names)
    return {**value, "shape": [-1], "dtype": "", "nan": 0, "inf": 0, "first": []}


def test_two_memory_plans_differ_first_where_a_buffer_lives_or_lies_elsewhere() -> None:
    main = tg.static.Program()
    with tg.static.program_guard(main), tg.unique_name.guard():
        x = tg.static.data("x", [4, 2])
        y = tg.tanh(tg.exp(x) * 2.0)
    feed, exe = {"x": np.ones((4, 2), "float32")}, tg.static.Executor()
    plans = [exe.memory_plan(main, feed, [y]) for _ in range(2)]
    assert str(tg.show(*plans)).startswith("No difference")
    buffer = plans[1].buffers[0]
    buffer.offset += 64
    words = [f"{buffer.name}: {buffer.size} B from byte {at}" for at in (0, 64)]
    lines = str(tg.show(*plans, names=("one", "two"))).splitlines()
    assert lines[0] == "First difference"
    for line, name, said in zip(lines[1:3], ("one", "two"), words, strict=True):
        assert line.startswith(f"{name}: {said}")


def test_an_error_is_a_difference_if_nothing_else_is() -> None:
    def whole() -> None:
        tg.to_tensor(1.0) * 2.0

    def broken() -> None:
        tg.to_tensor(1.0) * 2.0
        raise KeyError("x")

    pair = side_by_side(whole, broken, names=("whole", "broken"))
    assert str(pair).splitlines()[:3] == [
        "First difference",
        "whole: nothing says here: it ends with KeyError: 'x'",
        "broken: it ends with KeyError: 'x'",
    ]
