"""Paddle 1.x's rarer layers: 3-D convolutions, norms, bilinear product, GRU step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph import nn
from teachgraph.core.errors import InvalidValueError
from teachgraph.fluid.dygraph.activated import Activated, Convolution
from teachgraph.fluid.rnn_units import gru_step
from teachgraph.nn.functional.conv import Numbers, Padding
from teachgraph.ops.activation import activated

__all__ = [
    "BilinearTensorProduct",
    "Conv3D",
    "Conv3DTranspose",
    "GRUUnit",
    "InstanceNorm",
    "SpectralNorm",
]


class Conv3D(Convolution, nn.Conv3D):
    """A convolution over volumes: act(filter * x + b).

    In Paddle this is `fluid.dygraph.Conv3D`.
    """


class Conv3DTranspose(Activated, nn.Conv3DTranspose):  # type: ignore[misc]
    """A transposed convolution over volumes.

    In Paddle this is `fluid.dygraph.Conv3DTranspose`.
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Numbers,
        padding: Padding = 0,
        stride: Numbers = 1,
        dilation: Numbers = 1,
        groups: int | None = None,
        param_attr: Any = None,
        bias_attr: Any = None,
        use_cudnn: bool = True,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(
            num_channels,
            num_filters,
            filter_size,
            stride,
            padding,
            dilation=dilation,
            groups=groups or 1,
            weight_attr=param_attr,
            bias_attr=bias_attr,
        )
        self._act = act


class InstanceNorm(nn.Layer):
    """Normalisation of each channel of each image: `fluid.dygraph.InstanceNorm`."""

    def __init__(
        self,
        num_channels: int,
        epsilon: float = 1e-5,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__("instance_norm", dtype)
        if (param_attr is False) != (bias_attr is False):
            raise InvalidValueError.here(
                "param_attr and bias_attr are False together, or neither"
            )
        self._epsilon = epsilon
        one = nn.initializer.Constant(1.0)
        self.scale = self.create_parameter(
            [num_channels], param_attr, default_initializer=one
        )
        self.bias = self.create_parameter([num_channels], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Call the function `instance_norm`."""
        return nn.functional.instance_norm(
            input, weight=self.scale, bias=self.bias, eps=self._epsilon
        )


class SpectralNorm(nn.SpectralNorm):
    """A weight over its largest singular value: `fluid.dygraph.SpectralNorm`."""

    def __init__(
        self,
        weight_shape: Sequence[int],
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(weight_shape, dim, power_iters, eps)

    def forward(self, weight: Any) -> Any:
        """Divide the weight by its largest singular value."""
        return super().forward(weight)


class BilinearTensorProduct(nn.Bilinear):
    """act(x W_i y + b_i) for each i: `fluid.dygraph.BilinearTensorProduct`."""

    def __init__(
        self,
        input1_dim: int,
        input2_dim: int,
        output_dim: int,
        name: str | None = None,
        act: str | None = None,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(input1_dim, input2_dim, output_dim, param_attr, bias_attr)
        self._act = act

    def forward(self, x: Any, y: Any) -> Any:
        """Compute [N, output_dim] from [N, input1_dim] and [N, input2_dim]."""
        return activated(super().forward(x, y), self._act)


class GRUUnit(nn.Layer):
    """One step of a GRU, on a projected input.

    Args:
        size: 3 times the size of the hidden state.
        param_attr: About the weight, [hidden, 3 hidden].
        bias_attr: About the bias; False for none.
        activation: Of the candidate.
        gate_activation: Of the two gates.
        origin_mode: Let the update gate say how much of the old state stays.
        dtype: Of the parameters.

    In Paddle this is `fluid.dygraph.GRUUnit`.
    """

    def __init__(
        self,
        size: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        activation: str = "tanh",
        gate_activation: str = "sigmoid",
        origin_mode: bool = False,
        dtype: Any = "float32",
    ) -> None:
        super().__init__("gru_unit", dtype)
        self._how = activation, gate_activation, origin_mode
        self.weight = self.create_parameter([size // 3, size], param_attr)
        self.bias = self.create_parameter([1, size], bias_attr, is_bias=True)

    def forward(self, input: Any, hidden: Any) -> tuple[Any, Any, Any]:
        """Compute the new state, the reset state, and the gates.

        Args:
            input: [N, 3 hidden].
            hidden: [N, hidden].
        """
        return gru_step(input, hidden, self.weight, self.bias, *self._how)
