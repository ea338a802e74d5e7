"""Losses as layers."""

from __future__ import annotations

from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.layer import Layer

__all__ = [
    "CrossEntropyLoss",
]


class CrossEntropyLoss(Layer):
    """Softmax and cross entropy, averaged over the batch."""

    def __init__(self, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__()
        self.ignore_index, self.reduction = ignore_index, reduction

    def forward(self, input: Any, label: Any) -> Any:
        """The function `cross_entropy`."""
        return functional.cross_entropy(
            input, label, ignore_index=self.ignore_index, reduction=self.reduction
        )
