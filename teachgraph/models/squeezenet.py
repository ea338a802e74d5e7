"""SqueezeNet: as good as AlexNet with a fiftieth of its parameters.

A 3x3 convolution of C channels into D costs 9 C D weights. A fire module first squeezes
C into a few channels by a 1x1 convolution, then expands these by 1x1 and 3x3 ones.
"""

from __future__ import annotations

from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.models.weights import from_paddle
from teachgraph.nn import AdaptiveAvgPool2D, Conv2D, Dropout, Layer, MaxPool2D
from teachgraph.nn.functional import relu
from teachgraph.ops import functions

__all__ = ["SqueezeNet", "squeezenet1_0", "squeezenet1_1"]

FIRES = [
    (16, 64),
    (16, 64),
    (32, 128),
    (32, 128),
    (48, 192),
    (48, 192),
    (64, 256),
    (64, 256),
]
"""For each fire module: squeezed channels, and those of either expansion."""

POOLED_AFTER = {"1.0": (3, 7), "1.1": (2, 4)}
"""The fire modules that a pooling follows, by version."""


class ConvReLU(Layer):
    """Same-padded convolution and ReLU."""

    def __init__(self, ins: int, outs: int, size: int) -> None:
        super().__init__()
        self._conv = Conv2D(ins, outs, size, padding=size // 2)

    def forward(self, x: Any) -> Any:
        """Compute relu(conv(x))."""
        return relu(self._conv(x))


class Fire(Layer):
    """1x1 convolution to few channels, then 1x1 and 3x3 ones side by side.

    Args:
        ins: Input channels.
        squeezed: Channels between.
        expanded: Output channels of either of the two; together twice as many.
    """

    def __init__(self, ins: int, squeezed: int, expanded: int) -> None:
        super().__init__()
        self._conv = ConvReLU(ins, squeezed, 1)
        self._conv_path1 = ConvReLU(squeezed, expanded, 1)
        self._conv_path2 = ConvReLU(squeezed, expanded, 3)

    def forward(self, x: Any) -> Any:
        """Compute the channels of both paths, joined."""
        x = self._conv(x)
        return functions.concat([self._conv_path1(x), self._conv_path2(x)], axis=1)


class SqueezeNet(Layer):
    """SqueezeNet, a small classifier of images without linear layers.

    From Iandola, Han, Moskewicz, Ashraf, Dally and Keutzer, SqueezeNet: AlexNet-level
    accuracy with 50x fewer parameters and <0.5MB model size (2016).

    Args:
        version: "1.0", or "1.1", which pools earlier and takes 0.4 of the products.
        num_classes: The number of classes; 0 or less leaves out the last convolution.
        with_pool: Average over the image after it.

    Raises:
        InvalidValueError: There is no such version.

    In Paddle this is `paddle.vision.models.SqueezeNet`.

    >>> import teachgraph as tg
    >>> net = SqueezeNet("1.1", num_classes=4).eval()
    >>> net(tg.zeros([2, 3, 32, 32])).shape
    [2, 4]
    """

    def __init__(
        self, version: str, num_classes: int = 1000, with_pool: bool = True
    ) -> None:
        super().__init__()
        if version not in POOLED_AFTER:
            reason = f"version: one of {[*POOLED_AFTER]}, not {version!r}"
            raise InvalidValueError.here(reason)
        self.version, self.num_classes, self.with_pool = version, num_classes, with_pool
        old = version == "1.0"
        self._conv = Conv2D(3, 96, 7, 2) if old else Conv2D(3, 64, 3, 2, 1)
        self._pool = MaxPool2D(3, stride=2)
        ins = 96 if old else 64
        for number, (squeezed, expanded) in enumerate(FIRES, 1):
            self.add_sublayer(f"_conv{number}", Fire(ins, squeezed, expanded))
            ins = 2 * expanded
        if num_classes > 0:
            self._drop = Dropout(0.5, mode="downscale_in_infer")
            self._conv9 = Conv2D(ins, num_classes, 1)
        self._avg_pool = AdaptiveAvgPool2D(1)

    def forward(self, inputs: Any) -> Any:
        """Compute scores [N, num_classes], from 0 on, of images [N, 3, H, W]."""
        x = self._pool(relu(self._conv(inputs)))
        for number in range(1, 1 + len(FIRES)):
            x = getattr(self, f"_conv{number}")(x)
            if number in POOLED_AFTER[self.version]:
                x = self._pool(x)
        if self.num_classes > 0:
            x = self._conv9(self._drop(x))
        if self.with_pool:
            x = functions.flatten(self._avg_pool(relu(x)), 1)
        return x


def squeezenet1_0(pretrained: Any = False, **kwargs: Any) -> SqueezeNet:
    """Create a SqueezeNet 1.0, 1.25 million parameters.

    Args:
        pretrained: A `.pdparams` file with Paddle's names.
        kwargs: For `SqueezeNet`.

    In Paddle this is `paddle.vision.models.squeezenet1_0`.
    """
    net: SqueezeNet = from_paddle(SqueezeNet("1.0", **kwargs), pretrained)
    return net


def squeezenet1_1(pretrained: Any = False, **kwargs: Any) -> SqueezeNet:
    """Create a SqueezeNet 1.1, 1.24 million parameters; see `squeezenet1_0`."""
    net: SqueezeNet = from_paddle(SqueezeNet("1.1", **kwargs), pretrained)
    return net
