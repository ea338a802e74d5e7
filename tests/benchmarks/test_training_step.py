"""One training step of a two-layer network: eager, static, NumPy by hand, PyTorch.

The sizes are digits (784-100-10, a batch of 256), where arithmetic counts, and a toy
(8-8-4, a batch of 8), where nothing counts but the framework's own work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import teachgraph as paddle
import teachgraph.nn.functional as F
from tests.benchmarks.numpy_mlp import training_step

LEARNING_RATE = 0.01

Step = Callable[[], Any]


class Case(NamedTuple):
    """The sizes of a network and its batch."""

    name: str
    inputs: int
    hidden: int
    outputs: int
    batch: int


TOY = Case("8-8-4 batch 8", 8, 8, 4, 8)
DIGITS = Case("784-100-10 batch 256", 784, 100, 10, 256)


class Start(NamedTuple):
    """The batch and the parameters that every contender starts from."""

    x: np.ndarray
    y: np.ndarray
    parameters: list[np.ndarray]


def start(case: Case) -> Start:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(case.batch, case.inputs)).astype(np.float32)
    y = rng.integers(0, case.outputs, (case.batch, 1))
    shapes = [
        (case.inputs, case.hidden),
        (case.hidden,),
        (case.hidden, case.outputs),
        (case.outputs,),
    ]
    values = [rng.normal(size=shape).astype(np.float32) * 0.1 for shape in shapes]
    return Start(x, y, values)


def by_hand(case: Case) -> Step:
    x, y, parameters = start(case)
    return training_step(x, y, parameters, LEARNING_RATE)


class Net(paddle.nn.Layer):
    def __init__(self, case: Case) -> None:
        super().__init__()
        self.hidden = paddle.nn.Linear(case.inputs, case.hidden)
        self.out = paddle.nn.Linear(case.hidden, case.outputs)

    def forward(self, x: Any) -> Any:
        return self.out(F.relu(self.hidden(x)))


def eager(case: Case) -> Step:
    first = start(case)
    net = Net(case)
    for parameter, value in zip(net.parameters(), first.parameters, strict=True):
        parameter.set_value(value)
    x, y = paddle.to_tensor(first.x), paddle.to_tensor(first.y)
    optimizer = paddle.optimizer.SGD(LEARNING_RATE, net.parameters())

    def step() -> Any:
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


def static(case: Case) -> Step:
    first = start(case)
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup), paddle.unique_name.guard():
        x = paddle.static.data("x", [None, case.inputs])
        y = paddle.static.data("y", [None, 1], "int64")
        hidden = paddle.static.nn.fc(x, case.hidden, activation="relu")
        loss = F.cross_entropy(paddle.static.nn.fc(hidden, case.outputs), y)
        paddle.optimizer.SGD(LEARNING_RATE).minimize(loss)
    scope = paddle.static.Scope()
    executor = paddle.static.Executor()
    executor.run(startup, scope=scope)
    for parameter, value in zip(main.all_parameters(), first.parameters, strict=True):
        scope.var(parameter.name).get_tensor().set(value)
    feed = {"x": first.x, "y": first.y}
    return lambda: executor.run(main, feed, [loss], scope=scope)[0]


def torch(case: Case) -> Step:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    first = start(case)
    net = torch.nn.Sequential(
        torch.nn.Linear(case.inputs, case.hidden),
        torch.nn.ReLU(),
        torch.nn.Linear(case.hidden, case.outputs),
    )
    with torch.no_grad():
        for parameter, value in zip(net.parameters(), first.parameters, strict=True):
            parameter.copy_(torch.from_numpy(value.T.copy()))
    x, y = torch.from_numpy(first.x), torch.from_numpy(first.y[:, 0])
    optimizer = torch.optim.SGD(net.parameters(), LEARNING_RATE)

    def step() -> Any:
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.detach()

    return step


@pytest.mark.parametrize("contender", [by_hand, eager, static, torch])
@pytest.mark.parametrize("case", [TOY, DIGITS], ids=lambda case: case.name)
def test_training_step(benchmark: Any, case: Case, contender: Any) -> None:
    benchmark.group = case.name
    benchmark.name = contender.__name__
    step = contender(case)
    expected = by_hand(case)
    for _ in range(3):
        np.testing.assert_allclose(float(step()), expected(), rtol=1e-4)
    benchmark.pedantic(step, rounds=300, iterations=20, warmup_rounds=10)
