"""Paddle 1.x's `fluid.dygraph` layers: those of `nn`, by 1.x's argument names."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from teachgraph import nn
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import find
from teachgraph.fluid import nn as functions
from teachgraph.fluid.aliases import all_static_unless_chosen
from teachgraph.fluid.dygraph.activated import Activated, Convolution
from teachgraph.fluid.dygraph.units import (
    BilinearTensorProduct,
    Conv3D,
    Conv3DTranspose,
    GRUUnit,
    InstanceNorm,
    SpectralNorm,
)
from teachgraph.nn.functional.conv import Numbers, Padding
from teachgraph.ops.activation import activated

__all__ = [
    "FC",
    "BatchNorm",
    "BilinearTensorProduct",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
    "Dropout",
    "Embedding",
    "GRUUnit",
    "GroupNorm",
    "InstanceNorm",
    "LayerNorm",
    "Linear",
    "PRelu",
    "Pool2D",
    "SpectralNorm",
]


class BatchNorm(nn.BatchNorm):
    """Batch normalisation.

    In Paddle this is `fluid.dygraph.BatchNorm`.
    """


class Linear(Activated, nn.Linear):
    """A fully connected layer by 1.x's argument names: act(x W + b).

    In Paddle this is `fluid.dygraph.Linear`.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(input_dim, output_dim, param_attr, bias_attr)
        self._act = act


class FC(nn.Layer):
    """The fully connected layer of 1.5, which infers the size of its input.

    Args:
        name_scope: Instead of `fc_N`.
        size: The number of units.
        num_flatten_dims: The number of leading dimensions that stay rows.
        param_attr: About the weights.
        bias_attr: About the bias; False for none.
        act: The type of an op to apply.
        is_test: Accepted for Paddle's sake.
        dtype: Of the parameters.
    """

    def __init__(
        self,
        name_scope: str,
        size: int,
        num_flatten_dims: int = 1,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        is_test: bool = False,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(name_scope, dtype)
        self._size, self._rows, self._act = size, num_flatten_dims, act
        self._attrs = param_attr, bias_attr
        self.weight: Any = None
        self.bias: Any = None

    def forward(self, x: Any) -> Any:
        """Compute act(x W + b); the first call creates W and b."""
        if self.weight is None:
            columns = prod(x.shape[self._rows :])
            weight, bias = self._attrs
            self.weight = self.create_parameter([columns, self._size], weight)
            self.bias = self.create_parameter([self._size], bias, is_bias=True)
        out = find("mul")(x, self.weight, x_num_col_dims=self._rows)
        if self.bias is not None:
            out = find("elementwise_add")(out, self.bias, axis=self._rows)
        return activated(out, self._act)


class Conv2D(Convolution, nn.Conv2D):
    """A convolution over images: act(filter * x + b).

    In Paddle this is `fluid.dygraph.Conv2D`.
    """


class Conv2DTranspose(Activated, nn.Conv2DTranspose):
    """A transposed convolution over images.

    In Paddle this is `fluid.dygraph.Conv2DTranspose`.
    """

    def __init__(
        self,
        num_channels: int,
        num_filters: int,
        filter_size: Numbers,
        output_size: Any = None,
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
        self._act, self._output_size = act, output_size

    def forward(self, input: Any) -> Any:  # type: ignore[override]
        """The transposed convolution, then the activation."""
        image = nn.Conv2DTranspose.forward(self, input, self._output_size)
        return activated(image, self._act)


class Pool2D(nn.Layer):
    """Max or average pooling over images.

    Raises:
        InvalidValueError: Of another type, or without a size.

    In Paddle this is `fluid.dygraph.Pool2D`.
    """

    def __init__(
        self,
        pool_size: Numbers = -1,
        pool_type: str = "max",
        pool_stride: Numbers = 1,
        pool_padding: Padding = 0,
        global_pooling: bool = False,
        use_cudnn: bool = True,
        ceil_mode: bool = False,
        exclusive: bool = True,
        data_format: str = "NCHW",
    ) -> None:
        super().__init__()
        if pool_type not in {"max", "avg"}:
            raise InvalidValueError.here(
                f"pool_type is 'max' or 'avg', got {pool_type!r}"
            )
        if pool_size == -1 and not global_pooling:
            raise InvalidValueError.here(
                "pool_size must be given where global_pooling is False"
            )
        self._given = {
            "pool_size": pool_size,
            "pool_type": pool_type,
            "pool_stride": pool_stride,
            "pool_padding": pool_padding,
            "global_pooling": global_pooling,
            "ceil_mode": ceil_mode,
            "exclusive": exclusive,
            "data_format": data_format,
        }

    def forward(self, input: Any) -> Any:
        """Call the function `pool2d`."""
        return functions.pool2d(input, **self._given)  # type: ignore[arg-type]


class Embedding(nn.Embedding):
    """A learned table with a row for each id.

    In Paddle this is `fluid.dygraph.Embedding`.
    """

    def __init__(
        self,
        size: Sequence[int],
        is_sparse: bool = False,
        is_distributed: bool = False,
        padding_idx: int | None = None,
        param_attr: Any = None,
        dtype: Any = "float32",
    ) -> None:
        rows, columns = size
        super().__init__(rows, columns, padding_idx, is_sparse, param_attr)

    def forward(self, input: Any) -> Any:
        """Look up the row of each id; ids [N, 1] give [N, 1, columns]."""
        return super().forward(input)


class LayerNorm(Activated, nn.LayerNorm):
    """Normalisation of each sample, by 1.x's argument names.

    In Paddle this is `fluid.dygraph.LayerNorm`.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        scale: bool = True,
        shift: bool = True,
        epsilon: float = 1e-5,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(
            normalized_shape,
            epsilon,
            param_attr if scale else False,
            bias_attr if shift else False,
        )
        self._act = act


class GroupNorm(Activated, nn.GroupNorm):
    """Normalisation of groups of channels, by 1.x's argument names.

    In Paddle this is `fluid.dygraph.GroupNorm`.
    """

    def __init__(
        self,
        channels: int,
        groups: int,
        epsilon: float = 1e-5,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        data_layout: str = "NCHW",
        dtype: Any = "float32",
    ) -> None:
        super().__init__(groups, channels, epsilon, param_attr, bias_attr, data_layout)
        self._act = act


class PRelu(nn.Layer):
    """x where x > 0, alpha x elsewhere; alpha is learnt and starts at 0.25.

    In Paddle this is `fluid.dygraph.PRelu`.
    """

    def __init__(
        self,
        mode: str,
        channel: int | None = None,
        input_shape: Sequence[int] | None = None,
        param_attr: Any = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__("prelu")
        shapes = {"all": [1], "channel": [channel or 1]}
        shapes["element"] = [1, *(input_shape or [1, 1])[1:]]
        self._mode = mode
        start = nn.initializer.Constant(0.25)
        self.weight = self.create_parameter(
            shapes[mode], param_attr, default_initializer=start
        )

    def forward(self, input: Any) -> Any:
        """Apply the op `prelu`."""
        return find("prelu")(input, self.weight, mode=self._mode)


class Dropout(nn.Layer):
    """Dropout; evaluation mode multiplies by 1 - p instead.

    In Paddle this is `fluid.dygraph.Dropout`.
    """

    def __init__(
        self,
        p: float = 0.5,
        seed: int | None = None,
        dropout_implementation: str = "downgrade_in_infer",
        is_test: bool = False,
    ) -> None:
        super().__init__()
        self._p, self._seed, self._how = p, seed, dropout_implementation
        self._is_test = is_test

    def forward(self, input: Any) -> Any:
        """Call the function `dropout`, in the layer's mode."""
        test = self._is_test or not self.training
        how = self._how
        return functions.dropout(input, self._p, test, self._seed, None, how)


all_static_unless_chosen(__all__, globals())
