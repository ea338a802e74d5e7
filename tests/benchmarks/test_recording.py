"""What it costs to be watched: microseconds an op, and the share of a training step.

The bars are 10 us an op, and 5 % of an epoch of MNIST; off, it must not be measurable.
Markers alone must not be felt in a loop of 100,000 statements. `recording_cost` says
how each is measured: in a process of its own, in CPU time, with and without in turn.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from teachgraph.cli.bench import LIMITS
from tests.bars import ROOT, note
from tests.benchmarks.recording_cost import EPOCH

Tell = Callable[[str], None]


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    """Print below the progress of the run."""

    def words(text: str) -> None:
        with capsys.disabled():
            print(f"\n  {text}")

    return words


def measured(benchmark: Any, case: str) -> Any:
    """The figures of a case."""
    command = [sys.executable, "-m", "tests.benchmarks.recording_cost", case]
    one_thread = os.environ | dict.fromkeys(LIMITS, "1")

    def run() -> str:
        return subprocess.run(
            command,
            check=True,
            cwd=ROOT,
            env=one_thread,
            stdout=subprocess.PIPE,
            text=True,
        ).stdout

    benchmark.group = "what it costs to be recorded"
    figures = json.loads(benchmark.pedantic(run, rounds=1))
    benchmark.extra_info.update(figures)
    return figures


def told(figure: float, bar: float) -> str:
    """The bar, and whether a figure meets it."""
    return f"bar {bar}, {'pass' if figure <= bar else 'miss'}"


def test_an_op(benchmark: Any, tell: Tell) -> None:
    found = measured(benchmark, "ops")
    for name, figures in found.items():
        extra, low, high = (figures[key] for key in ("extra", "low", "high"))
        bar = 20 if "gradient" in name else 10
        tell(
            f"{name}: {extra:.1f} us more ({told(extra, bar)}; {low:.1f} to {high:.1f})"
        )
    note("recording-op", found["op, 64 elements"]["extra"], 10, "us")
    note("recording-op-values", found["op, 64 elements, values"]["extra"], 10, "us")


def test_an_op_that_nobody_watches(benchmark: Any, tell: Tell) -> None:
    """What is left of having been watched: nothing that can be told from noise."""
    found = measured(benchmark, "off")
    each = f"{found['plain']:.2f} us, {found['after']:.2f} us after a recording"
    spread = f"{found['low']:+.1f} to {found['high']:+.1f}"
    tell(f"an op takes {each}: {found['share']:+.1f} % ({spread})")
    note("recording-off", found["share"], 5, "%")


@pytest.mark.parametrize("name", ["MLP, eager", "MLP, static", "LeNet, eager"])
def test_an_epoch_of_mnist(benchmark: Any, tell: Tell, name: str) -> None:
    """The bar is 5 % of the time, with values; 64 digits a step, 938 steps."""
    found = measured(benchmark, name)
    share = found["share"]
    tell(
        f"{name}: {EPOCH} steps of {found['step'] * 1e3:.2f} ms take {share:.1f} % more"
        f" ({told(share, 5)}; {found['low']:.1f} to {found['high']:.1f}):"
        f" the steps that are told {found['recorded']:.1f} %, the others"
        f" {found['silent']:.1f} %, begin and end {found['around']:.1f} %"
    )
    note(f"mnist-{name.lower().replace(', ', '-')}", share, 5, "%")


def test_a_loop_that_records_nothing(benchmark: Any, tell: Tell) -> None:
    found = measured(benchmark, "loop")
    tell(f"{found['plain']:.1f} ms, {found['watched']:.1f} ms when traced")
