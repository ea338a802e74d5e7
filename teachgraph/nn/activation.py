"""Activations as layers."""

from __future__ import annotations

from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.layer import Layer

__all__ = [
    "ReLU",
    "Sigmoid",
    "Tanh",
]


class ReLU(Layer):
    """out = max(x, 0)."""

    def forward(self, x: Any) -> Any:
        """The op `relu`."""
        return functional.relu(x)


class Sigmoid(Layer):
    """out = 1 / (1 + exp(-x))."""

    def forward(self, x: Any) -> Any:
        """The op `sigmoid`."""
        return functional.sigmoid(x)


class Tanh(Layer):
    """out = tanh x."""

    def forward(self, x: Any) -> Any:
        """The op `tanh`."""
        return functional.tanh(x)
