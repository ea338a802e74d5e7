"""Networks that read words and other sequences."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from tests.onnx.networks.case import Case, Plain, numbers

__all__ = ["CASES"]


class Attention(nn.Module):
    """A block of a Transformer."""

    def __init__(self, activation: str = "gelu", first: bool = False) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(
            8, 2, 16, batch_first=True, activation=activation, norm_first=first
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x)


class Causal(nn.Module):
    """The same, that sees nothing of what is to come."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 6, batch_first=True)
        mask = nn.Transformer.generate_square_subsequent_mask(5)
        self.register_buffer("mask", mask)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x, src_mask=self.mask)


class Translator(nn.Module):
    """A block that looks at another sequence, too."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(4, 2, 6, batch_first=True)

    def forward(self, x: torch.Tensor, memory: torch.Tensor) -> torch.Tensor:
        return self.layer(x, memory)


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


class Both(nn.Module):
    """Two layers both ways, given a first state, with the last one."""

    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.layer = kind(3, 2, num_layers=2, bidirectional=True)

    def forward(self, x: torch.Tensor) -> Any:
        out, last = self.layer(x.transpose(0, 1))
        last = last if isinstance(last, tuple) else (last,)
        return out, *last


class Bag(nn.Module):
    """The mean of some words."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(9, 4, padding_idx=0)
        self.out = nn.Linear(4, 2)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        held = (ids != 0).unsqueeze(-1).float()
        total = (self.words(ids) * held).sum(1)
        return self.out(total / held.sum(1).clamp(min=1.0))


class Gated(nn.Module):
    """A feed-forward block of today's language models."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))
        self.up, self.gate = nn.Linear(4, 6, bias=False), nn.Linear(4, 6, bias=False)
        self.down = nn.Linear(6, 4, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rms = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        y = x * rms * self.scale
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


def attended(x: torch.Tensor) -> torch.Tensor:
    """Attention as one function."""
    heads = x.reshape(x.shape[0], x.shape[1], 2, 3).transpose(1, 2)
    q, k, v = heads, heads * 0.5, heads + 1
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def rotated(x: torch.Tensor) -> torch.Tensor:
    """Places as angles (RoPE)."""
    length, half = x.shape[1], x.shape[2] // 2
    angles = torch.arange(length)[:, None] / 10 ** torch.arange(half)
    low, high = x[..., :half], x[..., half:]
    turned = torch.cat([-high, low], -1)
    return x * angles.cos().repeat(1, 2) + turned * angles.sin().repeat(1, 2)


def ids(most: int, length: int) -> Any:
    """Numbers of words."""
    return lambda n: (torch.randint(0, most, (n, length)),)


def pairs(n: int) -> tuple[torch.Tensor, ...]:
    """A sequence, and another."""
    return torch.randn(n, 3, 4), torch.randn(n, 5, 4)


CASES = {
    "attention": Case(Attention, numbers(5, 8)),
    "attention_first": Case(lambda: Attention("relu", first=True), numbers(5, 8)),
    "causal": Case(Causal, numbers(5, 4)),
    "translator": Case(Translator, pairs, opset=0),
    "recurrent": Case(Recurrent, ids(11, 6)),
    "lstm": Case(lambda: Both(nn.LSTM), numbers(4, 3)),
    "gru": Case(lambda: Both(nn.GRU), numbers(4, 3)),
    "rnn": Case(lambda: Both(nn.RNN), numbers(4, 3)),
    "bag": Case(Bag, ids(9, 5)),
    "gated": Case(Gated, numbers(3, 4)),
    "attended": Case(lambda: Plain(attended), numbers(4, 6)),
    "rotated": Case(lambda: Plain(rotated), numbers(4, 4)),
}
