"""ResNet: deep convolutional networks of residual blocks.

    y = relu(x + f(x))

An identity needs only f = 0, so deep networks train as well as shallow ones, and the
gradient reaches the first layer along the sums.
"""

from __future__ import annotations

from typing import Any

from teachgraph.models.weights import Names, from_file
from teachgraph.nn import (
    AdaptiveAvgPool2D,
    BatchNorm2D,
    Conv2D,
    Layer,
    Linear,
    MaxPool2D,
    ReLU,
    Sequential,
)
from teachgraph.ops import functions

__all__ = [
    "ResNet",
    "resnet18",
    "resnet34",
    "resnet50",
    "resnet101",
    "resnet152",
    "resnext50_32x4d",
    "resnext50_64x4d",
    "resnext101_32x4d",
    "resnext101_64x4d",
    "resnext152_32x4d",
    "resnext152_64x4d",
    "wide_resnet50_2",
    "wide_resnet101_2",
]

TORCHVISION: Names = [("running_mean", "_mean"), ("running_var", "_variance")]
"""Renames from torchvision; all other names are equal."""

COUNTERS = ["num_batches_tracked"]
"""Buffers of PyTorch's batch normalisation that have no counterpart here."""

BLOCKS = {
    18: [2, 2, 2, 2],
    34: [3, 4, 6, 3],
    50: [3, 4, 6, 3],
    101: [3, 4, 23, 3],
    152: [3, 8, 36, 3],
}
"""The number of blocks of the four stages, by depth."""


class BasicBlock(Layer):
    """Residual block with two 3x3 convolutions.

    Args:
        inplanes: Input channels.
        planes: Inner channels.
        stride: Of the first convolution: 2 halves the image.
        downsample: Brings x to the shape of f(x), where it has another.
        groups: Accepted for Paddle's sake.
        base_width: Accepted for Paddle's sake.
    """

    expansion = 1

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Layer | None = None,
        groups: int = 1,
        base_width: int = 64,
    ) -> None:
        super().__init__()
        self.conv1 = Conv2D(inplanes, planes, 3, stride, 1, bias_attr=False)
        self.bn1 = BatchNorm2D(planes)
        self.relu = ReLU()
        self.conv2 = Conv2D(planes, planes, 3, padding=1, bias_attr=False)
        self.bn2 = BatchNorm2D(planes)
        self.downsample = downsample

    def forward(self, x: Any) -> Any:
        """Compute relu(x + f(x))."""
        short = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(out)) + short)


class BottleneckBlock(Layer):
    """Residual block with 1x1, 3x3 and 1x1 convolutions; the middle one is narrow.

    The 3x3 has the stride, as in torchvision and Paddle; in the paper it is the first
    1x1. Arguments as for `BasicBlock`; `groups` and `base_width` turn it into ResNeXt
    and Wide ResNet.
    """

    expansion = 4

    def __init__(
        self,
        inplanes: int,
        planes: int,
        stride: int = 1,
        downsample: Layer | None = None,
        groups: int = 1,
        base_width: int = 64,
    ) -> None:
        super().__init__()
        width = planes * base_width // 64 * groups
        outs = planes * self.expansion
        self.conv1 = Conv2D(inplanes, width, 1, bias_attr=False)
        self.bn1 = BatchNorm2D(width)
        self.conv2 = Conv2D(width, width, 3, stride, 1, groups=groups, bias_attr=False)
        self.bn2 = BatchNorm2D(width)
        self.conv3 = Conv2D(width, outs, 1, bias_attr=False)
        self.bn3 = BatchNorm2D(outs)
        self.relu = ReLU()
        self.downsample = downsample

    def forward(self, x: Any) -> Any:
        """Compute relu(x + f(x))."""
        short = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        return self.relu(self.bn3(self.conv3(out)) + short)


class ResNet(Layer):
    """ResNet: a stem, four stages of blocks, each at half the resolution, and a head.

    From He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition (2015).

    Args:
        block: `BasicBlock` or `BottleneckBlock`.
        depth: 18, 34, 50, 101 or 152.
        width: Channels of each group of a bottleneck, in the stage of 64 channels.
        num_classes: The number of classes; 0 or less leaves out the head.
        with_pool: Average over the image before the head.
        groups: The number of groups of a bottleneck's 3x3 convolution.

    In Paddle this is `paddle.vision.models.ResNet`.

    >>> import teachgraph as tg
    >>> net = ResNet(BasicBlock, 18, num_classes=4).eval()
    >>> net(tg.zeros([1, 3, 32, 32])).shape
    [1, 4]
    """

    def __init__(
        self,
        block: Any,
        depth: int = 50,
        width: int = 64,
        num_classes: int = 1000,
        with_pool: bool = True,
        groups: int = 1,
    ) -> None:
        super().__init__()
        self.num_classes, self.with_pool = num_classes, with_pool
        self.inplanes, self.groups, self.base_width = 64, groups, width
        self.conv1 = Conv2D(3, 64, 7, stride=2, padding=3, bias_attr=False)
        self.bn1 = BatchNorm2D(64)
        self.relu = ReLU()
        self.maxpool = MaxPool2D(3, stride=2, padding=1)
        first, *others = BLOCKS[depth]
        self.layer1 = self.stage(block, 64, first)
        for number, count in enumerate(others, 2):
            stage = self.stage(block, 2 ** (number + 5), count, stride=2)
            self.add_sublayer(f"layer{number}", stage)
        if with_pool:
            self.avgpool = AdaptiveAvgPool2D((1, 1))
        if num_classes > 0:
            self.fc = Linear(512 * block.expansion, num_classes)

    def stage(self, block: Any, planes: int, count: int, stride: int = 1) -> Layer:
        """Build the blocks of one stage; the first has the stride and downsamples x."""
        outs, downsample = planes * block.expansion, None
        if stride != 1 or self.inplanes != outs:
            downsample = Sequential(
                Conv2D(self.inplanes, outs, 1, stride, bias_attr=False),
                BatchNorm2D(outs),
            )
        shape = self.groups, self.base_width
        blocks = [block(self.inplanes, planes, stride, downsample, *shape)]
        blocks += [block(outs, planes, 1, None, *shape) for _ in range(count - 1)]
        self.inplanes = outs
        return Sequential(*blocks)

    def forward(self, x: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 3, H, W]."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for number in range(1, 5):
            x = getattr(self, f"layer{number}")(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.fc(functions.flatten(x, 1)) if self.num_classes > 0 else x


def resnet(block: Any, depth: int, pretrained: Any, **kwargs: Any) -> ResNet:
    """Create a ResNet, with torchvision's weights from a file if one is given."""
    net = ResNet(block, depth, **kwargs)
    loaded: ResNet = from_file(net, pretrained, TORCHVISION, COUNTERS)
    return loaded


def resnet18(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNet of 18 layers, 11.7 million parameters.

    Args:
        pretrained: A safetensors file with torchvision's names.
        kwargs: For `ResNet`.

    In Paddle this is `paddle.vision.models.resnet18`; likewise for the others.
    """
    return resnet(BasicBlock, 18, pretrained, **kwargs)


def resnet34(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNet of 34 layers, 21.8 million parameters; see `resnet18`."""
    return resnet(BasicBlock, 34, pretrained, **kwargs)


def resnet50(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNet of 50 layers, 25.6 million parameters; see `resnet18`."""
    return resnet(BottleneckBlock, 50, pretrained, **kwargs)


def resnet101(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNet of 101 layers, 44.5 million parameters; see `resnet18`."""
    return resnet(BottleneckBlock, 101, pretrained, **kwargs)


def resnet152(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNet of 152 layers, 60.2 million parameters; see `resnet18`."""
    return resnet(BottleneckBlock, 152, pretrained, **kwargs)


def resnext50_32x4d(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNeXt of 50 layers with 32 groups, 25.0 million parameters.

    From Xie, Girshick, Dollár, Tu and He, Aggregated Residual Transformations for Deep
    Neural Networks (2016). A group has 4 channels in the first stage; arguments as for
    `resnet18`.
    """
    kwargs |= {"groups": 32, "width": 4}
    return resnet(BottleneckBlock, 50, pretrained, **kwargs)


def resnext50_64x4d(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNeXt of 50 layers with 64 groups, 45.2 million parameters."""
    kwargs |= {"groups": 64, "width": 4}
    return resnet(BottleneckBlock, 50, pretrained, **kwargs)


def resnext101_32x4d(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNeXt of 101 layers with 32 groups, 44.2 million parameters."""
    kwargs |= {"groups": 32, "width": 4}
    return resnet(BottleneckBlock, 101, pretrained, **kwargs)


def resnext101_64x4d(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNeXt of 101 layers with 64 groups, 83.5 million parameters."""
    kwargs |= {"groups": 64, "width": 4}
    return resnet(BottleneckBlock, 101, pretrained, **kwargs)


def resnext152_32x4d(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNeXt of 152 layers with 32 groups, 60.0 million parameters."""
    kwargs |= {"groups": 32, "width": 4}
    return resnet(BottleneckBlock, 152, pretrained, **kwargs)


def resnext152_64x4d(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNeXt of 152 layers with 64 groups, 115.0 million parameters."""
    kwargs |= {"groups": 64, "width": 4}
    return resnet(BottleneckBlock, 152, pretrained, **kwargs)


def wide_resnet50_2(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNet of 50 layers, twice as wide inside, 68.9 million parameters.

    From Zagoruyko and Komodakis, Wide Residual Networks (2016); arguments as for
    `resnet18`.
    """
    return resnet(BottleneckBlock, 50, pretrained, **{**kwargs, "width": 128})


def wide_resnet101_2(pretrained: Any = False, **kwargs: Any) -> ResNet:
    """Create a ResNet of 101 layers, twice as wide inside, 126.9 million parameters."""
    return resnet(BottleneckBlock, 101, pretrained, **{**kwargs, "width": 128})
