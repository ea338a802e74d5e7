"""Convolutions and transposed convolutions in 1, 2 and 3 dimensions.

Weights are [out, in / groups, *window], for transposed convolutions
[in, out / groups, *window]. Padding is a number, one for each dimension, two for each
(before and after), pairs for all dimensions, or the text SAME or VALID.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from teachgraph.core import ops, unique_name
from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import Op
from teachgraph.ops import conv, naming
from teachgraph.ops.channels import LAYOUTS
from teachgraph.ops.functions.manipulation import squeeze, unsqueeze
from teachgraph.ops.shape import reshape2
from teachgraph.static.variable import Variable

__all__ = [
    "conv1d",
    "conv1d_transpose",
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
]

Numbers = int | Sequence[int]
Padding = int | str | Sequence[Any]


def per_dimension(value: Numbers, dims: int) -> list[int]:
    """Expand a number to one for each dimension.

    >>> per_dimension(2, 3), per_dimension((1, 2), 2)
    ([2, 2, 2], [1, 2])
    """
    return [value] * dims if isinstance(value, int) else list(value)


def paddings(padding: Padding, dims: int, data_format: str) -> tuple[list[int], str]:
    """Convert padding to the ops' attributes: numbers and an algorithm's name.

    >>> paddings("same", 2, "NCHW")
    ([0, 0], 'SAME')
    >>> paddings([[0, 0], [0, 0], [1, 2], [3, 3]], 2, "NCHW")
    ([1, 2, 3, 3], 'EXPLICIT')
    >>> paddings([1, 1, 3, 3], 2, "NCHW")
    ([1, 3], 'EXPLICIT')

    Raises:
        InvalidValueError: Batch or channels would be padded, or an unknown text or
            layout.
    """
    if data_format not in LAYOUTS:
        raise invalid(f"data_format is one of {LAYOUTS}, got {data_format!r}")
    if isinstance(padding, str):
        if padding.upper() not in {"SAME", "VALID"}:
            raise invalid(f"padding is SAME, VALID or numbers, not {padding!r}")
        return [0] * dims, padding.upper()
    numbers = [padding] * dims if isinstance(padding, int) else list(padding)
    if numbers and not isinstance(numbers[0], int):
        numbers = flattened(numbers, data_format)
    if len(numbers) == 2 * dims and numbers[::2] == numbers[1::2]:
        numbers = numbers[::2]
    return numbers, "EXPLICIT"


def flattened(pairs: Sequence[Any], data_format: str) -> list[int]:
    """Flatten pairs for all dimensions to numbers for the spatial ones."""
    last = data_format.endswith("C")
    outside, inside = (
        ([pairs[0], pairs[-1]], pairs[1:-1])
        if last
        else (
            pairs[:2],
            pairs[2:],
        )
    )
    if any(n for pair in outside for n in pair):
        raise invalid(f"batch and channels cannot be padded: {list(pairs)}")
    return [n for pair in inside for n in pair]


def invalid(message: str) -> InvalidValueError:
    """Build the error for an invalid argument."""
    return InvalidValueError.here(message)


def channel_axis(data_format: str) -> int:
    """Axis of the channels."""
    return -1 if data_format.endswith("C") else 1


def is_depthwise(x: Any, groups: int, data_format: str) -> bool:
    """True if each channel is a group of its own (depthwise)."""
    return bool(x.shape[channel_axis(data_format)] == groups != 1)


Scope = Callable[[], AbstractContextManager[Any]]


def layer_of(x: Any, key: str) -> Scope:
    """Naming scope in which a Program's conv op and its bias sum count as one layer."""
    if not isinstance(x, Variable):
        return nullcontext
    names = naming.Layer(unique_name.generate(key))
    return lambda: naming.scope(names)


def apply_with_bias(op: Op, x: Any, weight: Any, bias: Any, **attrs: Any) -> Any:
    """Apply the op, then add the bias to each channel."""
    layer = layer_of(x, op.type)
    with layer():
        out = op(x, weight, **attrs)
    if bias is None:
        return out
    ones, last = [1] * (len(out.shape) - 2), attrs["data_format"].endswith("C")
    wide = [1, *ones, bias.shape[0]] if last else [1, bias.shape[0], *ones]
    bias = reshape2(bias, shape=wide)
    with layer():
        return ops.elementwise_add(out, bias)


def conv2d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Numbers = 1,
    padding: Padding = 0,
    dilation: Numbers = 1,
    groups: int = 1,
    data_format: str = "NCHW",
    name: Any = None,
) -> Any:
    """Convolve: out[n, o, i, j] = b[o] + sum_(c, h, w) w[o, c, h, w] x[n, c, i+h, j+w].

    Args:
        x: Images [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        weight: [O, C / groups, h, w].
        bias: [O], or None.
        stride: From one window to the next.
        padding: Zeros around the image.
        dilation: From one element of a window to the next.
        groups: The number of groups of channels, each with its own filters.
        data_format: Where the channels are.
        name: Ignored.

    Raises:
        ShapeError: The channels do not fit, or the window is larger than the image.
        InvalidValueError: An invalid stride, dilation or padding.

    In Paddle this is `paddle.nn.functional.conv2d`; where each channel is a group of
    its own, the op is `depthwise_conv2d`.

    >>> import numpy as np
    >>> image = np.arange(9.0).reshape(1, 1, 3, 3)
    >>> conv2d(image, np.ones((1, 1, 2, 2)))[0, 0]
    array([[ 8., 12.],
           [20., 24.]])
    """
    depthwise = is_depthwise(x, groups, data_format)
    # A wrong number of filters goes to conv2d, whose check reports it.
    whole = depthwise and weight.shape[0] % groups == 0
    op = conv.depthwise_conv2d if whole else conv.conv2d
    attrs = sliding(weight, stride, padding, dilation, groups, data_format)
    return apply_with_bias(op, x, weight, bias, **attrs)


def conv3d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Numbers = 1,
    padding: Padding = 0,
    dilation: Numbers = 1,
    groups: int = 1,
    data_format: str = "NCDHW",
    name: Any = None,
) -> Any:
    """Convolve volumes [N, C, D, H, W] with weights [O, C / groups, d, h, w].

    >>> import numpy as np
    >>> conv3d(np.ones((1, 2, 3, 3, 3)), np.ones((4, 2, 2, 2, 2))).shape
    (1, 4, 2, 2, 2)
    """
    attrs = sliding(weight, stride, padding, dilation, groups, data_format)
    return apply_with_bias(conv.conv3d, x, weight, bias, **attrs)


def sliding(
    weight: Any,
    stride: Numbers,
    padding: Padding,
    dilation: Numbers,
    groups: int,
    data_format: str,
) -> dict[str, Any]:
    """Build the attributes of a convolution, as lists."""
    dims = len(weight.shape) - 2
    numbers, algorithm = paddings(padding, dims, data_format)
    return {
        "strides": per_dimension(stride, dims),
        "paddings": numbers,
        "padding_algorithm": algorithm,
        "dilations": per_dimension(dilation, dims),
        "groups": groups,
        "data_format": data_format,
    }


def conv1d(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Numbers = 1,
    padding: Padding = 0,
    dilation: Numbers = 1,
    groups: int = 1,
    data_format: str = "NCL",
    name: Any = None,
) -> Any:
    """Convolve sequences [N, C, L] with weights [O, C / groups, l].

    A sequence is an image of one row, so this is `conv2d` between two reshapes.

    >>> import numpy as np
    >>> conv1d(np.array([[[1.0, 2.0, 4.0]]]), np.array([[[-1.0, 1.0]]]))
    array([[[1., 2.]]])
    """
    last = data_format.endswith("C")
    numbers, algorithm = paddings(padding, 1, data_format)
    flat = numbers if len(numbers) == 1 else [0, *numbers]
    out = conv.conv2d(
        unsqueeze(x, -3 if last else -2),
        unsqueeze(weight, -2),
        strides=[1, *per_dimension(stride, 1)],
        paddings=[0, *flat],
        padding_algorithm=algorithm,
        dilations=[1, *per_dimension(dilation, 1)],
        groups=groups,
        data_format="NHWC" if last else "NCHW",
    )
    return squeeze(add_bias(out, bias, last), -3 if last else -2)


def add_bias(out: Any, bias: Any, last: bool) -> Any:
    """Add the bias to each channel, without a reshape."""
    if bias is None:
        return out
    return ops.elementwise_add(out, bias, axis=-1 if last else 1)


def output_size_attrs(
    output_padding: Numbers, output_size: Numbers | None, dims: int
) -> dict[str, list[int]]:
    """Build the attributes that fix the output size of a transposed convolution.

    Raises:
        InvalidValueError: Both padding and size are given.
    """
    if output_size is not None and output_padding != 0:
        raise invalid("output_padding and output_size say the same: give only one")
    more = [] if output_padding == 0 else per_dimension(output_padding, dims)
    size = [] if output_size is None else per_dimension(output_size, dims)
    return {"output_padding": more, "output_size": size}


def conv2d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Numbers = 1,
    padding: Padding = 0,
    output_padding: Numbers = 0,
    dilation: Numbers = 1,
    groups: int = 1,
    output_size: Numbers | None = None,
    data_format: str = "NCHW",
    name: Any = None,
) -> Any:
    """Transposed convolution: the adjoint of a convolution; it enlarges images.

    Each pixel times the filter is added to a window of the result. Without padding the
    size is (H - 1) stride + window.

    Args:
        x: Images [N, C, H, W], or [N, H, W, C] with `data_format="NHWC"`.
        weight: [C, O / groups, h, w].
        bias: [O], or None.
        stride: From one window of the result to the next.
        padding: The border to cut off the result.
        output_padding: Elements to add at the end, less than a stride.
        dilation: From one element of a window to the next.
        groups: The number of groups of channels, each with its own filters.
        output_size: The size, instead of `output_padding`.
        data_format: Where the channels are.
        name: Ignored.

    Raises:
        ShapeError: The channels do not fit, or nothing is left.
        InvalidValueError: No convolution maps such a size to that of x.

    In Paddle this is `paddle.nn.functional.conv2d_transpose`.

    >>> import numpy as np
    >>> x = np.array([[[[1.0, 2.0]]]])
    >>> conv2d_transpose(x, np.array([[[[1.0, 10.0]]]]), stride=2)
    array([[[[ 1., 10.,  2., 20.]]]])
    """
    depthwise = is_depthwise(x, groups, data_format) and weight.shape[1] == 1
    op = conv.depthwise_conv2d_transpose if depthwise else conv.conv2d_transpose
    more = output_size_attrs(output_padding, output_size, 2)
    attrs = sliding(weight, stride, padding, dilation, groups, data_format)
    return apply_with_bias(op, x, weight, bias, **attrs, **more)


def conv3d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Numbers = 1,
    padding: Padding = 0,
    output_padding: Numbers = 0,
    groups: int = 1,
    dilation: Numbers = 1,
    output_size: Numbers | None = None,
    data_format: str = "NCDHW",
    name: Any = None,
) -> Any:
    """Transposed convolution of volumes [N, C, D, H, W].

    Weights are [C, O / groups, d, h, w].

    >>> import numpy as np
    >>> conv3d_transpose(np.ones((1, 2, 2, 2, 2)), np.ones((2, 3, 2, 2, 2))).shape
    (1, 3, 3, 3, 3)
    """
    last = data_format.endswith("C")
    more = output_size_attrs(output_padding, output_size, 3)
    plain = "NHWC" if last else "NCHW"
    attrs = sliding(weight, stride, padding, dilation, groups, plain)
    out = conv.conv3d_transpose(x, weight, **attrs, **more)
    return add_bias(out, bias, last)


def conv1d_transpose(
    x: Any,
    weight: Any,
    bias: Any = None,
    stride: Numbers = 1,
    padding: Padding = 0,
    output_padding: Numbers = 0,
    groups: int = 1,
    dilation: Numbers = 1,
    output_size: Numbers | None = None,
    data_format: str = "NCL",
    name: Any = None,
) -> Any:
    """Transposed convolution of sequences [N, C, L], with weights [C, O / groups, l].

    >>> import numpy as np
    >>> x, step = np.array([[[1.0, 2.0]]]), np.array([[[1.0, 1.0]]])
    >>> conv1d_transpose(x, step, stride=2)
    array([[[1., 1., 2., 2.]]])
    """
    last = data_format.endswith("C")
    at = -2 if last else -1
    numbers, algorithm = paddings(padding, 1, data_format)
    more = output_size_attrs(output_padding, output_size, 1)
    depthwise = is_depthwise(x, groups, data_format) and weight.shape[1] == 1
    op = conv.depthwise_conv2d_transpose if depthwise else conv.conv2d_transpose
    out = op(
        unsqueeze(x, at),
        unsqueeze(weight, -1),
        strides=[*per_dimension(stride, 1), 1],
        paddings=[*numbers, *[0] * len(numbers)],
        padding_algorithm=algorithm,
        output_padding=[*more["output_padding"], 0] if output_padding else [],
        output_size=[*more["output_size"], 1] if output_size else [],
        dilations=[*per_dimension(dilation, 1), 1],
        groups=groups,
        data_format="NHWC" if last else "NCHW",
    )
    return squeeze(add_bias(out, bias, last), at)
