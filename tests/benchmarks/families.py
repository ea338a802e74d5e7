"""Steps of networks of each family, written once for two libraries of the same names.

Where a function takes `paddle`, that is Paddle or teachgraph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Step = Callable[[], Any]


class Family(NamedTuple):
    """A network and what it is given.

    Attributes:
        net: Makes it.
        x: A batch.
        classes: How many it is trained to tell apart; 0 for a pass without gradients.
    """

    net: Callable[[], Any]
    x: np.ndarray
    classes: int = 0


def drawn(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def vgg(nn: Any, *widths: int) -> Any:
    """Two 3x3 convolutions of each width, then half the size."""
    layers: list[Any] = []
    for ins, outs in zip((3, *widths), widths, strict=False):
        for channels in (ins, outs):
            layers += [nn.Conv2D(channels, outs, 3, padding=1), nn.ReLU()]
        layers.append(nn.MaxPool2D(2, 2))
    size = widths[-1] * (64 >> len(widths)) ** 2
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(size, 10))


def families(paddle: Any) -> dict[str, Family]:
    nn, models = paddle.nn, paddle.vision.models

    class Last(nn.Layer):
        """Classes from a recurrent network's last output."""

        def __init__(self, layers: Any) -> None:
            super().__init__()
            self.layers, self.out = layers, nn.Linear(128, 10)

        def forward(self, x: Any) -> Any:
            return self.out(self.layers(x)[0][:, -1])

    class Encoder(nn.Layer):
        """Classes from the first output of a Transformer's encoder layer."""

        def __init__(self, width: int = 128) -> None:
            super().__init__()
            self.layer = nn.TransformerEncoderLayer(width, 4, 4 * width, 0.1)
            self.out = nn.Linear(width, 10)

        def forward(self, x: Any) -> Any:
            return self.out(self.layer(x)[:, 0])

    class Bert(nn.Layer):
        """BERT-tiny: two layers of 128 features."""

        def __init__(self) -> None:
            super().__init__()
            self.words, self.places = nn.Embedding(30522, 128), nn.Embedding(512, 128)
            self.types, self.norm = nn.Embedding(2, 128), nn.LayerNorm(128)
            layer = nn.TransformerEncoderLayer(128, 2, 512, 0.1, "gelu")
            self.encoder = nn.TransformerEncoder(layer, 2)
            self.pool = nn.Linear(128, 128)

        def forward(self, words: Any) -> Any:
            places = paddle.cumsum(paddle.ones_like(words), axis=1) - 1
            types = self.types(paddle.zeros_like(words))
            x = self.norm(self.words(words) + self.places(places) + types)
            return paddle.tanh(self.pool(self.encoder(x)[:, 0]))

    def two_layers(*sizes: int) -> Any:
        ins, hidden, outs = sizes
        return nn.Sequential(nn.Linear(ins, hidden), nn.ReLU(), nn.Linear(hidden, outs))

    words = np.random.default_rng(0).integers(0, 30522, (1, 32))
    return {
        "mlp": Family(lambda: two_layers(784, 100, 10), drawn(256, 784), 10),
        "toy": Family(lambda: two_layers(8, 8, 4), drawn(8, 8), 4),
        "policy": Family(lambda: two_layers(4, 128, 2), drawn(32, 4), 2),
        "lenet": Family(models.LeNet, drawn(64, 1, 28, 28), 10),
        "resnet18": Family(models.resnet18, drawn(2, 3, 64, 64), 1000),
        "resnet50": Family(models.resnet50, drawn(1, 3, 224, 224)),
        "lstm": Family(lambda: Last(nn.LSTM(128, 128)), drawn(16, 32, 128), 10),
        "lstm cells": Family(
            lambda: Last(nn.RNN(nn.LSTMCell(128, 128))), drawn(1, 32, 128)
        ),
        "transformer": Family(Encoder, drawn(8, 32, 128), 10),
        "transformer b1": Family(Encoder, drawn(1, 32, 128)),
        "bert": Family(Bert, words),
        "resnet18 b8": Family(models.resnet18, drawn(8, 3, 96, 96), 1000),
        "vgg": Family(lambda: vgg(nn, 32, 64, 128), drawn(8, 3, 64, 64), 10),
        "mobilenet": Family(models.mobilenet_v2, drawn(8, 3, 96, 96), 1000),
        "lstm b32": Family(lambda: Last(nn.LSTM(128, 128)), drawn(32, 32, 128), 10),
        "layer": Family(lambda: Encoder(64), drawn(16, 32, 64), 10),
    }


def training(optimizer: Any, loss_of: Step) -> Step:
    """A step of an optimizer, which gives the loss before it."""

    def step() -> Any:
        loss = loss_of()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        return loss

    return step


def cartpole(paddle: Any) -> Step:
    """An episode's choices, one state at a time, and one update by REINFORCE."""
    nn, f = paddle.nn, paddle.nn.functional
    net = nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 2))
    optimizer = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    states, returns = map(paddle.to_tensor, (drawn(32, 4), drawn(32)))
    one_by_one = list(paddle.split(states, 32))

    def loss() -> Any:
        with paddle.no_grad():
            chosen = [paddle.multinomial(f.softmax(net(s)), 1) for s in one_by_one]
        all_chosen = paddle.concat(chosen)
        taken = paddle.take_along_axis(f.log_softmax(net(states)), all_chosen, 1)
        return -(taken[:, 0] * returns).mean()

    return training(optimizer, loss)


def element_loop(paddle: Any) -> Step:
    """Linear regression, the loss added up one sample after the other."""
    x, y = map(paddle.to_tensor, (drawn(20), drawn(20)))
    w, b = (paddle.create_parameter([1], "float32") for _ in "wb")
    optimizer = paddle.optimizer.SGD(0.01, parameters=[w, b])

    def loss() -> Any:
        total = 0.0
        for i in range(20):
            total = total + (w * x[i] + b - y[i]) ** 2
        return total / 20

    return training(optimizer, loss)


LOOPS = {"cartpole": cartpole, "element loop": element_loop}
"""Eager steps that are more than a network and a batch."""


def eager(paddle: Any, name: str) -> Step:
    if name in LOOPS:
        return LOOPS[name](paddle)
    family = families(paddle)[name]
    net, x = family.net(), paddle.to_tensor(family.x)
    if not family.classes:
        net.eval()
        return paddle.no_grad()(lambda: net(x).mean())
    y = paddle.to_tensor(np.arange(len(family.x)) % family.classes)
    optimizer = paddle.optimizer.SGD(0.01, parameters=net.parameters())
    cross_entropy = paddle.nn.functional.cross_entropy
    return training(optimizer, lambda: cross_entropy(net(x), y))


def static(paddle: Any, name: str) -> Step:
    """The same as a program, fused; from now on everything is static."""
    paddle.enable_static()
    family = families(paddle)[name]
    main, startup = paddle.static.Program(), paddle.static.Program()
    feed = {"x": family.x}
    with paddle.static.program_guard(main, startup):
        net = family.net()
        out = net(paddle.static.data("x", family.x.shape, str(family.x.dtype)))
        if family.classes:
            feed["y"] = np.arange(len(family.x)) % family.classes
            y = paddle.static.data("y", [len(family.x)], "int64")
            fetched = paddle.nn.functional.cross_entropy(out, y)
            paddle.optimizer.SGD(0.01).minimize(fetched)
        else:
            fetched = paddle.mean(out)
            main = main.clone(for_test=True)
    executor, scope = paddle.static.Executor(), paddle.static.Scope()
    executor.run(startup, scope=scope)
    program = fused(paddle, main)
    return lambda: executor.run(program, feed, [fetched], scope=scope)[0]


def fused(paddle: Any, main: Any) -> Any:
    """A program with all that a compiler may join joined, as users are advised."""
    strategy = paddle.static.BuildStrategy()
    strategy.enable_auto_fusion = True
    return paddle.static.CompiledProgram(main, build_strategy=strategy)
