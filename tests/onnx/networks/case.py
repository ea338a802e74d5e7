"""A network of PyTorch that is exported, and what it is fed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn

__all__ = ["Case", "Plain", "numbers"]


class Case(NamedTuple):
    """How to build a network, and inputs of a batch of n for it.

    Attributes:
        build: Makes it.
        inputs: Makes inputs for a batch size.
        opset: The version that the older exporter writes; 0 if it does not know it.
        scripted: Whether the older exporter is given the source, not a trace.
        dynamo: Whether the newer exporter knows it.
    """

    build: Callable[[], nn.Module]
    inputs: Callable[[int], tuple[torch.Tensor, ...]]
    opset: int = 14
    scripted: bool = False
    dynamo: bool = True


class Plain(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.function(*inputs)


def numbers(*sizes: int) -> Callable[[int], tuple[torch.Tensor, ...]]:
    """Normal numbers of these sizes for each sample."""
    return lambda n: (torch.randn(n, *sizes),)
