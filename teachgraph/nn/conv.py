"""Convolution and transposed convolution layers in 1, 2 and 3 dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod, sqrt
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.nn import functional
from teachgraph.nn.functional.conv import Numbers, Padding, per_dimension
from teachgraph.nn.initializer import Normal
from teachgraph.nn.layer import Layer
from teachgraph.ops.functions.manipulation import pad

__all__ = [
    "Conv1D",
    "Conv1DTranspose",
    "Conv2D",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DTranspose",
]

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class Sliding(Layer):
    """Base of convolutions: the arguments of a sliding window."""

    dims: int
    usual_format: str
    function: Callable[..., Any]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Numbers,
        stride: Numbers,
        padding: Padding,
        dilation: Numbers,
        groups: int,
        data_format: str | None,
    ) -> None:
        super().__init__()
        if groups < 1 or in_channels % groups or out_channels % groups:
            raise InvalidValueError.here(
                f"{groups} groups do not divide {in_channels} channels in and "
                f"{out_channels} out"
            )
        self._in_channels, self._out_channels = in_channels, out_channels
        self._kernel_size = per_dimension(kernel_size, self.dims)
        self._stride = per_dimension(stride, self.dims)
        self._dilation = per_dimension(dilation, self.dims)
        self._padding, self._groups = padding, groups
        self._data_format = data_format or self.usual_format

    def sliding(self) -> dict[str, Any]:
        """Return the window's arguments for the functional form."""
        return {
            "stride": self._stride,
            "padding": self._padding,
            "dilation": self._dilation,
            "groups": self._groups,
            "data_format": self._data_format,
        }

    def described(self, **others: Any) -> str:
        """Format sizes and non-default arguments as Paddle's repr does."""
        ones = [1] * self.dims
        facts = {
            "stride": None if self._stride == ones else self._stride,
            "padding": None if self._padding == 0 else self._padding,
            **others,
            "dilation": None if self._dilation == ones else self._dilation,
            "groups": None if self._groups == 1 else self._groups,
            "data_format": self._data_format,
        }
        unusual = [f"{k}={v}" for k, v in facts.items() if v is not None]
        sizes = f"{self._in_channels}, {self._out_channels}"
        return ", ".join([f"{sizes}, kernel_size={self._kernel_size}", *unusual])


class Convolution(Sliding):
    """Convolution over `dims` dimensions."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Numbers,
        stride: Numbers = 1,
        padding: Padding = 0,
        dilation: Numbers = 1,
        groups: int = 1,
        padding_mode: str = "zeros",
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            data_format,
        )
        if padding_mode not in PADDING_MODES:
            raise InvalidValueError.here(f"padding_mode is one of {PADDING_MODES}")
        self._padding_mode = padding_mode
        window = self._kernel_size
        usual = Normal(0.0, sqrt(2.0 / (prod(window) * in_channels)))
        self.weight = self.create_parameter(
            [out_channels, in_channels // groups, *window],
            weight_attr,
            default_initializer=usual,
        )
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Any) -> Any:
        """Apply the function of the same name."""
        how = self.sliding()
        if self._padding_mode != "zeros":
            x, how["padding"] = self.padded(x), 0
        return type(self).function(x, self.weight, self.bias, **how)

    def padded(self, x: Any) -> Any:
        """Pad the image by the padding mode.

        Raises:
            InvalidValueError: The padding is not in numbers.
        """
        if isinstance(self._padding, str):
            raise InvalidValueError.here(
                f"padding_mode={self._padding_mode!r} needs numbers"
            )
        numbers, _ = functional.conv.paddings(
            self._padding, self.dims, self._data_format
        )
        both = (
            numbers if len(numbers) > self.dims else [n for n in numbers for _ in "ab"]
        )
        # `pad` takes the last dimension first, as PyTorch's does.
        pairs = list(zip(both[::2], both[1::2], strict=True))
        widths = [n for pair in reversed(pairs) for n in pair]
        return pad(x, widths, self._padding_mode, data_format=self._data_format)

    def extra_repr(self) -> str:
        """Format sizes and non-default arguments for `repr`."""
        mode = self._padding_mode
        return self.described(padding_mode=None if mode == "zeros" else mode)


class Conv1D(Convolution):
    """Convolution over sequences [N, C, L]; arguments as for `Conv2D`.

    In Paddle this is `paddle.nn.Conv1D`.
    """

    dims = 1
    usual_format = "NCL"
    function = staticmethod(functional.conv1d)


class Conv2D(Convolution):
    """Convolution over images [N, C, H, W].

    Args:
        in_channels: C.
        out_channels: The number of filters.
        kernel_size: Height and width of the window, or one number for both.
        stride: From one window to the next.
        padding: Around the image: a number, several, `"same"` or `"valid"`.
        dilation: From one element of a window to the next.
        groups: The number of groups of channels, each with its own filters.
        padding_mode: The kind of padding: `zeros`, or `reflect`, `replicate` or
            `circular`, which repeat the image's own elements.
        weight_attr: ParamAttr of the filters [out, in / groups, h, w]; initially normal
            with deviation sqrt(2 / (in h w)) (He et al., 2015).
        bias_attr: ParamAttr of the bias [out], which starts at 0; False for none.
        data_format: `NHWC` if the channels come last.

    In Paddle this is `paddle.nn.Conv2D`.

    >>> import teachgraph as tg
    >>> layer = Conv2D(3, 8, kernel_size=3, padding=1)
    >>> layer(tg.ones([2, 3, 5, 5])).shape
    [2, 8, 5, 5]
    """

    dims = 2
    usual_format = "NCHW"
    function = staticmethod(functional.conv2d)


class Conv3D(Convolution):
    """Convolution over volumes [N, C, D, H, W]; arguments as for `Conv2D`.

    In Paddle this is `paddle.nn.Conv3D`.
    """

    dims = 3
    usual_format = "NCDHW"
    function = staticmethod(functional.conv3d)


class Transposed(Sliding):
    """Transposed convolution over `dims` dimensions."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Numbers,
        stride: Numbers = 1,
        padding: Padding = 0,
        output_padding: Numbers = 0,
        dilation: Numbers = 1,
        groups: int = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation,
            groups,
            data_format,
        )
        self._output_padding = output_padding
        self.weight = self.create_parameter(
            [in_channels, out_channels // groups, *self._kernel_size], weight_attr
        )
        self.bias = self.create_parameter([out_channels], bias_attr, is_bias=True)

    def forward(self, x: Any, output_size: Sequence[int] | int | None = None) -> Any:
        """Apply the function of the same name; a size replaces `output_padding`."""
        more = 0 if output_size is not None else self._output_padding
        return type(self).function(
            x,
            self.weight,
            self.bias,
            output_padding=more,
            output_size=output_size,
            **self.sliding(),
        )

    def extra_repr(self) -> str:
        """Format sizes and non-default arguments for `repr`."""
        more = None if self._output_padding == 0 else self._output_padding
        return self.described(output_padding=more)


class Conv1DTranspose(Transposed):
    """Transposed convolution over sequences; arguments as for `Conv2DTranspose`.

    In Paddle this is `paddle.nn.Conv1DTranspose`.
    """

    dims = 1
    usual_format = "NCL"
    function = staticmethod(functional.conv1d_transpose)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Numbers,
        stride: Numbers = 1,
        padding: Padding = 0,
        output_padding: Numbers = 0,
        groups: int = 1,
        dilation: Numbers = 1,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str | None = None,
    ) -> None:
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            output_padding,
            dilation,
            groups,
            weight_attr,
            bias_attr,
            data_format,
        )


class Conv2DTranspose(Transposed):
    """Transposed convolution, which enlarges images [N, C, H, W].

    Args:
        in_channels: C.
        out_channels: The number of output channels.
        kernel_size: Height and width of the window, or one number for both.
        stride: From one window of the result to the next.
        padding: The border to cut off the result.
        output_padding: Elements to add at the end, less than a stride.
        dilation: From one element of a window to the next.
        groups: The number of groups of channels, each with its own filters.
        weight_attr: ParamAttr of the filters [in, out / groups, h, w], which start
            Xavier-uniform.
        bias_attr: ParamAttr of the bias [out], which starts at 0; False for none.
        data_format: `NHWC` if the channels come last.

    In Paddle this is `paddle.nn.Conv2DTranspose`.

    >>> import teachgraph as tg
    >>> layer = Conv2DTranspose(3, 8, kernel_size=2, stride=2)
    >>> layer(tg.ones([2, 3, 5, 5])).shape
    [2, 8, 10, 10]
    """

    dims = 2
    usual_format = "NCHW"
    function = staticmethod(functional.conv2d_transpose)


class Conv3DTranspose(Transposed):
    """Transposed convolution over volumes; arguments as for `Conv2DTranspose`.

    In Paddle this is `paddle.nn.Conv3DTranspose`.
    """

    dims = 3
    usual_format = "NCDHW"
    function = staticmethod(functional.conv3d_transpose)
