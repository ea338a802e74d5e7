"""Pooling as layers: each calls the function of its name with what it was given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.functional.conv import Numbers, Padding
from teachgraph.nn.functional.pooling import Sizes
from teachgraph.nn.layer import Layer

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


class Pool(Layer):
    """A function of windows, and what it is told of them."""

    function: Callable[..., Any]
    shown: tuple[str, ...] = ("kernel_size", "stride", "padding")

    def __init__(self, **how: Any) -> None:
        super().__init__(how.pop("name", None))
        self._how = how

    def forward(self, *x: Any, **named: Any) -> Any:
        """The function of the same name."""
        return type(self).function(*x, **named, **self._how)

    def extra_repr(self) -> str:
        """Where the windows are."""
        return ", ".join(f"{name}={self._how[name]}" for name in self.shown)


class MaxPool(Pool):
    """The largest element of each window."""

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
    """The largest element of each window of sequences.

    In Paddle this is `paddle.nn.MaxPool1D`.
    """

    function = staticmethod(functional.max_pool1d)


class MaxPool2D(MaxPool):
    """The largest element of each window of images.

    Args:
        kernel_size: Height and width of the window, or one number for both.
        stride: From one window to the next; by default the window's size.
        padding: Around the image; never the largest.
        return_mask: Whether to give the numbers of the pixels beside the maxima.
        ceil_mode: Whether a last window may begin that does not fit.
        data_format: `NHWC` if the channels come last.

    In Paddle this is `paddle.nn.MaxPool2D`.

    >>> import teachgraph as tg
    >>> MaxPool2D(2)(tg.ones([1, 3, 4, 4])).shape
    [1, 3, 2, 2]
    """

    function = staticmethod(functional.max_pool2d)


class MaxPool3D(MaxPool):
    """The largest element of each window of volumes.

    In Paddle this is `paddle.nn.MaxPool3D`.
    """

    function = staticmethod(functional.max_pool3d)


class AvgPool1D(Pool):
    """The mean of each window of sequences.

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
    """The mean of each window."""

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
    """The mean of each window of images.

    Args:
        kernel_size: Height and width of the window, or one number for both.
        stride: From one window to the next; by default the window's size.
        padding: Around the image.
        ceil_mode: Whether a last window may begin that does not fit.
        exclusive: Whether padding does not count.
        divisor_override: What to divide by instead of the number of elements.
        data_format: `NHWC` if the channels come last.

    In Paddle this is `paddle.nn.AvgPool2D`.

    >>> import teachgraph as tg
    >>> AvgPool2D(2)(tg.ones([1, 3, 4, 4])).shape
    [1, 3, 2, 2]
    """

    function = staticmethod(functional.avg_pool2d)


class AvgPool3D(AvgPool):
    """The mean of each window of volumes.

    In Paddle this is `paddle.nn.AvgPool3D`.
    """

    function = staticmethod(functional.avg_pool3d)


class Adaptive(Pool):
    """Windows that share an image out."""

    shown: tuple[str, ...] = ("output_size",)

    def __init__(self, output_size: Sizes, **more: Any) -> None:
        super().__init__(output_size=output_size, **more)


class AdaptiveAvgPool1D(Adaptive):
    """The means of windows that share sequences out.

    In Paddle this is `paddle.nn.AdaptiveAvgPool1D`.
    """

    function = staticmethod(functional.adaptive_avg_pool1d)


class AdaptiveAvgPool2D(Adaptive):
    """The means of windows that share images out.

    Args:
        output_size: Rows and columns of the result, or one number for both.
        data_format: `NHWC` if the channels come last.

    In Paddle this is `paddle.nn.AdaptiveAvgPool2D`.

    >>> import teachgraph as tg
    >>> AdaptiveAvgPool2D(1)(tg.ones([1, 3, 4, 5])).shape
    [1, 3, 1, 1]
    """

    function = staticmethod(functional.adaptive_avg_pool2d)


class AdaptiveAvgPool3D(Adaptive):
    """The means of windows that share volumes out.

    In Paddle this is `paddle.nn.AdaptiveAvgPool3D`.
    """

    function = staticmethod(functional.adaptive_avg_pool3d)


class AdaptiveMax(Adaptive):
    """The maxima of windows that share an image out."""

    shown: tuple[str, ...] = ("output_size", "return_mask")

    def __init__(
        self, output_size: Sizes, return_mask: bool = False, name: str | None = None
    ) -> None:
        super().__init__(output_size, return_mask=return_mask, name=name)


class AdaptiveMaxPool1D(AdaptiveMax):
    """The maxima of windows that share sequences out.

    In Paddle this is `paddle.nn.AdaptiveMaxPool1D`.
    """

    function = staticmethod(functional.adaptive_max_pool1d)


class AdaptiveMaxPool2D(AdaptiveMax):
    """The maxima of windows that share images out.

    Args:
        output_size: Rows and columns of the result, or one number for both.
        return_mask: Whether to give the numbers of the pixels beside the maxima.

    In Paddle this is `paddle.nn.AdaptiveMaxPool2D`.
    """

    function = staticmethod(functional.adaptive_max_pool2d)


class AdaptiveMaxPool3D(AdaptiveMax):
    """The maxima of windows that share volumes out.

    In Paddle this is `paddle.nn.AdaptiveMaxPool3D`.
    """

    function = staticmethod(functional.adaptive_max_pool3d)


class MaxUnPool(Pool):
    """Maxima put back where they were."""

    shown: tuple[str, ...] = ("output_size",)

    def __init__(
        self,
        kernel_size: Numbers,
        stride: Numbers | None = None,
        padding: Numbers = 0,
        data_format: str | None = None,
        output_size: Sequence[int] | None = None,
        name: str | None = None,
    ) -> None:
        format = {} if data_format is None else {"data_format": data_format}
        super().__init__(
            kernel_size=kernel_size,
            stride=stride,
            padding=padding,
            output_size=output_size,
            name=name,
            **format,
        )


class MaxUnPool1D(MaxUnPool):
    """Maxima of sequences put back where they were.

    In Paddle this is `paddle.nn.MaxUnPool1D`.
    """

    function = staticmethod(functional.max_unpool1d)


class MaxUnPool2D(MaxUnPool):
    """Maxima of images put back where they were.

    Args:
        kernel_size: The window of the pooling.
        stride: The steps it made.
        padding: The padding it had.
        data_format: `NCHW`.
        output_size: The size of the images; by default the one that just fits.

    In Paddle this is `paddle.nn.MaxUnPool2D`.

    >>> import teachgraph as tg
    >>> out, mask = MaxPool2D(2, return_mask=True)(tg.ones([1, 3, 4, 4]))
    >>> MaxUnPool2D(2)(out, mask).shape
    [1, 3, 4, 4]
    """

    function = staticmethod(functional.max_unpool2d)


class MaxUnPool3D(MaxUnPool):
    """Maxima of volumes put back where they were.

    In Paddle this is `paddle.nn.MaxUnPool3D`.
    """

    function = staticmethod(functional.max_unpool3d)
