"""Paddle 1.x's `fluid.nets`: common combinations of layers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Any

from teachgraph.core.errors import InvalidValueError, ShapeError, at_user_line
from teachgraph.fluid import layers
from teachgraph.ops.left_out import absent

__all__ = [
    "glu",
    "img_conv_group",
    "scaled_dot_product_attention",
    "simple_img_conv_pool",
]


def simple_img_conv_pool(
    input: Any,
    num_filters: int,
    filter_size: Any,
    pool_size: Any,
    pool_stride: Any,
    pool_padding: Any = 0,
    pool_type: str = "max",
    global_pooling: bool = False,
    conv_stride: Any = 1,
    conv_padding: Any = 0,
    conv_dilation: Any = 1,
    conv_groups: int = 1,
    param_attr: Any = None,
    bias_attr: Any = None,
    act: str | None = None,
    use_cudnn: bool = True,
) -> Any:
    """Append a convolution, then pooling: `conv2d` and `pool2d` of `fluid.layers`."""
    image = layers.conv2d(
        input,
        num_filters,
        filter_size,
        stride=conv_stride,
        padding=conv_padding,
        dilation=conv_dilation,
        groups=conv_groups,
        param_attr=param_attr,
        bias_attr=bias_attr,
        act=act,
    )
    window = (pool_size, pool_type, pool_stride, pool_padding, global_pooling)
    return layers.pool2d(image, *window)


def img_conv_group(
    input: Any,
    conv_num_filter: Sequence[int],
    pool_size: Any,
    conv_padding: Any = 1,
    conv_filter_size: Any = 3,
    conv_act: str | None = None,
    param_attr: Any = None,
    conv_with_batchnorm: Any = False,
    conv_batchnorm_drop_rate: Any = 0.0,
    pool_stride: Any = 1,
    pool_type: str = "max",
    use_cudnn: bool = True,
) -> Any:
    """Append convolutions, then pooling: a block of VGG.

    Args:
        input: Images [N, C, H, W].
        conv_num_filter: The number of filters of each convolution.
        pool_size: The window of the pooling.
        conv_padding: The padding; like the next five one for all, or a list.
        conv_filter_size: The window of the filters.
        conv_act: The activation, after the normalisation if there is one.
        param_attr: The ParamAttr of the filters.
        conv_with_batchnorm: True to append a batch normalisation.
        conv_batchnorm_drop_rate: The rate of dropout after it; 0 for none.
        pool_stride: The stride of the pooling.
        pool_type: "max" or "avg".
        use_cudnn: Accepted for Paddle's sake.
    """
    if not isinstance(conv_num_filter, (list, tuple)):
        raise TypeError(
            at_user_line(f"conv_num_filter is a list, not {conv_num_filter!r}")
        )
    count = len(conv_num_filter)
    each = zip(
        conv_num_filter,
        of_each(conv_filter_size, count),
        of_each(conv_padding, count),
        of_each(param_attr, count),
        of_each(conv_with_batchnorm, count),
        of_each(conv_batchnorm_drop_rate, count),
        strict=True,
    )
    image = input
    for filters, size, padding, attr, norm, rate in each:
        act = None if norm else conv_act
        facts = {"padding": padding, "param_attr": attr, "act": act}
        image = layers.conv2d(image, filters, size, **facts)
        if norm:
            image = layers.batch_norm(image, act=conv_act)
            image = layers.dropout(image, rate) if abs(rate) > 1e-5 else image
    return layers.pool2d(image, pool_size, pool_type, pool_stride)


def of_each(value: Any, count: int) -> Sequence[Any]:
    """Return a list with a value for each layer, or one value for all.

    Raises:
        InvalidValueError: The list has another length.
    """
    if not isinstance(value, (list, tuple)):
        return list(repeat(value, count))
    if len(value) != count:
        raise InvalidValueError.here(
            f"img_conv_group: {len(value)} settings of {count} layers"
        )
    return value


def glu(input: Any, dim: int = -1) -> Any:
    """Compute a sigmoid(b), with the halves a and b of the input along `dim`.

    >>> import numpy as np
    >>> glu(np.array([[2.0, 0.0]])).tolist()
    [[1.0]]
    """
    half, gate = layers.split(input, 2, dim)
    return layers.elementwise_mul(half, layers.sigmoid(gate))


def scaled_dot_product_attention(
    queries: Any, keys: Any, values: Any, num_heads: int = 1, dropout_rate: float = 0.0
) -> Any:
    """Compute softmax(q k^T / sqrt(d)) v, in several heads of d columns each.

    With more than one head, queries, keys and values go through a layer `fc` first.

    Args:
        queries: [N, n, columns].
        keys: [N, m, columns].
        values: [N, m, columns of the result].
        num_heads: The number of heads; it divides both numbers of columns.
        dropout_rate: The share of attention weights set to 0.

    Raises:
        ShapeError: The shapes don't fit together.
    """
    shapes = [list(x.shape) for x in (queries, keys, values)]
    if shapes[0][-1] != shapes[1][-1] or shapes[1][-2] != shapes[2][-2]:
        raise ShapeError.here(f"attention of q, k, v: {shapes}")
    if any(shape[-1] % num_heads for shape in shapes):
        raise ShapeError.here(f"{num_heads} heads of q, k, v: {shapes}")
    inputs = [queries, keys, values]
    if num_heads > 1:
        inputs = [layers.fc(x, x.shape[-1], num_flatten_dims=2) for x in inputs]
    q, k, v = (in_heads(x, num_heads) for x in inputs)
    scores = layers.matmul(layers.scale(q, float(q.shape[-1]) ** -0.5), k, False, True)
    weights = layers.softmax(scores)
    if dropout_rate:
        weights = layers.dropout(weights, dropout_rate, is_test=False)
    return merge_heads(layers.matmul(weights, v), num_heads)


def in_heads(x: Any, heads: int) -> Any:
    """Split [N, n, heads d] into [N, heads, n, d]."""
    if heads == 1:
        return x
    parts = layers.reshape(x, [0, 0, heads, x.shape[-1] // heads])
    return layers.transpose(parts, [0, 2, 1, 3])


def merge_heads(x: Any, heads: int) -> Any:
    """Merge [N, heads, n, d] into [N, n, heads d]."""
    if heads == 1:
        return x
    parts = layers.transpose(x, [0, 2, 1, 3])
    return layers.reshape(parts, [0, 0, heads * x.shape[-1]])


if not TYPE_CHECKING:
    __getattr__ = absent("fluid.nets")
