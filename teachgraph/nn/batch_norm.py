"""Batch normalisation layers, with running moments for evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core import op
from teachgraph.core.errors import ShapeError
from teachgraph.nn import functional
from teachgraph.nn.functional.norm import layout
from teachgraph.nn.layer import Layer
from teachgraph.ops import batch_norm, naming
from teachgraph.ops.error_message import describe
from teachgraph.ops.initializer import Constant
from teachgraph.ops.param_attr import ParamAttr

__all__ = ["BatchNorm", "BatchNorm1D", "BatchNorm2D", "BatchNorm3D"]

ONE = Constant(1.0)


def check_rank(x: Any, ranks: Sequence[int], layer: str) -> None:
    """Require that the input of a layer has one of these ranks.

    Raises:
        ShapeError: It has another rank.
    """
    if ranks and len(x.shape) not in ranks:
        wanted = " or ".join(f"{rank}D" for rank in ranks)
        raise ShapeError.here(
            f"{layer}: expected {wanted} input (got {len(x.shape)}D input)\n"
            f"  x: {describe(x)}"
        )


class BatchStatistics(Layer):
    """Base of batch normalisations of any rank.

    Attributes:
        weight: [C], initially 1.
        bias: [C], initially 0.
        _mean: [C], the running mean; part of the state, not trained.
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
        super().__init__()
        self.data_format = data_format
        self.num_features, self.momentum, self.epsilon = num_features, momentum, epsilon
        self.use_global_stats = use_global_stats
        layout(data_format)
        names = [name and f"{name}_{moment}" for moment in ("mean", "variance")]
        self.make_parameters(weight_attr, bias_attr, *names)

    def make_parameters(
        self, weight: Any, bias: Any, mean_name: str | None, variance_name: str | None
    ) -> None:
        """Create scale and shift, then the running moments."""
        size = [self.num_features]
        # In Paddle running moments are parameters that are not trained, not buffers.
        moving = [
            ParamAttr(name, Constant(value), trainable=False)
            for name, value in ((mean_name, 0.0), (variance_name, 1.0))
        ]
        # In this order: Paddle counts `w_0`, `b_0`, `w_1` and `w_2`.
        make = self.create_parameter
        self.weight = make(size, weight, default_initializer=ONE)
        self.bias = make(size, bias, is_bias=True)
        self._mean, self._variance = make(size, moving[0]), make(size, moving[1])

    def forward(self, x: Any) -> Any:
        """Apply `batch_norm`, with the running moments when not training."""
        check_rank(x, self.ranks, type(self).__name__)
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
        """Format the sizes, and an unusual data format, for `repr`."""
        text = f"num_features={self.num_features}, momentum={self.momentum}"
        text += f", epsilon={self.epsilon}"
        usual = self.data_format == "NCHW"
        return text if usual else f"{text}, data_format={self.data_format}"


class BatchNorm1D(BatchStatistics):
    """Batch normalisation of [N, C] or [N, C, L].

    Each channel gets mean 0 and variance 1 over the batch, then a scale and a shift
    that are learned (Ioffe and Szegedy, 2015). `eval()` switches to running moments.

    Args:
        num_features: C.
        momentum: The weight of the old value in the running moments.
        epsilon: Keeps the denominator from 0.
        weight_attr: ParamAttr of the scale [C], which starts at 1; False for none.
        bias_attr: ParamAttr of the shift [C], which starts at 0; False for none.
        data_format: "NCL" or "NLC".
        use_global_stats: True for running moments while training, too.
        name: Prefix of the names of the running moments.

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
        rest = weight_attr, bias_attr, data_format, use_global_stats, name
        super().__init__(num_features, momentum, epsilon, *rest)


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
        rest = weight_attr, bias_attr, data_format, use_global_stats, name
        super().__init__(num_features, momentum, epsilon, *rest)


class BatchNorm(BatchStatistics):
    """The 1.x layer: input of any rank from 2 on, and an activation.

    Args:
        num_channels: C.
        act: The type of an op to apply, such as "relu".
        is_test: Use the running moments even while training.
        momentum: The weight of the old value in the running moments.
        epsilon: Keeps the denominator from 0.
        param_attr: ParamAttr of the scale [C], which starts at 1; False for none.
        bias_attr: ParamAttr of the shift [C], which starts at 0; False for none.
        dtype: Of the parameters.
        data_layout: "NCHW" or "NHWC".
        in_place: Accepted for Paddle's sake.
        moving_mean_name: The running mean's name.
        moving_variance_name: The running variance's name.
        do_model_average_for_mean_and_var: Accepted for Paddle's sake.
        use_global_stats: Always use the running moments.
        trainable_statistics: Use the batch's moments even when not training.

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

    def forward(self, input: Any) -> Any:
        """Apply the op `batch_norm`, then the activation."""
        is_test = self.is_test or not self.training
        moments = self._mean, self._variance
        with naming.layer("batch_norm", self.full_name()):
            outputs = batch_norm.batch_norm(
                input, self.weight, self.bias, *moments, is_test=is_test, **self.attrs
            )
            return outputs[-1] if self.act is None else self.act(outputs[-1])

    def extra_repr(self) -> str:
        """Return an empty text, as Paddle does."""
        return ""
