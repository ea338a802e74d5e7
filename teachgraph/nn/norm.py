"""Normalisation as layers."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from teachgraph.errors import ShapeError, at_user_line
from teachgraph.nn import functional
from teachgraph.nn.functional.norm import layout, sizes_of
from teachgraph.nn.layer import Layer
from teachgraph.ops import norm, op
from teachgraph.ops.initializer import Constant
from teachgraph.param_attr import ParamAttr
from teachgraph.static import naming

__all__ = [
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "GroupNorm",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "LayerNorm",
    "LocalResponseNorm",
    "RMSNorm",
]

ONE = Constant(1.0)


def check_rank(x: Any, ranks: Sequence[int]) -> None:
    """The input of a layer must have one of these numbers of dimensions.

    Raises:
        ShapeError: It has not.
    """
    if ranks and len(x.shape) not in ranks:
        wanted = " or ".join(f"{rank}D" for rank in ranks)
        raise ShapeError(
            at_user_line(f"expected {wanted} input (got {len(x.shape)}D input)")
        )


class BatchStatistics(Layer):
    """What batch normalisations of any rank share.

    Attributes:
        weight: [C], starts at 1.
        bias: [C], starts at 0.
        _mean: [C], the running mean; it is part of the state but not trained.
        _variance: [C], the running variance, likewise.
    """

    ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.data_format = data_format
        self.num_features, self.momentum, self.epsilon = num_features, momentum, epsilon
        self.use_global_stats = use_global_stats
        layout(data_format)
        self.make_parameters(weight_attr, bias_attr, None, None)

    def make_parameters(
        self, weight: Any, bias: Any, mean_name: str | None, variance_name: str | None
    ) -> None:
        """The trained parameters, then the running moments."""
        size = [self.num_features]
        moving = [
            ParamAttr(name, Constant(value), trainable=False)
            for name, value in ((mean_name, 0.0), (variance_name, 1.0))
        ]
        make = self.create_parameter
        self.weight = make(size, weight, default_initializer=ONE)
        self.bias = make(size, bias, is_bias=True)
        self._mean, self._variance = make(size, moving[0]), make(size, moving[1])

    def forward(self, x: Any) -> Any:
        """The function `batch_norm`, with the running moments when not training."""
        check_rank(x, self.ranks)
        return functional.batch_norm(
            x,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            training=self.training,
            momentum=self.momentum,
            epsilon=self.epsilon,
            data_format=self.data_format,
            use_global_stats=self.use_global_stats,
        )

    def extra_repr(self) -> str:
        """The sizes, and the format where it is not the usual one."""
        text = f"num_features={self.num_features}, momentum={self.momentum}"
        text += f", epsilon={self.epsilon}"
        usual = self.data_format.startswith("NC")
        return text if usual else f"{text}, data_format={self.data_format}"


class BatchNorm1D(BatchStatistics):
    """Batch normalisation of [N, C] or [N, C, L].

    Each channel gets mean 0 and variance 1 over the batch, then a scale and a shift
    that are learned (Ioffe and Szegedy, 2015). `eval()` switches to running moments.

    Args:
        num_features: C.
        momentum: The weight of the old value in the running moments.
        epsilon: Keeps the denominator from 0.
        weight_attr: About the scale [C], which starts at 1; False for none.
        bias_attr: About the shift [C], which starts at 0; False for none.
        data_format: "NCL" or "NLC".
        use_global_stats: True for running moments while training, too.
        name: Instead of `batch_norm1d_N`.

    In Paddle this is `paddle.nn.BatchNorm1D`.

    >>> import teachgraph as tg
    >>> layer = BatchNorm1D(1, epsilon=0.0)
    >>> layer(tg.to_tensor([[1.0], [3.0]])).tolist()
    [[-1.0], [1.0]]
    >>> [round(v, 6) for v in (layer._mean.item(), layer._variance.item())]
    [0.2, 1.0]
    """

    ranks = (2, 3)

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        about = weight_attr, bias_attr, data_format, use_global_stats, name
        super().__init__(num_features, momentum, epsilon, *about)


class BatchNorm2D(BatchStatistics):
    """Batch normalisation of [N, C, H, W]; arguments as for `BatchNorm1D`.

    In Paddle this is `paddle.nn.BatchNorm2D`.
    """

    ranks = (4,)


class BatchNorm3D(BatchStatistics):
    """Batch normalisation of [N, C, D, H, W]; arguments as for `BatchNorm1D`.

    In Paddle this is `paddle.nn.BatchNorm3D`.
    """

    ranks = (5,)

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        about = weight_attr, bias_attr, data_format, use_global_stats, name
        super().__init__(num_features, momentum, epsilon, *about)


class BatchNorm(BatchStatistics):
    """The 1.x layer: any rank from 2 on, and an activation after it.

    Args:
        num_channels: C.
        act: The type of an op to apply, such as "relu".
        is_test: Whether to use the running moments even while training.
        momentum: The weight of the old value in the running moments.
        epsilon: Keeps the denominator from 0.
        param_attr: About the scale [C], which starts at 1; False for none.
        bias_attr: About the shift [C], which starts at 0; False for none.
        dtype: Of the parameters.
        data_layout: "NCHW" or "NHWC".
        in_place: Accepted for Paddle's sake.
        moving_mean_name: The running mean's name.
        moving_variance_name: The running variance's name.
        do_model_average_for_mean_and_var: Accepted for Paddle's sake.
        use_global_stats: Whether to use the running moments in any case.
        trainable_statistics: Whether to use the batch's even when not training.

    In Paddle this is `paddle.nn.BatchNorm`.
    """

    def __init__(
        self,
        num_channels: int,
        act: str | None = None,
        is_test: bool = False,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
        data_layout: str = "NCHW",
        in_place: bool = False,
        moving_mean_name: str | None = None,
        moving_variance_name: str | None = None,
        do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ) -> None:
        Layer.__init__(self, dtype=dtype)
        self.num_features, self.data_format = num_channels, data_layout
        self.act = op.find(act) if act else None
        self.attrs = {
            "momentum": momentum,
            "epsilon": epsilon,
            "data_layout": layout(data_layout),
            "use_global_stats": use_global_stats,
            "trainable_statistics": trainable_statistics,
        }
        self.is_test = is_test
        names = moving_mean_name, moving_variance_name
        self.make_parameters(param_attr, bias_attr, *names)

    def forward(self, x: Any) -> Any:
        """The op `batch_norm`, then the activation."""
        is_test = self.is_test or not self.training
        moments = self._mean, self._variance
        with naming.layer("batch_norm", self.full_name()):
            outputs = norm.batch_norm(
                x, self.weight, self.bias, *moments, is_test=is_test, **self.attrs
            )
            return outputs[-1] if self.act is None else self.act(outputs[-1])

    def extra_repr(self) -> str:
        """Nothing, as in Paddle."""
        return ""


class LayerNorm(Layer):
    """Mean 0 and variance 1 over the last dimensions, then a scale and a shift.

    Unlike batch normalisation it looks at one sample, and does the same in training and
    evaluation (Ba, Kiros and Hinton, 2016).

    Args:
        normalized_shape: The last sizes of the input.
        epsilon: Keeps the denominator from 0.
        weight_attr: About the scale, which starts at 1; False for none.
        bias_attr: About the shift, which starts at 0; False for none.
        name: Instead of `layer_norm_N`.

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
        super().__init__(name)
        self.normalized_shape, self.epsilon = sizes_of(normalized_shape), epsilon
        size = [prod(self.normalized_shape)]
        self.weight = self.create_parameter(size, weight_attr, default_initializer=ONE)
        self.bias = self.create_parameter(size, bias_attr, is_bias=True)

    def forward(self, x: Any) -> Any:
        """The function `layer_norm`."""
        given = self.normalized_shape, self.weight, self.bias, self.epsilon
        return functional.layer_norm(x, *given)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"normalized_shape={self.normalized_shape}, epsilon={self.epsilon}"


class RMSNorm(Layer):
    """x / sqrt(mean x^2 + epsilon) over the last dimensions, times a weight.

    Args:
        normalized_shape: The last sizes of the input, and the shape of the weight.
        epsilon: Keeps the denominator from 0.
        weight_attr: About the weight, which starts at 1; False for none.
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
        """The function `rms_norm`."""
        given = self.normalized_shape, self.weight, self.epsilon
        return functional.rms_norm(x, *given)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"normalized_shape={self.normalized_shape}, epsilon={self.epsilon}"


class GroupNorm(Layer):
    """Mean 0 and variance 1 over each group of a sample's channels (Wu and He, 2018).

    Args:
        num_groups: How many groups the channels make.
        num_channels: C.
        epsilon: Keeps the denominator from 0.
        weight_attr: About the scale [C], which starts at 1; False for none.
        bias_attr: About the shift [C], which starts at 0; False for none.
        data_format: Where the channels are.
        name: Instead of `group_norm_N`.

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
        super().__init__(name)
        if num_groups < 1 or num_channels % num_groups:
            raise ShapeError(
                at_user_line(f"{num_channels} channels cannot be {num_groups} groups")
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.epsilon, self.data_format = epsilon, data_format
        size = [num_channels]
        self.weight = self.create_parameter(size, weight_attr, default_initializer=ONE)
        self.bias = self.create_parameter(size, bias_attr, is_bias=True)

    def forward(self, x: Any) -> Any:
        """The function `group_norm`."""
        given = self.num_groups, self.epsilon, self.weight, self.bias, self.data_format
        with naming.layer("group_norm", self.full_name()):
            return functional.group_norm(x, *given)

    def extra_repr(self) -> str:
        """The sizes."""
        groups = f"num_groups={self.num_groups}, num_channels={self.num_channels}"
        return f"{groups}, epsilon={self.epsilon}"


class InstanceStatistics(Layer):
    """What instance normalisations of any rank share.

    Attributes:
        scale: [C], starts at 1.
        bias: [C], starts at 0.
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
        super().__init__(name)
        self.num_features, self.epsilon = num_features, epsilon
        self.data_format = data_format or self.usual
        size, make = [num_features], self.create_parameter
        self.scale = make(size, weight_attr, default_initializer=ONE)
        self.bias = make(size, bias_attr, is_bias=True)

    def forward(self, x: Any) -> Any:
        """The function `instance_norm`."""
        check_rank(x, self.ranks)
        return functional.instance_norm(
            x,
            weight=self.scale,
            bias=self.bias,
            eps=self.epsilon,
            data_format=self.data_format,
        )

    def extra_repr(self) -> str:
        """The sizes."""
        return f"num_features={self.num_features}, epsilon={self.epsilon}"


class InstanceNorm1D(InstanceStatistics):
    """Mean 0 and variance 1 for each channel of each sample [N, C, L].

    Args:
        num_features: C.
        epsilon: Keeps the denominator from 0.
        momentum: Accepted for Paddle's sake; there are no running moments.
        weight_attr: About the scale [C], which starts at 1; False for none.
        bias_attr: About the shift [C], which starts at 0; False for none.
        data_format: "NCL" or "NLC".
        name: Instead of `instance_norm1d_N`.

    In Paddle this is `paddle.nn.InstanceNorm1D`.
    """

    ranks = (2, 3)
    usual = "NCL"


class InstanceNorm2D(InstanceStatistics):
    """The same for [N, C, H, W]; arguments as for `InstanceNorm1D`.

    In Paddle this is `paddle.nn.InstanceNorm2D`.
    """

    ranks = (4,)


class InstanceNorm3D(InstanceStatistics):
    """The same for [N, C, D, H, W]; arguments as for `InstanceNorm1D`.

    In Paddle this is `paddle.nn.InstanceNorm3D`.
    """

    ranks = (5,)
    usual = "NCDHW"


class LocalResponseNorm(Layer):
    """Each channel divided by what it and its neighbours are like (Krizhevsky, 2012).

    Args:
        size: How many channels the window has.
        alpha: The weight of the mean square.
        beta: The power.
        k: What it is added to.
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

    def forward(self, x: Any) -> Any:
        """The function `local_response_norm`."""
        given = self.size, self.alpha, self.beta, self.k, self.data_format
        return functional.local_response_norm(x, *given)

    def extra_repr(self) -> str:
        """The numbers."""
        return f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
