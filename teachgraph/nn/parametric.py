"""Layers as functions that make their own parameters: Paddle's `static.nn`.

Each appends its operators to the program under a name of its own, `conv2d_0`, after
which its parameters and results are called.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from operator import index
from typing import Any

from teachgraph.errors import DTypeError, InvalidValueError, ShapeError, at_user_line
from teachgraph.nn.functional.conv import Numbers, Padding, paddings, several
from teachgraph.nn.functional.lookup import padding_row
from teachgraph.nn.functional.norm import layout
from teachgraph.ops import activation, bilinear, conv, elementwise, embedding, norm
from teachgraph.ops.activation import activated
from teachgraph.ops.batch_norm import batch_norm as batch_norm_op
from teachgraph.ops.in_words import all_in_words
from teachgraph.ops.initializer import Constant, Initializer, Normal, XavierUniform
from teachgraph.ops.op import Op
from teachgraph.param_attr import ParamAttr
from teachgraph.static import Variable, naming
from teachgraph.static.layers import parameter

__all__ = [
    "batch_norm",
    "bilinear_tensor_product",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "embedding_table",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "prelu",
    "sparse_embedding",
]

ONE, ZERO = Constant(1.0), Constant(0.0)


def variable(layer: str, x: Any, *ranks: int) -> Variable:
    """The input of a layer: a Variable of one of these numbers of dimensions.

    Raises:
        DTypeError: It is no Variable.
        ShapeError: It has another number of dimensions.
    """
    if not isinstance(x, Variable):
        raise DTypeError(
            at_user_line(f"{layer}: input must be a Variable, got {type(x)}")
        )
    if ranks and x.ndim not in ranks:
        wanted = " or ".join(map(str, ranks))
        raise ShapeError(
            at_user_line(
                f"{layer}: {x.name!r} must have {wanted} dimensions, got "
                f"{list(x.shape)}"
            )
        )
    return x


def known(layer: str, x: Variable, sizes: Sequence[int]) -> list[int]:
    """Sizes that parameters are made of.

    Raises:
        ShapeError: One is not known before the program runs.
    """
    if min(sizes, default=1) < 0:
        raise ShapeError(
            at_user_line(
                f"{layer}: the size of a parameter follows from {x.name!r}, whose "
                f"shape {list(x.shape)} is not known"
            )
        )
    return list(sizes)


def channels_of(layer: str, x: Variable, data_format: str) -> tuple[int, int]:
    """Where the channels are, and how many.

    Raises:
        InvalidValueError: It is no format.
        ShapeError: It is not known how many.
    """
    axis = 1 if layout(data_format) == "NCHW" else x.ndim - 1
    return axis, known(layer, x, [x.shape[axis]])[0]


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
    """The op with a filter, then a bias at the axis of the channels, then `act`."""
    axis, count = channels
    with naming.layer(op.key, name) as layer:
        filter = parameter(layer.name, "w", shape, x.dtype, param_attr, initializer)
        out = op(x, filter, **attrs)
        bias = parameter(layer.name, "b", [count], x.dtype, bias_attr, ZERO)
        if bias is not None:
            out = elementwise.elementwise_add(out, bias, axis=axis)
        return activated(out, act)  # type: ignore[no-any-return]


def whole_groups(layer: str, channels: int, filters: int, groups: int | None) -> int:
    """The number of groups, which divide channels and filters.

    Raises:
        InvalidValueError: They do not.
    """
    count = 1 if groups is None else groups
    if count < 1 or channels % count or filters % count or filters < 1:
        raise InvalidValueError(
            at_user_line(
                f"{layer}: {count} groups do not divide {channels} channels and "
                f"{filters} filters"
            )
        )
    return count


def filter_sizes(size: Numbers, dims: int) -> list[int]:
    """The sizes of a filter, which a parameter has: whole numbers."""
    return [index(n) for n in several(size, dims)]


def windows(
    dims: int, stride: Numbers, padding: Padding, dilation: Numbers, data_format: str
) -> dict[str, Any]:
    """How windows lie over the image, as attributes."""
    numbers, algorithm = paddings(padding, dims, data_format)
    return {
        "strides": several(stride, dims),
        "paddings": numbers,
        "padding_algorithm": algorithm,
        "dilations": several(dilation, dims),
    }


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
    """A convolution: act(filter * input + bias).

    Args:
        input: Images [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        num_filters: How many channels the result has, O.
        filter_size: h and w, or one number for both.
        stride: From one window to the next.
        padding: Zeros around the image, or SAME or VALID.
        dilation: From one element of a window to the next.
        groups: Parts of the channels that see only their own filters.
        param_attr: About the filter [O, C / groups, h, w], which starts normally
            distributed with variance 2 / (h w C).
        bias_attr: About the bias [O], which starts at 0; False for none.
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
    """The same over volumes [N, C, D, H, W].

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
    """A transposed convolution, which makes images larger.

    Args:
        input: Images [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        num_filters: How many channels the result has, O.
        output_size: The size of the result; the filter's follows if it is not given.
        filter_size: h and w, or one number for both.
        padding: What is cut off around the result.
        stride: From one window of the result to the next.
        dilation: From one element of a window to the next.
        groups: Parts of the channels that see only their own filters.
        param_attr: About the filter [C, O / groups, h, w], Xavier-uniform at first.
        bias_attr: About the bias [O], which starts at 0; False for none.
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
    """The same over volumes [N, C, D, H, W].

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
    """A transposed convolution over this many dimensions."""
    axis, channels = channels_of(op.type, x, data_format)
    count = whole_groups(op.type, channels, num_filters, groups)
    output_size, filter_size, padding, stride, dilation = sizes
    attrs = windows(dims, stride, padding, dilation, data_format)
    out = [] if output_size is None else several(output_size, dims)
    image = x.shape[2:] if axis == 1 else x.shape[1:-1]
    if filter_size is not None:
        window = filter_sizes(filter_size, dims)
    else:
        window = window_for(op.type, out, known(op.type, x, image), attrs)
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
    """The window that makes an image as large as wanted.

    Raises:
        InvalidValueError: It is not said how large, or padding is a word.
    """
    pads = attrs["paddings"]
    if not out or attrs["padding_algorithm"] != "EXPLICIT":
        raise InvalidValueError(
            at_user_line(f"{layer}: output_size must be set when filter_size is None")
        )
    if len(pads) == len(out):
        pads = [pad for pad in pads for _ in range(2)]
    both = [first + last for first, last in zip(pads[::2], pads[1::2], strict=True)]
    steps = zip(out, image, attrs["strides"], both, attrs["dilations"], strict=True)
    return [(o - (n - 1) * s + p - 1) // d + 1 for o, n, s, p, d in steps]


def batch_norm(
    input: Variable,
    act: str | None = None,
    is_test: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    param_attr: Any = None,
    bias_attr: Any = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
) -> Variable:
    """Batch normalisation: act(scale (x - mean) / sqrt(variance + epsilon) + bias).

    Args:
        input: [N, C, ...], or [N, ..., C] with `data_layout="NHWC"`.
        act: The type of an op to apply.
        is_test: Whether to use the running moments.
        momentum: The weight of the old value in them.
        epsilon: Keeps the denominator from 0.
        param_attr: About the scale [C], which starts at 1.
        bias_attr: About the bias [C], which starts at 0.
        data_layout: Where the channels are.
        in_place: Accepted for Paddle's sake.
        name: Instead of `batch_norm_N`.
        moving_mean_name: What the running mean is called.
        moving_variance_name: What the running variance is called.
        do_model_average_for_mean_and_var: Accepted for Paddle's sake.
        use_global_stats: Whether to use the running moments while training, too.

    In Paddle this is `paddle.static.nn.batch_norm` and `fluid.layers.batch_norm`.
    """
    x = variable("batch_norm", input, 2, 3, 4, 5)
    size = [channels_of("batch_norm", x, data_layout)[1]]
    act_op = activation.activation(act)
    with naming.layer("batch_norm", name) as layer:
        made = [
            parameter(layer.name, suffix, size, x.dtype, attr, default)
            for suffix, attr, default in (
                ("w", param_attr, ONE),
                ("b", bias_attr, ZERO),
                ("w", ParamAttr(moving_mean_name, ZERO, trainable=False), ZERO),
                ("w", ParamAttr(moving_variance_name, ONE, trainable=False), ONE),
            )
        ]
        with naming.scope(leaving_room(layer, is_test=is_test)):
            out = batch_norm_op(
                x,
                *made,
                momentum=momentum,
                epsilon=epsilon,
                is_test=is_test,
                data_layout=layout(data_layout),
                use_global_stats=use_global_stats,
                trainable_statistics=False,
            )[-1]
        return act_op(out)  # type: ignore[no-any-return]


def leaving_room(layer: naming.Layer, *, is_test: bool) -> naming.Names:
    """Names for the results of `batch_norm`; Paddle has one more while training."""
    names = [layer() for _ in range(3 if is_test else 4)]
    given = iter([*names[:2], names[-1]])
    return lambda: next(given)


def layer_norm(
    input: Variable,
    scale: bool = True,
    shift: bool = True,
    begin_norm_axis: int = 1,
    epsilon: float = 1e-5,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    name: str | None = None,
) -> Variable:
    """Layer normalisation over the dimensions from `begin_norm_axis` on.

    Args:
        input: Any shape; the sizes from `begin_norm_axis` on must be known.
        scale: Whether to multiply by what is learnt.
        shift: Whether to add what is learnt.
        begin_norm_axis: The first dimension that the moments are taken over.
        epsilon: Keeps the denominator from 0.
        param_attr: About the scale, one number for each element, 1 at first.
        bias_attr: About the shift, likewise, 0 at first.
        act: The type of an op to apply.
        name: Instead of `layer_norm_N`.

    In Paddle this is `paddle.static.nn.layer_norm` and `fluid.layers.layer_norm`.
    """
    x = variable("layer_norm", input)
    size = [prod(known("layer_norm", x, x.shape[begin_norm_axis:]))]
    with naming.layer("layer_norm", name) as layer:
        weight = bias = None
        if scale:
            weight = parameter(layer.name, "w", size, x.dtype, param_attr, ONE)
        if shift:
            bias = parameter(layer.name, "b", size, x.dtype, bias_attr, ZERO)
        attrs = {"epsilon": epsilon, "begin_norm_axis": begin_norm_axis}
        out = norm.layer_norm(x, weight, bias, **attrs)[-1]
        return activated(out, act)  # type: ignore[no-any-return]


def group_norm(
    input: Variable,
    groups: int,
    epsilon: float = 1e-5,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    data_layout: str = "NCHW",
    name: str | None = None,
) -> Variable:
    """Group normalisation: moments of groups of a sample's channels.

    A scale and a shift are learnt unless their attr is False. Paddle makes none either
    where it is None, against its own manual.

    In Paddle this is `paddle.static.nn.group_norm` and `fluid.layers.group_norm`.
    """
    x = variable("group_norm", input)
    size = [channels_of("group_norm", x, data_layout)[1]]
    with naming.layer("group_norm", name) as layer:
        weight = parameter(layer.name, "w", size, x.dtype, param_attr, ONE)
        bias = parameter(layer.name, "b", size, x.dtype, bias_attr, ZERO)
        attrs = {"groups": groups, "data_layout": layout(data_layout)}
        with naming.scope(naming.Plain("_generated_var")):
            out = norm.group_norm(x, weight, bias, epsilon=epsilon, **attrs)[-1]
        return activated(out, act)  # type: ignore[no-any-return]


def instance_norm(
    input: Variable,
    epsilon: float = 1e-5,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Variable:
    """Instance normalisation: moments of each channel of each sample.

    A scale and a shift are learnt unless their attr is False. Paddle makes none either
    where it is None, against its own manual.

    In Paddle this is `paddle.static.nn.instance_norm` and `fluid.layers.instance_norm`.
    """
    x = variable("instance_norm", input, 2, 3, 4, 5)
    size = [channels_of("instance_norm", x, "NCHW")[1]]
    with naming.layer("instance_norm", name) as layer:
        weight = parameter(layer.name, "w", size, x.dtype, param_attr, ONE)
        bias = parameter(layer.name, "b", size, x.dtype, bias_attr, ZERO)
        out: Variable = norm.instance_norm(x, weight, bias, epsilon=epsilon)[-1]
    return out


def embedding_table(
    input: Variable,
    size: Sequence[int],
    is_sparse: bool = False,
    is_distributed: bool = False,
    padding_idx: int | None = None,
    param_attr: Any = None,
    dtype: Any = "float32",
) -> Variable:
    """Row `input` of a table that is learnt: `static.nn.embedding`.

    Args:
        input: Integers of any shape.
        size: How many rows and how many columns.
        is_sparse: Accepted for Paddle's sake; gradients are tables.
        is_distributed: Accepted for Paddle's sake.
        padding_idx: A row that is taken for zeros and not trained.
        param_attr: About the table, Xavier-uniform at first.
        dtype: Type of its elements.

    In Paddle this is `paddle.static.nn.embedding` and `fluid.embedding`.
    """
    x = variable("embedding", input)
    if len(size) != 2 or min(size) < 1:
        raise InvalidValueError(
            at_user_line(f"embedding: size is [rows, columns], got {list(size)}")
        )
    with naming.layer("embedding") as layer:
        table = parameter(
            layer.name, "w", list(size), dtype, param_attr, XavierUniform()
        )
        row = padding_row(padding_idx, size[0])
        out: Variable = embedding.lookup_table_v2(table, x, padding_idx=row)
    return out


def sparse_embedding(
    input: Variable,
    size: Sequence[int],
    padding_idx: int | None = None,
    is_test: bool = False,
    entry: Any = None,
    table_class: str = "MemorySparseTable",
    param_attr: Any = None,
    dtype: Any = "float32",
    slot: Any = None,
) -> Variable:
    """`embedding`: Paddle keeps this table on parameter servers.

    In Paddle this is `paddle.static.nn.sparse_embedding`.
    """
    return embedding_table(
        input, size, padding_idx=padding_idx, param_attr=param_attr, dtype=dtype
    )


def prelu(
    x: Variable,
    mode: str,
    param_attr: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Variable:
    """x where x > 0, alpha x elsewhere; alpha is learnt and starts at 0.25.

    Args:
        x: [N, C, ...], or [N, ..., C] with `data_format="NHWC"`.
        mode: "all" for one alpha, "channel" for one each channel, "element" for one
            each element of a sample.
        param_attr: About alpha.
        data_format: Where the channels are.
        name: Instead of `prelu_N`.

    Raises:
        InvalidValueError: It is another mode.

    In Paddle this is `paddle.static.nn.prelu` and `fluid.layers.prelu`.
    """
    value = variable("prelu", x)
    shapes = {"all": [1], "element": [1, *value.shape[1:]]}
    if mode == "channel":
        axis, count = channels_of("prelu", value, data_format)
        shapes[mode] = [count if i == axis else 1 for i in range(value.ndim)]
    if mode not in shapes:
        raise InvalidValueError(
            at_user_line(f"mode should be one of all, channel, element, got {mode!r}")
        )
    shape = known("prelu", value, shapes[mode])
    with naming.layer("prelu", name) as layer:
        alpha = parameter(
            layer.name, "w", shape, value.dtype, param_attr, Constant(0.25)
        )
        attrs = {"mode": mode, "data_format": layout(data_format)}
        out: Variable = activation.prelu(value, alpha, **attrs)
    return out


def bilinear_tensor_product(
    x: Variable,
    y: Variable,
    size: int,
    act: str | None = None,
    name: str | None = None,
    param_attr: Any = None,
    bias_attr: Any = None,
) -> Variable:
    """out[n, k] = act(x[n]' W[k] y[n] + b[k]).

    Args:
        x: [N, A].
        y: [N, B].
        size: How many results, K.
        act: The type of an op to apply.
        name: Instead of `bilinear_tensor_product_N`.
        param_attr: About W [K, A, B], Xavier-uniform at first.
        bias_attr: About b [1, K], 0 at first; False for none.

    In Paddle this is `paddle.static.nn.bilinear_tensor_product`.
    """
    key = "bilinear_tensor_product"
    left, right = variable(key, x, 2), variable(key, y, 2)
    sizes = [
        size,
        *known(key, left, left.shape[1:]),
        *known(key, right, right.shape[1:]),
    ]
    with naming.layer(key, name) as layer:
        out = layer()
        weight = parameter(
            layer.name, "w", sizes, left.dtype, param_attr, XavierUniform()
        )
        bias = parameter(layer.name, "b", [1, size], left.dtype, bias_attr, ZERO)
        with naming.scope(lambda: out):
            product = bilinear.bilinear_tensor_product(left, right, weight, bias)
        return activated(product, act)  # type: ignore[no-any-return]


all_in_words(__all__, globals())
