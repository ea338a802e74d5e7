"""Convolutions, transposed and row convolutions that create their own filters."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from operator import index
from typing import Any

from teachgraph.core import ops
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import Op
from teachgraph.nn.functional.conv import Numbers, Padding, paddings, per_dimension
from teachgraph.nn.functional.norm import layout
from teachgraph.nn.parametric.inputs import channels_of, known_sizes, variable
from teachgraph.ops import conv, naming
from teachgraph.ops import row_conv as rows
from teachgraph.ops.activation import activated
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.initializer import Constant, Initializer, Normal, XavierUniform
from teachgraph.static.layers import parameter
from teachgraph.static.variable import Variable

__all__ = ["conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "row_conv"]


def conv2d(
    input: Variable,
    num_filters: int,
    filter_size: Numbers,
    stride: Numbers = 1,
    padding: Padding = 0,
    dilation: Numbers = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Variable:
    """Convolve images: act(filter * input + bias).

    Args:
        input: Images [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        num_filters: The number of output channels, O.
        filter_size: h and w, or one number for both.
        stride: From one window to the next.
        padding: Zeros around the image, or SAME or VALID.
        dilation: From one element of a window to the next.
        groups: The number of groups of channels, each with its own filters.
        param_attr: ParamAttr of the filter [O, C / groups, h, w]; initially normal with
            variance 2 / (h w C).
        bias_attr: ParamAttr of the bias [O], which starts at 0; False for none.
        use_cudnn: Without it the op of one group for each channel is
            `depthwise_conv2d`.
        act: The type of an op to apply, such as "relu".
        name: Instead of `conv2d_N`.
        data_format: Where the channels are.

    Raises:
        DTypeError: `input` is no Variable.
        ShapeError: It has no four dimensions, or no channel count.
        InvalidValueError: The groups do not divide the channels.

    In Paddle this is `paddle.static.nn.conv2d` and `fluid.layers.conv2d`.
    """
    x = variable("conv2d", input, 4)
    axis, channels = channels_of("conv2d", x, data_format)
    count = whole_groups("conv2d", channels, num_filters, groups)
    depthwise = count == channels and not use_cudnn
    size = filter_sizes(filter_size, 2)
    return convolved(
        conv.depthwise_conv2d if depthwise else conv.conv2d,
        x,
        [num_filters, channels // count, *size],
        Normal(0.0, sqrt(2.0 / (prod(size) * channels))),
        (axis, num_filters),
        *(param_attr, bias_attr, act, name),
        **windows(2, stride, padding, dilation, data_format),
        groups=count,
        data_format=data_format,
    )


def conv3d(
    input: Variable,
    num_filters: int,
    filter_size: Numbers,
    stride: Numbers = 1,
    padding: Padding = 0,
    dilation: Numbers = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Variable:
    """Convolve volumes [N, C, D, H, W].

    In Paddle this is `paddle.static.nn.conv3d`.
    """
    x = variable("conv3d", input, 5)
    axis, channels = channels_of("conv3d", x, data_format)
    count = whole_groups("conv3d", channels, num_filters, groups)
    size = filter_sizes(filter_size, 3)
    return convolved(
        conv.conv3d,
        x,
        [num_filters, channels // count, *size],
        Normal(0.0, sqrt(2.0 / (prod(size) * channels))),
        (axis, num_filters),
        *(param_attr, bias_attr, act, name),
        **windows(3, stride, padding, dilation, data_format),
        groups=count,
        data_format=data_format,
    )


def convolved(
    op: Op,
    x: Variable,
    shape: Sequence[int],
    initializer: Initializer,
    channels: tuple[int, int],
    param_attr: Any,
    bias_attr: Any,
    act: str | None,
    name: str | None,
    **attrs: Any,
) -> Variable:
    """Apply the op with a new filter, add a bias per channel, apply `act`."""
    axis, count = channels
    with naming.layer(op.key, name) as layer:
        filter = parameter(layer.name, "w", shape, x.dtype, param_attr, initializer)
        out = op(x, filter, **attrs)
        bias = parameter(layer.name, "b", [count], x.dtype, bias_attr, Constant(0.0))
        if bias is not None:
            out = ops.elementwise_add(out, bias, axis=axis)
        return activated(out, act)  # type: ignore[no-any-return]


def whole_groups(layer: str, channels: int, filters: int, groups: int | None) -> int:
    """Require a number of groups that divides channels and filters.

    Raises:
        InvalidValueError: It does not.
    """
    count = 1 if groups is None else groups
    if count < 1 or channels % count or filters % count or filters < 1:
        raise InvalidValueError.here(
            f"{layer}: {count} groups do not divide {channels} channels and "
            f"{filters} filters"
        )
    return count


def filter_sizes(size: Numbers, dims: int) -> list[int]:
    """Convert the sizes of a filter to integers, as a parameter's shape needs."""
    return [index(n) for n in per_dimension(size, dims)]


def windows(
    dims: int, stride: Numbers, padding: Padding, dilation: Numbers, data_format: str
) -> dict[str, Any]:
    """Build the window attributes of a convolution."""
    numbers, algorithm = paddings(padding, dims, data_format)
    return {
        "strides": per_dimension(stride, dims),
        "paddings": numbers,
        "padding_algorithm": algorithm,
        "dilations": per_dimension(dilation, dims),
    }


def conv2d_transpose(
    input: Variable,
    num_filters: int,
    output_size: Numbers | None = None,
    filter_size: Numbers | None = None,
    padding: Padding = 0,
    stride: Numbers = 1,
    dilation: Numbers = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Variable:
    """Transposed convolution, which enlarges images.

    Args:
        input: Images [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        num_filters: The number of output channels, O.
        output_size: The size of the result; the filter's size follows if it is None.
        filter_size: h and w, or one number for both.
        padding: The border to cut off the result.
        stride: From one window of the result to the next.
        dilation: From one element of a window to the next.
        groups: The number of groups of channels, each with its own filters.
        param_attr: ParamAttr of the filter [C, O / groups, h, w]; Xavier-uniform.
        bias_attr: ParamAttr of the bias [O], which starts at 0; False for none.
        use_cudnn: Without it the op of one group for each channel is
            `depthwise_conv2d_transpose`.
        act: The type of an op to apply.
        name: Instead of `conv2d_transpose_N`.
        data_format: Where the channels are.

    Raises:
        DTypeError: `input` is no Variable.
        ShapeError: It has no four dimensions, or no channel count.
        InvalidValueError: Neither size is given, or the groups do not divide.

    In Paddle this is `paddle.static.nn.conv2d_transpose`.
    """
    x = variable("conv2d_transpose", input, 4)
    channels = channels_of("conv2d_transpose", x, data_format)[1]
    depthwise = groups == channels == num_filters and not use_cudnn
    op = conv.depthwise_conv2d_transpose if depthwise else conv.conv2d_transpose
    sizes = (output_size, filter_size, padding, stride, dilation)
    more = (param_attr, bias_attr, act, name)
    return transposed(op, 2, x, num_filters, groups, sizes, more, data_format)


def conv3d_transpose(
    input: Variable,
    num_filters: int,
    output_size: Numbers | None = None,
    filter_size: Numbers | None = None,
    padding: Padding = 0,
    stride: Numbers = 1,
    dilation: Numbers = 1,
    groups: int | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    use_cudnn: bool = True,
    act: str | None = None,
    name: str | None = None,
    data_format: str = "NCDHW",
) -> Variable:
    """Transposed convolution of volumes [N, C, D, H, W].

    In Paddle this is `paddle.static.nn.conv3d_transpose`.
    """
    x = variable("conv3d_transpose", input, 5)
    sizes = (output_size, filter_size, padding, stride, dilation)
    more = (param_attr, bias_attr, act, name)
    op = conv.conv3d_transpose
    return transposed(op, 3, x, num_filters, groups, sizes, more, data_format)


def transposed(
    op: Op,
    dims: int,
    x: Variable,
    num_filters: int,
    groups: int | None,
    sizes: Sequence[Any],
    more: Sequence[Any],
    data_format: str,
) -> Variable:
    """Transposed convolution over `dims` dimensions."""
    axis, channels = channels_of(op.type, x, data_format)
    count = whole_groups(op.type, channels, num_filters, groups)
    output_size, filter_size, padding, stride, dilation = sizes
    attrs = windows(dims, stride, padding, dilation, data_format)
    out = [] if output_size is None else per_dimension(output_size, dims)
    image = x.shape[2:] if axis == 1 else x.shape[1:-1]
    if filter_size is not None:
        window = filter_sizes(filter_size, dims)
    else:
        window = window_for(op.type, out, known_sizes(op.type, x, image), attrs)
    return convolved(
        op,
        x,
        [channels, num_filters // count, *window],
        XavierUniform(),
        (axis, num_filters),
        *more,
        **attrs,
        groups=count,
        output_size=out,
        output_padding=[],
        data_format=layout(data_format),
    )


def window_for(
    layer: str, out: Sequence[int], image: Sequence[int], attrs: dict[str, Any]
) -> list[int]:
    """Compute the window for which the result has a given size.

    Raises:
        InvalidValueError: The size is missing, or padding is a text.
    """
    pads = attrs["paddings"]
    if not out or attrs["padding_algorithm"] != "EXPLICIT":
        raise InvalidValueError.here(
            f"{layer}: output_size must be set when filter_size is None"
        )
    if len(pads) == len(out):
        pads = [pad for pad in pads for _ in range(2)]
    both = [first + last for first, last in zip(pads[::2], pads[1::2], strict=True)]
    steps = zip(out, image, attrs["strides"], both, attrs["dilations"], strict=True)
    return [(o - (n - 1) * s + p - 1) // d + 1 for o, n, s, p, d in steps]


def row_conv(
    input: Variable,
    future_context_size: int,
    param_attr: Any = None,
    act: str | None = None,
) -> Variable:
    """Row convolution: a weighted sum of each step and the next ones, per channel.

    Args:
        input: Sequences [N, T, D].
        future_context_size: K, the number of future steps.
        param_attr: ParamAttr of the filter [K + 1, D], Xavier-uniform at first.
        act: The type of an op to apply.

    Source: Amodei et al. 2015, https://arxiv.org/abs/1512.02595. In Paddle this is
    `paddle.static.nn.row_conv` and `fluid.layers.row_conv`.
    """
    x = variable("row_conv", input, 3)
    shape = [future_context_size + 1, *known_sizes("row_conv", x, x.shape[2:])]
    with naming.layer("row_conv") as layer:
        filter = parameter(layer.name, "w", shape, x.dtype, param_attr, XavierUniform())
        return activated(rows.row_conv(x, filter), act)  # type: ignore[no-any-return]


all_in_words(__all__, globals())
