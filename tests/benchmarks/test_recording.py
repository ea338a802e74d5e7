"""What it costs to be watched: microseconds an op, and the share of a training step.

The bar is 10 us an op. Markers alone must not be felt in a loop of 100,000 statements.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np
import pytest
from teachgraph_widgets.lines import MARKER, Source, mark, marked
from teachgraph_widgets.recorder import Recorder

import teachgraph as tg
from tests.benchmarks.test_training_step import DIGITS, eager, static

OPS = 1000
STEPS = 500
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
        begin = perf_counter()
        exec(code, namespace)  # noqa: S102  a text of ours
        return perf_counter() - begin
    with recorded(source, values=values):
        begin = perf_counter()
        exec(code, namespace)  # noqa: S102  a text of ours
        return perf_counter() - begin


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

    benchmark.pedantic(run, rounds=20, warmup_rounds=2)
    plain = min(seconds(text, watched=False, x=leaf(size)) for _ in range(20))
    watched = min(run() for _ in range(20))
    extra = (watched - plain) / OPS * 1e6
    benchmark.extra_info["us"] = extra
    tell(f"{what}, {size} elements, values {values}: {extra:.1f} us more")


@pytest.mark.parametrize("build", [eager, static])
@pytest.mark.parametrize("values", [False, True], ids=["no values", "values"])
def test_a_training_step(benchmark: Any, tell: Tell, build: Any, values: bool) -> None:
    """One recorder for all: the first steps are looked at whole, later ones thinned."""
    benchmark.group = "a training step on digits"
    loop = f"for _ in range({STEPS}):\n    step()\n"
    step = build(DIGITS)

    def run() -> float:
        return seconds(loop, watched=True, values=values, step=step)

    plain = min(seconds(loop, watched=False, step=step) for _ in range(3))
    watched = min(run() for _ in range(3))
    benchmark.pedantic(run, rounds=1)
    share = watched / plain - 1
    benchmark.extra_info["share"] = share
    tell(
        f"{build.__name__}, values {values}: a step of {plain / STEPS * 1e3:.2f} ms "
        f"takes {share:.0%} more when recorded"
    )


def test_a_loop_that_records_nothing(benchmark: Any, tell: Tell) -> None:
    benchmark.group = "a loop of 100,000 statements"
    benchmark.pedantic(lambda: seconds(LOOP, watched=True), rounds=5)
    plain = min(seconds(LOOP, watched=False) for _ in range(5))
    watched = min(seconds(LOOP, watched=True) for _ in range(5))
    tell(f"{plain * 1e3:.1f} ms, {watched * 1e3:.1f} ms when traced")
