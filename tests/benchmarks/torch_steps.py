"""The same steps in PyTorch, by its own Python: prints the fastest round in seconds.

python -m tests.benchmarks.torch_steps lenet
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

Step = Callable[[], Any]


def training(net: nn.Module, x: torch.Tensor, classes: int) -> Step:
    """A step of SGD on a batch."""
    y = torch.randint(classes, (len(x),))
    optimizer = torch.optim.SGD(net.parameters(), 0.01)

    def step() -> None:
        F.cross_entropy(net(x), y).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def mlp(ins: int, hidden: int, outs: int, batch: int) -> Step:
    net = nn.Sequential(nn.Linear(ins, hidden), nn.ReLU(), nn.Linear(hidden, outs))
    return training(net, torch.randn(batch, ins), outs)


def lenet() -> Step:
    net = nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10),
    )  # fmt: skip
    return training(net, torch.randn(64, 1, 28, 28), 10)


class Last(nn.Module):
    """Classes from an LSTM's last output."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.out = nn.LSTM(128, 128, batch_first=True), nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.lstm(x)[0][:, -1])


class Cells(nn.Module):
    """The same from a cell, one step after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.out = nn.LSTMCell(128, 128), nn.Linear(128, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = None
        for step in x.unbind(1):
            state = self.cell(step, state)
        assert state is not None
        return self.out(state[0])


class Encoder(nn.Module):
    """Classes from the first output of a Transformer's encoder layer."""

    def __init__(self, width: int = 128) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            width, 4, 4 * width, 0.1, batch_first=True
        )
        self.out = nn.Linear(width, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.out(self.layer(x)[:, 0])


class Bert(nn.Module):
    """BERT-tiny: two layers of 128 features."""

    def __init__(self) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(30522, 128), nn.Embedding(512, 128)
        self.types, self.norm = nn.Embedding(2, 128), nn.LayerNorm(128)
        layer = nn.TransformerEncoderLayer(128, 2, 512, 0.1, "gelu", batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.pool = nn.Linear(128, 128)

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        places = torch.arange(words.shape[1])
        types = self.types(torch.zeros_like(words))
        x = self.norm(self.words(words) + self.places(places) + types)
        return torch.tanh(self.pool(self.encoder(x)[:, 0]))


def forward(net: nn.Module, x: torch.Tensor) -> Step:
    """A pass without gradients."""
    net.eval()

    def step() -> torch.Tensor:
        with torch.no_grad():
            return net(x).mean()

    return step


def convolved(ins: int, outs: int, size: int, stride: int = 1) -> nn.Sequential:
    conv = nn.Conv2d(ins, outs, size, stride, size // 2, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outs))


class Bottleneck(nn.Module):
    """Three convolutions, and a way past them."""

    def __init__(self, ins: int, width: int, stride: int) -> None:
        super().__init__()
        self.one = convolved(ins, width, 1)
        self.two = convolved(width, width, 3, stride)
        self.three = convolved(width, 4 * width, 1)
        same = stride == 1 and ins == 4 * width
        self.past = nn.Identity() if same else convolved(ins, 4 * width, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.relu(self.two(F.relu(self.one(x))))
        return F.relu(self.three(y) + self.past(x))


class Basic(nn.Module):
    """Two convolutions, and a way past them."""

    def __init__(self, ins: int, width: int, stride: int) -> None:
        super().__init__()
        self.one = convolved(ins, width, 3, stride)
        self.two = convolved(width, width, 3)
        same = stride == 1 and ins == width
        self.past = nn.Identity() if same else convolved(ins, width, 1, stride)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(self.two(F.relu(self.one(x))) + self.past(x))


def resnet(block: type[nn.Module], growth: int, *counts: int) -> nn.Module:
    layers: list[nn.Module] = [convolved(3, 64, 7, 2), nn.ReLU()]
    layers.append(nn.MaxPool2d(3, 2, 1))
    ins = 64
    for width, count in zip((64, 128, 256, 512), counts, strict=True):
        for i in range(count):
            layers.append(block(ins, width, 2 if i == 0 and width > 64 else 1))
            ins = growth * width
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ins, 1000)]
    return nn.Sequential(*layers)


def vgg(*widths: int) -> nn.Module:
    """Two 3x3 convolutions of each width, then half the size."""
    layers: list[nn.Module] = []
    for ins, outs in zip((3, *widths), widths, strict=False):
        for channels in (ins, outs):
            layers += [nn.Conv2d(channels, outs, 3, padding=1), nn.ReLU()]
        layers.append(nn.MaxPool2d(2))
    size = widths[-1] * (64 >> len(widths)) ** 2
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(size, 10))


def activated(
    ins: int, outs: int, size: int, stride: int = 1, groups: int = 1
) -> nn.Sequential:
    conv = nn.Conv2d(ins, outs, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outs), nn.ReLU6())


class Inverted(nn.Module):
    """A wide depthwise convolution between two 1x1 ones, and a way past them."""

    def __init__(self, ins: int, outs: int, growth: int, stride: int) -> None:
        super().__init__()
        wide = ins * growth
        layers = [activated(ins, wide, 1)] if growth > 1 else []
        layers.append(activated(wide, wide, 3, stride, wide))
        self.layers = nn.Sequential(*layers, convolved(wide, outs, 1))
        self.past = stride == 1 and ins == outs

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x) if self.past else self.layers(x)


def mobilenet() -> nn.Module:
    """MobileNetV2: growth, channels, blocks and first stride of each stage."""
    layers: list[nn.Module] = [activated(3, 32, 3, 2)]
    ins = 32
    for growth, outs, count, stride in (
        (1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2),
        (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1),
    ):  # fmt: skip
        for i in range(count):
            layers.append(Inverted(ins, outs, growth, stride if i == 0 else 1))
            ins = outs
    layers += [activated(ins, 1280, 1), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    return nn.Sequential(*layers, nn.Dropout(0.2), nn.Linear(1280, 1000))


def cartpole() -> Step:
    net = nn.Sequential(nn.Linear(4, 128), nn.ReLU(), nn.Linear(128, 2))
    optimizer = torch.optim.Adam(net.parameters(), 0.01)
    states, returns = torch.randn(32, 4), torch.randn(32)

    def step() -> None:
        with torch.no_grad():
            chosen = [
                torch.multinomial(F.softmax(net(state[None]), 1), 1) for state in states
            ]
        taken = F.log_softmax(net(states), 1).gather(1, torch.cat(chosen))
        (-(taken[:, 0] * returns).mean()).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


STEPS: dict[str, Callable[[], Step]] = {
    "mlp": lambda: mlp(784, 100, 10, 256),
    "toy": lambda: mlp(8, 8, 4, 8),
    "lenet": lenet,
    "lstm": lambda: training(Last(), torch.randn(16, 32, 128), 10),
    "transformer": lambda: training(Encoder(), torch.randn(8, 32, 128), 10),
    "resnet50": lambda: forward(
        resnet(Bottleneck, 4, 3, 4, 6, 3), torch.randn(1, 3, 224, 224)
    ),
    "resnet18": lambda: training(
        resnet(Basic, 1, 2, 2, 2, 2), torch.randn(2, 3, 64, 64), 1000
    ),
    "policy": lambda: mlp(4, 128, 2, 32),
    "lstm cells": lambda: forward(Cells(), torch.randn(1, 32, 128)),
    "transformer b1": lambda: forward(Encoder(), torch.randn(1, 32, 128)),
    "bert": lambda: forward(Bert(), torch.randint(30522, (1, 32))),
    "cartpole": cartpole,
    "resnet18 b8": lambda: training(
        resnet(Basic, 1, 2, 2, 2, 2), torch.randn(8, 3, 96, 96), 1000
    ),
    "vgg": lambda: training(vgg(32, 64, 128), torch.randn(8, 3, 64, 64), 10),
    "mobilenet": lambda: training(mobilenet(), torch.randn(8, 3, 96, 96), 1000),
    "lstm b32": lambda: training(Last(), torch.randn(32, 32, 128), 10),
    "layer": lambda: training(Encoder(64), torch.randn(16, 32, 64), 10),
}


def fastest(step: Step, rounds: int = 30, least: float = 0.02) -> float:
    """The time of a step in the fastest of many rounds, each long enough to measure."""
    start = time.perf_counter()
    step(), step()
    count = max(1, int(2 * least / (time.perf_counter() - start)))
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(count):
            step()
        times.append((time.perf_counter() - start) / count)
    return min(times)


if __name__ == "__main__":
    torch.set_num_threads(2)
    print(fastest(STEPS[sys.argv[1]]()))
