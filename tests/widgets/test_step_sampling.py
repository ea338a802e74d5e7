"""A long training: some of its steps are recorded whole, the others are counted."""

from __future__ import annotations

import linecache
import re
import textwrap
from typing import Any

import pytest
from teachgraph_widgets.lines import Source
from teachgraph_widgets.recorder import Recorder

import teachgraph as tg
from teachgraph.core.observe import observers
from tests.widgets.recording import Recording, record, record_unmarked

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


NUMBERED = """\
class Net(tg.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = tg.nn.Linear(2, 1)
    def forward(self, x):
        return self.fc(x).tanh()

class Numbers(tg.io.Dataset):
    def __len__(self):
        return 24
    def __getitem__(self, i):
        return tg.full([2], 1.0)

def metric(loss):
    return loss.sqrt()

def batch():
    return tg.full([2, 2], 1.0)

net, n = Net(), 0
opt = tg.optimizer.SGD(0.1, parameters=net.parameters())
"""
"""Code after this counts its own steps in `n`, and makes that number the loss."""

STEP = """\
n += 1
loss = net(x).square().mean() * 0.0 + n
loss.backward()
opt.step()
"""
LOOPS: dict[str, str] = {
    "the loader makes the batches": """\
for epoch in range(5):
    for x in tg.io.DataLoader(Numbers(), batch_size=2):
        STEP
""",
    "a function makes the batch": """\
for i in range(60):
    x = batch()
    STEP
""",
    "an evaluation after each epoch": """\
for epoch in range(5):
    for i in range(12):
        x = tg.full([2, 2], 1.0)
        STEP
    with tg.no_grad():
        y = net(batch()).abs()
""",
    "a function for an epoch": """\
def epoch():
    global n
    for x in tg.io.DataLoader(Numbers(), batch_size=2):
        STEP
for i in range(5):
    epoch()
    y = net(batch()).abs()
""",
    "a function for a step": """\
def train(x):
    global n
    STEP
for epoch in range(5):
    for i in range(12):
        train(batch())
    y = net(batch()).abs()
""",
    "a metric in each step": """\
for i in range(60):
    x = batch()
    STEP
    seen = metric(loss)
""",
    "steps begin on one line or another": """\
for i in range(60):
    if i % 3 == 0:
        x = tg.full([2, 2], 1.0)
    else:
        x = batch()
    STEP
""",
    "the loop asks an op": """\
done = tg.to_tensor([0.0])
while (done < 60.0).item():
    x = batch()
    STEP
    done = done + 1.0
""",
    "two loops": """\
for i in range(12):
    x = batch()
    STEP
n = 0
for i in range(60):
    x = batch()
    STEP
""",
}


def with_steps(loop: str) -> str:
    """The loop, with a step where it stands for one."""
    indent = re.compile(r"^( *)STEP\n", re.MULTILINE)
    return NUMBERED + indent.sub(lambda at: textwrap.indent(STEP, at[1]), loop)


@pytest.mark.parametrize("how", [record, record_unmarked])
@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_recorded_are_the_first_steps_the_16th_the_32nd(loop: str, how: Any) -> None:
    recording = how(with_steps(loop))
    values = {e["tensor"]: e["value"] for e in recording.all("value")}
    passes = recording.all("backward", phase="begin")
    numbers = [values[event["roots"][0]]["first"][0] for event in passes]
    first = [*range(1, 11)] if loop is LOOPS["two loops"] else []
    assert numbers == [*first, *range(1, 11), 16, 32]
    # The picture numbers a step by what was recorded and left out before.
    left_out, last = recording.all("dropped", what="training steps"), len(first)
    if not first:
        for index, event in enumerate(passes, 1):
            before = sum(e["count"] for e in left_out if e["seq"] < event["seq"])
            assert numbers[index - 1] == index + before
    assert sum(e["count"] for e in left_out) == 60 - 12 + (2 if last else 0)


@pytest.mark.parametrize("how", [record, record_unmarked])
@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_recorded_step_is_whole(loop: str, how: Any) -> None:
    recording = how(with_steps(loop))
    passes = [event["seq"] for event in recording.all("backward", phase="begin")]
    nodes = recording.all("node")
    types = [event["type"] for event in nodes]
    assert types.count("square") == len(passes)
    assert types.count("sgd") == 2 * len(passes), "weight and bias"
    if "metric(" in loop:
        assert types.count("sqrt") == len(passes)
    for before, end in zip([0, *passes], passes, strict=False):
        inside = [e["type"] for e in nodes if before < e["seq"] < end]
        assert inside.count("matmul_v2") == 1 + inside.count("abs")
        made = [name for name in inside if name == "fill_constant"]
        assert len(made) == (2 if "DataLoader" in loop else 1) + inside.count("abs")


@pytest.mark.parametrize("how", [record, record_unmarked])
def test_the_epoch_of_a_recorded_step_is_told_before_its_gradients(how: Any) -> None:
    loop = LOOPS["an evaluation after each epoch"].replace("range(5)", "range(20)")
    recording = how(with_steps(loop))
    values = {e["tensor"]: e["value"] for e in recording.all("value")}
    told = [e for e in recording.all("names") if "epoch" in e["texts"]]
    passes = recording.all("backward", phase="begin")
    for event in passes:
        epoch = [e["texts"]["epoch"] for e in told if e["seq"] < event["seq"]][-1]
        number = values[event["roots"][0]]["first"][0]
        assert int(epoch) == (number - 1) // 12
    assert len(passes) == len([*range(1, 11), 16, 32, 64, 128])
