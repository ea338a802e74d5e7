"""Vision layers: resizing, pixel and channel shuffle, unfold and fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.nn import functional
from teachgraph.nn.layer import Layer

__all__ = [
    "ChannelShuffle",
    "Fold",
    "PixelShuffle",
    "PixelUnshuffle",
    "Unfold",
    "Upsample",
    "UpsamplingBilinear2D",
    "UpsamplingNearest2D",
]

Sizes = int | Sequence[int]
Factors = float | Sequence[float] | None


class Upsample(Layer):
    """Resize images; arguments as for `functional.interpolate`.

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
        """Apply the function `interpolate`."""
        how = self.mode, self.align_corners, self.align_mode, self.data_format
        return functional.interpolate(x, self.size, self.scale_factor, *how)

    def extra_repr(self) -> str:
        """Format size or factor, and mode, for `repr`."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return (
            f"{name}={getattr(self, name)}, mode={self.mode}, "
            f"align_corners={self.align_corners}, align_mode={self.align_mode}, "
            f"data_format={self.data_format}"
        )


class UpsamplingNearest2D(Layer):
    """Resize images by nearest neighbour.

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
        self.size = [size, size] if isinstance(size, int) else size
        self.scale_factor = scale_factor
        self.data_format = data_format

    def forward(self, x: Any) -> Any:
        """Apply the function `interpolate`."""
        size = self.size, self.scale_factor
        return functional.interpolate(x, *size, data_format=self.data_format)

    def extra_repr(self) -> str:
        """Format size or factor for `repr`."""
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)}, data_format={self.data_format}"


class UpsamplingBilinear2D(UpsamplingNearest2D):
    """Resize images bilinearly, with aligned corners.

    In Paddle this is `paddle.nn.UpsamplingBilinear2D`.
    """

    def forward(self, x: Any) -> Any:
        """Apply the function `interpolate`."""
        how = "bilinear", True, 0, self.data_format
        return functional.interpolate(x, self.size, self.scale_factor, *how)


class PixelShuffle(Layer):
    """Rearrange [N, C r^2, H, W] to [N, C, H r, W r].

    In Paddle this is `paddle.nn.PixelShuffle`.
    """

    def __init__(
        self, upscale_factor: int, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        self.upscale_factor, self.data_format = upscale_factor, data_format

    def forward(self, x: Any) -> Any:
        """Apply the function `pixel_shuffle`."""
        return functional.pixel_shuffle(x, self.upscale_factor, self.data_format)

    def extra_repr(self) -> str:
        """Format the factor for `repr`."""
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Layer):
    """Rearrange [N, C, H r, W r] to [N, C r^2, H, W].

    In Paddle this is `paddle.nn.PixelUnshuffle`.
    """

    def __init__(
        self, downscale_factor: int, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        self.downscale_factor, self.data_format = downscale_factor, data_format

    def forward(self, x: Any) -> Any:
        """Apply the function `pixel_unshuffle`."""
        return functional.pixel_unshuffle(x, self.downscale_factor, self.data_format)

    def extra_repr(self) -> str:
        """Format the factor for `repr`."""
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Layer):
    """Interleave groups of channels: the first of each group, then the second, ...

    In Paddle this is `paddle.nn.ChannelShuffle`.
    """

    def __init__(
        self, groups: int, data_format: str = "NCHW", name: str | None = None
    ) -> None:
        super().__init__()
        self.groups, self.data_format = groups, data_format

    def forward(self, x: Any) -> Any:
        """Apply the function `channel_shuffle`."""
        return functional.channel_shuffle(x, self.groups, self.data_format)

    def extra_repr(self) -> str:
        """Format the number of groups for `repr`."""
        return f"groups={self.groups}"


class Unfold(Layer):
    """Extract windows as columns (im2col); arguments as for `functional.unfold`.

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

    def forward(self, input: Any) -> Any:
        """Apply the function `unfold`."""
        how = self.kernel_sizes, self.strides, self.paddings, self.dilations
        return functional.unfold(input, *how)

    def extra_repr(self) -> str:
        """Format the window for `repr`."""
        return (
            f"kernel_size={self.kernel_sizes}, dilation={self.dilations}, "
            f"padding={self.paddings}, stride={self.strides}"
        )


class Fold(Unfold):
    """Sum columns back to images (col2im); arguments as for `functional.fold`.

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

    def forward(self, input: Any) -> Any:
        """Apply the function `fold`."""
        how = self.kernel_sizes, self.strides, self.paddings, self.dilations
        return functional.fold(input, self.output_sizes, *how)
