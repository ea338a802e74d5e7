"""Spectral normalisation: a weight divided by its largest singular value."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from teachgraph.nn.layer import Layer
from teachgraph.ops.initializer import Normal
from teachgraph.ops.param_attr import ParamAttr
from teachgraph.ops.spectral_norm import spectral_norm

__all__ = ["SpectralNorm"]


class SpectralNorm(Layer):
    """Divide a weight by its largest singular value, from power iteration.

    Each call starts from the same random vectors, as in Paddle 2.6.

    Args:
        weight_shape: The shape of the weight passed to `forward`.
        dim: The dimension of the rows of the matrix.
        power_iters: The number of iterations.
        eps: Keeps the divisions finite.
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
        self.attrs = {"dim": dim, "power_iters": power_iters, "eps": eps}
        rows = weight_shape[dim]
        columns = prod(weight_shape) // rows
        still, start = ParamAttr(trainable=False), Normal(0.0, 1.0)
        self.weight_u = self.create_parameter([rows], still, None, False, start)
        self.weight_v = self.create_parameter([columns], still, None, False, start)

    def forward(self, x: Any) -> Any:
        """Divide the weight `x` by its largest singular value."""
        return spectral_norm(x, self.weight_u, self.weight_v, **self.attrs)
