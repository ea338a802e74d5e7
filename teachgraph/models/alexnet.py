"""AlexNet: five convolutions and three linear layers, which won ImageNet in 2012.

Its parameters are nearly all in the linear layers, where dropout halves what is active
in a training step.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from teachgraph.models.weights import Names, from_file
from teachgraph.nn import Conv2D, Dropout, Layer, Linear, MaxPool2D, initializer
from teachgraph.nn.functional import relu
from teachgraph.ops import functions

__all__ = ["AlexNet", "alexnet"]

TORCHVISION: Names = [
    ("features.0.", "_conv1._conv."),
    ("features.3.", "_conv2._conv."),
    ("features.6.", "_conv3."),
    ("features.8.", "_conv4."),
    ("features.10.", "_conv5._conv."),
    ("classifier.1.", "_fc6."),
    ("classifier.4.", "_fc7."),
    ("classifier.6.", "_fc8."),
]
"""Renames from torchvision."""


def uniform(fan: int) -> dict[str, Any]:
    """Attributes of weights and biases that start uniform in ±1/sqrt(fan)."""
    limit = 1 / sqrt(fan)
    initial = initializer.Uniform(-limit, limit)
    return {"weight_attr": initial, "bias_attr": initial}


def conv(ins: int, outs: int, size: int, stride: int, padding: int) -> Conv2D:
    """Build a convolution, initialised by its fan-in."""
    return Conv2D(ins, outs, size, stride, padding, **uniform(ins * size * size))


class ConvPool(Layer):
    """Convolution, ReLU and a max pooling that halves the image."""

    def __init__(
        self, ins: int, outs: int, size: int, stride: int, padding: int
    ) -> None:
        super().__init__()
        self._conv = conv(ins, outs, size, stride, padding)
        self._pool = MaxPool2D(3, stride=2)

    def forward(self, x: Any) -> Any:
        """Compute pool(relu(conv(x)))."""
        return self._pool(relu(self._conv(x)))


class AlexNet(Layer):
    """AlexNet, a classifier of images of 224x224.

    From Krizhevsky, Sutskever and Hinton, ImageNet Classification with Deep
    Convolutional Neural Networks (2012), with the channels of the one-tower variant.

    Args:
        num_classes: The number of classes; 0 or less leaves out the linear layers.

    In Paddle this is `paddle.vision.models.AlexNet`. In evaluation its dropout halves,
    as in the paper, where torchvision doubles in training.

    >>> import teachgraph as tg
    >>> AlexNet(num_classes=0)(tg.zeros([1, 3, 63, 63])).shape
    [1, 256, 1, 1]
    """

    def __init__(self, num_classes: int = 1000) -> None:
        super().__init__()
        self.num_classes = num_classes
        self._conv1 = ConvPool(3, 64, 11, 4, 2)
        self._conv2 = ConvPool(64, 192, 5, 1, 2)
        self._conv3 = conv(192, 384, 3, 1, 1)
        self._conv4 = conv(384, 256, 3, 1, 1)
        self._conv5 = ConvPool(256, 256, 3, 1, 1)
        if num_classes > 0:
            # One initializer for all three: Paddle takes the fan-in of the first.
            initial = uniform(256 * 6 * 6)
            self._drop1 = Dropout(0.5, mode="downscale_in_infer")
            self._fc6 = Linear(256 * 6 * 6, 4096, **initial)
            self._drop2 = Dropout(0.5, mode="downscale_in_infer")
            self._fc7 = Linear(4096, 4096, **initial)
            self._fc8 = Linear(4096, num_classes, **initial)

    def forward(self, inputs: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 3, 224, 224]."""
        x = self._conv2(self._conv1(inputs))
        x = relu(self._conv4(relu(self._conv3(x))))
        x = self._conv5(x)
        if self.num_classes <= 0:
            return x
        x = relu(self._fc6(self._drop1(functions.flatten(x, 1))))
        return self._fc8(relu(self._fc7(self._drop2(x))))


def alexnet(pretrained: Any = False, **kwargs: Any) -> AlexNet:
    """Create an AlexNet, 61.1 million parameters.

    Args:
        pretrained: A safetensors file with torchvision's names.
        kwargs: For `AlexNet`.

    In Paddle this is `paddle.vision.models.alexnet`.
    """
    loaded: AlexNet = from_file(AlexNet(**kwargs), pretrained, TORCHVISION, [])
    return loaded
