"""LeNet: the classical convolutional network for digits."""

from __future__ import annotations

from typing import Any

from teachgraph.nn import Conv2D, Layer, Linear, MaxPool2D, ReLU, Sequential
from teachgraph.ops import functions

__all__ = ["LeNet"]


class LeNet(Layer):
    """Two convolutions, each followed by 2x2 pooling, then three linear layers.

        1x28x28 -> 6x28x28 -> 6x14x14 -> 16x10x10 -> 16x5x5 -> 400 -> 120 -> 84 -> 10

    From LeCun, Bottou, Bengio and Haffner, Gradient-Based Learning Applied to Document
    Recognition (1998); Paddle's variant, with ReLU and max pooling instead of mean
    pooling, and no activation between the linear layers.

    Args:
        num_classes: The number of classes; 0 or less leaves out the linear layers.

    In Paddle this is `paddle.vision.models.LeNet`.

    >>> import teachgraph as tg
    >>> LeNet()(tg.zeros([2, 1, 28, 28])).shape
    [2, 10]
    """

    def __init__(self, num_classes: int = 10) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.features = Sequential(
            Conv2D(1, 6, 3, padding=1),
            ReLU(),
            MaxPool2D(2, 2),
            Conv2D(6, 16, 5),
            ReLU(),
            MaxPool2D(2, 2),
        )
        if num_classes > 0:
            self.fc = Sequential(
                Linear(400, 120), Linear(120, 84), Linear(84, num_classes)
            )

    def forward(self, inputs: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 1, 28, 28]."""
        x = self.features(inputs)
        return self.fc(functions.flatten(x, 1)) if self.num_classes > 0 else x
