"""Steps of whole networks beside PyTorch's, with two threads each, and their bars.

PyTorch runs in a Python of its own: that of `make oracle`, or the one that the
environment variable TORCH_PYTHON names.
"""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as paddle
from tests.benchmarks.families import eager

ROOT = Path(__file__).parents[2]
TORCH = os.environ.get("TORCH_PYTHON", str(ROOT / ".cache/torch/bin/python"))

BARS = {
    "mlp": 1.0,
    "toy": 0.4,
    "lenet": 2.0,
    "lstm": 1.0,
    "transformer": 1.3,
    "resnet50": 3.0,
    "cartpole": 0.4,
}
"""At most so many times PyTorch's time."""


def in_pytorch(name: str) -> float:
    """The time of the same step there, in seconds: of the luckiest of three runs.

    Where the machine is busy, PyTorch's threads wait for each other for very long.
    """
    asked = [TORCH, "-m", "tests.benchmarks.torch_steps", name]
    run = functools.partial(subprocess.run, asked, cwd=ROOT, check=True)
    return min(float(run(capture_output=True, text=True).stdout) for _ in range(3))


@pytest.mark.skipif(not Path(TORCH).exists(), reason="`make oracle` installs PyTorch")
@pytest.mark.parametrize("name", BARS)
def test_a_step_beside_pytorchs(benchmark: Any, name: str) -> None:
    benchmark.group, benchmark.name = "beside PyTorch", name
    step = eager(paddle, name)
    assert np.isfinite(float(step()))
    benchmark.extra_info["PyTorch"] = in_pytorch(name)
    benchmark.extra_info["bar"] = BARS[name]
    benchmark(step)
