"""The network of the digits, 784-100-10, in the words of 1.x and as a Layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

import teachgraph as tg
from teachgraph import fluid
from teachgraph.core import modes, unique_name
from teachgraph.vision.datasets import Digits

__all__ = ["Classifier", "Run", "feeds", "program", "py_func_relu", "trained"]

BATCH, EPOCHS, RATE, SEED = 256, 5, 0.01, 90

Activation = Callable[[Any], Any]


def scaled(image: Any) -> Any:
    """A picture's 0..255 as a row of -1..1."""
    return image.reshape(784) / 127.5 - 1


def feeds(which: str, size: int = BATCH) -> Iterator[dict[str, Any]]:
    """The digits in batches, for `Executor.run`."""
    names = ("image", "label")
    for batch in tg.io.DataLoader(Digits(which, transform=scaled), batch_size=size):
        yield {name: field.numpy() for name, field in zip(names, batch, strict=True)}


class Built(NamedTuple):
    """The programs, and what to fetch from them."""

    main: fluid.Program
    startup: fluid.Program
    test: fluid.Program
    loss: fluid.Variable
    accuracy: fluid.Variable


@contextmanager
def statically(main: fluid.Program, startup: fluid.Program) -> Iterator[None]:
    """Build these programs, with names from 0 on."""
    with (
        modes.using(static=True),
        fluid.program_guard(main, startup),
        unique_name.guard(),
    ):
        yield


def program(activation: Activation) -> Built:
    """The network with an activation, its loss, accuracy, training and test."""
    main, startup = fluid.Program(), fluid.Program()
    startup.random_seed = SEED
    with statically(main, startup):
        image = fluid.layers.data(name="image", shape=[784], dtype="float32")
        label = fluid.layers.data(name="label", shape=[1], dtype="int64")
        hidden = activation(fluid.layers.fc(input=image, size=100))
        prediction = fluid.layers.fc(input=hidden, size=10, act="softmax")
        cost = fluid.layers.cross_entropy(input=prediction, label=label)
        loss = fluid.layers.mean(cost)
        accuracy = fluid.layers.accuracy(input=prediction, label=label)
        fluid.optimizer.SGD(learning_rate=RATE).minimize(loss)
        test = main.clone(for_test=True)
    return Built(main, startup, test, loss, accuracy)


def py_func_relu(backward: Callable[..., Any]) -> Activation:
    """A ReLU written with NumPy, with this gradient of (y, dy)."""

    def relu(x: Any) -> Any:
        return np.maximum(x, 0.0)

    def activation(hidden: Any) -> Any:
        block = fluid.default_main_program().current_block()
        out = block.create_var(name="relu", dtype="float32", shape=hidden.shape)
        return fluid.layers.py_func(
            func=relu,
            x=hidden,
            out=out,
            backward_func=backward,
            skip_vars_in_backward_input=hidden,
        )

    return activation


class Run(NamedTuple):
    """What training gave.

    Attributes:
        losses: Of each step.
        tests: (loss, accuracy) on the test images after each epoch.
        values: What the scope holds in the end.
    """

    losses: list[float]
    tests: list[tuple[float, float]]
    values: dict[str, Any]


def trained(built: Built, epochs: int = EPOCHS) -> Run:
    """Train, and look at the test images after each epoch."""
    executor, scope = fluid.Executor(fluid.CPUPlace()), fluid.Scope()
    executor.run(built.startup, scope=scope)
    losses: list[float] = []
    tests = []
    (everything,) = feeds("test", 1000)
    fetch = [built.loss, built.accuracy]
    for _ in range(epochs):
        for feed in feeds("train"):
            (loss,) = executor.run(built.main, feed, [built.loss], scope=scope)
            losses.append(loss.item())
        loss, accuracy = executor.run(built.test, everything, fetch, scope=scope)
        tests.append((loss.item(), accuracy.item()))
    return Run(losses, tests, scope.values)


class Classifier(tg.nn.Layer):
    """The same network, for the eager mode."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = tg.nn.Linear(784, 100)
        self.out = tg.nn.Linear(100, 10)

    def forward(self, image: Any) -> Any:
        return self.out(tg.nn.functional.relu(self.hidden(image)))
