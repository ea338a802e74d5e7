"""Policies: networks that see where they are and say how likely to act in which way."""

from __future__ import annotations

from typing import Any

from teachgraph.nn import Conv2D, Layer, Linear, ReLU, Sequential, Tanh
from teachgraph.ops import functions

__all__ = ["CNNPolicy", "MLPPolicy"]


class MLPPolicy(Layer):
    """For a few numbers, such as place and speed: two linear layers.

    Args:
        observations: How many numbers there are.
        actions: Between how many actions it chooses; 1 makes a value of it.
        hidden: Features between the layers.

    >>> import teachgraph as tg
    >>> MLPPolicy(4, 2)(tg.zeros([3, 4])).shape
    [3, 2]
    """

    def __init__(self, observations: int, actions: int, hidden: int = 64) -> None:
        super().__init__()
        self.body = Sequential(
            Linear(observations, hidden), Tanh(), Linear(hidden, actions)
        )

    def forward(self, x: Any) -> Any:
        """Observations [N, observations] to logits [N, actions]."""
        return self.body(x)


class CNNPolicy(Layer):
    """For pictures: three convolutions and two linear layers.

    From Mnih et al., Human-level Control Through Deep Reinforcement Learning (2015).

    Args:
        channels: Of a picture, or of the last few pictures together.
        actions: Between how many actions it chooses; 1 makes a value of it.
        size: Height and width of a picture.
        hidden: Features between the linear layers.

    >>> import teachgraph as tg
    >>> CNNPolicy(4, 6, size=44, hidden=32)(tg.zeros([2, 4, 44, 44])).shape
    [2, 6]
    """

    def __init__(
        self, channels: int, actions: int, size: int = 84, hidden: int = 512
    ) -> None:
        super().__init__()
        self.features = Sequential(
            Conv2D(channels, 32, 8, stride=4),
            ReLU(),
            Conv2D(32, 64, 4, stride=2),
            ReLU(),
            Conv2D(64, 64, 3),
            ReLU(),
        )
        side = ((size - 8) // 4 + 1 - 4) // 2 + 1 - 2
        self.body = Sequential(
            Linear(64 * side * side, hidden), ReLU(), Linear(hidden, actions)
        )

    def forward(self, x: Any) -> Any:
        """Pictures [N, channels, size, size] to logits [N, actions]."""
        return self.body(functions.flatten(self.features(x), 1))
