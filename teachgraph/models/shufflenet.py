"""ShuffleNetV2: half of the channels pass a block by, then the halves are mixed.

1x1 convolutions cost most of a network of depthwise ones. Here they see half of the
channels; a shuffle, which costs nothing, brings the halves together.
"""

from __future__ import annotations

from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.models.conv_norm import ConvNormActivation
from teachgraph.models.weights import from_paddle
from teachgraph.nn import AdaptiveAvgPool2D, Layer, Linear, MaxPool2D, ReLU, Swish
from teachgraph.nn.functional import channel_shuffle
from teachgraph.ops import functions

__all__ = [
    "ShuffleNetV2",
    "shufflenet_v2_swish",
    "shufflenet_v2_x0_5",
    "shufflenet_v2_x0_25",
    "shufflenet_v2_x0_33",
    "shufflenet_v2_x1_0",
    "shufflenet_v2_x1_5",
    "shufflenet_v2_x2_0",
]

CHANNELS = {
    0.25: (24, 24, 48, 96, 512),
    0.33: (24, 32, 64, 128, 512),
    0.5: (24, 48, 96, 192, 1024),
    1.0: (24, 116, 232, 464, 1024),
    1.5: (24, 176, 352, 704, 1024),
    2.0: (24, 224, 488, 976, 2048),
}
"""Output channels of the stem, the three stages and the last convolution, by scale."""

COUNTS = (4, 8, 4)
"""The number of blocks of the three stages."""

ACTIVATIONS = {"relu": ReLU, "swish": Swish, None: None}


def depthwise(channels: int, stride: int) -> ConvNormActivation:
    """Build a 3x3 depthwise convolution with normalisation and no activation."""
    options: Any = {"groups": channels, "activation_layer": None}
    return ConvNormActivation(channels, channels, 3, stride, **options)


class ShuffleBlock(Layer):
    """Block with stride 1: one half of the channels is convolved.

    Args:
        channels: Input and output channels.
        act: The class of the activation.
    """

    def __init__(self, channels: int, act: Any) -> None:
        super().__init__()
        half = channels // 2
        self._conv_pw = ConvNormActivation(half, half, 1, activation_layer=act)
        self._conv_dw = depthwise(half, 1)
        self._conv_linear = ConvNormActivation(half, half, 1, activation_layer=act)

    def forward(self, x: Any) -> Any:
        """Compute shuffle([a, f(b)]) of the halves a and b of x."""
        kept, x = functions.split(x, 2, axis=1)
        x = self._conv_linear(self._conv_dw(self._conv_pw(x)))
        return channel_shuffle(functions.concat([kept, x], axis=1), 2)


class DownsampleBlock(Layer):
    """Block with stride 2: two paths see all channels, and each gives half of them.

    Args:
        ins: Input channels.
        outs: Output channels.
        act: The class of the activation.
    """

    def __init__(self, ins: int, outs: int, act: Any) -> None:
        super().__init__()
        half = outs // 2
        self._conv_dw_1 = depthwise(ins, 2)
        self._conv_linear_1 = ConvNormActivation(ins, half, 1, activation_layer=act)
        self._conv_pw_2 = ConvNormActivation(ins, half, 1, activation_layer=act)
        self._conv_dw_2 = depthwise(half, 2)
        self._conv_linear_2 = ConvNormActivation(half, half, 1, activation_layer=act)

    def forward(self, x: Any) -> Any:
        """Compute shuffle([f(x), g(x)])."""
        first = self._conv_linear_1(self._conv_dw_1(x))
        second = self._conv_linear_2(self._conv_dw_2(self._conv_pw_2(x)))
        return channel_shuffle(functions.concat([first, second], axis=1), 2)


class ShuffleNetV2(Layer):
    """ShuffleNetV2, a classifier of images for small devices.

    From Ma, Zhang, Zheng and Sun, ShuffleNet V2: Practical Guidelines for Efficient CNN
    Architecture Design (2018).

    Args:
        scale: The multiplier of channels: 0.25, 0.33, 0.5, 1.0, 1.5 or 2.0.
        act: "relu", "swish" or None.
        num_classes: The number of classes; 0 or less leaves out the head.
        with_pool: Average over the image before the head.

    Raises:
        InvalidValueError: There is no such scale or activation.

    In Paddle this is `paddle.vision.models.ShuffleNetV2`.

    >>> import teachgraph as tg
    >>> net = ShuffleNetV2(0.25, num_classes=4).eval()
    >>> net(tg.zeros([1, 3, 32, 32])).shape
    [1, 4]
    """

    def __init__(
        self,
        scale: float = 1.0,
        act: str | None = "relu",
        num_classes: int = 1000,
        with_pool: bool = True,
    ) -> None:
        super().__init__()
        if scale not in CHANNELS:
            reason = f"scale: one of {[*CHANNELS]}, not {scale!r}"
            raise InvalidValueError.here(reason)
        if act not in ACTIVATIONS:
            reason = f"act: one of {[*ACTIVATIONS]}, not {act!r}"
            raise InvalidValueError.here(reason)
        self.scale, self.num_classes, self.with_pool = scale, num_classes, with_pool
        layer: Any = ACTIVATIONS[act]
        ins, *stages, last = CHANNELS[scale]
        self._conv1 = ConvNormActivation(3, ins, 3, 2, activation_layer=layer)
        self._max_pool = MaxPool2D(3, stride=2, padding=1)
        self.blocks: list[Layer] = []
        for stage, (outs, count) in enumerate(zip(stages, COUNTS, strict=True), 2):
            blocks: list[Layer] = [DownsampleBlock(ins, outs, layer)]
            blocks += [ShuffleBlock(outs, layer) for _ in range(count - 1)]
            for number, block in enumerate(blocks, 1):
                self.add_sublayer(f"{stage}_{number}", block)
            self.blocks += blocks
            ins = outs
        self._last_conv = ConvNormActivation(ins, last, 1, activation_layer=layer)
        if with_pool:
            self._pool2d_avg = AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self._fc = Linear(last, num_classes)

    def forward(self, inputs: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 3, H, W]."""
        x = self._max_pool(self._conv1(inputs))
        for block in self.blocks:
            x = block(x)
        x = self._last_conv(x)
        if self.with_pool:
            x = self._pool2d_avg(x)
        return self._fc(functions.flatten(x, 1)) if self.num_classes > 0 else x


def shufflenet(scale: float, act: str, pretrained: Any, **kwargs: Any) -> ShuffleNetV2:
    """Create a ShuffleNetV2, with Paddle's weights from a file if one is given."""
    net: ShuffleNetV2 = from_paddle(ShuffleNetV2(scale, act, **kwargs), pretrained)
    return net


def shufflenet_v2_x0_25(pretrained: Any = False, **kwargs: Any) -> ShuffleNetV2:
    """Create a ShuffleNetV2 of a quarter of the channels, 0.61 million parameters.

    Args:
        pretrained: A `.pdparams` file with Paddle's names.
        kwargs: For `ShuffleNetV2`.

    In Paddle this is `paddle.vision.models.shufflenet_v2_x0_25`; likewise for the
    others.
    """
    return shufflenet(0.25, "relu", pretrained, **kwargs)


def shufflenet_v2_x0_33(pretrained: Any = False, **kwargs: Any) -> ShuffleNetV2:
    """Create a ShuffleNetV2 of a third of the channels; see `shufflenet_v2_x0_25`."""
    return shufflenet(0.33, "relu", pretrained, **kwargs)


def shufflenet_v2_x0_5(pretrained: Any = False, **kwargs: Any) -> ShuffleNetV2:
    """Create a ShuffleNetV2 of half the channels; see `shufflenet_v2_x0_25`."""
    return shufflenet(0.5, "relu", pretrained, **kwargs)


def shufflenet_v2_x1_0(pretrained: Any = False, **kwargs: Any) -> ShuffleNetV2:
    """Create a ShuffleNetV2 of the full channels; see `shufflenet_v2_x0_25`."""
    return shufflenet(1.0, "relu", pretrained, **kwargs)


def shufflenet_v2_x1_5(pretrained: Any = False, **kwargs: Any) -> ShuffleNetV2:
    """Create a ShuffleNetV2 of 1.5 times the channels; see `shufflenet_v2_x0_25`."""
    return shufflenet(1.5, "relu", pretrained, **kwargs)


def shufflenet_v2_x2_0(pretrained: Any = False, **kwargs: Any) -> ShuffleNetV2:
    """Create a ShuffleNetV2 of twice the channels; see `shufflenet_v2_x0_25`."""
    return shufflenet(2.0, "relu", pretrained, **kwargs)


def shufflenet_v2_swish(pretrained: Any = False, **kwargs: Any) -> ShuffleNetV2:
    """Create a ShuffleNetV2 with swish for ReLU; see `shufflenet_v2_x0_25`."""
    return shufflenet(1.0, "swish", pretrained, **kwargs)
