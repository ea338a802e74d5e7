"""Steps of whole networks beside PyTorch's, with two threads each, and their bars.

PyTorch runs in a Python of its own: that of `make oracle`, or the one that the
environment variable TORCH_PYTHON names.
"""

from __future__ import annotations

import functools
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as paddle
from teachgraph import nn
from teachgraph.models import LeNet, resnet50

F = nn.functional
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

Step = Callable[[], Any]


def drawn(*shape: int) -> Any:
    values = np.random.default_rng(0).normal(size=shape)
    return paddle.to_tensor(values.astype(np.float32))


def training(net: Any, x: Any, classes: int) -> Step:
    """A step of SGD on a batch, which gives the loss."""
    y = paddle.to_tensor(np.arange(x.shape[0]) % classes)
    optimizer = paddle.optimizer.SGD(0.01, net.parameters())

    def step() -> Any:
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


def mlp(ins: int, hidden: int, outs: int, batch: int) -> Step:
    net = nn.Sequential(nn.Linear(ins, hidden), nn.ReLU(), nn.Linear(hidden, outs))
    return training(net, drawn(batch, ins), outs)


class Last(nn.Layer):
    """Classes from an LSTM's last output."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.out = nn.LSTM(128, 128), nn.Linear(128, 10)

    def forward(self, x: Any) -> Any:
        return self.out(self.lstm(x)[0][:, -1])


class Encoder(nn.Layer):
    """Classes from the first output of a Transformer's encoder layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(128, 4, 512, 0.1)
        self.out = nn.Linear(128, 10)

    def forward(self, x: Any) -> Any:
        return self.out(self.layer(x)[:, 0])


def forward(net: Any, x: Any) -> Step:
    """A pass without gradients, which gives the mean of the outputs."""
    net.eval()

    def step() -> Any:
        with paddle.no_grad():
            return net(x).mean()

    return step


def cartpole() -> Step:
    """An episode's choices, one state at a time, and one update by REINFORCE."""
    net = nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 2))
    optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    states, returns = drawn(32, 4), drawn(32)
    one_by_one = list(paddle.split(states, 32))

    def step() -> Any:
        with paddle.no_grad():
            chosen = [paddle.multinomial(F.softmax(net(s)), 1) for s in one_by_one]
        all_chosen = paddle.concat(chosen)
        taken = paddle.take_along_axis(F.log_softmax(net(states)), all_chosen, 1)
        loss = -(taken[:, 0] * returns).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


STEPS: dict[str, Callable[[], Step]] = {
    "mlp": lambda: mlp(784, 100, 10, 256),
    "toy": lambda: mlp(8, 8, 4, 8),
    "lenet": lambda: training(LeNet(), drawn(64, 1, 28, 28), 10),
    "lstm": lambda: training(Last(), drawn(16, 32, 128), 10),
    "transformer": lambda: training(Encoder(), drawn(8, 32, 128), 10),
    "resnet50": lambda: forward(resnet50(), drawn(1, 3, 224, 224)),
    "cartpole": cartpole,
}


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
    step = STEPS[name]()
    assert np.isfinite(float(step()))
    benchmark.extra_info["PyTorch"] = in_pytorch(name)
    benchmark.extra_info["bar"] = BARS[name]
    benchmark(step)
