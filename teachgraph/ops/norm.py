"""Layer, group and instance normalisation.

All are group normalisation, which takes the moments of groups of a sample's channels:
layer normalisation has one group, instance normalisation a group for each channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Like, Traced, op
from teachgraph.core.ops import aligned, elementwise_mul, reshape_as
from teachgraph.ops.channels import channel_axis, channels_as_before, channels_first
from teachgraph.ops.elementwise import elementwise_sub
from teachgraph.ops.math import sqrt
from teachgraph.ops.moments import (
    check_some,
    check_vectors,
    of_affine,
    of_inverse,
    through_moments,
    through_scale,
)
from teachgraph.ops.shape import reshape2

__all__ = ["group_norm", "instance_norm", "layer_norm"]


def size_of(shape: Sequence[int]) -> int:
    """Number of elements, -1 if unknown."""
    return -1 if -1 in shape else prod(shape)


def rows_of(x: Any, groups: int) -> Any:
    """Reshape `x` [N, C, ...] to a matrix, a row for each group of channels."""
    samples, rest = x.shape[0], size_of(x.shape[1:])
    rows = -1 if samples == -1 else samples * groups
    return reshape2(x, shape=[rows, -1 if rest == -1 else rest // groups])


def normalised_groups(
    x: Any, scale: Any, bias: Any, groups: int, epsilon: float
) -> tuple[Any, Any, Any]:
    """Compute mean and variance of each group, and y, channels first."""
    size = prod(x.shape[1:]) // groups
    rows = x.reshape(len(x) * groups, size)
    mean = np.add.reduce(rows, axis=1) / size
    normal = rows - mean[:, None]
    # `vecdot` sums the squares without an array of them.
    variance = np.vecdot(normal, normal) / size
    normal *= (1 / np.sqrt(variance + epsilon))[:, None]
    y = normal.reshape(x.shape)
    if scale is not None:
        y *= aligned(scale, y.ndim, 1)
    if bias is not None:
        y += aligned(bias, y.ndim, 1)
    return mean, variance, y


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
    """Compute the gradients of x (as rows, lazily), scale and bias.

    The moments are 1-D.
    """
    rows = rows_of(x, groups)
    centred = elementwise_sub(rows, mean, axis=0)
    normal = reshape_as(elementwise_mul(centred, inverse, axis=0), x)

    def dx() -> Any:
        dnormal = through_scale(dy, scale, 1)
        dnormal = None if dnormal is None else rows_of(dnormal, groups)
        arrays = not any(isinstance(each, Traced) for each in (dnormal, normal))
        if arrays and dnormal is not None and dmean is None and dvariance is None:
            return through_rows(dnormal, rows_of(normal, groups), inverse)
        gradients = dnormal, dmean, dvariance
        return through_moments(*gradients, rows, mean, inverse, [1], 0)

    return dx, *of_affine(dy, normal, scale, bias, 1)


def through_rows(dnormal: Any, normal: Any, inverse: Any) -> Any:
    """Compute `through_moments` on arrays, for rows and without gradients of moments.

    dx = inverse (dnormal - E[dnormal] - normal E[dnormal normal])
    """
    size = normal.shape[1]
    dx = normal * (np.vecdot(dnormal, normal) / -size)[:, None]
    dx += dnormal
    dx -= (dnormal @ np.full(size, 1 / size, dx.dtype))[:, None]
    dx *= inverse[:, None]
    return dx


def flattened(x: Any) -> Any:
    """Flatten to one dimension; None stays None."""
    return None if x is None else reshape2(x, shape=[-1])


def inverse_deviation(variance: Any, epsilon: float) -> Any:
    """Compute 1 / sqrt(variance + epsilon), flattened."""
    return 1.0 / sqrt(flattened(variance) + epsilon)


def matrix(x: Any, columns_from: int) -> Any:
    """Flatten `x` to a matrix: the dimensions from `columns_from` on are columns."""
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
    """y = scale (x - mean) / sqrt(variance + epsilon) + bias, per sample.

    The moments are taken over the dimensions from `begin_norm_axis` on.
    """
    check_layer(x, scale, bias, begin_norm_axis)
    leading, layer = x.shape[:begin_norm_axis], prod(x.shape[begin_norm_axis:])
    rows = x.reshape(prod(leading), layer)
    mean, variance, y = normalised_groups(rows, scale, bias, 1, epsilon)
    return mean.reshape(leading), variance.reshape(leading), y.reshape(x.shape)


def check_layer(x: Any, scale: Any, bias: Any, begin: int) -> None:
    """Check axis and sizes.

    Raises:
        ShapeError: The axis is out of range, or a size is wrong.
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
    """A mean and a variance for each sample; y has x's spec."""
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
    """Group gradient with one group: the matrix's columns."""
    dy = None if dy is None else matrix(dy, begin_norm_axis)
    inputs = (
        dy,
        flattened(dmean),
        flattened(dvariance),
        matrix(x, begin_norm_axis),
        scale,
        bias,
    )
    inverse = inverse_deviation(variance, epsilon)
    dx, dscale, dbias = through_groups(*inputs, flattened(mean), inverse, 1)
    return lambda: reshape_as(dx(), x), dscale, dbias


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
    """y = scale (x - mean) / sqrt(variance + epsilon) + bias, per group.

    The moments are taken over a sample's channels, `groups` of equal size.
    """
    check_groups(x, scale, bias, groups, data_layout)
    first = channels_first(x, data_layout)
    mean, variance, y = normalised_groups(first, scale, bias, groups, epsilon)
    shape = len(x), groups
    y = channels_as_before(y, data_layout)
    return mean.reshape(shape), variance.reshape(shape), y


def check_groups(x: Any, scale: Any, bias: Any, groups: int, layout: str) -> None:
    """Check groups and sizes.

    Raises:
        ShapeError: The groups do not divide the channels, or a size is wrong.
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
    """A mean and a variance for each sample and group; y has x's spec."""
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
    """Gradient also through the moments of each group."""
    first = channels_first(x, data_layout)
    dy = channels_first(dy, data_layout)
    inputs = (
        dy,
        flattened(dmean),
        flattened(dvariance),
        first,
        scale,
        bias,
        flattened(mean),
    )
    inverse = inverse_deviation(variance, epsilon)
    dx, dscale, dbias = through_groups(*inputs, inverse, groups)
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
    """y = scale (x - mean) / sqrt(variance + epsilon) + bias, per sample and channel.

    Saved for backward, flattened, are the mean and, as saved_variance,
    1 / sqrt(variance + epsilon).
    """
    check_groups(x, scale, bias, x.shape[channel_axis(x, "NCHW")], "NCHW")
    parts = normalised_groups(x, scale, bias, x.shape[1], epsilon)
    return parts[0], 1 / np.sqrt(parts[1] + epsilon), parts[2]


@instance_norm.infers
def infer_instance_norm(
    x: Like, scale: Any = None, bias: Any = None, *, epsilon: float
) -> Any:
    """A mean and a variance for each sample and channel; y has x's spec."""
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
    """Group gradient with one channel per group."""
    dvariance = of_inverse(dsaved_variance, saved_variance)
    inputs = dy, dsaved_mean, dvariance, x, scale, bias, saved_mean, saved_variance
    dx, dscale, dbias = through_groups(*inputs, x.shape[1])
    return lambda: reshape_as(dx(), x), dscale, dbias
