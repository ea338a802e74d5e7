"""MobileNet: depthwise separable convolutions, alone and in inverted residual blocks.

A 3x3 convolution of C channels into C costs 9 C^2 products per pixel. A depthwise one
costs 9 C, and the 1x1 convolution that mixes the channels C^2: about a ninth in all.
Version 1 is a chain of such pairs, version 2 puts them into residual blocks, version 3
weighs the channels of some blocks by what the whole image shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from teachgraph.models.conv_norm import ConvNormActivation
from teachgraph.models.resnet import COUNTERS, TORCHVISION
from teachgraph.models.weights import from_file, from_paddle
from teachgraph.nn import (
    AdaptiveAvgPool2D,
    BatchNorm2D,
    Conv2D,
    Dropout,
    Hardsigmoid,
    Hardswish,
    Layer,
    Linear,
    ReLU,
    ReLU6,
    Sequential,
)
from teachgraph.ops import functions

__all__ = [
    "MobileNetV1",
    "MobileNetV2",
    "MobileNetV3Large",
    "MobileNetV3Small",
    "mobilenet_v1",
    "mobilenet_v2",
    "mobilenet_v3_large",
    "mobilenet_v3_small",
]

PAIRS = [
    ("conv2_1", 64, 1),
    ("conv2_2", 128, 2),
    ("conv3_1", 128, 1),
    ("conv3_2", 256, 2),
    ("conv4_1", 256, 1),
    ("conv4_2", 512, 2),
    *((f"conv5_{number}", 512, 1) for number in range(1, 6)),
    ("conv5_6", 1024, 2),
    ("conv6", 1024, 1),
]
"""For each pair of version 1: name, output channels, stride."""

STAGES = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]
"""For each stage of version 2: expansion, output channels, number of blocks, stride."""

SMALL = [
    (16, 3, 16, 16, True, ReLU, 2),
    (16, 3, 72, 24, False, ReLU, 2),
    (24, 3, 88, 24, False, ReLU, 1),
    (24, 5, 96, 40, True, Hardswish, 2),
    (40, 5, 240, 40, True, Hardswish, 1),
    (40, 5, 240, 40, True, Hardswish, 1),
    (40, 5, 120, 48, True, Hardswish, 1),
    (48, 5, 144, 48, True, Hardswish, 1),
    (48, 5, 288, 96, True, Hardswish, 2),
    (96, 5, 576, 96, True, Hardswish, 1),
    (96, 5, 576, 96, True, Hardswish, 1),
]
LARGE = [
    (16, 3, 16, 16, False, ReLU, 1),
    (16, 3, 64, 24, False, ReLU, 2),
    (24, 3, 72, 24, False, ReLU, 1),
    (24, 5, 72, 40, True, ReLU, 2),
    (40, 5, 120, 40, True, ReLU, 1),
    (40, 5, 120, 40, True, ReLU, 1),
    (40, 3, 240, 80, False, Hardswish, 2),
    (80, 3, 200, 80, False, Hardswish, 1),
    (80, 3, 184, 80, False, Hardswish, 1),
    (80, 3, 184, 80, False, Hardswish, 1),
    (80, 3, 480, 112, True, Hardswish, 1),
    (112, 3, 672, 112, True, Hardswish, 1),
    (112, 5, 672, 160, True, Hardswish, 2),
    (160, 5, 960, 160, True, Hardswish, 1),
    (160, 5, 960, 160, True, Hardswish, 1),
]
"""For each block of version 3: input channels, kernel size, inner channels, output
channels, whether the channels are weighed, activation, stride."""


def divisible(channels: float, by: int = 8) -> int:
    """Round to the nearest multiple of `by`, at least `by`, and at most 10 % down.

    >>> divisible(32 * 0.35), divisible(24 * 0.75)
    (16, 24)
    """
    nearest = max(by, int(channels + by / 2) // by * by)
    return nearest + by if nearest < 0.9 * channels else nearest


class SeparableConv(Layer):
    """3x3 depthwise convolution and 1x1 convolution, each with normalisation and ReLU.

    Args:
        ins: Input channels.
        outs: Output channels.
        stride: Of the depthwise convolution.
    """

    def __init__(self, ins: int, outs: int, stride: int) -> None:
        super().__init__()
        self._depthwise_conv = ConvNormActivation(ins, ins, 3, stride, groups=ins)
        self._pointwise_conv = ConvNormActivation(ins, outs, 1)

    def forward(self, x: Any) -> Any:
        """Compute the 1x1 convolution of the depthwise one."""
        return self._pointwise_conv(self._depthwise_conv(x))


class MobileNetV1(Layer):
    """MobileNetV1, a chain of depthwise separable convolutions.

    From Howard et al., MobileNets: Efficient Convolutional Neural Networks for Mobile
    Vision Applications (2017).

    Args:
        scale: The multiplier of all numbers of channels.
        num_classes: The number of classes; 0 or less leaves out the head.
        with_pool: Average over the image before the head.

    In Paddle this is `paddle.vision.models.MobileNetV1`.

    >>> import teachgraph as tg
    >>> net = MobileNetV1(scale=0.25, num_classes=4).eval()
    >>> net(tg.zeros([1, 3, 32, 32])).shape
    [1, 4]
    """

    def __init__(
        self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True
    ) -> None:
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        ins = int(32 * scale)
        self.conv1 = ConvNormActivation(3, ins, 3, stride=2)
        for name, channels, stride in PAIRS:
            outs = int(channels * scale)
            self.add_sublayer(name, SeparableConv(ins, outs, stride))
            ins = outs
        if with_pool:
            self.pool2d_avg = AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.fc = Linear(ins, num_classes)

    def forward(self, x: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 3, H, W]."""
        x = self.conv1(x)
        for name, *_ in PAIRS:
            x = getattr(self, name)(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.fc(functions.flatten(x, 1)) if self.num_classes > 0 else x


conv_relu6 = partial(ConvNormActivation, activation_layer=ReLU6)


class InvertedResidual(Layer):
    """1x1 expansion, 3x3 depthwise convolution, 1x1 projection; the input is added.

    The residual is inverted because its ends are narrow and its middle is wide. There
    is no ReLU at the narrow ends, where it would lose information.

    Args:
        ins: Input channels.
        outs: Output channels.
        stride: Of the depthwise convolution; the input is added if it is 1 and the
            channels are equal.
        expand: The ratio of inner to input channels.
    """

    def __init__(self, ins: int, outs: int, stride: int, expand: int) -> None:
        super().__init__()
        wide = ins * expand
        self.adds = stride == 1 and ins == outs
        widen = [conv_relu6(ins, wide, 1)] if expand != 1 else []
        look = conv_relu6(wide, wide, 3, stride, groups=wide)
        narrow = Conv2D(wide, outs, 1, bias_attr=False)
        self.conv = Sequential(*widen, look, narrow, BatchNorm2D(outs))

    def forward(self, x: Any) -> Any:
        """Compute x + f(x), or f(x) where the shapes differ."""
        return x + self.conv(x) if self.adds else self.conv(x)


class MobileNetV2(Layer):
    """MobileNetV2, a classifier of images for small devices.

    From Sandler, Howard, Zhu, Zhmoginov and Chen, MobileNetV2: Inverted Residuals and
    Linear Bottlenecks (2018).

    Args:
        scale: The multiplier of all numbers of channels.
        num_classes: The number of classes; 0 or less leaves out the head.
        with_pool: Average over the image before the head.

    In Paddle this is `paddle.vision.models.MobileNetV2`.

    >>> import teachgraph as tg
    >>> net = MobileNetV2(scale=0.25, num_classes=4).eval()
    >>> net(tg.zeros([1, 3, 32, 32])).shape
    [1, 4]
    """

    def __init__(
        self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True
    ) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        ins, last = divisible(32 * scale), divisible(1280 * max(1.0, scale))
        features: list[Layer] = [conv_relu6(3, ins, 3, stride=2)]
        for expand, channels, count, stride in STAGES:
            outs = divisible(channels * scale)
            for number in range(count):
                step = stride if number == 0 else 1
                features.append(InvertedResidual(ins, outs, step, expand))
                ins = outs
        self.features = Sequential(*features, conv_relu6(ins, last, 1))
        if with_pool:
            self.pool2d_avg = AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.classifier = Sequential(Dropout(0.2), Linear(last, num_classes))

    def forward(self, x: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 3, H, W]."""
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.classifier(functions.flatten(x, 1)) if self.num_classes > 0 else x


slow_norm = partial(
    ConvNormActivation,
    norm_layer=partial(BatchNorm2D, epsilon=0.001, momentum=0.99),
)


class SqueezeExcitation(Layer):
    """Weights of the channels, from their averages over the image.

        y = x * hardsigmoid(fc2(relu(fc1(mean(x)))))

    Args:
        channels: Input and output channels.
        squeezed: Channels between.
    """

    def __init__(self, channels: int, squeezed: int) -> None:
        super().__init__()
        self.avgpool = AdaptiveAvgPool2D(1)
        self.fc1 = Conv2D(channels, squeezed, 1)
        self.fc2 = Conv2D(squeezed, channels, 1)
        self.activation, self.scale_activation = ReLU(), Hardsigmoid()

    def forward(self, x: Any) -> Any:
        """Compute x with its channels weighed."""
        squeezed = self.activation(self.fc1(self.avgpool(x)))
        return self.scale_activation(self.fc2(squeezed)) * x


class WeighedResidual(Layer):
    """Inverted residual block whose inner channels may be weighed.

    Args:
        ins: Input channels.
        size: The side of the depthwise kernel.
        wide: Inner channels.
        outs: Output channels.
        weighs: Whether the inner channels are weighed.
        act: The class of the activation.
        stride: Of the depthwise convolution; the input is added if it is 1 and the
            channels are equal.
    """

    def __init__(
        self,
        ins: int,
        size: int,
        wide: int,
        outs: int,
        weighs: bool,
        act: Any,
        stride: int,
    ) -> None:
        super().__init__()
        self.adds, self.weighs = stride == 1 and ins == outs, weighs
        self.expand = ins != wide
        if self.expand:
            self.expand_conv = slow_norm(ins, wide, 1, activation_layer=act)
        options = {"groups": wide, "activation_layer": act}
        self.bottleneck_conv = slow_norm(wide, wide, size, stride, **options)
        if weighs:
            self.mid_se = SqueezeExcitation(wide, divisible(wide // 4))
        self.linear_conv = slow_norm(wide, outs, 1, activation_layer=None)

    def forward(self, x: Any) -> Any:
        """Compute x + f(x), or f(x) where the shapes differ."""
        out = self.expand_conv(x) if self.expand else x
        out = self.bottleneck_conv(out)
        out = self.linear_conv(self.mid_se(out) if self.weighs else out)
        return x + out if self.adds else out


class MobileNetV3(Layer):
    """MobileNetV3: the blocks of a table that a search has found, and a head.

    From Howard et al., Searching for MobileNetV3 (2019).

    Args:
        config: For each block: input channels, kernel size, inner channels, output
            channels, whether the channels are weighed, activation, stride.
        last_channel: Inner channels of the head.
        scale: The multiplier of the numbers of channels of the table.
        num_classes: The number of classes; 0 or less leaves out the head.
        with_pool: Average over the image before the head.
    """

    def __init__(
        self,
        config: Sequence[tuple[int, int, int, int, bool, Any, int]],
        last_channel: int,
        scale: float = 1.0,
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__()
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        first = divisible(config[0][0] * scale)
        self.conv = slow_norm(3, first, 3, 2, activation_layer=Hardswish)
        blocks = [
            WeighedResidual(
                divisible(ins * scale),
                size,
                divisible(wide * scale),
                divisible(outs * scale),
                *others,
            )
            for ins, size, wide, outs, *others in config
        ]
        self.blocks = Sequential(*blocks)
        # Paddle takes the last block's input channels, which are its outputs too.
        ins = divisible(config[-1][0] * scale)
        self.lastconv = slow_norm(ins, 6 * ins, 1, activation_layer=Hardswish)
        if with_pool:
            self.avgpool = AdaptiveAvgPool2D(1)
        if num_classes > 0:
            widen = Linear(6 * ins, last_channel)
            head = Linear(last_channel, num_classes)
            self.classifier = Sequential(widen, Hardswish(), Dropout(0.2), head)

    def forward(self, x: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 3, H, W]."""
        x = self.lastconv(self.blocks(self.conv(x)))
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(functions.flatten(x, 1)) if self.num_classes > 0 else x


class MobileNetV3Small(MobileNetV3):
    """The small MobileNetV3; arguments as for `MobileNetV2`.

    In Paddle this is `paddle.vision.models.MobileNetV3Small`.

    >>> import teachgraph as tg
    >>> net = MobileNetV3Small(scale=0.35, num_classes=4).eval()
    >>> net(tg.zeros([1, 3, 32, 32])).shape
    [1, 4]
    """

    def __init__(
        self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True
    ) -> None:
        super().__init__(SMALL, divisible(1024 * scale), scale, num_classes, with_pool)


class MobileNetV3Large(MobileNetV3):
    """The large MobileNetV3; arguments as for `MobileNetV2`.

    In Paddle this is `paddle.vision.models.MobileNetV3Large`.

    >>> import teachgraph as tg
    >>> net = MobileNetV3Large(scale=0.35, num_classes=4).eval()
    >>> net(tg.zeros([1, 3, 32, 32])).shape
    [1, 4]
    """

    def __init__(
        self, scale: float = 1.0, num_classes: int = 1000, with_pool: bool = True
    ) -> None:
        super().__init__(LARGE, divisible(1280 * scale), scale, num_classes, with_pool)


def mobilenet_v1(
    pretrained: Any = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV1:
    """Create a MobileNetV1; with `scale` 1 it has 4.2 million parameters.

    Args:
        pretrained: A `.pdparams` file with Paddle's names.
        scale: The multiplier of all numbers of channels.
        kwargs: For `MobileNetV1`.

    In Paddle this is `paddle.vision.models.mobilenet_v1`.
    """
    net: MobileNetV1 = from_paddle(MobileNetV1(scale, **kwargs), pretrained)
    return net


def mobilenet_v2(
    pretrained: Any = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV2:
    """Create a MobileNetV2; with `scale` 1 it has 3.5 million parameters.

    Args:
        pretrained: A safetensors file with torchvision's names.
        scale: The multiplier of all numbers of channels.
        kwargs: For `MobileNetV2`.

    In Paddle this is `paddle.vision.models.mobilenet_v2`.
    """
    net = MobileNetV2(scale, **kwargs)
    loaded: MobileNetV2 = from_file(net, pretrained, TORCHVISION, COUNTERS)
    return loaded


def mobilenet_v3_small(
    pretrained: Any = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV3Small:
    """Create a small MobileNetV3, 2.5 million parameters; see `mobilenet_v1`."""
    net: MobileNetV3Small = from_paddle(MobileNetV3Small(scale, **kwargs), pretrained)
    return net


def mobilenet_v3_large(
    pretrained: Any = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV3Large:
    """Create a large MobileNetV3, 5.5 million parameters; see `mobilenet_v1`."""
    net: MobileNetV3Large = from_paddle(MobileNetV3Large(scale, **kwargs), pretrained)
    return net
