"""Dropout, embedding, resizing and other small layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.eager import Tensor
from teachgraph.nn import functional
from teachgraph.nn.functional.common import check_probability
from teachgraph.nn.functional.lookup import padding_row
from teachgraph.nn.layer import Layer
from teachgraph.ops.functions import manipulation

__all__ = [
    "AlphaDropout",
    "Bilinear",
    "ChannelShuffle",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "Embedding",
    "Flatten",
    "Fold",
    "Identity",
    "Pad1D",
    "Pad2D",
    "Pad3D",
    "PixelShuffle",
    "PixelUnshuffle",
    "Unflatten",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2D",
    "UpsamplingNearest2D",
    "ZeroPad2D",
]

Sizes = int | Sequence[int]
Factors = float | Sequence[float] | None


class Identity(Layer):
    """out = x; takes and ignores any arguments.

    In Paddle this is `paddle.nn.Identity`.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, x: Any) -> Any:
        """The input."""
        return x


class Flatten(Layer):
    """Several dimensions as one: by default all but the batch.

    In Paddle this is `paddle.nn.Flatten`.

    >>> import teachgraph as tg
    >>> Flatten()(tg.ones([5, 2, 3])).shape
    [5, 6]
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self.start_axis, self.stop_axis = start_axis, stop_axis

    def forward(self, x: Any) -> Any:
        """The function `flatten`."""
        return manipulation.flatten(x, self.start_axis, self.stop_axis)


class Unflatten(Layer):
    """One dimension as several, of which one may be -1.

    In Paddle this is `paddle.nn.Unflatten`.

    >>> import teachgraph as tg
    >>> Unflatten(1, [2, -1])(tg.ones([5, 6])).shape
    [5, 2, 3]
    """

    def __init__(
        self, axis: int, shape: Sequence[int], name: str | None = None
    ) -> None:
        super().__init__()
        self.axis, self.shape = axis, list(shape)

    def forward(self, x: Any) -> Any:
        """The function `unflatten`."""
        return manipulation.unflatten(x, self.axis, self.shape)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"axis={self.axis}, shape={self.shape}"


class Dropout(Layer):
    """While training, each element with probability 1 - p, else 0 (Srivastava, 2014).

    Args:
        p: The probability of 0.
        axis: Elements that differ only in other dimensions are dropped together.
        mode: "upscale_in_train" or "downscale_in_infer": when the mean is put right.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: p is not in [0, 1].

    In Paddle this is `paddle.nn.Dropout`.

    >>> import teachgraph as tg
    >>> layer = Dropout(0.5)
    >>> layer.eval()(tg.ones([3])).tolist()
    [1.0, 1.0, 1.0]
    """

    def __init__(
        self,
        p: float = 0.5,
        axis: Sizes | None = None,
        mode: str = "upscale_in_train",
        name: str | None = None,
    ) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.axis, self.mode = p, axis, mode

    def forward(self, x: Any) -> Any:
        """The function `dropout`."""
        return functional.dropout(x, self.p, self.axis, self.training, self.mode)

    def extra_repr(self) -> str:
        """The probability and the mode."""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}"


class Dropout2D(Layer):
    """While training, whole channels of images left out.

    In Paddle this is `paddle.nn.Dropout2D`.
    """

    def __init__(
        self, p: float = 0.5, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.data_format = p, data_format

    def forward(self, x: Any) -> Any:
        """The function `dropout2d`."""
        return functional.dropout2d(x, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, data_format={self.data_format}"


class Dropout3D(Layer):
    """While training, whole channels of volumes left out.

    In Paddle this is `paddle.nn.Dropout3D`.
    """

    def __init__(
        self, p: float = 0.5, data_format: str = "NCDHW", name: str | None = None
    ) -> None:
        super().__init__()
        check_probability(p)
        self.p, self.data_format = p, data_format

    def forward(self, x: Any) -> Any:
        """The function `dropout3d`."""
        return functional.dropout3d(x, self.p, self.training, self.data_format)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, data_format={self.data_format}"


class AlphaDropout(Layer):
    """While training, dropout that keeps mean 0 and variance 1, for use with SELU.

    In Paddle this is `paddle.nn.AlphaDropout`.
    """

    def __init__(self, p: float = 0.5, name: str | None = None) -> None:
        super().__init__()
        check_probability(p)
        self.p = p

    def forward(self, x: Any) -> Any:
        """The function `alpha_dropout`."""
        return functional.alpha_dropout(x, self.p, self.training)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}"


class Embedding(Layer):
    """A table with a row for each number below `num_embeddings`, to be learned.

    Args:
        num_embeddings: V, how many rows.
        embedding_dim: D, how long they are.
        padding_idx: A number whose result is zeros and whose row gets no gradient;
            counted from the end if negative.
        sparse: Accepted for Paddle's sake.
        weight_attr: About the table [V, D], which starts Xavier-uniform.
        name: Instead of `embedding_N`.

    Raises:
        InvalidValueError: There is no row `padding_idx`.

    In Paddle this is `paddle.nn.Embedding`.

    >>> import teachgraph as tg
    >>> Embedding(10, 3)(tg.to_tensor([[1, 2], [3, 4]])).shape
    [2, 2, 3]
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        sparse: bool = False,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.sparse, self.padding_idx = sparse, padding_idx
        row = padding_row(padding_idx, num_embeddings)
        size = [num_embeddings, embedding_dim]
        self.weight = self.create_parameter(size, weight_attr)
        if row != -1 and isinstance(self.weight, Tensor):
            values = self.weight.numpy()
            values[row] = 0
            self.weight.set_value(values)

    def forward(self, x: Any) -> Any:
        """The function `embedding`."""
        return functional.embedding(x, self.weight, self.padding_idx, self.sparse)

    def extra_repr(self) -> str:
        """The sizes."""
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        return f"{text}, sparse={self.sparse}"


class Bilinear(Layer):
    """out[n, k] = x1[n]' W[k] x2[n] + b[k].

    Args:
        in1_features: A, the width of x1.
        in2_features: B, the width of x2.
        out_features: K.
        weight_attr: About W [K, A, B], which starts Xavier-uniform.
        bias_attr: About b [1, K], which starts at 0; False for none.
        name: Instead of `bilinear_N`.

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
        super().__init__(name)
        size = [out_features, in1_features, in2_features]
        self.weight = self.create_parameter(size, weight_attr)
        self.bias = self.create_parameter([1, out_features], bias_attr, is_bias=True)

    def forward(self, x1: Any, x2: Any) -> Any:
        """The function `bilinear`."""
        return functional.bilinear(x1, x2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        outs, first, second = self.weight.shape
        sizes = f"in1_features={first}, in2_features={second}, out_features={outs}"
        return f"{sizes}, dtype={self._dtype}"


class Upsample(Layer):
    """Images in another size; arguments as for `functional.interpolate`.

    In Paddle this is `paddle.nn.Upsample`.

    >>> import teachgraph as tg
    >>> Upsample(scale_factor=2)(tg.ones([1, 3, 4, 5])).shape
    [1, 3, 8, 10]
    """

    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: Factors = None,
        mode: str = "nearest",
        align_corners: bool = False,
        align_mode: int = 0,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.align_mode = align_corners, align_mode
        self.data_format = data_format

    def forward(self, x: Any) -> Any:
        """The function `interpolate`."""
        how = self.mode, self.align_corners, self.align_mode, self.data_format
        return functional.interpolate(x, self.size, self.scale_factor, *how)

    def extra_repr(self) -> str:
        """The size or the factor, and the mode."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return (
            f"{name}={getattr(self, name)}, mode={self.mode}, "
            f"align_corners={self.align_corners}, align_mode={self.align_mode}, "
            f"data_format={self.data_format}"
        )


class UpsamplingNearest2D(Layer):
    """Images in another size, of the nearest elements.

    In Paddle this is `paddle.nn.UpsamplingNearest2D`.
    """

    def __init__(
        self,
        size: Sizes | None = None,
        scale_factor: Factors = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.size, self.scale_factor = size, scale_factor
        self.data_format = data_format

    def forward(self, x: Any) -> Any:
        """The function `interpolate`."""
        size = self.size, self.scale_factor
        return functional.interpolate(x, *size, data_format=self.data_format)

    def extra_repr(self) -> str:
        """The size or the factor."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, data_format={self.data_format}"


class UpsamplingBilinear2D(UpsamplingNearest2D):
    """Images in another size, linear between elements, with the corners kept.

    In Paddle this is `paddle.nn.UpsamplingBilinear2D`.
    """

    def forward(self, x: Any) -> Any:
        """The function `interpolate`."""
        how = "bilinear", True, 0, self.data_format
        return functional.interpolate(x, self.size, self.scale_factor, *how)


class PixelShuffle(Layer):
    """[N, C r^2, H, W] as [N, C, H r, W r].

    In Paddle this is `paddle.nn.PixelShuffle`.
    """

    def __init__(
        self, upscale_factor: int, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        self.upscale_factor, self.data_format = upscale_factor, data_format

    def forward(self, x: Any) -> Any:
        """The function `pixel_shuffle`."""
        return functional.pixel_shuffle(x, self.upscale_factor, self.data_format)

    def extra_repr(self) -> str:
        """The factor."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Layer):
    """[N, C, H r, W r] as [N, C r^2, H, W].

    In Paddle this is `paddle.nn.PixelUnshuffle`.
    """

    def __init__(
        self, downscale_factor: int, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        self.downscale_factor, self.data_format = downscale_factor, data_format

    def forward(self, x: Any) -> Any:
        """The function `pixel_unshuffle`."""
        return functional.pixel_unshuffle(x, self.downscale_factor, self.data_format)

    def extra_repr(self) -> str:
        """The factor."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Layer):
    """Channels dealt out: the first of each group, then the second of each, ...

    In Paddle this is `paddle.nn.ChannelShuffle`.
    """

    def __init__(
        self, groups: int, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        self.groups, self.data_format = groups, data_format

    def forward(self, x: Any) -> Any:
        """The function `channel_shuffle`."""
        return functional.channel_shuffle(x, self.groups, self.data_format)

    def extra_repr(self) -> str:
        """The number of groups."""
        return f"groups={self.groups}"


class Unfold(Layer):
    """What each window over an image shows; arguments as for `functional.unfold`.

    In Paddle this is `paddle.nn.Unfold`.
    """

    def __init__(
        self,
        kernel_sizes: Sizes,
        dilations: Sizes = 1,
        paddings: Sizes = 0,
        strides: Sizes = 1,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.kernel_sizes, self.strides = kernel_sizes, strides
        self.paddings, self.dilations = paddings, dilations

    def forward(self, x: Any) -> Any:
        """The function `unfold`."""
        how = self.kernel_sizes, self.strides, self.paddings, self.dilations
        return functional.unfold(x, *how)

    def extra_repr(self) -> str:
        """The window."""
        return (
            f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, "
            f"padding={self.paddings}, stride={self.strides}"
        )


class Fold(Unfold):
    """Images of columns; arguments as for `functional.fold`.

    In Paddle this is `paddle.nn.Fold`.
    """

    def __init__(
        self,
        output_sizes: Sizes,
        kernel_sizes: Sizes,
        dilations: Sizes = 1,
        paddings: Sizes = 0,
        strides: Sizes = 1,
        name: str | None = None,
    ) -> None:
        super().__init__(kernel_sizes, dilations, paddings, strides, name)
        self.output_sizes = output_sizes

    def forward(self, x: Any) -> Any:
        """The function `fold`."""
        how = self.kernel_sizes, self.strides, self.paddings, self.dilations
        return functional.fold(x, self.output_sizes, *how)


class Pad1D(Layer):
    """A border around lines [N, C, L].

    Args:
        padding: How wide, before and after; one number for both.
        mode: "constant", "reflect", "replicate" or "circular".
        value: The constant.
        data_format: "NCL" or "NLC".
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.Pad1D`.

    >>> import teachgraph as tg
    >>> Pad1D(1)(tg.ones([1, 1, 2])).tolist()
    [[[0.0, 1.0, 1.0, 0.0]]]
    """

    spatial, usual = 1, "NCL"

    def __init__(
        self,
        padding: Sizes,
        mode: str = "constant",
        value: float = 0.0,
        data_format: str | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        wide = [padding] * (2 * self.spatial) if isinstance(padding, int) else padding
        self.padding, self.mode, self.value = list(wide), mode, value
        self.data_format = data_format or self.usual

    def forward(self, x: Any) -> Any:
        """The function `pad`."""
        how = self.mode, self.value, self.data_format
        return manipulation.pad(x, self.padding, *how)

    def extra_repr(self) -> str:
        """How wide, and of what."""
        return (
            f"padding={self.padding}, mode={self.mode}, value={self.value}, "
            f"data_format={self.data_format}"
        )


class Pad2D(Pad1D):
    """A border around images [N, C, H, W]: left, right, top, bottom.

    Other arguments as for `Pad1D`. In Paddle this is `paddle.nn.Pad2D`.
    """

    spatial, usual = 2, "NCHW"


class Pad3D(Pad1D):
    """A border around volumes: left, right, top, bottom, front, back.

    Other arguments as for `Pad1D`. In Paddle this is `paddle.nn.Pad3D`.
    """

    spatial, usual = 3, "NCDHW"


class ZeroPad2D(Pad2D):
    """Zeros around images [N, C, H, W]: left, right, top, bottom.

    In Paddle this is `paddle.nn.ZeroPad2D`.
    """

    def __init__(
        self, padding: Sizes, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__(padding, "constant", 0.0, data_format)

    def extra_repr(self) -> str:
        """How wide."""
        return f"padding={self.padding}, data_format={self.data_format}"
