"""A deep network for digits whose layers may be left out.

Lesson 15 has the learner train it with layers dropped at random, and stop early where
few of them are enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from teachgraph import nn
from teachgraph.autograd.creation import to_tensor
from teachgraph.autograd.random_state import seed
from teachgraph.core.modes import no_grad
from teachgraph.course.digits import batches, test_digits, train_digits
from teachgraph.nn import functional
from teachgraph.optimizer import Adam

__all__ = ["Deep", "shares", "trained", "with_exits"]

Array = np.ndarray[Any, Any]
Drop = Callable[..., Any]
"""Of layers, a state, a rate, a generator and a mode it gives the next state."""


class Deep(nn.Layer):
    """Layers between a first and a last one; each adds what it computes to the state.

    Attributes:
        layers: Each maps a state [N, width] to what it adds.

    >>> net = Deep(count=2)
    >>> net.exit(net.start(np.zeros([3, 784], "float32"))).shape
    [3, 10]
    """

    def __init__(self, count: int = 6, width: int = 48) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(784, width), nn.Linear(width, 10)
        each = [nn.Sequential(nn.ReLU(), nn.Linear(width, width)) for _ in range(count)]
        self.layers = nn.LayerList(each)

    def start(self, images: Array) -> Any:
        """Compute the state [N, width] of images [N, 784]."""
        return self.first(to_tensor(images))

    def exit(self, state: Any) -> Any:
        """Compute the scores [N, 10] of a state, after however many layers."""
        return self.last(functional.relu(state))

    def loss(self, layer_drop: Drop, rate: float, draw: Any, batch: Any) -> Any:
        """Compute the loss of a training step."""
        images, labels = batch
        state = layer_drop(self.layers, self.start(images), rate, draw, True)
        return functional.cross_entropy(self.exit(state), to_tensor(labels))


def trained(layer_drop: Drop, rate: float, epochs: int = 10) -> Deep:
    """Train a network in which layers are left out at a rate."""
    seed(2)
    net, draw = Deep(), np.random.default_rng(0)
    adam = Adam(0.002, parameters=net.parameters())
    for epoch in range(epochs):
        for batch in batches(train_digits, seed=epoch):
            net.loss(layer_drop, rate, draw, batch).backward()
            adam.step()
            adam.clear_grad()
    return net


def shares(net: Deep, layer_drop: Drop) -> str:
    """The share of new digits read with the first layer only, the first two, ..."""
    images, labels = test_digits()
    texts = []
    with no_grad():
        for count in range(1, len(net.layers) + 1):
            some = list(net.layers)[:count]
            state = layer_drop(some, net.start(images), 0.0, None, False)
            right = net.exit(state).numpy().argmax(axis=1) == labels[:, 0]
            texts.append(f"{count} {right.mean():.0%}")
    return "  ".join(texts)


def with_exits(net: Deep, early_exit: Callable[..., Any], enough: float) -> str:
    """The share of new digits read with early exits, and the mean number of layers."""
    right, count = 0, 0
    images, labels = test_digits()
    with no_grad():
        for image, label in zip(images, labels[:, 0], strict=True):
            state = net.start(image[None])
            scores, ran = early_exit(net.layers, net.exit, state, enough)
            right += int(scores.numpy().argmax() == label)
            count += ran
    return f"{right / len(labels):.1%} with {count / len(labels):.1f} layers"
