"""Layers that multiply by a matrix."""

from __future__ import annotations

from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.layer import Layer

__all__ = [
    "Linear",
]


class Linear(Layer):
    """out = x W + b.

    Args:
        in_features: How many numbers go in.
        out_features: How many come out.
        weight_attr: About W [in, out], which starts Xavier-uniform.
        bias_attr: About b [out], which starts at 0; False for none.
        name: Instead of `linear_N`.

    In Paddle this is `paddle.nn.Linear`.

    >>> import teachgraph as tg
    >>> layer = Linear(3, 2)
    >>> layer(tg.to_tensor([[1.0, 2.0, 3.0]])).shape
    [1, 2]
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, x: Any) -> Any:
        """x W + b."""
        return functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        ins, outs = self.weight.shape
        return f"in_features={ins}, out_features={outs}, dtype={self._dtype}"
