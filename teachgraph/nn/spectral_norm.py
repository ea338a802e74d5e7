"""Weights brought to spectral norm 1: no input is stretched by more than that."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from teachgraph.nn.functional import normalize
from teachgraph.nn.layer import Layer
from teachgraph.ops.functions.linalg import dot, mv
from teachgraph.ops.functions.manipulation import moveaxis, reshape, t
from teachgraph.ops.functions.search import constant
from teachgraph.ops.initializer import Normal
from teachgraph.param_attr import ParamAttr

__all__ = ["SpectralNorm"]


class SpectralNorm(Layer):
    """A weight over its largest singular value, which power iteration finds.

    From a random u, v <- W' u / |W' u| and u <- W v / |W v| come near the first
    singular vectors; the value is then u' W v. Gradients take both for constants, and
    each call starts from the same u, as in Paddle 2.6.

    Args:
        weight_shape: Of the weight that is given to `forward`.
        dim: Which of its dimensions counts the rows of the matrix W.
        power_iters: How often to iterate.
        eps: What keeps the divisions finite.
        dtype: Of the weight.

    Source: Miyato et al. 2018, https://arxiv.org/abs/1802.05957. In Paddle this is
    `paddle.nn.SpectralNorm`.

    >>> import teachgraph as tg
    >>> norm = SpectralNorm([2, 2], power_iters=50)
    >>> norm(tg.to_tensor([[4.0, 0.0], [0.0, 2.0]])).round().tolist()[0]
    [1.0, 0.0]
    """

    def __init__(
        self,
        weight_shape: Sequence[int],
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(dtype=dtype)
        self.dim, self.power_iters, self.epsilon = dim, power_iters, eps
        rows = weight_shape[dim]
        columns = prod(weight_shape) // rows
        still, start = ParamAttr(trainable=False), Normal(0.0, 1.0)
        self.weight_u = self.create_parameter([rows], still, None, False, start)
        self.weight_v = self.create_parameter([columns], still, None, False, start)

    def forward(self, x: Any) -> Any:
        """The weight `x` over its largest singular value."""
        matrix = reshape(moveaxis(x, self.dim, 0), [x.shape[self.dim], -1])
        u, v = self.weight_u, self.weight_v
        for _ in range(self.power_iters):
            v = self.unit(mv(t(matrix), u))
            u = self.unit(mv(matrix, v))
        return x / dot(constant(u), mv(matrix, constant(v)))

    def unit(self, vector: Any) -> Any:
        """A vector of the same direction and length 1."""
        return normalize(vector, axis=0, epsilon=self.epsilon)
