"""Small digits, the framework's own network for them, and what its step costs.

Digits of 7 x 7 pixels are those that the learner's own framework trains on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from time import perf_counter
from typing import Any

import numpy as np

from teachgraph import fluid
from teachgraph.core import unique_name
from teachgraph.course.digits import Pairs, test_digits, train_digits

__all__ = ["accuracy", "arrays", "batches", "cost", "framework_step"]

Array = np.ndarray[Any, Any]

SIDE, BLOCK = 28, 4
"""Pixels of a digit's side, and of the blocks that a small one has the means of."""


def arrays() -> tuple[Pairs, Pairs]:
    """Digits of 7 x 7 pixels, each the mean of a block: to train on, and to test with.

    >>> [images.shape for images, labels in arrays()]
    [(1437, 49), (360, 49)]
    """
    parts = []
    for images, labels in (train_digits(), test_digits()):
        side = SIDE // BLOCK
        blocks = images.reshape(-1, side, BLOCK, side, BLOCK).mean(axis=(2, 4))
        parts.append((blocks.reshape(len(images), -1), labels[:, 0]))
    return parts[0], parts[1]


def batches(steps: int, size: int = 64) -> Iterator[dict[str, Array]]:
    """Feeds of so many small digits, drawn at random.

    >>> [feed["x"].shape for feed in batches(2)]
    [(64, 49), (64, 49)]
    """
    (images, labels), _ = arrays()
    draw = np.random.default_rng(0)
    for _ in range(steps):
        rows = draw.integers(0, len(images), size)
        yield {"x": images[rows], "labels": labels[rows]}


def accuracy(test: Callable[[dict[str, Array]], Array]) -> float:
    """The share of the digits to test with that a network's scores get right.

    Args:
        test: Of a feed it gives the scores, of shape [360, 10].
    """
    _, (images, labels) = arrays()
    scores = test({"x": images, "labels": labels})
    return float((scores.argmax(axis=1) == labels).mean())


def cost(step: Callable[[], Any], feed: Mapping[str, Array], times: int = 20) -> float:
    """The least time of a learner's step over that of the framework's, in turns.

    Args:
        step: Takes one step of training.
        feed: The batch that it takes it on: `x` [N, 49] and `labels` [N].
        times: How often each is measured.
    """
    steps, least = (step, framework_step(feed)), [float("inf"), float("inf")]
    for _ in range(times):
        for which, one in enumerate(steps):
            begin = perf_counter()
            one()
            least[which] = min(least[which], perf_counter() - begin)
    return least[0] / least[1]


def framework_step(feed: Mapping[str, Array]) -> Callable[[], Any]:
    """A function that trains lesson 07's network by one step, in the framework.

    Args:
        feed: `x` of shape [N, 49], and `labels` of shape [N].

    >>> feed = next(batches(1))
    >>> cost(framework_step(feed), feed, times=5) < 10.0
    True
    """
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    with unique_name.guard(), fluid.program_guard(main, startup):
        x = fluid.data(name="x", shape=[None, 49], dtype="float32")
        labels = fluid.data(name="labels", shape=[None, 1], dtype="int64")
        hidden = fluid.layers.softplus(
            fluid.layers.fc(fluid.layers.dropout(x, 0.1), 32)
        )
        scores = fluid.layers.fc(hidden, 10)
        loss = fluid.layers.softmax_with_cross_entropy(scores, labels)
        fluid.optimizer.SGD(learning_rate=0.5).minimize(fluid.layers.mean(loss))
    exe = fluid.Executor()
    exe.run(startup, scope=scope)
    arrays = {
        "x": feed["x"].astype("float32"),
        "labels": feed["labels"].reshape(-1, 1).astype("int64"),
    }
    return lambda: exe.run(main, feed=arrays, scope=scope)
