"""GoogLeNet: convolutions of several sizes side by side, and three classifiers.

An inception module looks at the image through windows of 1, 3 and 5 pixels and joins
the channels; 1x1 convolutions before the large windows keep them cheap. Two classifiers
halfway bring the gradient to the early layers.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from teachgraph.models.weights import from_paddle
from teachgraph.nn import (
    AdaptiveAvgPool2D,
    AvgPool2D,
    Conv2D,
    Dropout,
    Layer,
    Linear,
    MaxPool2D,
    initializer,
)
from teachgraph.nn.functional import relu
from teachgraph.ops import functions

__all__ = ["GoogLeNet", "googlenet"]

MODULES = {
    "3a": (192, 64, 96, 128, 16, 32, 32),
    "3b": (256, 128, 128, 192, 32, 96, 64),
    "4a": (480, 192, 96, 208, 16, 48, 64),
    "4b": (512, 160, 112, 224, 24, 64, 64),
    "4c": (512, 128, 128, 256, 24, 64, 64),
    "4d": (512, 112, 144, 288, 32, 64, 64),
    "4e": (528, 256, 160, 320, 32, 128, 128),
    "5a": (832, 256, 160, 320, 32, 128, 128),
    "5b": (832, 384, 192, 384, 48, 128, 128),
}
"""Channels: input, 1x1, before the 3x3, 3x3, before the 5x5, 5x5, after the pooling."""

POOLED_AFTER = ("3b", "4e")
"""The modules that a pooling follows."""


class ConvLayer(Layer):
    """Same-padded convolution without bias or activation."""

    def __init__(self, ins: int, outs: int, size: int, stride: int = 1) -> None:
        super().__init__()
        self._conv = Conv2D(ins, outs, size, stride, size // 2, bias_attr=False)

    def forward(self, x: Any) -> Any:
        """Compute conv(x)."""
        return self._conv(x)


class Inception(Layer):
    """Convolutions of 1x1, 3x3 and 5x5 and a max pooling, joined, with one ReLU.

    Args:
        ins: Input channels.
        one: Channels of the 1x1 convolution.
        before_three: Channels between the 1x1 and the 3x3 of the second path.
        three: Its output channels.
        before_five: Channels between the 1x1 and the 5x5 of the third path.
        five: Its output channels.
        pooled: Channels of the 1x1 after the pooling.
    """

    def __init__(
        self,
        ins: int,
        one: int,
        before_three: int,
        three: int,
        before_five: int,
        five: int,
        pooled: int,
    ) -> None:
        super().__init__()
        self._conv1 = ConvLayer(ins, one, 1)
        self._conv3r = ConvLayer(ins, before_three, 1)
        self._conv3 = ConvLayer(before_three, three, 3)
        self._conv5r = ConvLayer(ins, before_five, 1)
        self._conv5 = ConvLayer(before_five, five, 5)
        self._pool = MaxPool2D(3, stride=1, padding=1)
        self._convprj = ConvLayer(ins, pooled, 1)

    def forward(self, x: Any) -> Any:
        """Compute relu of the joined channels of the four paths."""
        paths = [
            self._conv1(x),
            self._conv3(self._conv3r(x)),
            self._conv5(self._conv5r(x)),
            self._convprj(self._pool(x)),
        ]
        return relu(functions.concat(paths, axis=1))


def linear(ins: int, outs: int, fan: int) -> Linear:
    """Build a linear layer that starts with variance 1/fan."""
    limit = sqrt(3 / fan)
    return Linear(ins, outs, weight_attr=initializer.Uniform(-limit, limit))


class GoogLeNet(Layer):
    """GoogLeNet: a stem, nine inception modules, a classifier, and two halfway.

    From Szegedy et al., Going Deeper with Convolutions (2014).

    Args:
        num_classes: The number of classes; 0 or less leaves out the classifiers.
        with_pool: Average over the image before each.

    In Paddle this is `paddle.vision.models.GoogLeNet`.

    >>> import teachgraph as tg
    >>> net = GoogLeNet(num_classes=0, with_pool=False)
    >>> [out.shape for out in net(tg.zeros([1, 3, 96, 96]))]
    [[1, 1024, 2, 2], [1, 512, 5, 5], [1, 528, 5, 5]]
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self._conv = ConvLayer(3, 64, 7, stride=2)
        self._pool = MaxPool2D(3, stride=2)
        self._conv_1 = ConvLayer(64, 64, 1)
        self._conv_2 = ConvLayer(64, 192, 3)
        for name, channels in MODULES.items():
            self.add_sublayer(f"_ince{name}", Inception(*channels))
        if with_pool:
            self._pool_5 = AdaptiveAvgPool2D(1)
            self._pool_o1 = AvgPool2D(5, stride=3)
            self._pool_o2 = AvgPool2D(5, stride=3)
        if num_classes > 0:
            self._drop = Dropout(0.4, mode="downscale_in_infer")
            self._fc_out = linear(1024, num_classes, 1024)
            self._conv_o1 = ConvLayer(512, 128, 1)
            self._fc_o1 = linear(1152, 1024, 2048)
            self._drop_o1 = Dropout(0.7, mode="downscale_in_infer")
            self._out1 = linear(1024, num_classes, 1024)
            self._conv_o2 = ConvLayer(528, 128, 1)
            self._fc_o2 = linear(1152, 1024, 2048)
            self._drop_o2 = Dropout(0.7, mode="downscale_in_infer")
            self._out2 = linear(1024, num_classes, 1024)

    def forward(self, inputs: Any) -> Any:
        """Compute logits [N, num_classes] of the last classifier and the two others.

        Images are [N, 3, 224, 224], or of a near size: the two others take 3x3 parts.
        """
        x = self._pool(self._conv(inputs))
        x = self._pool(self._conv_2(self._conv_1(x)))
        outputs = {}
        for name in MODULES:
            x = outputs[name] = getattr(self, f"_ince{name}")(x)
            x = self._pool(x) if name in POOLED_AFTER else x
        out, first, second = x, outputs["4a"], outputs["4d"]
        if self.with_pool:
            out = self._pool_5(out)
            first, second = self._pool_o1(first), self._pool_o2(second)
        if self.num_classes > 0:
            out = self._fc_out(functions.flatten(self._drop(out), 1))
            first = self._fc_o1(functions.flatten(self._conv_o1(first), 1))
            first = self._out1(self._drop_o1(relu(first)))
            # Paddle has no ReLU here, which the paper has in both.
            second = self._fc_o2(functions.flatten(self._conv_o2(second), 1))
            second = self._out2(self._drop_o2(second))
        return [out, first, second]


def googlenet(pretrained: Any = False, **kwargs: Any) -> GoogLeNet:
    """Create a GoogLeNet, 11.5 million parameters.

    Args:
        pretrained: A `.pdparams` file with Paddle's names.
        kwargs: For `GoogLeNet`.

    In Paddle this is `paddle.vision.models.googlenet`.
    """
    net: GoogLeNet = from_paddle(GoogLeNet(**kwargs), pretrained)
    return net
