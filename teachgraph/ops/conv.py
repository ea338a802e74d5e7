"""Convolution, transposed convolution, and their gradients.

A convolution is linear in the image and in the filter. With <a, b> the sum of products,

    <conv(x, w), g> = <x, backward_input(g, w)> = <w, backward_filter(x, g)>

so the gradients of each of the three are the other two, and every order of derivative
follows. A transposed convolution is `backward_input` as an op of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.op import Like, Op, op
from teachgraph.ops import products
from teachgraph.ops.sliding import Sliding
from teachgraph.ops.windows import channels_first, channels_last

__all__ = [
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_backward_filter",
    "conv_backward_input",
    "depthwise_conv2d",
    "depthwise_conv2d_transpose",
]

NEEDS = (
    "an image [N, C, *sizes] and a filter [O, C / groups, *window] that fits into it"
)

TRANSPOSED_NEEDS = "an image [N, C, *sizes] and a filter [C, O / groups, *window]"


def convolution(type: str, dims: int) -> Op:
    """Create the op of a convolution over `dims` dimensions."""

    def kernel(
        input: Any,
        filter: Any,
        *,
        strides: Sequence[int] = (1,) * dims,
        paddings: Sequence[int] = (0,) * dims,
        padding_algorithm: str = "EXPLICIT",
        dilations: Sequence[int] = (1,) * dims,
        groups: int = 1,
        data_format: str = "NCHW" if dims == 2 else "NCDHW",
    ) -> Any:
        """Convolve: the sum of products of the filter with each window of the image."""
        sliding = Sliding(
            strides, paddings, padding_algorithm, dilations, groups, data_format
        )
        axes = sliding.fit(input, filter, dims)
        x = channels_first(input, data_format)
        out = products.forward(x, filter, axes, groups)
        return channels_last(out, data_format)

    def rule(
        doutput: Any,
        input: Any,
        filter: Any,
        *,
        strides: Sequence[int],
        paddings: Sequence[int],
        padding_algorithm: str,
        dilations: Sequence[int],
        groups: int,
        data_format: str,
    ) -> Any:
        """A convolution is linear in the image and in the filter."""
        attrs = Sliding(
            strides, paddings, padding_algorithm, dilations, groups, data_format
        ).attrs()
        # Lambdas: the gradient of an image, which nobody wants, is not computed.
        return (
            lambda: conv_backward_input(doutput, filter, input, **attrs),
            lambda: conv_backward_filter(input, doutput, filter, **attrs),
        )

    def infer(input: Like, filter: Like, **attrs: Any) -> Any:
        """A channel for each filter, an element for each window."""
        sliding = Sliding(**attrs)
        sizes = [axis.count for axis in sliding.fit(input, filter, dims)]
        shape = sliding.shape(input.shape[0], filter.shape[0], sizes)
        return [(shape, np.result_type(input.dtype, filter.dtype))]

    conv_op: Op = op(type=type, outputs=("output",), needs=NEEDS)(kernel)
    rule.__name__ = f"{type}_grad"
    conv_op.grad(rule)
    conv_op.infers(infer)
    return conv_op


def transposed_convolution(type: str, dims: int) -> Op:
    """Create the op of a transposed convolution over `dims` dimensions."""

    def kernel(
        input: Any,
        filter: Any,
        *,
        strides: Sequence[int] = (1,) * dims,
        paddings: Sequence[int] = (0,) * dims,
        padding_algorithm: str = "EXPLICIT",
        output_padding: Sequence[int] = (),
        output_size: Sequence[int] = (),
        dilations: Sequence[int] = (1,) * dims,
        groups: int = 1,
        data_format: str = "NCHW",
    ) -> Any:
        """Sum each element of the image times the filter into its window."""
        sliding = Sliding(
            strides, paddings, padding_algorithm, dilations, groups, data_format
        )
        axes = sliding.unfit(input, filter, dims, output_padding, output_size)
        g = channels_first(input, data_format)
        out = products.backward_input(g, filter, axes, groups)
        return channels_last(out, data_format)

    def rule(
        doutput: Any,
        input: Any,
        filter: Any,
        *,
        strides: Sequence[int],
        paddings: Sequence[int],
        padding_algorithm: str,
        dilations: Sequence[int],
        groups: int,
        data_format: str,
    ) -> Any:
        """dinput is the convolution of which this op is the adjoint."""
        sliding = Sliding(
            strides, paddings, padding_algorithm, dilations, groups, data_format
        )
        # `SAME` depends on the size of the image, and here that is the output.
        attrs = sliding.explicit(input, filter).attrs()
        return (
            lambda: of_dtype(CONVOLUTION[dims](doutput, filter, **attrs), input),
            lambda: conv_backward_filter(doutput, input, filter, **attrs),
        )

    def infer(
        input: Like,
        filter: Like,
        *,
        output_padding: Sequence[int],
        output_size: Sequence[int],
        **attrs: Any,
    ) -> Any:
        """A size with as many windows as the image has elements."""
        sliding = Sliding(**attrs)
        axes = sliding.unfit(input, filter, dims, output_padding, output_size)
        sizes = [axis.image for axis in axes]
        channels = filter.shape[1] * sliding.groups
        shape = sliding.shape(input.shape[0], channels, sizes)
        return [(shape, np.result_type(input.dtype, filter.dtype))]

    conv_op: Op = op(type=type, outputs=("output",), needs=TRANSPOSED_NEEDS)(kernel)
    rule.__name__ = f"{type}_grad"
    conv_op.grad(rule)
    conv_op.infers(infer)
    return conv_op


def of_dtype(x: Any, like: Any) -> Any:
    """Cast a gradient to the dtype of its input."""
    return x if x.dtype == like.dtype else x.astype(like.dtype)


@op(needs="the output of a convolution, its filter and its image")
def conv_backward_input(
    output: Any,
    filter: Any,
    input: Any,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
) -> Any:
    """Adjoint of a convolution in its image, of which only the shape is used."""
    sliding = Sliding(
        strides, paddings, padding_algorithm, dilations, groups, data_format
    )
    axes = sliding.fit(input, filter, filter.ndim - 2)
    g = channels_first(output, data_format)
    out = products.backward_input(g, filter, axes, groups)
    return channels_last(out, data_format).astype(input.dtype, copy=False)


@conv_backward_input.grad(of=("output", "filter"))
def conv_backward_input_grad(
    dout: Any,
    output: Any,
    filter: Any,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
) -> Any:
    """<dout, backward_input(g, w)> = <conv(dout, w), g>."""
    attrs = Sliding(
        strides, paddings, padding_algorithm, dilations, groups, data_format
    ).attrs()
    forward = CONVOLUTION[len(filter.shape) - 2]
    return (
        lambda: of_dtype(forward(dout, filter, **attrs), output),
        lambda: conv_backward_filter(dout, output, filter, **attrs),
    )


@op(needs="the image of a convolution, its output and its filter")
def conv_backward_filter(
    input: Any,
    output: Any,
    filter: Any,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
) -> Any:
    """Adjoint of a convolution in its filter, of which only the shape is used."""
    sliding = Sliding(
        strides, paddings, padding_algorithm, dilations, groups, data_format
    )
    axes = sliding.fit(input, filter, input.ndim - 2)
    x, g = channels_first(input, data_format), channels_first(output, data_format)
    out = products.backward_filter(x, g, axes, groups)
    return out.astype(filter.dtype, copy=False)


@conv_backward_filter.grad(of=("input", "output"))
def conv_backward_filter_grad(
    dout: Any,
    input: Any,
    output: Any,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
) -> Any:
    """<dout, backward_filter(x, g)> = <conv(x, dout), g>."""
    attrs = Sliding(
        strides, paddings, padding_algorithm, dilations, groups, data_format
    ).attrs()
    forward = CONVOLUTION[len(input.shape) - 2]
    return (
        lambda: conv_backward_input(output, dout, input, **attrs),
        lambda: of_dtype(forward(input, dout, **attrs), output),
    )


@conv_backward_input.infers
def infer_backward_input(output: Like, filter: Like, input: Like, **attrs: Any) -> Any:
    """The image's spec."""
    return [(input.shape, input.dtype)]


@conv_backward_filter.infers
def infer_backward_filter(input: Like, output: Like, filter: Like, **attrs: Any) -> Any:
    """The filter's spec."""
    return [(filter.shape, filter.dtype)]


conv2d = convolution("conv2d", 2)
conv3d = convolution("conv3d", 3)
depthwise_conv2d = convolution("depthwise_conv2d", 2)
conv2d_transpose = transposed_convolution("conv2d_transpose", 2)
conv3d_transpose = transposed_convolution("conv3d_transpose", 3)
depthwise_conv2d_transpose = transposed_convolution("depthwise_conv2d_transpose", 2)

CONVOLUTION = {2: conv2d, 3: conv3d}
"""Convolution ops by the number of spatial dimensions."""
