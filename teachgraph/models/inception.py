"""InceptionV3: large windows as products of small ones, side by side.

A 7x7 convolution is written as a 1x7 and a 7x1, with 14 weights for each pair of
channels in place of 49; paths of different windows are joined as in GoogLeNet.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from teachgraph.models.conv_norm import ConvNormActivation as Unit
from teachgraph.models.weights import from_paddle
from teachgraph.nn import (
    AdaptiveAvgPool2D,
    AvgPool2D,
    Dropout,
    Layer,
    LayerList,
    Linear,
    MaxPool2D,
    initializer,
)
from teachgraph.ops import functions

__all__ = ["InceptionV3", "inception_v3"]

ROW: Any = {"kernel_size": (1, 7), "padding": (0, 3)}
COLUMN: Any = {"kernel_size": (7, 1), "padding": (3, 0)}
SHORT_ROW: Any = {"kernel_size": (1, 3), "padding": (0, 1)}
SHORT_COLUMN: Any = {"kernel_size": (3, 1), "padding": (1, 0)}
"""Windows of 7 and of 3 pixels, in a row or in a column, and what keeps the size."""


class Stem(Layer):
    """Convolutions and poolings to 192 channels at an eighth of the resolution."""

    def __init__(self) -> None:
        super().__init__()
        self.conv_1a_3x3 = Unit(3, 32, 3, 2, padding=0)
        self.conv_2a_3x3 = Unit(32, 32, 3, padding=0)
        self.conv_2b_3x3 = Unit(32, 64, 3)
        self.max_pool = MaxPool2D(3, stride=2)
        self.conv_3b_1x1 = Unit(64, 80, 1)
        self.conv_4a_3x3 = Unit(80, 192, 3, padding=0)

    def forward(self, x: Any) -> Any:
        """Compute features of images."""
        x = self.conv_2b_3x3(self.conv_2a_3x3(self.conv_1a_3x3(x)))
        x = self.conv_3b_1x1(self.max_pool(x))
        return self.max_pool(self.conv_4a_3x3(x))


def same_average() -> AvgPool2D:
    """Build an average over 3x3 that keeps the size and counts the padding's zeros."""
    return AvgPool2D(3, stride=1, padding=1, exclusive=False)


class InceptionA(Layer):
    """Windows of 1, 5, 3 twice, and an average."""

    def __init__(self, ins: int, pooled: int) -> None:
        super().__init__()
        self.branch1x1 = Unit(ins, 64, 1)
        self.branch5x5_1 = Unit(ins, 48, 1)
        self.branch5x5_2 = Unit(48, 64, 5)
        self.branch3x3dbl_1 = Unit(ins, 64, 1)
        self.branch3x3dbl_2 = Unit(64, 96, 3)
        self.branch3x3dbl_3 = Unit(96, 96, 3)
        self.branch_pool = same_average()
        self.branch_pool_conv = Unit(ins, pooled, 1)

    def forward(self, x: Any) -> Any:
        """Compute the joined channels of the paths."""
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        paths = [
            self.branch1x1(x),
            self.branch5x5_2(self.branch5x5_1(x)),
            self.branch3x3dbl_3(double),
            self.branch_pool_conv(self.branch_pool(x)),
        ]
        return functions.concat(paths, axis=1)


class InceptionB(Layer):
    """Half the resolution by windows of 3, 3 twice, and a maximum."""

    def __init__(self, ins: int) -> None:
        super().__init__()
        self.branch3x3 = Unit(ins, 384, 3, 2, padding=0)
        self.branch3x3dbl_1 = Unit(ins, 64, 1)
        self.branch3x3dbl_2 = Unit(64, 96, 3)
        self.branch3x3dbl_3 = Unit(96, 96, 3, 2, padding=0)
        self.branch_pool = MaxPool2D(3, stride=2)

    def forward(self, x: Any) -> Any:
        """Compute the joined channels of the paths."""
        double = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        paths = [self.branch3x3(x), self.branch3x3dbl_3(double), self.branch_pool(x)]
        return functions.concat(paths, axis=1)


class InceptionC(Layer):
    """Windows of 1, 7, 7 twice, and an average; `inner` channels between the sevens."""

    def __init__(self, ins: int, inner: int) -> None:
        super().__init__()
        self.branch1x1 = Unit(ins, 192, 1)
        self.branch7x7_1 = Unit(ins, inner, 1)
        self.branch7x7_2 = Unit(inner, inner, **ROW)
        self.branch7x7_3 = Unit(inner, 192, **COLUMN)
        self.branch7x7dbl_1 = Unit(ins, inner, 1)
        self.branch7x7dbl_2 = Unit(inner, inner, **COLUMN)
        self.branch7x7dbl_3 = Unit(inner, inner, **ROW)
        self.branch7x7dbl_4 = Unit(inner, inner, **COLUMN)
        self.branch7x7dbl_5 = Unit(inner, 192, **ROW)
        self.branch_pool = same_average()
        self.branch_pool_conv = Unit(ins, 192, 1)

    def forward(self, x: Any) -> Any:
        """Compute the joined channels of the paths."""
        double = self.branch7x7dbl_2(self.branch7x7dbl_1(x))
        double = self.branch7x7dbl_4(self.branch7x7dbl_3(double))
        paths = [
            self.branch1x1(x),
            self.branch7x7_3(self.branch7x7_2(self.branch7x7_1(x))),
            self.branch7x7dbl_5(double),
            self.branch_pool_conv(self.branch_pool(x)),
        ]
        return functions.concat(paths, axis=1)


class InceptionD(Layer):
    """Half the resolution by windows of 3, 7 then 3, and a maximum."""

    def __init__(self, ins: int) -> None:
        super().__init__()
        self.branch3x3_1 = Unit(ins, 192, 1)
        self.branch3x3_2 = Unit(192, 320, 3, 2, padding=0)
        self.branch7x7x3_1 = Unit(ins, 192, 1)
        self.branch7x7x3_2 = Unit(192, 192, **ROW)
        self.branch7x7x3_3 = Unit(192, 192, **COLUMN)
        self.branch7x7x3_4 = Unit(192, 192, 3, 2, padding=0)
        self.branch_pool = MaxPool2D(3, stride=2)

    def forward(self, x: Any) -> Any:
        """Compute the joined channels of the paths."""
        seven = self.branch7x7x3_2(self.branch7x7x3_1(x))
        paths = [
            self.branch3x3_2(self.branch3x3_1(x)),
            self.branch7x7x3_4(self.branch7x7x3_3(seven)),
            self.branch_pool(x),
        ]
        return functions.concat(paths, axis=1)


class InceptionE(Layer):
    """Windows of 1, of 3 in row and column side by side, and an average."""

    def __init__(self, ins: int) -> None:
        super().__init__()
        self.branch1x1 = Unit(ins, 320, 1)
        self.branch3x3_1 = Unit(ins, 384, 1)
        self.branch3x3_2a = Unit(384, 384, **SHORT_ROW)
        self.branch3x3_2b = Unit(384, 384, **SHORT_COLUMN)
        self.branch3x3dbl_1 = Unit(ins, 448, 1)
        self.branch3x3dbl_2 = Unit(448, 384, 3)
        self.branch3x3dbl_3a = Unit(384, 384, **SHORT_ROW)
        self.branch3x3dbl_3b = Unit(384, 384, **SHORT_COLUMN)
        self.branch_pool = same_average()
        self.branch_pool_conv = Unit(ins, 192, 1)

    def forward(self, x: Any) -> Any:
        """Compute the joined channels of the paths."""
        once = self.branch3x3_1(x)
        twice = self.branch3x3dbl_2(self.branch3x3dbl_1(x))
        paths = [
            self.branch1x1(x),
            *(self.branch3x3_2a(once), self.branch3x3_2b(once)),
            *(self.branch3x3dbl_3a(twice), self.branch3x3dbl_3b(twice)),
            self.branch_pool_conv(self.branch_pool(x)),
        ]
        return functions.concat(paths, axis=1)


class InceptionV3(Layer):
    """InceptionV3: a stem, eleven inception modules, and a head.

    From Szegedy, Vanhoucke, Ioffe, Shlens and Wojna, Rethinking the Inception
    Architecture for Computer Vision (2015).

    Args:
        num_classes: The number of classes; 0 or less leaves out the head.
        with_pool: Average over the image before the head.

    In Paddle this is `paddle.vision.models.InceptionV3`.

    >>> import teachgraph as tg
    >>> net = InceptionV3(num_classes=4).eval()
    >>> net(tg.zeros([1, 3, 75, 75])).shape
    [1, 4]
    """

    def __init__(self, num_classes: int = 1000, with_pool: bool = True) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inception_stem = Stem()
        self.inception_block_list = LayerList(
            [
                *(InceptionA(192, 32), InceptionA(256, 64), InceptionA(288, 64)),
                InceptionB(288),
                *(InceptionC(768, inner) for inner in (128, 160, 160, 192)),
                InceptionD(768),
                *(InceptionE(1280), InceptionE(2048)),
            ]
        )
        if with_pool:
            self.avg_pool = AdaptiveAvgPool2D(1)
        if num_classes > 0:
            self.dropout = Dropout(0.2, mode="downscale_in_infer")
            limit = 1 / sqrt(2048)
            start = initializer.Uniform(-limit, limit)
            self.fc = Linear(2048, num_classes, weight_attr=start)

    def forward(self, x: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 3, H, W], 75x75 and larger."""
        x = self.inception_stem(x)
        for block in self.inception_block_list:
            x = block(x)
        if self.with_pool:
            x = self.avg_pool(x)
        if self.num_classes > 0:
            x = self.fc(self.dropout(functions.reshape(x, [-1, 2048])))
        return x


def inception_v3(pretrained: Any = False, **kwargs: Any) -> InceptionV3:
    """Create an InceptionV3, 23.8 million parameters.

    Args:
        pretrained: A `.pdparams` file with Paddle's names.
        kwargs: For `InceptionV3`.

    In Paddle this is `paddle.vision.models.inception_v3`.
    """
    net: InceptionV3 = from_paddle(InceptionV3(**kwargs), pretrained)
    return net
