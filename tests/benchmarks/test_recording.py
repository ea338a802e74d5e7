"""What it costs to be watched: microseconds an op, and the share of a training step.

The bars are 10 us an op, and 5 % of an epoch of MNIST. Markers alone must not be felt
in a loop of 100,000 statements. Times are those of this thread on the CPU, the least of
rounds that alternate with and without a recorder: others use the machine too.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time
from typing import Any

import numpy as np
import pytest
from teachgraph_widgets.lines import MARKER, Source, mark, marked
from teachgraph_widgets.recorder import Recorder

import teachgraph as tg
import teachgraph.nn.functional as F
from tests.bars import note
from tests.benchmarks.test_training_step import Case, eager, static

OPS = 1000
EPOCH = 938
FORWARD = f"for i in range({OPS}):\n    x = x * 1.0001\n"
BACKWARD = f"{FORWARD}x.backward()\n"
LOOP = "total = 0\nfor i in range(33_333):\n    total += i\n    total -= 1\n"

Tell = Callable[[str], None]


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    """Print below the progress of the run."""

    def words(text: str) -> None:
        with capsys.disabled():
            print(f"\n  {text}")

    return words


def leaf(size: int) -> tg.Tensor:
    return tg.to_tensor(np.ones(size, "float32"), stop_gradient=False)


@contextmanager
def recorded(source: Source, *, values: bool) -> Iterator[Recorder]:
    recorder = Recorder(source, values=values)
    recorder.begin()
    try:
        yield recorder
    finally:
        recorder.end()


def seconds(text: str, *, watched: bool, values: bool = True, **names: Any) -> float:
    """How long a text takes, with or without a recorder."""
    source = Source(text)
    tree = ast.parse(text)
    code = compile(marked(tree, source) if watched else tree, "<bench>", "exec")
    namespace = {MARKER: mark, **names}
    if not watched:
        begin = thread_time()
        exec(code, namespace)  # noqa: S102  a text of ours
        return thread_time() - begin
    with recorded(source, values=values):
        begin = thread_time()
        exec(code, namespace)  # noqa: S102  a text of ours
        return thread_time() - begin


def alternately(
    one: Callable[[], float], other: Callable[[], float], *, rounds: int
) -> tuple[float, float]:
    """The least that each takes, where the machine slows both in turn."""
    times = [(one(), other()) for _ in range(rounds)]
    first, second = zip(*times, strict=True)
    return min(first), min(second)


@pytest.mark.parametrize("values", [False, True], ids=["no values", "values"])
@pytest.mark.parametrize("size", [1, 64])
@pytest.mark.parametrize(
    ("what", "text"), [("op", FORWARD), ("op and gradient", BACKWARD)]
)
def test_one_op(
    benchmark: Any, tell: Tell, what: str, text: str, size: int, values: bool
) -> None:
    benchmark.group = f"{OPS} times {what}, {size} elements"

    def run() -> float:
        return seconds(text, watched=True, values=values, x=leaf(size))

    def alone() -> float:
        return seconds(text, watched=False, x=leaf(size))

    benchmark.pedantic(run, rounds=3, warmup_rounds=1)
    plain, watched = alternately(alone, run, rounds=40)
    extra = (watched - plain) / OPS * 1e6
    benchmark.extra_info["us"] = extra
    bar = 10 if what == "op" else 20
    met = f"bar {bar}, {'pass' if extra <= bar else 'miss'}"
    tell(f"{what}, {size} elements, values {values}: {extra:.1f} us more ({met})")
    if (what, size) == ("op", 64):
        note("recording-op-values" if values else "recording-op", extra, 10, "us")


def test_an_op_that_nobody_watches(benchmark: Any, tell: Tell) -> None:
    """What is left of having been watched: the second half ran after a recording."""
    benchmark.group = "nobody watches"

    def plain() -> float:
        return seconds(FORWARD, watched=False, x=leaf(64))

    before = min(plain() for _ in range(100))
    seconds(FORWARD, watched=True, x=leaf(64))
    benchmark.pedantic(plain, rounds=3)
    after = min(plain() for _ in range(100))
    each = [t / OPS * 1e6 for t in (before, after)]
    tell(f"an op takes {each[0]:.2f} us, {each[1]:.2f} us after a recording")
    note("recording-off", 100 * (after / before - 1), 5, "%")


def mlp(build: Any) -> Any:
    return build(Case("784-100-10 batch 64", 784, 100, 10, 64))


def lenet() -> Any:
    rng = np.random.default_rng(0)
    net = tg.vision.models.LeNet()
    x = tg.to_tensor(rng.normal(size=(64, 1, 28, 28)).astype("float32"))
    y = tg.to_tensor(rng.integers(0, 10, (64, 1)))
    optimizer = tg.optimizer.SGD(0.01, net.parameters())

    def step() -> None:
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
        optimizer.clear_grad()

    return step


def epoch(step: Callable[[], Any], *, watched: bool) -> Any:
    """What each step takes: the least in several epochs is not the machine's doing."""
    ends: list[float] = []

    def timed() -> None:
        step()
        ends.append(thread_time())

    text = f"begin()\nfor _ in range({EPOCH}):\n    step()\n"
    seconds(text, watched=watched, step=timed, begin=lambda: ends.append(thread_time()))
    return np.diff(ends)


@pytest.mark.parametrize(
    ("name", "build"),
    [
        ("MLP, eager", lambda: mlp(eager)),
        ("MLP, static", lambda: mlp(static)),
        ("LeNet, eager", lenet),
    ],
)
def test_an_epoch_of_mnist(benchmark: Any, tell: Tell, name: str, build: Any) -> None:
    """The bar is 5 % of the time, with values; 64 digits a step, 938 steps."""
    benchmark.group = "an epoch of MNIST"
    step = build()
    step()
    rounds = 2 if name == "LeNet, eager" else 8
    times = [
        (epoch(step, watched=False), epoch(step, watched=True)) for _ in range(rounds)
    ]
    plain, watched = (np.min(each, axis=0).sum() for each in zip(*times, strict=True))
    benchmark.pedantic(step, rounds=1)
    share = watched / plain - 1
    benchmark.extra_info["share"] = share
    note(f"mnist-{name.lower().replace(', ', '-')}", 100 * share, 5, "%")
    each, met = plain / EPOCH * 1e3, "pass" if share <= 0.05 else "miss"
    tell(f"{name}: a step of {each:.2f} ms takes {share:.1%} more (bar 5 %, {met})")


def test_a_loop_that_records_nothing(benchmark: Any, tell: Tell) -> None:
    benchmark.group = "a loop of 100,000 statements"
    benchmark.pedantic(lambda: seconds(LOOP, watched=True), rounds=5)
    plain = min(seconds(LOOP, watched=False) for _ in range(5))
    watched = min(seconds(LOOP, watched=True) for _ in range(5))
    tell(f"{plain * 1e3:.1f} ms, {watched * 1e3:.1f} ms when traced")
