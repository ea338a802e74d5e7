"""MobileNetV2: a convolution split into a look around and a mixture of channels.

A 3x3 convolution of C channels into C costs 9 C^2 products a pixel. One channel at a
time it costs 9 C, and a 1x1 that mixes the channels C^2: about a ninth in all.
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
"""Of each stage: how much a block widens, its channels, how many blocks, the stride."""


def divisible(channels: float, by: int = 8) -> int:
    """The nearest multiple, at least `by`, and no more than a tenth less.

    >>> divisible(32 * 0.35), divisible(24 * 0.75)
    (16, 24)
    """
    nearest = max(by, int(channels + by / 2) // by * by)
    return nearest + by if nearest < 0.9 * channels else nearest


def conv_bn_relu6(
    ins: int, outs: int, size: int, stride: int = 1, groups: int = 1
) -> Sequential:
    """A convolution that keeps the image's size up to the stride, and what follows."""
    how: dict[str, Any] = {"padding": size // 2, "groups": groups, "bias_attr": False}
    conv = Conv2D(ins, outs, size, stride, **how)
    return Sequential(conv, BatchNorm2D(outs), ReLU6())


class InvertedResidual(Layer):
    """Widen by 1x1, look around channel by channel, narrow by 1x1; add the input.

    The residual is inverted for its ends are narrow and its middle is wide, and there
    is no ReLU at the narrow ends, where it would lose information.

    Args:
        ins: Channels that come in.
        outs: Channels that come out.
        stride: Of the look around; with 1 and as many channels the input is added.
        expand: How much wider it is within.
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
        """x + f(x), or f(x) where the shapes differ."""
        return x + self.conv(x) if self.adds else self.conv(x)


class MobileNetV2(Layer):
    """A network for small machines.

    From Sandler, Howard, Zhu, Zhmoginov and Chen, MobileNetV2: Inverted Residuals and
    Linear Bottlenecks (2018).

    Args:
        scale: What the number of channels is multiplied with everywhere.
        num_classes: How many classes there are; with 0 or less there is no head.
        with_pool: Whether to take the mean over the image before the head.

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
        """Images [N, 3, H, W] to logits [N, num_classes]."""
        x = self.features(x)
        if self.with_pool:
            x = self.pool2d_avg(x)
        return self.classifier(functions.flatten(x, 1)) if self.num_classes > 0 else x


def mobilenet_v2(
    pretrained: Any = False, scale: float = 1.0, **kwargs: Any
) -> MobileNetV2:
    """MobileNetV2, with `scale` 1 of 3.5 million parameters.

    Args:
        pretrained: A safetensors file with torchvision's names.
        scale: What the number of channels is multiplied with.
        kwargs: For `MobileNetV2`.

    In Paddle this is `paddle.vision.models.mobilenet_v2`.
    """
    net = MobileNetV2(scale, **kwargs)
    loaded: MobileNetV2 = from_file(net, pretrained, TORCHVISION, COUNTERS)
    return loaded
