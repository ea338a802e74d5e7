"""Networks that look at images, and layers they are made of."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F

from tests.onnx.networks.case import Case, Plain, numbers

__all__ = ["CASES"]


def convolutional() -> nn.Module:
    """Convolutions, plain, depthwise and transposed."""
    net = nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU6(),
        nn.Conv2d(4, 4, 3, stride=2, padding=1, groups=4),
        nn.Hardswish(),
        nn.MaxPool2d(2),
        nn.ConvTranspose2d(4, 3, 2, stride=2),
        nn.GroupNorm(3, 3),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(3, 2),
        nn.LogSoftmax(dim=-1),
    )
    return used(net, 2, 8, 8)


def used(net: nn.Module, *sizes: int) -> nn.Module:
    """A network whose moments have seen something."""
    for _ in range(3):
        net(torch.randn(4, *sizes))
    return net


def convnet() -> nn.Module:
    """What everybody builds first."""
    net = nn.Sequential(
        nn.Conv2d(1, 3, 3),
        nn.BatchNorm2d(3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Dropout(0.5),
        nn.Conv2d(3, 4, 2),
        nn.ReLU(),
        nn.AvgPool2d(2, ceil_mode=True),
        nn.Flatten(),
        nn.Linear(16, 3),
        nn.Softmax(dim=1),
    )
    return used(net, 1, 10, 10)


class Residual(nn.Module):
    """A block of ResNet that halves the image."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(2, 4, 3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 4, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(4)
        self.short = nn.Sequential(
            nn.Conv2d(2, 4, 1, stride=2, bias=False), nn.BatchNorm2d(4)
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(y)) + self.short(x))


class Squeeze(nn.Module):
    """Channels weighed by what they say on the whole (MobileNetV3)."""

    def __init__(self) -> None:
        super().__init__()
        self.deep = nn.Conv2d(4, 4, 3, padding="same", groups=4)
        self.gate = nn.Sequential(
            nn.AdaptiveAvgPool2d(1),
            nn.Conv2d(4, 2, 1),
            nn.ReLU(),
            nn.Conv2d(2, 4, 1),
            nn.Hardsigmoid(),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = F.hardswish(self.deep(x))
        return x * self.gate(x)


def volumes() -> nn.Module:
    """Three dimensions."""
    net = nn.Sequential(
        nn.Conv3d(1, 3, 3, padding=1),
        nn.BatchNorm3d(3),
        nn.LeakyReLU(),
        nn.MaxPool3d(2),
        nn.ConvTranspose3d(3, 2, 2, stride=2),
        nn.AvgPool3d(2),
    )
    return used(net, 1, 4, 4, 4)


def signals() -> nn.Module:
    """One."""
    return nn.Sequential(
        nn.Conv1d(2, 4, 3, padding=2, dilation=2),
        nn.InstanceNorm1d(4, affine=True),
        nn.ELU(),
        nn.MaxPool1d(2),
        nn.ConvTranspose1d(4, 3, 3, stride=2, output_padding=1),
        nn.AvgPool1d(3, stride=2, padding=1),
    )


class Norms(nn.Module):
    """Four ways to normalise."""

    def __init__(self) -> None:
        super().__init__()
        self.group = nn.GroupNorm(2, 4)
        self.instance = nn.InstanceNorm2d(4, affine=True)
        self.layer = nn.LayerNorm([3, 5])
        self.local = nn.LocalResponseNorm(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.layer(self.instance(self.group(x)))
        return F.normalize(self.local(x), dim=1)


def resized(x: torch.Tensor) -> torch.Tensor:
    """Three ways to make an image larger or smaller."""
    y = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
    y = F.interpolate(y, size=(7, 5), mode="bilinear", align_corners=True)
    return F.interpolate(y, scale_factor=1.6, mode="nearest")


def adaptive(x: torch.Tensor) -> torch.Tensor:
    """Windows that share an image out."""
    return F.adaptive_avg_pool2d(x, 3) + F.adaptive_max_pool2d(x, 3)


def sampled(x: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
    """Pixels taken where a grid says."""
    y = F.grid_sample(x, grid, align_corners=False)
    z = F.grid_sample(x, grid, padding_mode="border", align_corners=True)
    near = F.grid_sample(x, grid, mode="nearest", align_corners=False)
    return y + z + near


class Images(nn.Module):
    """Resizing, one-hot rows and padding."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        y = F.pad(
            F.interpolate(y, size=(5, 7), mode="nearest"), (1, 1, 2, 0), mode="reflect"
        )
        hot = F.one_hot(y.argmax(1), 3).permute(0, 3, 1, 2).float()
        return y * hot


def padded(x: torch.Tensor) -> torch.Tensor:
    """Borders of every kind."""
    x = F.pad(x, (1, 2), value=0.5)
    x = F.pad(x, (2, 0, 0, 1), mode="reflect")
    x = F.pad(x, (0, 1, 1, 0), mode="replicate")
    return F.pad(x, (1, 1, 1, 1), mode="circular")


def shuffled(x: torch.Tensor) -> torch.Tensor:
    """Channels become pixels and pixels channels."""
    x = F.pixel_unshuffle(F.pixel_shuffle(x, 2), 2)
    batch, channels, height, width = x.shape
    mixed = x.reshape(batch, 2, channels // 2, height, width).transpose(1, 2)
    return mixed.reshape(batch, channels, height, width)


class Patches(nn.Module):
    """The first layer of a Vision Transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.cut = nn.Conv2d(3, 4, 4, stride=4)
        self.start = nn.Parameter(torch.randn(1, 1, 4))
        self.places = nn.Parameter(torch.randn(1, 5, 4))
        self.norm = nn.LayerNorm(4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = self.cut(x).flatten(2).transpose(1, 2)
        rows = torch.cat([self.start.expand(rows.shape[0], -1, -1), rows], 1)
        return self.norm(rows + self.places)[:, 0]


class Decoder(nn.Module):
    """Up again, with what came before at its side (U-Net)."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.Conv2d(2, 4, 3, stride=2, padding=1)
        self.up = nn.ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1)
        self.last = nn.Conv2d(4, 1, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.silu(self.up(F.relu(self.down(x))))
        return torch.sigmoid(self.last(torch.cat([x, y], 1)))


def grids(n: int) -> tuple[torch.Tensor, ...]:
    """Images, and where to look in each."""
    return torch.randn(n, 2, 4, 5), torch.rand(n, 3, 3, 2) * 2.4 - 1.2


CASES = {
    "convolutional": Case(convolutional, numbers(2, 8, 8)),
    "convnet": Case(convnet, numbers(1, 10, 10)),
    "residual": Case(lambda: used(Residual(), 2, 6, 6), numbers(2, 6, 6)),
    "squeeze": Case(Squeeze, numbers(4, 5, 5)),
    "volumes": Case(volumes, numbers(1, 4, 4, 4)),
    "signals": Case(signals, numbers(2, 9)),
    "norms": Case(Norms, numbers(4, 3, 5)),
    "resized": Case(lambda: Plain(resized), numbers(2, 4, 3)),
    "cubic": Case(
        lambda: Plain(
            lambda x: F.interpolate(x, size=(7, 6), mode="bicubic", align_corners=False)
        ),
        numbers(1, 4, 4),
    ),
    "adaptive": Case(lambda: Plain(adaptive), numbers(2, 6, 6)),
    "sampled": Case(lambda: Plain(sampled), grids, opset=16),
    "images": Case(Images, numbers(3, 4, 4)),
    "padded": Case(lambda: Plain(padded), numbers(2, 4, 4)),
    "shuffled": Case(lambda: Plain(shuffled), numbers(4, 2, 3)),
    "patches": Case(Patches, numbers(3, 8, 8)),
    "decoder": Case(Decoder, numbers(2, 6, 6)),
}
