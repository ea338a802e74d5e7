"""Paddle 1.x's `fluid.embedding` and `fluid.one_hot`, which add a dimension."""

from __future__ import annotations

from teachgraph.fluid.aliases import alias
from teachgraph.nn import functional
from teachgraph.nn.parametric import embedding

__all__ = ["embedding", "one_hot"]

one_hot = alias(
    functional.one_hot,
    "input, depth, allow_out_of_range=False",
    depth="num_classes",
    allow_out_of_range="",
)
