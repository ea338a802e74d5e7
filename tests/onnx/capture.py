"""Ask PyTorch: small models as it exports them, and what it computes with them.

Run with PyTorch's Python, where `onnx` and `onnxscript` are installed besides:
`python -m tests.onnx.capture`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

FILES = Path(__file__).parent / "files"


class Attention(nn.Module):
    """A block of a Transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            8, 2, 16, batch_first=True, activation="gelu"
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


class Recurrent(nn.Module):
    """An LSTM, a GRU and a plain layer, one after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 4)
        self.lstm = nn.LSTM(4, 3, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(6, 3, batch_first=True)
        self.rnn = nn.RNN(3, 2, batch_first=True)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x, _ = self.lstm(self.words(ids))
        x, _ = self.gru(x)
        x, _ = self.rnn(x)
        return x[:, -1]


class Shapes(nn.Module):
    """Shapes that follow from the input's."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, length, size = x.shape
        heads = x.reshape(batch, length, 2, size // 2).transpose(1, 2)
        mask = torch.tril(torch.ones(length, length, dtype=torch.bool))
        scores = heads @ heads.transpose(-1, -2)
        scores = scores.masked_fill(~mask, -1e9).softmax(-1)
        best = torch.topk(scores, 1, dim=-1).values.expand(-1, -1, -1, 3)
        return torch.cat(
            [best.flatten(1), x.mean(dim=(1, 2), keepdim=False)[:, None]], 1
        )


class Images(nn.Module):
    """Resizing, one-hot rows and padding."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        y = F.pad(
            F.interpolate(y, size=(5, 7), mode="nearest"), (1, 1, 2, 0), mode="reflect"
        )
        hot = F.one_hot(y.argmax(1), 3).permute(0, 3, 1, 2).float()
        return y * hot


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
    for _ in range(3):
        net(torch.randn(4, 2, 8, 8))
    return net


MODELS: dict[str, tuple[Callable[[], nn.Module], Any]] = {
    "convolutional": (convolutional, lambda n: torch.randn(n, 2, 8, 8)),
    "attention": (Attention, lambda n: torch.randn(n, 5, 8)),
    "recurrent": (Recurrent, lambda n: torch.randint(0, 11, (n, 6))),
    "shapes": (Shapes, lambda n: torch.randn(n, 4, 6)),
    "images": (Images, lambda n: torch.randn(n, 3, 4, 4)),
}


def main() -> None:
    """Write every model twice, by the old exporter and the new, with its answers."""
    for name, (build, inputs) in MODELS.items():
        torch.manual_seed(7)
        model, x, other = build().eval(), inputs(2), inputs(3)
        with torch.no_grad():
            answers = {"x2": x, "y2": model(x), "x3": other, "y3": model(other)}
        np.savez(FILES / f"{name}.npz", **{k: v.numpy() for k, v in answers.items()})
        old = {"input_names": ["x"], "dynamic_axes": {"x": {0: "batch"}}}
        torch.onnx.export(
            model,
            (x,),
            FILES / f"{name}.14.onnx",
            dynamo=False,
            opset_version=14,
            **old,
        )
        batch = torch.export.Dim("batch", min=1, max=1024)
        new = {"input_names": ["x"], "dynamic_shapes": ({0: batch},)}
        torch.onnx.export(
            model,
            (x,),
            FILES / f"{name}.18.onnx",
            dynamo=True,
            opset_version=18,
            external_data=False,
            **new,
        )


if __name__ == "__main__":
    main()
