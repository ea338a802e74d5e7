"""Convolutions beside the matrix product each is made of, and beside PyTorch's.

The shapes are those of ResNet50, MobileNetV2 and LeNet. `by_hand` is the product alone,
of matrices that are already columns; what a convolution takes beyond it is copying. Its
bar is one and a half times the product. Rounds are many and the fastest one counts:
threads of the product wait for each other where the machine has other work.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pytest

import teachgraph.nn.functional as F

Run = Callable[[], Any]


class Case(NamedTuple):
    """The sizes of a convolution."""

    name: str
    batch: int
    channels: int
    size: int
    filters: int
    window: int
    stride: int = 1
    padding: int = 0
    groups: int = 1


CASES = [
    Case("7x7 stride 2 on 224", 1, 3, 224, 64, 7, 2, 3),
    Case("1x1 64 to 256 on 56", 1, 64, 56, 256, 1),
    Case("1x1 stride 2 256 to 512 on 56", 1, 256, 56, 512, 1, 2),
    Case("1x1 2048 to 512 on 7", 1, 2048, 7, 512, 1),
    Case("3x3 64 on 56", 1, 64, 56, 64, 3, 1, 1),
    Case("3x3 128 on 28", 1, 128, 28, 128, 3, 1, 1),
    Case("3x3 stride 2 128 on 56", 1, 128, 56, 128, 3, 2, 1),
    Case("3x3 256 on 14", 1, 256, 14, 256, 3, 1, 1),
    Case("3x3 512 on 7", 1, 512, 7, 512, 3, 1, 1),
    Case("3x3 64 on 28 batch 16", 16, 64, 28, 64, 3, 1, 1),
    Case("3x3 128 on 7 batch 64", 64, 128, 7, 128, 3, 1, 1),
    Case("LeNet 3x3 1 to 6 on 28 batch 64", 64, 1, 28, 6, 3, 1, 1),
    Case("LeNet 5x5 6 to 16 on 14 batch 64", 64, 6, 14, 16, 5),
    Case("depthwise 3x3 32 on 112", 1, 32, 112, 32, 3, 1, 1, 32),
    Case("depthwise 3x3 stride 2 96 on 112", 1, 96, 112, 96, 3, 2, 1, 96),
    Case("depthwise 3x3 144 on 56", 1, 144, 56, 144, 3, 1, 1, 144),
    Case("depthwise 3x3 960 on 7", 1, 960, 7, 960, 3, 1, 1, 960),
]


def inputs(case: Case) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    image = (case.batch, case.channels, case.size, case.size)
    filters = (case.filters, case.channels // case.groups, case.window, case.window)
    return tuple(rng.random(shape, dtype=np.float32) for shape in (image, filters))


def ours(case: Case) -> Run:
    x, w = inputs(case)
    how = {"stride": case.stride, "padding": case.padding, "groups": case.groups}
    return lambda: F.conv2d(x, w, **how)


def by_hand(case: Case) -> Run:
    """The product alone, of a filter and columns of the same sizes."""
    _, w = inputs(case)
    count = (case.size + 2 * case.padding - case.window) // case.stride + 1
    rows = w.reshape(case.groups, case.filters // case.groups, prod(w.shape[1:]))
    shape = (case.batch, case.groups, rows.shape[2], count * count)
    columns = np.random.default_rng(1).random(shape, dtype=np.float32)
    return lambda: np.matmul(rows, columns)


def torch(case: Case) -> Run:
    torch = pytest.importorskip("torch", exc_type=ImportError)
    torch.set_num_threads(2)
    x, w = map(torch.from_numpy, inputs(case))
    how = {"stride": case.stride, "padding": case.padding, "groups": case.groups}

    def run() -> Any:
        with torch.no_grad():
            return torch.nn.functional.conv2d(x, w, **how)

    return run


CONTENDERS = [by_hand, ours, torch]


@pytest.mark.parametrize("contender", CONTENDERS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_convolution(benchmark: Any, case: Case, contender: Callable[..., Run]) -> None:
    benchmark.group = case.name
    benchmark.name = contender.__name__
    run = contender(case)
    found = np.asarray(benchmark.pedantic(run, rounds=100, warmup_rounds=3))
    assert found.size == np.asarray(ours(case)()).size
