"""Linear and bilinear layers."""

from __future__ import annotations

from typing import Any

from teachgraph.core import ops
from teachgraph.nn import functional
from teachgraph.nn.layer import Layer
from teachgraph.ops.matmul import matmul_v2
from teachgraph.static.variable import Variable

__all__ = ["Bilinear", "Linear"]


class Linear(Layer):
    """Linear layer, out = x W + b.

    Args:
        in_features: The number of input features.
        out_features: The number of output features.
        weight_attr: ParamAttr of W [in, out], which starts Xavier-uniform.
        bias_attr: ParamAttr of b [out], which starts at 0; False for none.
        name: What a Program calls the results; parameters are `linear_N.w_0` and so on.

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
        super().__init__()
        self.name = name
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Compute x W + b."""
        if isinstance(input, Variable):  # named after the layer, in a Program
            return functional.linear(input, self.weight, self.bias, self.name)
        out = matmul_v2(input, self.weight)
        return out if self.bias is None else ops.elementwise_add(out, self.bias)

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        ins, outs = self.weight.shape
        name = f", name={self.name}" if self.name else ""
        return f"in_features={ins}, out_features={outs}, dtype={self._dtype}{name}"


class Bilinear(Layer):
    """Bilinear layer, out[n, k] = x1[n]' W[k] x2[n] + b[k].

    Args:
        in1_features: A, the width of x1.
        in2_features: B, the width of x2.
        out_features: K.
        weight_attr: ParamAttr of W [K, A, B], which starts Xavier-uniform.
        bias_attr: ParamAttr of b [1, K], which starts at 0; False for none.
        name: Accepted for Paddle's sake; parameters are named after `bilinear_N`.

    In Paddle this is `paddle.nn.Bilinear`.
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        size = [out_features, in1_features, in2_features]
        self.weight = self.create_parameter(size, weight_attr)
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1: Any, x2: Any) -> Any:
        """Apply the function `bilinear`."""
        return functional.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        outs, first, second = self.weight.shape
        sizes = f"in1_features={first}, in2_features={second}, out_features={outs}"
        return f"{sizes}, dtype={self._dtype}"
