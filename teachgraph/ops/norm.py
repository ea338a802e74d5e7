"""Normalisation: (x - mean) / deviation, over one choice of elements or another.

Batch normalisation takes the moments of a channel over the batch; group normalisation
those of a group of a sample's channels. A sample's layer is one group, an instance a
group of one channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import elementwise_mul, elementwise_sub
from teachgraph.ops.math import sqrt
from teachgraph.ops.op import Like, op
from teachgraph.ops.reduce import reduce_mean, spread
from teachgraph.ops.shape import aligned, reduce_to, reshape2, reshape_as, transpose2

__all__ = ["batch_norm", "group_norm", "instance_norm", "layer_norm"]


def moments(x: Any, dim: tuple[int, ...]) -> tuple[Any, Any]:
    """Mean and variance along `dim`."""
    mean = x.mean(dim, keepdims=True)
    return mean.squeeze(dim), np.square(x - mean).mean(dim)


def standardised(x: Any, mean: Any, inverse: Any, axis: int) -> Any:
    """(x - mean) inverse, in the dtype of x; the moments stand at `axis` of x."""
    normal = (x - aligned(mean, x.ndim, axis)) * aligned(inverse, x.ndim, axis)
    return normal.astype(x.dtype, copy=False)


def affine(normal: Any, scale: Any, bias: Any, axis: int) -> Any:
    """scale normal + bias, where they are given, in the dtype of normal."""
    out = normal if scale is None else normal * aligned(scale, normal.ndim, axis)
    out = out if bias is None else out + aligned(bias, normal.ndim, axis)
    return out.astype(normal.dtype, copy=False)


def through_moments(
    dnormal: Any,
    dmean: Any,
    dvariance: Any,
    x: Any,
    mean: Any,
    inverse: Any,
    dim: Sequence[int],
    axis: int,
) -> Any:
    """dx, where normal = (x - mean) inverse and the moments are those of x along `dim`.

    dx = inverse (dnormal - E[dnormal] - normal E[dnormal normal])
       + (dmean + 2 (x - mean) dvariance) / n
    """
    centred = elementwise_sub(x, mean, axis=axis)
    dx = 0.0
    if dnormal is not None:
        normal = elementwise_mul(centred, inverse, axis=axis)
        shift, slope = (
            reduce_mean(part, dim=list(dim)) for part in (dnormal, dnormal * normal)
        )
        along = elementwise_mul(normal, slope, axis=axis)
        rest = elementwise_sub(dnormal - along, shift, axis=axis)
        dx = elementwise_mul(rest, inverse, axis=axis)
    if dmean is not None:
        dx = spread(dmean, x, dim=list(dim), mean=True) + dx
    if dvariance is not None:
        share = spread(dvariance, x, dim=list(dim), mean=True)
        dx = share * centred * 2.0 + dx
    return reduce_to(dx, x)


def of_inverse(dinverse: Any, inverse: Any) -> Any:
    """dvariance = -dinverse inverse^3 / 2, where inverse = 1 / sqrt(variance + ...)."""
    return None if dinverse is None else dinverse * inverse * inverse * inverse * -0.5


def through_scale(dy: Any, scale: Any, axis: int) -> Any:
    """dnormal = dy scale; None where nothing arrives."""
    if dy is None or scale is None:
        return dy
    return elementwise_mul(dy, scale, axis=axis)


def of_affine(dy: Any, normal: Any, scale: Any, bias: Any, axis: int) -> Any:
    """dscale = sum dy normal and dbias = sum dy, each where the input is given."""

    def total(dy_of_each: Any, vector: Any) -> Any:
        if dy is None:
            return fill_any_like(vector)
        return reduce_to(dy_of_each(), vector, axis)

    return (
        None if scale is None else lambda: total(lambda: dy * normal, scale),
        None if bias is None else lambda: total(lambda: dy, bias),
    )


def check_vectors(x: Any, size: int, *vectors: Any) -> None:
    """Everything is floating, and each vector is left out or has `size` elements.

    Raises:
        DTypeError: Something is not floating.
        ShapeError: A vector is of another size, or x is empty where a mean is taken.
    """
    for value in (x, *vectors):
        if value is not None and value.dtype.kind != "f":
            raise DTypeError(f"floating numbers are normalised, not {value.dtype}")
    for vector in vectors:
        if vector is not None and tuple(vector.shape) != (size,):
            raise ShapeError(f"a vector of {size} is wanted, got {list(vector.shape)}")


LAYOUTS = ("NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC")


def channel_axis(x: Any, layout: str) -> int:
    """Which dimension of x the channels are.

    Raises:
        InvalidValueError: The layout is unknown.
        ShapeError: There are fewer than two dimensions.
    """
    if layout not in LAYOUTS:
        raise InvalidValueError(f"the layout is NCHW or NHWC, got {layout!r}")
    if len(x.shape) < 2:
        raise ShapeError(f"x is [N, C, ...], got {list(x.shape)}")
    return 1 if layout.startswith("NC") else len(x.shape) - 1


def others(ndim: int, axis: int) -> tuple[int, ...]:
    """Every dimension but one."""
    return tuple(i for i in range(ndim) if i != axis)


@op(
    outputs=("mean_out", "variance_out", "saved_mean", "saved_variance", "y"),
    inplace={"mean_out": "mean", "variance_out": "variance"},
    needs="floating x [N, C, ...]; mean, variance, scale and bias [C], the last two "
    "of which may be left out",
)
def batch_norm(
    x: Any,
    scale: Any = None,
    bias: Any = None,
    mean: Any = None,
    variance: Any = None,
    *,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    is_test: bool = False,
    data_layout: str = "NCHW",
    use_global_stats: bool = False,
    trainable_statistics: bool = False,
) -> Any:
    """y = scale (x - mean) / sqrt(variance + epsilon) + bias, channel by channel.

    The moments are those of the batch, and the running ones move towards them:
    mean_out = momentum mean + (1 - momentum) batch mean. In a test, or with
    `use_global_stats`, the running ones are used and stay as they are. Kept for the way
    back are the mean used and, as saved_variance, 1 / sqrt(variance + epsilon).
    """
    check_batch(x, scale, bias, mean, variance, data_layout)
    channel = channel_axis(x, data_layout)
    used = mean, variance
    if of_batch(is_test, use_global_stats, trainable_statistics):
        check_some(x.shape)
        used = moments(x, others(x.ndim, channel))
        mean, variance = (
            (momentum * old + (1 - momentum) * new).astype(old.dtype, copy=False)
            for old, new in zip((mean, variance), used, strict=True)
        )
    inverse = 1 / np.sqrt(used[1] + epsilon)
    normal = standardised(x, used[0], inverse, channel)
    return mean, variance, used[0], inverse, affine(normal, scale, bias, channel)


def of_batch(is_test: bool, use_global_stats: bool, trainable_statistics: bool) -> bool:
    """Whether the moments are those of the batch, rather than the running ones."""
    return not use_global_stats and (trainable_statistics or not is_test)


def check_batch(
    x: Any, scale: Any, bias: Any, mean: Any, variance: Any, layout: str
) -> None:
    """Refuse what does not fit.

    Raises:
        ShapeError: The moments are left out, or something is of another size.
    """
    if mean is None or variance is None:
        raise ShapeError("the running mean and variance are left out")
    size = x.shape[channel_axis(x, layout)]
    check_vectors(x, size, scale, bias, mean, variance)


def check_some(shape: Sequence[int]) -> None:
    """There must be something to take a mean of.

    Raises:
        ShapeError: There is nothing.
    """
    if not prod(shape):
        raise ShapeError("there is nothing to take a mean of")


@batch_norm.infers
def infer_batch_norm(
    x: Like,
    scale: Any = None,
    bias: Any = None,
    mean: Any = None,
    variance: Any = None,
    *,
    data_layout: str,
    is_test: bool,
    use_global_stats: bool,
    trainable_statistics: bool,
    **numbers: float,
) -> Any:
    """y is like x, and each moment like what it is taken from."""
    check_batch(x, scale, bias, mean, variance, data_layout)
    batch = of_batch(is_test, use_global_stats, trainable_statistics)
    if batch:
        check_some(x.shape)
    running = [(v.shape, v.dtype) for v in (mean, variance)]
    used = [(v.shape, (x if batch else v).dtype) for v in (mean, variance)]
    return [*running, *used, (x.shape, x.dtype)]


@batch_norm.grad(of=("x", "scale", "bias"))
def batch_norm_grad(
    dy: Any,
    dsaved_mean: Any,
    dsaved_variance: Any,
    x: Any,
    scale: Any,
    bias: Any,
    saved_mean: Any,
    saved_variance: Any,
    *,
    data_layout: str,
    is_test: bool,
    use_global_stats: bool,
    trainable_statistics: bool,
) -> Any:
    """Through the moments of the batch; running ones are constants."""
    axis, inverse = channel_axis(x, data_layout), saved_variance
    centred = elementwise_sub(x, saved_mean, axis=axis)
    normal = elementwise_mul(centred, inverse, axis=axis)
    dnormal = through_scale(dy, scale, axis)

    def dx() -> Any:
        if not of_batch(is_test, use_global_stats, trainable_statistics):
            dx = fill_any_like(x) if dy is None else dnormal
            return reduce_to(through_scale(dx, inverse, axis), x)
        given = dnormal, dsaved_mean, of_inverse(dsaved_variance, inverse)
        dim = others(len(x.shape), axis)
        return through_moments(*given, x, saved_mean, inverse, dim, axis)

    return dx, *of_affine(dy, normal, scale, bias, axis)


def size_of(shape: Sequence[int]) -> int:
    """The number of elements, -1 where it is unknown."""
    return -1 if -1 in shape else prod(shape)


def rows_of(x: Any, groups: int) -> Any:
    """`x` [N, C, ...] as a matrix, a row for each group of a sample's channels."""
    samples, rest = x.shape[0], size_of(x.shape[1:])
    rows = -1 if samples == -1 else samples * groups
    return reshape2(x, shape=[rows, -1 if rest == -1 else rest // groups])


def normalised_groups(
    x: Any, scale: Any, bias: Any, groups: int, epsilon: float
) -> tuple[Any, Any, Any]:
    """Mean and variance of each group of a sample's channels, and y, channels first."""
    rows = rows_of(x, groups)
    mean, variance = moments(rows, (1,))
    normal = standardised(rows, mean, 1 / np.sqrt(variance + epsilon), 0)
    return mean, variance, affine(normal.reshape(x.shape), scale, bias, 1)


def through_groups(
    dy: Any,
    dmean: Any,
    dvariance: Any,
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    inverse: Any,
    groups: int,
) -> tuple[Any, Any, Any]:
    """The gradients of x (as rows, when called), scale and bias.

    The moments have one dimension.
    """
    rows = rows_of(x, groups)
    centred = elementwise_sub(rows, mean, axis=0)
    normal = reshape_as(elementwise_mul(centred, inverse, axis=0), x)

    def dx() -> Any:
        dnormal = through_scale(dy, scale, 1)
        dnormal = None if dnormal is None else rows_of(dnormal, groups)
        given = dnormal, dmean, dvariance
        return through_moments(*given, rows, mean, inverse, [1], 0)

    return dx, *of_affine(dy, normal, scale, bias, 1)


def flat(x: Any) -> Any:
    """All elements in one dimension; None stays None."""
    return None if x is None else reshape2(x, shape=[-1])


def inverse_deviation(variance: Any, epsilon: float) -> Any:
    """1 / sqrt(variance + epsilon), in one dimension."""
    return 1.0 / sqrt(flat(variance) + epsilon)


def matrix(x: Any, columns_from: int) -> Any:
    """`x` as a matrix: the dimensions from `columns_from` on are columns."""
    rows, columns = x.shape[:columns_from], x.shape[columns_from:]
    return reshape2(x, shape=[size_of(rows), size_of(columns)])


@op(
    outputs=("mean", "variance", "y"),
    needs="floating x, and scale and bias (or neither) of as many elements as x has "
    "from begin_norm_axis on",
)
def layer_norm(
    x: Any,
    scale: Any = None,
    bias: Any = None,
    *,
    epsilon: float = 1e-5,
    begin_norm_axis: int = 1,
) -> Any:
    """y = scale (x - mean) / sqrt(variance + epsilon) + bias, sample by sample.

    The moments are taken over the dimensions from `begin_norm_axis` on.
    """
    check_layer(x, scale, bias, begin_norm_axis)
    rows, leading = matrix(x, begin_norm_axis), x.shape[:begin_norm_axis]
    mean, variance, y = normalised_groups(rows, scale, bias, 1, epsilon)
    return mean.reshape(leading), variance.reshape(leading), y.reshape(x.shape)


def check_layer(x: Any, scale: Any, bias: Any, begin: int) -> None:
    """Refuse what does not fit.

    Raises:
        ShapeError: There is no such axis, or something is of another size.
    """
    if not 0 <= begin < len(x.shape):
        raise ShapeError(f"begin_norm_axis = {begin} of {len(x.shape)} dimensions")
    check_vectors(x, prod(x.shape[begin:]), scale, bias)
    check_some(x.shape[begin:])


@layer_norm.infers
def infer_layer_norm(
    x: Like,
    scale: Any = None,
    bias: Any = None,
    *,
    epsilon: float,
    begin_norm_axis: int,
) -> Any:
    """A mean and a variance for each sample; y is like x."""
    check_layer(x, scale, bias, begin_norm_axis)
    moment = x.shape[:begin_norm_axis], x.dtype
    return [moment, moment, (x.shape, x.dtype)]


@layer_norm.grad
def layer_norm_grad(
    dy: Any,
    dmean: Any,
    dvariance: Any,
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    *,
    epsilon: float,
    begin_norm_axis: int,
) -> Any:
    """A layer is one group of a matrix's columns."""
    dy = None if dy is None else matrix(dy, begin_norm_axis)
    given = dy, flat(dmean), flat(dvariance), matrix(x, begin_norm_axis), scale, bias
    inverse = inverse_deviation(variance, epsilon)
    dx, dscale, dbias = through_groups(*given, flat(mean), inverse, 1)
    return lambda: reshape_as(dx(), x), dscale, dbias


def channels_first(x: Any, layout: str) -> Any:
    """`x` [N, ..., C] as [N, C, ...], if that is its layout."""
    if x is None or channel_axis(x, layout) == 1:
        return x
    last = len(x.shape) - 1
    return transpose2(x, axis=[0, last, *range(1, last)])


def channels_as_before(x: Any, layout: str) -> Any:
    """The reverse of `channels_first`."""
    if channel_axis(x, layout) == 1:
        return x
    return transpose2(x, axis=[0, *range(2, len(x.shape)), 1])


@op(
    outputs=("mean", "variance", "y"),
    needs="floating x [N, C, ...], a number of groups that divides C, and scale and "
    "bias [C] (or neither)",
)
def group_norm(
    x: Any,
    scale: Any = None,
    bias: Any = None,
    *,
    epsilon: float = 1e-5,
    groups: int = 1,
    data_layout: str = "NCHW",
) -> Any:
    """y = scale (x - mean) / sqrt(variance + epsilon) + bias, group by group.

    The moments are taken over a sample's channels, `groups` of equal size.
    """
    check_groups(x, scale, bias, groups, data_layout)
    first = channels_first(x, data_layout)
    mean, variance, y = normalised_groups(first, scale, bias, groups, epsilon)
    shape = len(x), groups
    y = channels_as_before(y, data_layout)
    return mean.reshape(shape), variance.reshape(shape), y


def check_groups(x: Any, scale: Any, bias: Any, groups: int, layout: str) -> None:
    """Refuse what does not fit.

    Raises:
        ShapeError: The groups do not divide the channels, or a size is another one.
    """
    channels = x.shape[channel_axis(x, layout)]
    check_vectors(x, channels, scale, bias)
    if groups < 1 or channels % groups:
        raise ShapeError(f"{channels} channels cannot be {groups} groups")
    check_some(x.shape[1:])


@group_norm.infers
def infer_group_norm(
    x: Like,
    scale: Any = None,
    bias: Any = None,
    *,
    groups: int,
    data_layout: str,
    epsilon: float,
) -> Any:
    """A mean and a variance for each sample and group; y is like x."""
    check_groups(x, scale, bias, groups, data_layout)
    moment = (x.shape[0], groups), x.dtype
    return [moment, moment, (x.shape, x.dtype)]


@group_norm.grad
def group_norm_grad(
    dy: Any,
    dmean: Any,
    dvariance: Any,
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    *,
    epsilon: float,
    groups: int,
    data_layout: str,
) -> Any:
    """Through the moments of each group."""
    first = channels_first(x, data_layout)
    dy = channels_first(dy, data_layout)
    given = dy, flat(dmean), flat(dvariance), first, scale, bias, flat(mean)
    inverse = inverse_deviation(variance, epsilon)
    dx, dscale, dbias = through_groups(*given, inverse, groups)
    return (
        lambda: channels_as_before(reshape_as(dx(), first), data_layout),
        dscale,
        dbias,
    )


@op(
    outputs=("saved_mean", "saved_variance", "y"),
    needs="floating x [N, C, ...], and scale and bias [C] (or neither)",
)
def instance_norm(
    x: Any, scale: Any = None, bias: Any = None, *, epsilon: float = 1e-5
) -> Any:
    """y = scale (x - mean) / sqrt(variance + epsilon) + bias, each channel by itself.

    The moments are those of one channel of one sample; kept for the way back, in one
    dimension, are the mean and, as saved_variance, 1 / sqrt(variance + epsilon).
    """
    check_groups(x, scale, bias, x.shape[channel_axis(x, "NCHW")], "NCHW")
    parts = normalised_groups(x, scale, bias, x.shape[1], epsilon)
    return parts[0], 1 / np.sqrt(parts[1] + epsilon), parts[2]


@instance_norm.infers
def infer_instance_norm(
    x: Like, scale: Any = None, bias: Any = None, *, epsilon: float
) -> Any:
    """A mean and a variance for each sample and channel; y is like x."""
    check_groups(x, scale, bias, x.shape[channel_axis(x, "NCHW")], "NCHW")
    moment = (x.shape[0] * x.shape[1],), x.dtype
    return [moment, moment, (x.shape, x.dtype)]


@instance_norm.grad
def instance_norm_grad(
    dy: Any,
    dsaved_mean: Any,
    dsaved_variance: Any,
    x: Any,
    scale: Any,
    bias: Any,
    saved_mean: Any,
    saved_variance: Any,
) -> Any:
    """An instance is a group of one channel."""
    dvariance = of_inverse(dsaved_variance, saved_variance)
    given = dy, dsaved_mean, dvariance, x, scale, bias, saved_mean, saved_variance
    dx, dscale, dbias = through_groups(*given, x.shape[1])
    return lambda: reshape_as(dx(), x), dscale, dbias
