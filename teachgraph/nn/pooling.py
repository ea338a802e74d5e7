"""Pooling layers: each applies a function of `nn.functional` with its options."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.function_layer import FunctionLayer
from teachgraph.nn.functional.conv import Numbers, Padding
from teachgraph.nn.functional.pooling import Sizes

__all__ = [
    "AdaptiveAvgPool1D",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool1D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "AvgPool1D",
    "AvgPool2D",
    "AvgPool3D",
    "MaxPool1D",
    "MaxPool2D",
    "MaxPool3D",
    "MaxUnPool1D",
    "MaxUnPool2D",
    "MaxUnPool3D",
]


class Pool(FunctionLayer):
    """Base of pooling layers: a function and its options.

    Attributes:
        data_format: The order of dimensions, if the function takes one.
        shown: The options that `repr` shows.
    """

    data_format: str | None = None
    name: str | None = None
    shown: tuple[str, ...] = ("kernel_size", "stride", "padding")

    def __init__(self, **options: Any) -> None:
        if self.data_format is not None:
            options.setdefault("data_format", self.data_format)
        super().__init__(**options)

    def extra_repr(self) -> str:
        """Format the windows for `repr`."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.shown)


def other_name(option: str) -> Any:
    """An option under Paddle's other name."""
    return property(
        attrgetter(option), lambda pool, value: setattr(pool, option, value)
    )


class MaxPool(Pool):
    """Base of max pooling layers."""

    def __init__(
        self,
        kernel_size: Numbers,
        stride: Numbers | None = None,
        padding: Padding = 0,
        return_mask: bool = False,
        ceil_mode: bool = False,
        **more: Any,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            return_mask=return_mask,
            ceil_mode=ceil_mode,
            **more,
        )


class MaxPool1D(MaxPool):
    """Maximum of each window of sequences.

    In Paddle this is `paddle.nn.MaxPool1D`.
    """

    function = staticmethod(functional.max_pool1d)


class MaxPool2D(MaxPool):
    """Maximum of each window of images.

    Args:
        kernel_size: Height and width of the window, or one number for both.
        stride: From one window to the next; by default the window's size.
        padding: Around the image; it is never the maximum.
        return_mask: Return the indices of the maxima as well.
        ceil_mode: Round sizes up: a last window may reach beyond the image.
        data_format: `NHWC` if the channels come last.

    In Paddle this is `paddle.nn.MaxPool2D`.

    >>> import teachgraph as tg
    >>> MaxPool2D(2)(tg.ones([1, 3, 4, 4])).shape
    [1, 3, 2, 2]
    """

    function = staticmethod(functional.max_pool2d)
    data_format = "NCHW"
    ksize = other_name("kernel_size")


class MaxPool3D(MaxPool):
    """Maximum of each window of volumes.

    In Paddle this is `paddle.nn.MaxPool3D`.
    """

    function = staticmethod(functional.max_pool3d)
    data_format = "NCDHW"
    ksize = other_name("kernel_size")


class AvgPool1D(Pool):
    """Mean of each window of sequences.

    In Paddle this is `paddle.nn.AvgPool1D`.
    """

    function = staticmethod(functional.avg_pool1d)

    def __init__(
        self,
        kernel_size: Numbers,
        stride: Numbers | None = None,
        padding: Padding = 0,
        exclusive: bool = True,
        ceil_mode: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            exclusive=exclusive,
            ceil_mode=ceil_mode,
            name=name,
        )


class AvgPool(Pool):
    """Base of average pooling layers."""

    divisor = other_name("divisor_override")

    def __init__(
        self,
        kernel_size: Numbers,
        stride: Numbers | None = None,
        padding: Padding = 0,
        ceil_mode: bool = False,
        exclusive: bool = True,
        divisor_override: float | None = None,
        **more: Any,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            exclusive=exclusive,
            divisor_override=divisor_override,
            **more,
        )


class AvgPool2D(AvgPool):
    """Mean of each window of images.

    Args:
        kernel_size: Height and width of the window, or one number for both.
        stride: From one window to the next; by default the window's size.
        padding: Around the image.
        ceil_mode: Round sizes up: a last window may reach beyond the image.
        exclusive: Exclude padding from the mean.
        divisor_override: The divisor, instead of the number of elements.
        data_format: `NHWC` if the channels come last.

    In Paddle this is `paddle.nn.AvgPool2D`.

    >>> import teachgraph as tg
    >>> AvgPool2D(2)(tg.ones([1, 3, 4, 4])).shape
    [1, 3, 2, 2]
    """

    function = staticmethod(functional.avg_pool2d)
    data_format = "NCHW"
    ksize = other_name("kernel_size")


class AvgPool3D(AvgPool):
    """Mean of each window of volumes.

    In Paddle this is `paddle.nn.AvgPool3D`.
    """

    function = staticmethod(functional.avg_pool3d)
    data_format = "NCDHW"
    ksize = other_name("kernel_size")


class Adaptive(Pool):
    """Base of adaptive pooling layers, whose windows cover the image evenly."""

    shown: tuple[str, ...] = ("output_size",)

    def __init__(self, output_size: Sizes, **more: Any) -> None:
        super().__init__(output_size=output_size, **more)


class AdaptiveAvgPool1D(Adaptive):
    """Means of windows that cover sequences evenly.

    In Paddle this is `paddle.nn.AdaptiveAvgPool1D`.
    """

    function = staticmethod(functional.adaptive_avg_pool1d)


class AdaptiveAvgPool2D(Adaptive):
    """Means of windows that cover images evenly.

    Args:
        output_size: Rows and columns of the result, or one number for both.
        data_format: `NHWC` if the channels come last.

    In Paddle this is `paddle.nn.AdaptiveAvgPool2D`.

    >>> import teachgraph as tg
    >>> AdaptiveAvgPool2D(1)(tg.ones([1, 3, 4, 5])).shape
    [1, 3, 1, 1]
    """

    function = staticmethod(functional.adaptive_avg_pool2d)
    data_format = "NCHW"


class AdaptiveAvgPool3D(Adaptive):
    """Means of windows that cover volumes evenly.

    In Paddle this is `paddle.nn.AdaptiveAvgPool3D`.
    """

    function = staticmethod(functional.adaptive_avg_pool3d)
    data_format = "NCDHW"


class AdaptiveMax(Adaptive):
    """Base of adaptive max pooling layers."""

    shown: tuple[str, ...] = ("output_size", "return_mask")

    def __init__(
        self, output_size: Sizes, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size, return_mask=return_mask, name=name)


class AdaptiveMaxPool1D(AdaptiveMax):
    """Maxima of windows that cover sequences evenly.

    In Paddle this is `paddle.nn.AdaptiveMaxPool1D`.
    """

    function = staticmethod(functional.adaptive_max_pool1d)


class AdaptiveMaxPool2D(AdaptiveMax):
    """Maxima of windows that cover images evenly.

    Args:
        output_size: Rows and columns of the result, or one number for both.
        return_mask: Return the indices of the maxima as well.

    In Paddle this is `paddle.nn.AdaptiveMaxPool2D`.
    """

    function = staticmethod(functional.adaptive_max_pool2d)


class AdaptiveMaxPool3D(AdaptiveMax):
    """Maxima of windows that cover volumes evenly.

    In Paddle this is `paddle.nn.AdaptiveMaxPool3D`.
    """

    function = staticmethod(functional.adaptive_max_pool3d)


class MaxUnPool(Pool):
    """Base of unpooling layers, which scatter maxima back to their positions."""

    shown: tuple[str, ...] = ("output_size",)
    ksize = other_name("kernel_size")

    def __init__(
        self,
        kernel_size: Numbers,
        stride: Numbers | None = None,
        padding: Numbers = 0,
        data_format: str | None = None,
        output_size: Sequence[int] | None = None,
        name: str | None = None,
    ) -> None:
        data_format = data_format or type(self).data_format
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            data_format=data_format,
            output_size=output_size,
            name=name,
        )


class MaxUnPool1D(MaxUnPool):
    """Unpooling of maxima of sequences.

    In Paddle this is `paddle.nn.MaxUnPool1D`.
    """

    function = staticmethod(functional.max_unpool1d)
    data_format = "NCL"


class MaxUnPool2D(MaxUnPool):
    """Unpooling of maxima of images.

    Args:
        kernel_size: The pooling's window.
        stride: The pooling's stride.
        padding: The pooling's padding.
        data_format: `NCHW`.
        output_size: The size; by default (n - 1) stride + window - 2 padding.

    In Paddle this is `paddle.nn.MaxUnPool2D`.

    >>> import teachgraph as tg
    >>> out, mask = MaxPool2D(2, return_mask=True)(tg.ones([1, 3, 4, 4]))
    >>> MaxUnPool2D(2)(out, mask).shape
    [1, 3, 4, 4]
    """

    function = staticmethod(functional.max_unpool2d)
    data_format = "NCHW"


class MaxUnPool3D(MaxUnPool):
    """Unpooling of maxima of volumes.

    In Paddle this is `paddle.nn.MaxUnPool3D`.
    """

    function = staticmethod(functional.max_unpool3d)
    data_format = "NCDHW"
