"""Convolution, normalisation and activation: the unit most image networks repeat."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.nn import BatchNorm2D, Conv2D, Layer, ReLU, Sequential

__all__ = ["ConvNormActivation"]

Builder = Callable[..., Layer]
"""A class of layers, or a function that builds one."""


class ConvNormActivation(Sequential):
    """Convolution, normalisation, activation: y = act(norm(conv(x))).

    Args:
        in_channels: Input channels.
        out_channels: Output channels.
        kernel_size: The sides of the kernel, or one for both.
        stride: Of the convolution.
        padding: Zeros around the image; by default as many as keep its size.
        groups: The number of groups of channels.
        norm_layer: Called with the output channels; None for no normalisation.
        activation_layer: Called without arguments; None for no activation.
        dilation: The spacing of the kernel's elements.
        bias: Whether the convolution has one; by default, where no normalisation
            would subtract it again.

    In Paddle this is `paddle.vision.ops.ConvNormActivation`.

    >>> [type(layer).__name__ for layer in ConvNormActivation(3, 8)]
    ['Conv2D', 'BatchNorm2D', 'ReLU']
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any = 3,
        stride: Any = 1,
        padding: Any = None,
        groups: int = 1,
        norm_layer: Builder | None = BatchNorm2D,
        activation_layer: Builder | None = ReLU,
        dilation: int = 1,
        bias: bool | None = None,
    ) -> None:
        if padding is None:
            padding = (kernel_size - 1) // 2 * dilation
        has_bias = norm_layer is None if bias is None else bias
        conv = Conv2D(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            padding,
            dilation=dilation,
            groups=groups,
            bias_attr=None if has_bias else False,
        )
        layers: list[Layer] = [conv]
        if norm_layer is not None:
            layers.append(norm_layer(out_channels))
        if activation_layer is not None:
            layers.append(activation_layer())
        super().__init__(*layers)
