"""Digits as lessons feed them: batches of flat images, from 0 to 1, and labels.

`train` trains a static network on them, as the four lines do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from teachgraph import fluid
from teachgraph.autograd.creation import to_tensor
from teachgraph.core import unique_name
from teachgraph.core.modes import no_grad
from teachgraph.vision.datasets import Digits

__all__ = ["accuracy", "batches", "test_digits", "train", "train_digits", "train_epoch"]

Array = np.ndarray[Any, Any]
Pairs = tuple[Array, Array]


@cache
def arrays(mode: str) -> Pairs:
    """Images [N, 784] from 0 to 1, float32, and labels [N, 1]."""
    digits = Digits(mode)
    images = digits.images.reshape(len(digits), -1).astype("float32") / 255.0
    return images, digits.labels


def train_digits() -> Pairs:
    """The 1,437 digits to train on."""
    return arrays("train")


def test_digits() -> Pairs:
    """The 360 digits to test with, which training never sees.

    >>> [part.shape for part in test_digits()]
    [(360, 784), (360, 1)]
    """
    return arrays("test")


def batches(digits: Any, size: int = 32, seed: int = 0) -> Iterator[Pairs]:
    """Go once through digits in random order, so many at a time.

    Args:
        digits: `train_digits` or `test_digits`.
        size: How many a batch has; the last one has what is left.
        seed: Decides the order.
    """
    images, labels = digits()
    order = np.random.default_rng(seed).permutation(len(images))
    for first in range(0, len(order), size):
        rows = order[first : first + size]
        yield images[rows], labels[rows]


def train(network: Callable[..., Any], epochs: int = 8, rate: float = 0.1) -> float:
    """Train a network in a program of its own.

    Args:
        network: Of image [N, 784] and label [N, 1] it gives scores [N, 10] and loss.
        epochs: How often to go through the training digits.
        rate: The learning rate of SGD.

    Returns:
        The share of the 360 test digits that it reads then.
    """
    main, startup = fluid.Program(), fluid.Program()
    main.random_seed = startup.random_seed = 7
    with unique_name.guard(), fluid.program_guard(main, startup):
        image = fluid.data(name="image", shape=[None, 784], dtype="float32")
        label = fluid.data(name="label", shape=[None, 1], dtype="int64")
        scores, loss = network(image, label)
        test = main.clone(for_test=True)
        fluid.optimizer.SGD(learning_rate=rate).minimize(loss)
    exe = fluid.Executor()
    with fluid.scope_guard(fluid.Scope()):
        exe.run(startup)
        for epoch in range(epochs):
            for images, labels in batches(train_digits, seed=epoch):
                exe.run(main, feed={"image": images, "label": labels})
        images, labels = test_digits()
        feed = {"image": images, "label": labels}
        (predictions,) = exe.run(test, feed=feed, fetch_list=[scores])
    return float((predictions.argmax(axis=1) == labels[:, 0]).mean())


def train_epoch(net: Any, optimizer: Any) -> None:
    """Train a network of layers for an epoch, with the panel that draws it."""
    from teachgraph.nn.functional import cross_entropy

    watched = import_module("teachgraph_widgets").monitor(
        list(batches(train_digits)), model=net, optimizer=optimizer
    )
    for images, labels in watched:
        loss = cross_entropy(net(to_tensor(images)), to_tensor(labels))
        loss.backward()
        watched.log(loss=loss)
        optimizer.step()
        optimizer.clear_grad()


def accuracy(net: Any) -> float:
    """The share of the 360 test digits that a network of layers reads."""
    images, labels = test_digits()
    net.eval()
    with no_grad():
        scores = net(to_tensor(images)).numpy()
    net.train()
    return float((scores.argmax(axis=1) == labels[:, 0]).mean())
