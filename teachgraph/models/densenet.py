"""DenseNet: each layer reads the outputs of all layers before it.

    x_k = [x_(k-1), f(x_(k-1))]

Where a residual block adds, a dense one concatenates: each layer contributes a few
channels, its growth rate, and features are used again in place of computed again.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.models.weights import from_paddle
from teachgraph.nn import (
    AdaptiveAvgPool2D,
    AvgPool2D,
    BatchNorm,
    Conv2D,
    Dropout,
    Layer,
    Linear,
    MaxPool2D,
    initializer,
)
from teachgraph.ops import functions

__all__ = [
    "DenseNet",
    "densenet121",
    "densenet161",
    "densenet169",
    "densenet201",
    "densenet264",
]

SIZES = {
    121: (64, 32, [6, 12, 24, 16]),
    161: (96, 48, [6, 12, 36, 24]),
    169: (64, 32, [6, 12, 32, 32]),
    201: (64, 32, [6, 12, 48, 32]),
    264: (64, 32, [6, 12, 64, 48]),
}
"""By depth: channels of the stem, growth rate, layers of the four blocks."""


class ConvNorm(Layer):
    """Convolution, batch normalisation, ReLU."""

    def __init__(self, ins: int, outs: int, size: int, stride: int) -> None:
        super().__init__()
        self._conv = Conv2D(ins, outs, size, stride, size // 2, bias_attr=False)
        self._batch_norm = BatchNorm(outs, act="relu")

    def forward(self, x: Any) -> Any:
        """Compute relu(norm(conv(x)))."""
        return self._batch_norm(self._conv(x))


class NormConv(Layer):
    """Batch normalisation, ReLU, convolution: what is concatenated is not rectified."""

    def __init__(self, ins: int, outs: int, size: int) -> None:
        super().__init__()
        self._batch_norm = BatchNorm(ins, act="relu")
        self._conv = Conv2D(ins, outs, size, padding=size // 2, bias_attr=False)

    def forward(self, x: Any) -> Any:
        """Compute conv(relu(norm(x)))."""
        return self._conv(self._batch_norm(x))


class DenseLayer(Layer):
    """1x1 convolution to a few channels, then a 3x3; its output joins its input.

    Args:
        ins: Input channels.
        growth: Channels that it adds.
        bn_size: The channels between, as a multiple of `growth`.
        dropout: The probability that an added element is zeroed.
    """

    def __init__(self, ins: int, growth: int, bn_size: int, dropout: float) -> None:
        super().__init__()
        self.dropout = dropout
        self.bn_ac_func1 = NormConv(ins, bn_size * growth, 1)
        self.bn_ac_func2 = NormConv(bn_size * growth, growth, 3)
        if dropout:
            self.dropout_func = Dropout(dropout, mode="downscale_in_infer")

    def forward(self, x: Any) -> Any:
        """Compute [x, f(x)]."""
        added = self.bn_ac_func2(self.bn_ac_func1(x))
        if self.dropout:
            added = self.dropout_func(added)
        return functions.concat([x, added], axis=1)


class DenseBlock(Layer):
    """Dense layers at one resolution, named `prefix_1`, `prefix_2`, ..."""

    def __init__(
        self, ins: int, count: int, growth: int, options: Any, prefix: str
    ) -> None:
        super().__init__()
        for number in range(count):
            layer = DenseLayer(ins + number * growth, growth, *options)
            self.add_sublayer(f"{prefix}_{number + 1}", layer)

    def forward(self, x: Any) -> Any:
        """Apply the layers in order."""
        for layer in self.children():
            x = layer(x)
        return x


class Transition(Layer):
    """1x1 convolution to half the channels, and an average over 2x2."""

    def __init__(self, ins: int) -> None:
        super().__init__()
        self.conv_ac_func = NormConv(ins, ins // 2, 1)
        self.pool2d_avg = AvgPool2D(2, stride=2)

    def forward(self, x: Any) -> Any:
        """Compute pool(conv(relu(norm(x))))."""
        return self.pool2d_avg(self.conv_ac_func(x))


class DenseNet(Layer):
    """DenseNet: a stem, four dense blocks with transitions between, and a head.

    From Huang, Liu, van der Maaten and Weinberger, Densely Connected Convolutional
    Networks (2016).

    Args:
        layers: The depth: 121, 161, 169, 201 or 264.
        bn_size: The narrow channels of a dense layer, as a multiple of the growth rate.
        dropout: The probability that an element a layer adds is zeroed.
        num_classes: The number of classes; 0 or less leaves out the head.
        with_pool: Average over the image before the head.

    Raises:
        InvalidValueError: There is no such depth.

    In Paddle this is `paddle.vision.models.DenseNet`.

    >>> import teachgraph as tg
    >>> net = DenseNet(121, bn_size=1, num_classes=4).eval()
    >>> net(tg.zeros([1, 3, 32, 32])).shape
    [1, 4]
    """

    def __init__(
        self,
        layers: int = 121,
        bn_size: int = 4,
        dropout: float = 0.0,
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__()
        if layers not in SIZES:
            reason = f"layers: one of {[*SIZES]}, not {layers!r}"
            raise InvalidValueError.here(reason)
        self.num_classes, self.with_pool = num_classes, with_pool
        channels, growth, counts = SIZES[layers]
        self.conv1_func = ConvNorm(3, channels, 7, stride=2)
        self.pool2d_max = MaxPool2D(3, stride=2, padding=1)
        self.stages: list[Layer] = []
        for number, count in enumerate(counts, 2):
            options = bn_size, dropout
            block = DenseBlock(channels, count, growth, options, f"conv{number}")
            self.add_stage(f"db_conv_{number}", block)
            channels += count * growth
            if number < 1 + len(counts):
                self.add_stage(f"tr_conv{number}_blk", Transition(channels))
                channels //= 2
        self.batch_norm = BatchNorm(channels, act="relu")
        if with_pool:
            self.pool2d_avg = AdaptiveAvgPool2D(1)
        if num_classes > 0:
            limit = 1 / sqrt(channels)
            start = initializer.Uniform(-limit, limit)
            self.out = Linear(channels, num_classes, weight_attr=start)

    def add_stage(self, name: str, stage: Layer) -> None:
        """Register a block or a transition as the next to apply."""
        self.add_sublayer(name, stage)
        self.stages.append(stage)

    def forward(self, input: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 3, H, W]."""
        x = self.pool2d_max(self.conv1_func(input))
        for stage in self.stages:
            x = stage(x)
        x = self.batch_norm(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.out(functions.flatten(x, 1)) if self.num_classes > 0 else x


def densenet121(pretrained: Any = False, **kwargs: Any) -> DenseNet:
    """Create a DenseNet of 121 layers, 8.0 million parameters.

    Args:
        pretrained: A `.pdparams` file with Paddle's names.
        kwargs: For `DenseNet`.

    In Paddle this is `paddle.vision.models.densenet121`; likewise for the others.
    """
    net: DenseNet = from_paddle(DenseNet(121, **kwargs), pretrained)
    return net


def densenet161(pretrained: Any = False, **kwargs: Any) -> DenseNet:
    """Create a DenseNet of 161 layers, 28.7 million parameters; see `densenet121`."""
    net: DenseNet = from_paddle(DenseNet(161, **kwargs), pretrained)
    return net


def densenet169(pretrained: Any = False, **kwargs: Any) -> DenseNet:
    """Create a DenseNet of 169 layers, 14.1 million parameters; see `densenet121`."""
    net: DenseNet = from_paddle(DenseNet(169, **kwargs), pretrained)
    return net


def densenet201(pretrained: Any = False, **kwargs: Any) -> DenseNet:
    """Create a DenseNet of 201 layers, 20.0 million parameters; see `densenet121`."""
    net: DenseNet = from_paddle(DenseNet(201, **kwargs), pretrained)
    return net


def densenet264(pretrained: Any = False, **kwargs: Any) -> DenseNet:
    """Create a DenseNet of 264 layers, 33.3 million parameters; see `densenet121`."""
    net: DenseNet = from_paddle(DenseNet(264, **kwargs), pretrained)
    return net
