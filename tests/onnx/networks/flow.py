"""Modules whose way depends on what they are given."""

from __future__ import annotations

import torch
from torch import nn

from tests.onnx.networks.case import Case, numbers

__all__ = ["CASES"]


class Branching(nn.Module):
    """One layer or the other, from the source."""

    def __init__(self) -> None:
        super().__init__()
        self.high, self.low = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if bool(x.sum() > 0):
            y = self.high(x)
        elif bool(x.max() > 1):
            y = self.low(x) * 2
        else:
            y = self.low(x)
        return y


class Looping(nn.Module):
    """A layer until it is enough."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        count = 0
        while bool(x.abs().sum() > 0.5) and count < 5:
            x = torch.tanh(self.turn(x)) / 2
            count += 1
        return x


class Condition(nn.Module):
    """A branch as the newer exporter wants it."""

    def __init__(self) -> None:
        super().__init__()
        self.high, self.low = nn.Linear(3, 2), nn.Linear(3, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, self.high, self.low, (x,))


CASES = {
    "branching": Case(Branching, numbers(3), scripted=True, dynamo=False),
    "looping": Case(Looping, numbers(3), scripted=True, dynamo=False),
    "condition": Case(Condition, numbers(3), opset=0),
}
