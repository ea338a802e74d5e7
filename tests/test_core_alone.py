"""The core is the engine: it trains alone, and the whole package runs its functions."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph.core import backward, build, executor, ops, tape, tensor
from teachgraph.core.op import Op
from tests import first_network
from tests.core_size import CORE
from tests.static.fresh import fresh

PRINT_FILES = """
import sys
print([module.__file__ for name, module in sys.modules.items() if "teachgraph" in name],
      file=sys.stderr)
"""


def test_a_copy_of_the_folder_trains_alone(tmp_path: Path) -> None:
    package = tmp_path / "teachgraph"
    shutil.copytree(CORE, package / "core", ignore=shutil.ignore_patterns("*.pyc"))
    (package / "__init__.py").touch()  # else the installed package would be preferred
    script = tmp_path / "first_network.py"
    own = Path(first_network.__file__).read_text("utf-8")
    script.write_text(own + PRINT_FILES, "utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    command = [sys.executable, "-P", str(script)]
    done = subprocess.run(
        command,
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stderr
    assert str(CORE) not in done.stderr
    losses = json.loads(done.stdout)
    np.testing.assert_allclose(losses["eager"], by_hand(), rtol=1e-5)
    np.testing.assert_allclose(losses["static"], by_hand(), rtol=1e-5)


def by_hand() -> list[float]:
    """The losses of the same network, differentiated by hand."""
    start = (
        np.random.default_rng(seed).uniform(-1, 1, shape)
        for seed, shape in enumerate(first_network.SIZES.values(), 1)
    )
    w1, b1, w2, b2 = start
    x, rows, labels = first_network.X, np.arange(16), first_network.Y[:, 0]
    losses = []
    for _ in range(first_network.STEPS):
        hidden = np.maximum(x @ w1 + b1, 0)
        power = np.exp(hidden @ w2 + b2)
        probability = power / power.sum(axis=1, keepdims=True)
        losses.append(-np.log(probability[rows, labels]).mean())
        probability[rows, labels] -= 1
        slope = probability / 16
        below = (slope @ w2.T) * (hidden > 0)
        gradients = x.T @ below, below.sum(0), hidden.T @ slope, slope.sum(0)
        for parameter, gradient in zip((w1, b1, w2, b2), gradients, strict=True):
            np.subtract(parameter, first_network.RATE * gradient, out=parameter)
    return losses


def entered(run: Callable[[], Any]) -> set[CodeType]:
    """Collect the code of every Python function that a call enters."""
    found = set[CodeType]()
    sys.setprofile(lambda frame, event, _: found.add(frame.f_code))
    try:
        run()
    finally:
        sys.setprofile(None)
    return found


def train_eager() -> None:
    layers = tg.nn.Linear(8, 8), tg.nn.ReLU(), tg.nn.Linear(8, 4)
    network = tg.nn.Sequential(*layers)
    optimizer = tg.optimizer.SGD(0.5, parameters=network.parameters())
    x, y = tg.to_tensor(first_network.X), tg.to_tensor(first_network.Y)
    tg.nn.functional.cross_entropy(network(x), y).backward()
    optimizer.step()


def train_static() -> None:
    with fresh() as programs:
        x = tg.static.data("x", [-1, 8])
        y = tg.static.data("y", [-1, 1], "int64")
        logits = tg.static.nn.fc(tg.static.nn.fc(x, 8, activation="relu"), 4)
        loss = tg.mean(tg.nn.functional.softmax_with_cross_entropy(logits, y))
        tg.optimizer.SGD(0.5).minimize(loss)
        run = tg.static.Executor().run
        run(programs.startup)
        for _ in range(2):  # code is written for what runs again
            run(programs.main, {"x": first_network.X, "y": first_network.Y}, [loss])


ENGINE = {
    train_eager: [
        *(Op.__call__, tensor.run, tensor.Tensor.backward),
        *(tape.topological, tape.backward_from, tape.reverse, tape.visit_node),
    ],
    train_static: [
        *(Op.__call__, build.append, build.infer, backward.Backward.run),
        *(backward.append_grad_op, backward.Backward.accumulate),
        *(executor.Executor.run, executor.Plan.run),
    ],
}
KERNELS = {
    train_eager: [
        *(ops.elementwise_add, ops.relu, ops.uniform_random, ops.sgd),
        ops.softmax_with_cross_entropy,
    ],
    train_static: [ops.mul, ops.uniform_random],
}


@pytest.mark.parametrize("train", ENGINE)
def test_the_whole_package_runs_the_functions_of_the_core(
    train: Callable[[], None],
) -> None:
    functions = [*ENGINE[train], *(op.kernel for op in KERNELS[train])]
    ran = entered(train)
    missing = [f.__qualname__ for f in functions if f.__code__ not in ran]
    assert missing == []
