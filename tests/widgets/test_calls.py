"""Code without markers: which statements start is read from the frames at each op.

The independent source is the same code with markers, which tell each start.
"""

from __future__ import annotations

import pytest
from teachgraph_widgets.folded import fold

import teachgraph as tg
from tests.widgets.recording import Recording, record, record_unmarked

NET = """\
class Net(tg.nn.Layer):
    def __init__(self):
        super().__init__()
        self.fc = tg.nn.Linear(4, 1)

    def forward(self, x):
        return self.fc(x)

net = Net()
opt = tg.optimizer.SGD(0.01, parameters=net.parameters())
data = [tg.ones([2, 4])] * 4
"""

TEXTS = {
    "the network's class is in the source": """\
for x in data:
    loss = (net(x) - 1).square().mean()
    loss.backward()
    opt.step()
    opt.clear_grad()
""",
    "a function makes the batch": """\
def batch():
    return tg.randn([2, 4])
for step in range(4):
    x = batch()
    loss = net(x).mean()
    loss.backward()
    opt.step()
""",
    "a function does all of a step": """\
def train(x):
    loss = net(x).mean()
    loss.backward()
    opt.step()
for x in data:
    train(x)
""",
    "a step on one line": """\
def train(x):
    net(x).mean().backward()
for epoch in range(2):
    for x in data:
        train(x)
""",
    "functions call functions": """\
def scaled(x, by):
    return x * by
def twice(x):
    y = scaled(x, 2.0)
    return scaled(y, 2.0)
for x in data:
    y = twice(x) + scaled(x, 1.0)
    z = twice(y)
""",
    "a loop inside, and one in a function": """\
def deep(x):
    for i in range(3):
        x = x * 2.0
        x = x + 1.0
    return x
for x in data:
    y = deep(x)
    for i in range(2):
        y = deep(y)
        z = y - 1.0
    w = z * z
""",
    "comprehensions": """\
def scaled(x):
    return x * 2.0
for part in [data, data]:
    ys = [scaled(x) for x in part]
    zs = {i: scaled(y) * 3.0 for i, y in enumerate(ys)}
    total = sum(scaled(x).sum() for x in part)
""",
    "lambdas and generators": """\
def numbers(n):
    for i in range(n):
        yield tg.ones([2]) * float(i)
for x in numbers(3):
    double = lambda x: x * 2.0
    ys = list(map(double, [x, x]))
    y = double(x)
""",
    "with, try, while, if": """\
def worse(x):
    raise ValueError(str(x * 2.0))
i = tg.zeros([1])
while (i < 3.0).item():
    with tg.no_grad():
        y = i * 2.0
    try:
        worse(y)
    except ValueError:
        z = y * 3.0
    finally:
        z = y * 5.0
    if (i > 1.0).item(): z = i * 7.0
    i = i + 1.0
""",
    "recursion": """\
def down(x, n):
    if n == 0:
        return x * 2.0
    y = x * 3.0
    return down(y, n - 1) + y
for x in data[:2]:
    y = down(x, 3)
""",
    "a PyLayer": """\
class Cube(tg.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x
    @staticmethod
    def backward(ctx, dy):
        x, = ctx.saved_tensor()
        return 3 * x * x * dy
x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
y = Cube.apply(x).sum()
g, = tg.grad(y, x, create_graph=True)
""",
}


def lines_of(recording: Recording) -> list[int]:
    return [event["line"] for event in recording.all("line")]


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_what_is_told_to_start_starts_in_this_order(text: str) -> None:
    marked, told = record(NET + text), lines_of(record_unmarked(NET + text))
    assert marked.error is None
    truth = iter(lines_of(marked))
    assert all(line in truth for line in told), "no subsequence"


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_count_is_a_lower_bound(text: str) -> None:
    exact = fold(record(NET + text).log).ran
    for line, times in fold(record_unmarked(NET + text).log).ran.items():
        assert 1 <= times <= exact[line], f"line {line}"


@pytest.mark.parametrize("text", list(TEXTS.values())[:4], ids=list(TEXTS)[:4])
def test_each_step_begins_with_a_line_of_its_loop(text: str) -> None:
    """The picture takes as a step what lies between two starts of such a line."""
    run = record_unmarked(NET + text)
    marked = record(NET + text)
    lines = (NET + text).splitlines()
    (inside,) = {
        number + 1
        for number, line in enumerate(lines, 1)
        if line.lstrip().startswith("for") and "epoch" not in line
    }
    assert lines_of(run).count(inside) == lines_of(marked).count(inside) > 1
    firsts = [event["seq"] for event in run.all("line", line=inside)]
    for first, last in zip(firsts, [*firsts[1:], len(run.events)], strict=True):
        ops = [e["type"] for e in run.all("node") if first < e["seq"] < last]
        assert ops.count("matmul_v2") == 1
        passes = run.all("backward", phase="begin")
        assert sum(first < each["seq"] < last for each in passes) == 1


def test_a_log_says_whether_its_counts_are_bounds() -> None:
    assert record_unmarked("x = tg.ones([1])").one("cell_begin")["sampled"] is True
    assert "sampled" not in record("x = tg.ones([1])").one("cell_begin")


def test_who_calls_the_block_is_no_part_of_it() -> None:
    def traced() -> tg.widgets.Trace:
        with tg.record() as t:
            tg.ones([2]) * 2.0
        return t

    trace = traced()
    lines = [event["line"] for event in trace.events if event["kind"] == "line"]
    assert len(lines) == 1
