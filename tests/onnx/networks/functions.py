"""Functions of tensors, some of each family."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from tests.onnx.networks.case import Case, Plain, numbers

__all__ = ["CASES"]


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


class Activations(nn.Module):
    """Nonlinearities with parameters of their own, and without."""

    def __init__(self) -> None:
        super().__init__()
        self.prelu = nn.PReLU(3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.prelu(x) + F.gelu(x) + F.gelu(x, approximate="tanh")
        x = x / 2 + F.hardswish(x) + F.mish(x) + F.silu(x) + F.elu(x) + F.selu(x)
        x = x / 4 + F.celu(x, 1.5) + F.softplus(x) + F.hardtanh(x) + F.logsigmoid(x)
        x = x / 4 + F.tanhshrink(x) + F.softshrink(x) + F.hardshrink(x) + F.softsign(x)
        x = x / 4 + F.relu6(x) + F.hardsigmoid(x) + F.threshold(x, 0.0, 0.0)
        return F.glu(x, -1) + F.softmin(x, -1)[..., :2]


def summed(x: torch.Tensor) -> torch.Tensor:
    """Products in Einstein's notation."""
    scores = torch.einsum("bij,bkj->bik", x, x)
    return (
        torch.einsum("bik,bkj->bij", scores, x)
        + torch.einsum("bij->b", x)[:, None, None]
    )


def ordered(x: torch.Tensor) -> Any:
    """The largest, and all of them in order."""
    most, where = torch.topk(x, 2, dim=-1)
    least = torch.topk(x, 1, dim=1, largest=False).values
    rows = torch.sort(x, dim=-1, descending=True).values
    return most, where, least, rows, torch.argsort(x, dim=1), x.argmax(-1)


def picked(x: torch.Tensor) -> torch.Tensor:
    """Elements by number, and put back by number."""
    index = x[..., :2].argsort(dim=1)
    y = torch.gather(x, 1, index)
    z = torch.zeros_like(x).scatter(1, index, y)
    z = z.scatter_add(2, torch.zeros_like(index), y)
    return z + x.index_select(2, torch.tensor([2, 0, 1, 1])) + x[:, [2, 1, 0]]


def put(x: torch.Tensor) -> torch.Tensor:
    """Parts assigned."""
    y = x.clone()
    y[:, 1] = 0.5
    y[:, :, 1:3] = y[:, :, 0:2] * 2
    y[:, 0, 3] += 1
    return y


def masked(x: torch.Tensor) -> torch.Tensor:
    """Where it holds this, else that; sums so far."""
    y = torch.where(x > 0, x, x * 2).masked_fill(x < -1, -9.0)
    return torch.cumsum(y, dim=1).clamp(-3, 3) + torch.tril(x) + torch.triu(x, 1)


def parts(x: torch.Tensor) -> torch.Tensor:
    """Cut up and put together again."""
    first, second = torch.split(x, [1, 3], dim=-1)
    low, high = x.chunk(2, dim=-1)
    rows = torch.stack(x.unbind(1), dim=-1)
    windows = x.unfold(2, 2, 1).sum(-1)
    return torch.cat([first, second, low + high, rows.transpose(1, 2), windows], -1)


def reduced(x: torch.Tensor) -> torch.Tensor:
    """Many numbers made one."""
    found = [x.mean((1, 2)), x.var((1, 2)), x.std((1, 2), unbiased=False)]
    found += [x.norm(dim=(1, 2)), torch.logsumexp(x, (1, 2)), x.amax((1, 2))]
    found += [x.prod(1).prod(1), x.abs().sum((1, 2)), x.min(1).values.min(1).values]
    found += [(x > 0).any(1).any(1).float(), (x > 0).sum((1, 2)).float()]
    return torch.stack(found, 1)


def calculated(x: torch.Tensor) -> torch.Tensor:
    """Arithmetic."""
    y = torch.remainder(x * 5, 3) + torch.fmod(x * 5, 3)
    y = y + x.round() + x.sign() + x.abs().sqrt() + x.exp()
    y = y + (x.abs() + 1).log2() + x.pow(3) + torch.erf(x) + torch.atan(x)
    y = y + torch.maximum(x, y) + torch.minimum(x, x.square()) + torch.rsub(x, 2)
    return torch.nan_to_num(y / (x - x.detach()), posinf=1.0, neginf=-1.0) + x.lerp(
        y, 0.3
    )


def indexed(x: torch.Tensor) -> torch.Tensor:
    """Slices, and the dimensions in other orders."""
    y = x[:, ::2, -1] + x[:, 1:, 0]
    y = y.unsqueeze(1).expand(-1, 3, -1).repeat(1, 1, 2)
    y = (
        y
        + x.flip(1).roll(1, 2)
        + x[..., None].transpose(1, 3).squeeze(1).transpose(1, 2)
    )
    return y.permute(0, 2, 1).contiguous().view(x.shape[0], -1)


def counted(x: torch.Tensor) -> torch.Tensor:
    """Numbers that follow from the shape."""
    rows, columns = x.shape[1], x.shape[2]
    grid = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
    places = (grid[0] * columns + grid[1]).to(x.dtype)
    ones = torch.full((x.shape[0], rows, columns), 0.5) + torch.eye(rows, columns)
    return x * places + ones + torch.linspace(0, 1, columns)


def distances(x: torch.Tensor) -> torch.Tensor:
    """How far rows lie apart."""
    gaps = x[:, :, None] - x[:, None]
    near = gaps.norm(dim=-1) + gaps.square().sum(-1)
    return near + F.cosine_similarity(x[:, :, None], x[:, None], dim=-1)


CASES = {
    "shapes": Case(Shapes, numbers(4, 6)),
    "activations": Case(Activations, numbers(3, 4)),
    "summed": Case(lambda: Plain(summed), numbers(3, 4)),
    "ordered": Case(lambda: Plain(ordered), numbers(3, 4)),
    "picked": Case(lambda: Plain(picked), numbers(3, 4), opset=16),
    "put": Case(lambda: Plain(put), numbers(3, 4)),
    "masked": Case(lambda: Plain(masked), numbers(3, 4)),
    "parts": Case(lambda: Plain(parts), numbers(3, 4)),
    "reduced": Case(lambda: Plain(reduced), numbers(3, 4)),
    "calculated": Case(lambda: Plain(calculated), numbers(3, 4)),
    "indexed": Case(lambda: Plain(indexed), numbers(3, 4)),
    "counted": Case(lambda: Plain(counted), numbers(3, 4)),
    "distances": Case(lambda: Plain(distances), numbers(3, 4)),
}
