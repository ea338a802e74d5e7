"""A long training: some of its steps are recorded whole, the others are counted."""

from __future__ import annotations

import linecache
from typing import Any

import pytest
from teachgraph_widgets.lines import Source
from teachgraph_widgets.recorder import Recorder

import teachgraph as tg
from teachgraph.core.observe import observers
from tests.widgets.recording import Recording, record

TOLD = [*range(1, 11), 16, 32, 64]

NET = """\
net = tg.nn.Linear(2, 1)
opt = tg.optimizer.SGD(0.1, net.parameters())
x = tg.ones([3, 2])
"""
LOOP = """\
for step in range(100):
    loss = net(x).mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
"""


def steps_of(recording: Recording, line: int) -> int:
    return len(recording.all("backward", phase="begin", line=line))


def test_what_is_told_of_a_step_is_told_whole() -> None:
    recording = record(NET + LOOP)
    assert steps_of(recording, 6) == len(TOLD)
    for op, line in [("mean", 5), ("sgd", 7)]:
        kinds = {e["type"] for e in recording.all("node", line=line)}
        assert any(op in kind for kind in kinds)
    updates = recording.all("node", type="sgd")
    assert len(updates) == 2 * len(TOLD), "weight and bias"
    left_out = recording.all("dropped", what="training steps")
    assert sum(event["count"] for event in left_out) == 100 - len(TOLD)


def test_the_end_shows_what_the_parameters_are_in_the_end() -> None:
    recording = record(NET + LOOP + "weight = net.weight\n")
    weight = recording.names["net"].weight
    number = recording.all("tensor", role="P")[0]["tensor"]
    last = recording.all("value", tensor=number)[-1]["value"]
    assert last["max"] == pytest.approx(float(weight.max()), rel=1e-5)


def test_what_follows_the_loop_is_recorded_again() -> None:
    recording = record(NET + LOOP + "y = net(x) * 2.0\nfor _ in range(3): net(y * x)\n")
    assert recording.all("node", line=9, type="scale")
    assert len(recording.all("node", line=10, type="elementwise_mul")) == 3


def test_each_loop_has_steps_of_its_own() -> None:
    recording = record(NET + LOOP + LOOP)
    assert steps_of(recording, 6) == steps_of(recording, 11) == len(TOLD)


def test_a_step_may_hold_several_reverse_passes() -> None:
    """As an adversarial training's does: both are told of the same steps."""
    text = NET + (
        "for step in range(100):\n"
        "    a = (net(x) * 2.0).mean()\n"
        "    a.backward()\n"
        "    opt.step()\n"
        "    b = (net(x) * 3.0).mean()\n"
        "    b.backward()\n"
        "    opt.step()\n"
    )
    recording = record(text)
    first, second = steps_of(recording, 6), steps_of(recording, 9)
    assert abs(first - second) <= 1
    assert len(TOLD) <= first <= len(TOLD) + 1


def test_a_step_in_a_function_is_a_step() -> None:
    text = NET + (
        "def train():\n"
        "    loss = net(x).mean()\n"
        "    loss.backward()\n"
        "    opt.step()\n"
        "for epoch in range(10):\n"
        "    for step in range(10):\n"
        "        train()\n"
        "    seen = net(x) * 5.0\n"
    )
    recording = record(text)
    assert len(TOLD) <= steps_of(recording, 6) < len(TOLD) + 10, "after each epoch one"
    assert len(recording.all("node", type="scale", line=11)) == 10, "of each epoch"


def test_an_op_that_fails_unheard_is_told() -> None:
    broken = LOOP.replace(
        "    loss.backward()", "    if step == 50: tg.matmul(x, x)\n    loss.backward()"
    )
    recording = record(NET + broken)
    assert isinstance(recording.error, tg.errors.ShapeError)
    failed = recording.one("op_failed")
    assert (failed["type"], failed["line"]) == ("matmul_v2", 6)
    assert observers == []


BLOCK = """\
def trained(net, x, opt, steps):
    for _ in range(steps):
        loss = net(x).mean()
        loss.backward()
        opt.step()
    return net(x) * 7.0
"""


def test_code_without_markers_is_thinned_out_too() -> None:
    source = Source.of_file("<block>", BLOCK)
    names: dict[str, Any] = {}
    linecache.cache["<block>"] = (len(BLOCK), None, BLOCK.splitlines(True), "<block>")
    exec(compile(BLOCK, "<block>", "exec"), names)  # noqa: S102  a text of ours
    net = tg.nn.Linear(2, 1)
    optimizer = tg.optimizer.SGD(0.1, net.parameters())
    recorder = Recorder(source)
    recorder.begin()
    try:
        names["trained"](net, tg.ones([3, 2]), optimizer, 100)
    finally:
        recorder.end()
    recording = Recording(recorder.log, None, names)
    assert steps_of(recording, 4) == len(TOLD)
    assert len(recording.all("node", type="scale", line=6)) == 1


def test_updates_by_hand_and_metrics_belong_to_their_step() -> None:
    recording = record("""\
w = tg.to_tensor([1.0], stop_gradient=False)
for step in range(40):
    loss = (w * 2.0).sum()
    loss.backward()
    w.set_value(w - 0.1 * w.grad)
    w.clear_gradient()
    error = loss.sqrt()
""")
    scales = recording.all("node", line=3, type="scale")
    assert steps_of(recording, 4) == len(scales) == len(recording.all("node", line=7))
    left_out = recording.all("dropped", what="training steps")
    assert sum(event["count"] for event in left_out) == 40 - len(scales)
    assert len(left_out) > 1, "told step by step: the picture numbers them"
