"""Normalisations: batch, layer, RMS, group, instance, local response, p-norm."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from teachgraph.core import ops
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.ops import channels, elementwise, math, norm, reduce
from teachgraph.ops.as_list import as_list
from teachgraph.ops.batch_norm import batch_norm as batch_norm_op
from teachgraph.ops.elementwise import elementwise_div
from teachgraph.ops.matmul import matmul_v2

__all__ = [
    "batch_norm",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
]


def batch_norm(
    x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    data_format: str = "NCHW",
    use_global_stats: bool | None = None,
    name: str | None = None,
) -> Any:
    """Compute weight (x - mean) / sqrt(variance + epsilon) + bias, per channel.

    While training, mean and variance are those of the batch, and the running moments
    are updated: running_mean <- momentum running_mean + (1 - momentum) mean. PyTorch's
    momentum is 1 minus this one.

    Args:
        x: [N, C, ...], or [N, ..., C] with a `data_format` such as "NHWC".
        running_mean: [C], a Tensor or Variable, updated in place.
        running_var: [C], likewise.
        weight: [C], or None for 1.
        bias: [C], or None for 0.
        training: Use the batch's moments.
        momentum: The weight of the old running value.
        epsilon: Keeps the denominator from 0.
        data_format: Where the channels are.
        use_global_stats: True for the running moments, False for the batch's,
            regardless of `training`.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The size of a vector is not the number of channels.

    In Paddle this is `paddle.nn.functional.batch_norm`.

    >>> import numpy as np
    >>> x = np.array([[1.0], [3.0]])
    >>> batch_norm(x, np.zeros(1), np.ones(1), training=True, epsilon=0.0)
    array([[-1.],
           [ 1.]])
    """
    chosen = use_global_stats is not None
    # "trainable_statistics" is Paddle's attribute for batch moments outside training.
    outputs = batch_norm_op(
        x,
        weight,
        bias,
        running_mean,
        running_var,
        momentum=momentum,
        epsilon=epsilon,
        is_test=not training,
        data_layout=layout(data_format),
        use_global_stats=use_global_stats if chosen else not training,
        trainable_statistics=chosen and not use_global_stats,
    )
    return outputs[-1]


def layout(data_format: str) -> str:
    """Convert a data format of any rank to Paddle's `data_layout` attribute.

    Raises:
        InvalidValueError: The format is unknown.

    >>> layout("NCL"), layout("NDHWC")
    ('NCHW', 'NHWC')
    """
    if data_format not in channels.LAYOUTS:
        raise InvalidValueError.here(
            f"data_format is NCHW, NHWC or the like, got {data_format!r}"
        )
    return "NCHW" if data_format.startswith("NC") else "NHWC"


def layer_norm(
    x: Any,
    normalized_shape: int | Sequence[int],
    weight: Any = None,
    bias: Any = None,
    epsilon: float = 1e-5,
    name: str | None = None,
) -> Any:
    """Compute weight (x - mean) / sqrt(variance + epsilon) + bias, per sample.

    Args:
        x: [..., *normalized_shape].
        normalized_shape: The last sizes of x; the moments are taken over them.
        weight: As many numbers in one dimension, or None for 1.
        bias: Likewise, or None for 0.
        epsilon: Keeps the denominator from 0.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: x does not end in these sizes.

    In Paddle this is `paddle.nn.functional.layer_norm`.

    >>> import numpy as np
    >>> layer_norm(np.array([[1.0, 3.0], [10.0, 30.0]]), 2, epsilon=0.0)
    array([[-1.,  1.],
           [-1.,  1.]])
    """
    begin = leading(x, normalized_shape)
    attrs = {"epsilon": epsilon, "begin_norm_axis": begin}
    return norm.layer_norm(x, weight, bias, **attrs)[-1]


def leading(x: Any, normalized_shape: int | Sequence[int]) -> int:
    """Count the dimensions of x before the normalised ones.

    Raises:
        ShapeError: x does not end in these sizes.
    """
    sizes = sizes_of(normalized_shape)
    begin = len(x.shape) - len(sizes)
    known = list(x.shape)[max(begin, 0) :]
    if begin < 0 or any(n not in (-1, m) for n, m in zip(known, sizes, strict=True)):
        wanted = ", ".join(map(str, ["*", *sizes]))
        raise ShapeError.here(
            f"Given normalized_shape is {sizes}, expected input with shape "
            f"[{wanted}], but got input shape {list(x.shape)}"
        )
    return begin


def sizes_of(normalized_shape: int | Sequence[int]) -> list[int]:
    """Wrap a single size in a list.

    Raises:
        DTypeError: It is neither an integer nor a sequence of integers.
    """
    sizes = as_list(normalized_shape)
    if not all(isinstance(size, (int, np.integer)) for size in sizes):
        raise DTypeError.here(
            "normalized_shape is an integer or a list of these, got "
            f"{normalized_shape!r}"
        )
    return sizes


def rms_norm(
    x: Any,
    normalized_shape: int | Sequence[int],
    weight: Any = None,
    epsilon: float = 1e-5,
) -> Any:
    """Compute weight x / sqrt(mean x^2 + epsilon): layer normalisation without mean.

    Args:
        x: [..., *normalized_shape].
        normalized_shape: The last sizes of x; the mean is taken over them.
        weight: Of this shape, or None for 1.
        epsilon: Keeps the denominator from 0.

    Zhang and Sennrich, 2019. Paddle 2.6 has it as a fused op of its incubator.

    >>> import numpy as np
    >>> rms_norm(np.array([3.0, 4.0]), 2, epsilon=0.0).round(3)
    array([0.849, 1.131])
    """
    dim = list(range(leading(x, normalized_shape), len(x.shape)))
    power = ops.reduce_mean(math.square(x), dim=dim, keep_dim=True)
    out = elementwise_div(x, math.sqrt(math.scale(power, bias=epsilon)))
    return out if weight is None else ops.elementwise_mul(out, weight)


def group_norm(
    x: Any,
    num_groups: int,
    epsilon: float = 1e-5,
    weight: Any = None,
    bias: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Compute weight (x - mean) / sqrt(variance + epsilon) + bias, groups of channels.

    Args:
        x: [N, C, ...], or [N, ..., C] with a `data_format` such as "NHWC".
        num_groups: The number of groups of channels.
        epsilon: Keeps the denominator from 0.
        weight: [C], or None for 1.
        bias: [C], or None for 0.
        data_format: Where the channels are.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The groups do not divide the channels.

    >>> import numpy as np
    >>> group_norm(np.array([[1.0, 3.0, 0.0, 4.0]]), 2, epsilon=0.0)
    array([[-1.,  1., -1.,  1.]])
    """
    attrs = {"groups": num_groups, "data_layout": layout(data_format)}
    return norm.group_norm(x, weight, bias, epsilon=epsilon, **attrs)[-1]


def instance_norm(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.9,
    eps: float = 1e-5,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Compute weight (x - mean) / sqrt(variance + eps) + bias, per sample and channel.

    Args:
        x: [N, C, ...], or [N, ..., C] with a `data_format` such as "NHWC".
        running_mean: [C], used only without `use_input_stats`.
        running_var: [C], likewise.
        weight: [C], or None for 1.
        bias: [C], or None for 0.
        use_input_stats: Use mean and variance of x.
        momentum: Accepted for Paddle's sake; running moments are not updated.
        eps: Keeps the denominator from 0.
        data_format: Where the channels are.
        name: Accepted for Paddle's sake.

    In Paddle this is `paddle.nn.functional.instance_norm`.
    """
    if not use_input_stats:
        tensors = running_mean, running_var, weight, bias
        return batch_norm(x, *tensors, epsilon=eps, data_format=data_format)
    order = layout(data_format)
    first = channels.channels_first(x, order)
    out = norm.instance_norm(first, weight, bias, epsilon=eps)[-1]
    return channels.channels_as_before(out, order)


def normalize(
    x: Any, p: float = 2, axis: int = 1, epsilon: float = 1e-12, name: str | None = None
) -> Any:
    """Compute x / max(|x|_p, epsilon), with |x|_p = (sum |x|^p)^(1/p) along `axis`.

    A zero vector stays zero, and its gradient is finite: the bound is applied under the
    root, whose slope at 0 is infinite.

    Raises:
        InvalidValueError: p is not positive.

    In Paddle this is `paddle.nn.functional.normalize`.

    >>> import numpy as np
    >>> normalize(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    if not p > 0:
        raise InvalidValueError.here(f"normalize: p is positive, got {p}")
    along = {"dim": [axis], "keep_dim": True}
    size = math.abs_(x)
    if p == inf:
        length = reduce.reduce_max(size, **along)
        return elementwise_div(x, at_least(length, epsilon))
    power = math.square(x) if p == 2 else size**p
    total = at_least(ops.reduce_sum(power, **along), epsilon**p)
    length = math.sqrt(total) if p == 2 else total ** (1 / p)
    return elementwise_div(x, length)


def at_least(x: Any, bound: float) -> Any:
    """Compute max(x, bound), with the bound raised to the smallest normal number."""
    bound = max(bound, float(np.finfo(x.dtype).tiny))
    return elementwise.elementwise_max(x, np.full(1, bound, x.dtype))


def local_response_norm(
    x: Any,
    size: int,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Compute x / (k + alpha mean)^beta, mean of x^2 over `size` neighbouring channels.

    Channels beyond the first and the last are 0.

    Args:
        x: [N, C, ...], or [N, ..., C] with a `data_format` such as "NHWC".
        size: The number of channels in the window.
        alpha: The factor of the mean.
        beta: The exponent.
        k: The constant term.
        data_format: Where the channels are.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: x has fewer than three dimensions.
        InvalidValueError: The size is less than 1.

    In Paddle this is `paddle.nn.functional.local_response_norm`.
    """
    if len(x.shape) < 3:
        raise ShapeError.here(
            f"Expected 3D or higher dimensionality input, got {x.ndim}D"
        )
    if size < 1:
        raise InvalidValueError.here(f"a window of {size} channels")
    last, power = layout(data_format) == "NHWC", math.square(x)
    power = power if last else channels.channels_as_before(power, "NHWC")
    mean = matmul_v2(power, window(power.shape[-1], size).astype(x.dtype))
    mean = mean if last else channels.channels_first(mean, "NHWC")
    bottom = math.scale(mean, scale=alpha, bias=k) ** beta
    return elementwise_div(x, bottom)


def window(channels: int, size: int) -> Any:
    """Build the matrix that averages the `size` channels around each one.

    >>> window(3, 2)
    array([[0.5, 0.5, 0. ],
           [0. , 0.5, 0.5],
           [0. , 0. , 0.5]])
    """
    offset = np.subtract.outer(np.arange(channels), np.arange(channels))
    return ((-(size // 2) <= offset) & (offset <= (size - 1) // 2)) / size
