"""VGG: small convolutions, one after the other, and nothing else.

Two 3x3 convolutions see as much of the image as one 5x5, with 18 weights for each pair
of channels in place of 25, and a ReLU between them.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    MaxPool2D,
    ReLU,
    Sequential,
)
from teachgraph.ops import functions

__all__ = ["VGG", "vgg11", "vgg13", "vgg16", "vgg19"]

CHANNELS = [64, 128, 256, 512, 512]
"""Of the convolutions of each stage."""

STAGES = {
    11: [1, 1, 2, 2, 2],
    13: [2, 2, 2, 2, 2],
    16: [2, 2, 3, 3, 3],
    19: [2, 2, 4, 4, 4],
}
"""The number of convolutions of the five stages, by depth."""


def stages(counts: Sequence[int], batch_norm: bool) -> Sequential:
    """Build the convolutions; each stage ends in a pooling that halves the image."""
    plan: list[int | str] = []
    for channels, count in zip(CHANNELS, counts, strict=True):
        plan += [*[channels] * count, "M"]
    return make_layers(plan, batch_norm)


def make_layers(cfg: Sequence[int | str], batch_norm: bool = False) -> Sequential:
    """Build convolutions and poolings from a plan.

    Args:
        cfg: For each convolution its channels; "M" for a pooling.
        batch_norm: Normalise after each convolution.

    In Paddle this is `paddle.vision.models.vgg.make_layers`.

    >>> import teachgraph as tg
    >>> make_layers([8, "M", 16])(tg.zeros([1, 3, 4, 4])).shape
    [1, 16, 2, 2]
    """
    layers: list[Layer] = []
    ins = 3
    for outs in cfg:
        if isinstance(outs, str):
            layers.append(MaxPool2D(2, stride=2))
            continue
        layers.append(Conv2D(ins, outs, 3, padding=1))
        layers += [BatchNorm2D(outs)] if batch_norm else []
        layers.append(ReLU())
        ins = outs
    return Sequential(*layers)


class VGG(Layer):
    """VGG: convolutions, an average over 7x7 parts of the image, three linear layers.

    From Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale Image
    Recognition (2014).

    Args:
        features: The convolutions, from [N, 3, H, W] to [N, 512, h, w].
        num_classes: The number of classes; 0 or less leaves out the head.
        with_pool: Average to 7x7 before the head.

    In Paddle this is `paddle.vision.models.VGG`.

    >>> import teachgraph as tg
    >>> net = VGG(stages([1, 1, 1, 1, 1], batch_norm=False), num_classes=0)
    >>> net(tg.zeros([1, 3, 32, 32])).shape
    [1, 512, 7, 7]
    """

    def __init__(
        self, features: Layer, num_classes: int = 1000, with_pool: bool = True
    ) -> None:
        super().__init__()
        self.features = features
        self.num_classes, self.with_pool = num_classes, with_pool
        if with_pool:
            self.avgpool = AdaptiveAvgPool2D((7, 7))
        if num_classes > 0:
            self.classifier = Sequential(
                *(Linear(512 * 7 * 7, 4096), ReLU(), Dropout()),
                *(Linear(4096, 4096), ReLU(), Dropout()),
                Linear(4096, num_classes),
            )

    def forward(self, x: Any) -> Any:
        """Compute logits [N, num_classes] of images [N, 3, H, W]."""
        x = self.features(x)
        if self.with_pool:
            x = self.avgpool(x)
        return self.classifier(functions.flatten(x, 1)) if self.num_classes > 0 else x


def vgg(depth: int, pretrained: Any, batch_norm: bool, **kwargs: Any) -> VGG:
    """Create a VGG, with torchvision's weights from a file if one is given."""
    net = VGG(stages(STAGES[depth], batch_norm), **kwargs)
    loaded: VGG = from_file(net, pretrained, TORCHVISION, COUNTERS)
    return loaded


def vgg11(pretrained: Any = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """Create a VGG of 11 layers, 132.9 million parameters.

    Args:
        pretrained: A safetensors file with torchvision's names.
        batch_norm: Normalise after each convolution.
        kwargs: For `VGG`.

    In Paddle this is `paddle.vision.models.vgg11`; likewise for the others.
    """
    return vgg(11, pretrained, batch_norm, **kwargs)


def vgg13(pretrained: Any = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """Create a VGG of 13 layers, 133.0 million parameters; see `vgg11`."""
    return vgg(13, pretrained, batch_norm, **kwargs)


def vgg16(pretrained: Any = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """Create a VGG of 16 layers, 138.4 million parameters; see `vgg11`."""
    return vgg(16, pretrained, batch_norm, **kwargs)


def vgg19(pretrained: Any = False, batch_norm: bool = False, **kwargs: Any) -> VGG:
    """Create a VGG of 19 layers, 143.7 million parameters; see `vgg11`."""
    return vgg(19, pretrained, batch_norm, **kwargs)
