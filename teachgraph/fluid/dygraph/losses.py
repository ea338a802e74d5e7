"""Paddle 1.x's losses as layers."""

from __future__ import annotations

from typing import Any

from teachgraph import nn

__all__ = ["BCELoss", "L1Loss", "MSELoss", "NLLLoss"]


class BCELoss(nn.BCELoss):
    """-label log input - (1 - label) log(1 - input): `fluid.dygraph.BCELoss`."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(weight, reduction)


class L1Loss(nn.L1Loss):
    """|input - label|: `fluid.dygraph.L1Loss`."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction)


class MSELoss(nn.MSELoss):
    """(input - label)^2: `fluid.dygraph.MSELoss`."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__(reduction)


class NLLLoss(nn.NLLLoss):
    """-input[label], of logarithms of probabilities: `fluid.dygraph.NLLLoss`."""

    def __init__(
        self, weight: Any = None, reduction: str = "mean", ignore_index: int = -100
    ) -> None:
        super().__init__(weight, ignore_index, reduction)
