"""Layer, RMS, group, instance and local response normalisation layers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from teachgraph.core.errors import ShapeError
from teachgraph.nn import functional
from teachgraph.nn.batch_norm import ONE, check_rank
from teachgraph.nn.functional.norm import sizes_of
from teachgraph.nn.layer import Layer
from teachgraph.ops import naming

__all__ = [
    "GroupNorm",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "LayerNorm",
    "LocalResponseNorm",
    "RMSNorm",
]


class LayerNorm(Layer):
    """Layer normalisation: mean 0 and variance 1 over the last dimensions.

    Unlike batch normalisation it uses one sample at a time, in training and evaluation
    alike (Ba, Kiros and Hinton, 2016).

    Args:
        normalized_shape: The last sizes of the input.
        epsilon: Keeps the denominator from 0.
        weight_attr: ParamAttr of the scale, which starts at 1; False for none.
        bias_attr: ParamAttr of the shift, which starts at 0; False for none.
        name: Accepted for Paddle's sake; parameters are `layer_norm_N.w_0` and so on.

    In Paddle this is `paddle.nn.LayerNorm`.

    >>> import teachgraph as tg
    >>> LayerNorm(2, epsilon=0.0)(tg.to_tensor([[1.0, 3.0]])).tolist()
    [[-1.0, 1.0]]
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape, self.epsilon = sizes_of(normalized_shape), epsilon
        size = [prod(self.normalized_shape)]
        self.weight = self.create_parameter(size, weight_attr, default_initializer=ONE)
        self.bias = self.create_parameter(size, bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Apply the function `layer_norm`."""
        options = self.normalized_shape, self.weight, self.bias, self.epsilon
        return functional.layer_norm(input, *options)

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        return f"normalized_shape={self.normalized_shape}, epsilon={self.epsilon}"


class RMSNorm(Layer):
    """RMS normalisation: weight x / sqrt(mean x^2 + epsilon) over the last dimensions.

    Args:
        normalized_shape: The last sizes of the input, and the shape of the weight.
        epsilon: Keeps the denominator from 0.
        weight_attr: ParamAttr of the weight, which starts at 1; False for none.
        name: Instead of `rms_norm_N`.

    >>> import teachgraph as tg
    >>> RMSNorm(2, epsilon=0.0)(tg.to_tensor([[5.0, -5.0]])).tolist()
    [[1.0, -1.0]]
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name or "rms_norm")
        self.normalized_shape, self.epsilon = sizes_of(normalized_shape), epsilon
        size = self.normalized_shape
        self.weight = self.create_parameter(size, weight_attr, default_initializer=ONE)

    def forward(self, x: Any) -> Any:
        """Apply the function `rms_norm`."""
        options = self.normalized_shape, self.weight, self.epsilon
        return functional.rms_norm(x, *options)

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        return f"normalized_shape={self.normalized_shape}, epsilon={self.epsilon}"


class GroupNorm(Layer):
    """Group normalisation: moments per group of channels (Wu and He, 2018).

    Args:
        num_groups: The number of groups.
        num_channels: C.
        epsilon: Keeps the denominator from 0.
        weight_attr: ParamAttr of the scale [C], which starts at 1; False for none.
        bias_attr: ParamAttr of the shift [C], which starts at 0; False for none.
        data_format: Where the channels are.
        name: Accepted for Paddle's sake; parameters are `group_norm_N.w_0` and so on.

    Raises:
        ShapeError: The groups do not divide the channels.

    In Paddle this is `paddle.nn.GroupNorm`.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        if num_groups < 1 or num_channels % num_groups:
            raise ShapeError.here(
                f"{num_channels} channels cannot be {num_groups} groups"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.epsilon, self.data_format = epsilon, data_format
        size = [num_channels]
        make = self.create_parameter
        self.weight = make(size, weight_attr or None, default_initializer=ONE)
        self.bias = make(size, bias_attr or None, is_bias=True)
        # What is left out is there, as in Paddle's files, and not trained.
        self.weight.stop_gradient = weight_attr is False
        self.bias.stop_gradient = bias_attr is False

    def forward(self, input: Any) -> Any:
        """Apply the function `group_norm`."""
        options = self.num_groups, self.epsilon
        affine = self.weight, self.bias, self.data_format
        with naming.layer("group_norm", self.full_name()):
            return functional.group_norm(input, *options, *affine)

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        groups = f"num_groups={self.num_groups}, num_channels={self.num_channels}"
        return f"{groups}, epsilon={self.epsilon}"


class InstanceStatistics(Layer):
    """Base of instance normalisations of any rank.

    Attributes:
        scale: [C], initially 1.
        bias: [C], initially 0.
    """

    ranks: tuple[int, ...] = ()
    usual = "NCHW"

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.num_features, self.epsilon = num_features, epsilon
        self.data_format = data_format or self.usual
        size, make = [num_features], self.create_parameter
        self.scale = make(size, weight_attr, default_initializer=ONE)
        self.bias = make(size, bias_attr, is_bias=True)

    def forward(self, x: Any) -> Any:
        """Apply the function `instance_norm`."""
        check_rank(x, self.ranks, type(self).__name__)
        return functional.instance_norm(
            x,
            weight=self.scale,
            bias=self.bias,
            eps=self.epsilon,
            data_format=self.data_format,
        )

    def extra_repr(self) -> str:
        """Format the sizes for `repr`."""
        return f"num_features={self.num_features}, epsilon={self.epsilon}"


class InstanceNorm1D(InstanceStatistics):
    """Instance normalisation of [N, C, L]: per channel of each sample.

    Args:
        num_features: C.
        epsilon: Keeps the denominator from 0.
        momentum: Accepted for Paddle's sake; there are no running moments.
        weight_attr: ParamAttr of the scale [C], which starts at 1; False for none.
        bias_attr: ParamAttr of the shift [C], which starts at 0; False for none.
        data_format: "NCL" or "NLC".
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.InstanceNorm1D`.
    """

    ranks = (2, 3)
    usual = "NCL"


class InstanceNorm2D(InstanceStatistics):
    """Instance normalisation of [N, C, H, W]; arguments as for `InstanceNorm1D`.

    In Paddle this is `paddle.nn.InstanceNorm2D`.
    """

    ranks = (4,)


class InstanceNorm3D(InstanceStatistics):
    """Instance normalisation of [N, C, D, H, W]; arguments as for `InstanceNorm1D`.

    In Paddle this is `paddle.nn.InstanceNorm3D`.
    """

    ranks = (5,)
    usual = "NCDHW"


class LocalResponseNorm(Layer):
    """Local response normalisation over neighbouring channels (Krizhevsky, 2012).

    Args:
        size: The number of channels in the window.
        alpha: The factor of the mean square.
        beta: The exponent.
        k: The constant term.
        data_format: Where the channels are.
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.LocalResponseNorm`.
    """

    def __init__(
        self,
        size: int,
        alpha: float = 1e-4,
        beta: float = 0.75,
        k: float = 1.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.size, self.data_format = size, data_format
        self.alpha, self.beta, self.k = alpha, beta, k

    def forward(self, input: Any) -> Any:
        """Apply the function `local_response_norm`."""
        options = self.size, self.alpha, self.beta, self.k, self.data_format
        return functional.local_response_norm(input, *options)

    def extra_repr(self) -> str:
        """Format the numbers for `repr`."""
        return f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
