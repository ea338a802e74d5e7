"""Policy networks for reinforcement learning: observations to action logits."""

from __future__ import annotations

from typing import Any

from teachgraph.nn import Conv2D, Layer, Linear, ReLU, Sequential, Tanh
from teachgraph.ops import functions

__all__ = ["CNNPolicy", "MLPPolicy"]


class MLPPolicy(Layer):
    """Policy for vector observations: two linear layers.

    Args:
        observations: The number of input features.
        actions: The number of actions; with 1 it is a value network.
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
        """Compute logits [N, actions] of observations [N, observations]."""
        return self.body(x)


class CNNPolicy(Layer):
    """Policy for image observations: three convolutions and two linear layers.

    From Mnih et al., Human-level Control Through Deep Reinforcement Learning (2015).

    Args:
        channels: Of an image, or of the last few images stacked.
        actions: The number of actions; with 1 it is a value network.
        size: Height and width of an image.
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
        """Compute logits [N, actions] of images [N, channels, size, size]."""
        return self.body(functions.flatten(self.features(x), 1))
