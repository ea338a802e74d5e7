"""LeNet, ResNet and MobileNetV2 of PyTorch's own layers, under torchvision's names.

    python -m tests.oracle.models.vision

Run it at the root of the repository in an environment with `torch` (2.13.0) and NumPy.
It writes `vision.json` beside it: for each network what it gives in evaluation and in
training, and some of the gradients, for the parameters and images that
`tests/models/networks.py` makes. All of it in float64: a ReLU whose input is nearly 0
makes a gradient in float32 a matter of the order of sums.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from tests.models.networks import CLASSES, VISION, images, some, values
from tests.oracle.steady import before, steady

TARGET = Path(__file__).with_name("vision.json")


def lenet() -> nn.Module:
    net = nn.Sequential()
    net.features = nn.Sequential(
        nn.Conv2d(1, 6, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
    )
    net.flat = nn.Flatten()
    net.fc = nn.Sequential(
        nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, CLASSES)
    )
    return net


class Block(nn.Module):
    """A residual block of a few convolutions: (channels, size, stride) of each."""

    def __init__(self, ins: int, convs: list[tuple[int, int, int]]) -> None:
        super().__init__()
        first, stride = ins, max(stride for *_, stride in convs)
        for number, (outs, size, step) in enumerate(convs, 1):
            conv = nn.Conv2d(ins, outs, size, step, size // 2, bias=False)
            setattr(self, f"conv{number}", conv)
            setattr(self, f"bn{number}", nn.BatchNorm2d(outs))
            ins = outs
        self.count, self.downsample = len(convs), nn.Identity()
        if stride > 1 or first != ins:
            self.downsample = nn.Sequential(
                nn.Conv2d(first, ins, 1, stride, bias=False), nn.BatchNorm2d(ins)
            )

    def forward(self, x: Any) -> Any:
        short = self.downsample(x)
        for number in range(1, self.count + 1):
            x = getattr(self, f"bn{number}")(getattr(self, f"conv{number}")(x))
            x = torch.relu(x + short if number == self.count else x)
        return x


def resnet(blocks: list[int], *, narrow: bool) -> nn.Module:
    net = nn.Sequential()
    net.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
    net.bn1, net.relu, net.maxpool = (
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
    )
    ins = 64
    for number, count in enumerate(blocks):
        stage, width = [], 64 * 2**number
        for index in range(count):
            stride = 2 if number and not index else 1
            convs = [(width, 3, stride), (width, 3, 1)]
            if narrow:
                convs = [(width, 1, 1), (width, 3, stride), (4 * width, 1, 1)]
            stage.append(Block(ins, convs))
            ins = convs[-1][0]
        setattr(net, f"layer{number + 1}", nn.Sequential(*stage))
    net.avgpool, net.flat = nn.AdaptiveAvgPool2d(1), nn.Flatten()
    net.fc = nn.Linear(ins, CLASSES)
    return net


class Inverted(nn.Module):
    def __init__(self, ins: int, outs: int, stride: int, expand: int) -> None:
        super().__init__()
        wide, self.adds = ins * expand, stride == 1 and ins == outs
        parts = [unit(ins, wide, 1)] if expand > 1 else []
        parts += [
            unit(wide, wide, 3, stride, wide),
            nn.Conv2d(wide, outs, 1, bias=False),
        ]
        self.conv = nn.Sequential(*parts, nn.BatchNorm2d(outs))

    def forward(self, x: Any) -> Any:
        return x + self.conv(x) if self.adds else self.conv(x)


def unit(ins: int, outs: int, size: int, stride: int = 1, groups: int = 1) -> nn.Module:
    conv = nn.Conv2d(ins, outs, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(outs), nn.ReLU6())


def mobilenet() -> nn.Module:
    """All of it but the dropout, which would differ in training."""
    table = "1 16 1 1, 6 24 2 2, 6 32 3 2, 6 64 4 2, 6 96 3 1, 6 160 3 2, 6 320 1 1"
    parts, ins = [unit(3, 32, 3, 2)], 32
    for row in table.split(","):
        expand, outs, count, stride = map(int, row.split())
        for index in range(count):
            parts.append(Inverted(ins, outs, 1 if index else stride, expand))
            ins = outs
    net = nn.Sequential()
    net.features = nn.Sequential(*parts, unit(ins, 1280, 1))
    net.pool, net.flat = nn.AdaptiveAvgPool2d(1), nn.Flatten()
    net.classifier = nn.Sequential(nn.Identity(), nn.Linear(1280, CLASSES))
    return net


NETS = {
    "lenet": lenet,
    "resnet18": lambda: resnet([2, 2, 2, 2], narrow=False),
    "resnet50": lambda: resnet([3, 4, 6, 3], narrow=True),
    "mobilenet_v2": mobilenet,
}


def listed(array: Any) -> list[float]:
    """Ten digits."""
    return [float(f"{x:.10g}") for x in np.ravel(array)]


def captured(name: str) -> dict[str, Any]:
    net = NETS[name]()
    state = net.state_dict()
    shapes = {key: list(v.shape) for key, v in state.items() if v.is_floating_point()}
    made = {key: torch.tensor(v) for key, v in values(shapes).items()}
    net.load_state_dict(made, strict=False)
    net, x = net.double(), torch.tensor(images(*VISION[name])).double()
    with torch.no_grad():
        evaluated = net.eval()(x)
    trained = net.train()(x)
    labels = torch.arange(len(x)) % CLASSES
    loss = torch.nn.functional.cross_entropy(trained, labels)
    loss.backward()
    gradients = dict(net.named_parameters())
    ends = [*list(gradients)[:2], *list(gradients)[-2:]]
    return {
        "shapes": shapes,
        "eval": listed(evaluated.numpy()),
        "train": listed(trained.detach().numpy()),
        "loss": loss.item(),
        "gradients": {k: listed(some(gradients[k].grad.numpy())) for k in ends},
    }


if __name__ == "__main__":
    found = steady({name: captured(name) for name in NETS}, before(TARGET), 1e-8)
    rows = (f"{json.dumps(name)}: {json.dumps(told)}" for name, told in found.items())
    TARGET.write_text("{\n" + ",\n".join(rows) + "\n}\n", "utf-8")
