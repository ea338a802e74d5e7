"""MobileNetV2: depthwise separable convolutions in inverted residual blocks.

A 3x3 convolution of C channels into C costs 9 C^2 products per pixel. A depthwise one
costs 9 C, and the 1x1 convolution that mixes the channels C^2: about a ninth in all.
"""

from __future__ import annotations

from typing import Any

from teachgraph.models.resnet import COUNTERS, TORCHVISION
from teachgraph.models.weights import from_file
from teachgraph.nn import (
    AdaptiveAvgPool2D,
    BatchNorm2D,
    Conv2D,
    Dropout,
    Layer,
    Linear,
    ReLU6,
    Sequential,
)
from teachgraph.ops import functions

__all__ = ["MobileNetV2", "mobilenet_v2"]

STAGES = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]
"""For each stage: expansion, output channels, number of blocks, stride."""


def divisible(channels: float, by: int = 8) -> int:
    """Round to the nearest multiple of `by`, at least `by`, and at most 10 % down.

    >>> divisible(32 * 0.35), divisible(24 * 0.75)
    (16, 24)
    """
    nearest = max(by, int(channels + by / 2) // by * by)
    return nearest + by if nearest < 0.9 * channels else nearest


def conv_bn_relu6(
    ins: int, outs: int, size: int, stride: int = 1, groups: int = 1
) -> Sequential:
    """Build a same-padded convolution, batch normalisation and ReLU6."""
    # No bias: batch normalisation would subtract it again.
    options: dict[str, Any] = {
        "padding": size // 2,
        "groups": groups,
        "bias_attr": False,
    }
    conv = Conv2D(ins, outs, size, stride, **options)
    return Sequential(conv, BatchNorm2D(outs), ReLU6())


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
        widen = [conv_bn_relu6(ins, wide, 1)] if expand != 1 else []
        look = conv_bn_relu6(wide, wide, 3, stride, groups=wide)
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
        features: list[Layer] = [conv_bn_relu6(3, ins, 3, stride=2)]
        for expand, channels, count, stride in STAGES:
            outs = divisible(channels * scale)
            for number in range(count):
                step = stride if number == 0 else 1
                features.append(InvertedResidual(ins, outs, step, expand))
                ins = outs
        self.features = Sequential(*features, conv_bn_relu6(ins, last, 1))
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
