"""Batch normalisation: each channel is normalised by its moments over the batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import elementwise_mul, reduce_to
from teachgraph.ops import channel_norm
from teachgraph.ops.channels import channel_axis
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import elementwise_sub
from teachgraph.ops.moments import (
    affine,
    check_some,
    check_vectors,
    moments,
    of_affine,
    of_inverse,
    standardised,
    through_moments,
    through_scale,
)

__all__ = ["batch_norm"]


def reduced_axes(ndim: int, axis: int) -> tuple[int, ...]:
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
    """y = scale (x - mean) / sqrt(variance + epsilon) + bias, per channel.

    The moments are those of the batch, and the running moments are updated:
    mean_out = momentum mean + (1 - momentum) batch mean. In a test, or with
    `use_global_stats`, the running moments are used and unchanged. Saved for backward
    are the mean used and, as saved_variance, 1 / sqrt(variance + epsilon).
    """
    check_batch(x, scale, bias, mean, variance, data_layout)
    channel = channel_axis(x, data_layout)
    used, centred = [mean, variance], None
    if of_batch(is_test, use_global_stats, trainable_statistics):
        check_some(x.shape)
        *used, centred = batch_moments(x, channel)
        mean, variance = (
            # Running moments keep their dtype, also when a float64 batch comes by.
            (momentum * old + (1 - momentum) * new).astype(old.dtype, copy=False)
            for old, new in zip((mean, variance), used, strict=True)
        )
    inverse = 1 / np.sqrt(used[1] + epsilon)
    if channel_norm.serves(x, channel, used[0], inverse, scale, bias):
        if centred is None:
            centred = channel_norm.minus_mean(x, used[0])
        y = channel_norm.normalise(centred, inverse, scale, bias)
    else:
        normal = standardised(x, used[0], inverse, channel)
        y = affine(normal, scale, bias, channel)
    return mean, variance, used[0], inverse, y


def batch_moments(x: Any, channel: int) -> tuple[Any, Any, Any]:
    """Compute mean and variance of each channel, and x - mean if that is known then."""
    if channel_norm.serves(x, channel):
        return channel_norm.channel_moments(x)
    return *moments(x, reduced_axes(x.ndim, channel)), None


def of_batch(is_test: bool, use_global_stats: bool, trainable_statistics: bool) -> bool:
    """True if the moments are those of the batch, False for the running ones."""
    return not use_global_stats and (trainable_statistics or not is_test)


def check_batch(
    x: Any, scale: Any, bias: Any, mean: Any, variance: Any, layout: str
) -> None:
    """Check the shapes.

    Raises:
        ShapeError: The moments are missing, or a size is wrong.
    """
    if mean is None or variance is None:
        raise ShapeError("the running mean and variance are left out")
    size = x.shape[channel_axis(x, layout)]
    check_vectors(x, size, scale, bias, mean, variance)


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
    """y has x's spec, each moment that of its input."""
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
    """Gradient also through the moments of the batch; running ones are constants."""
    axis, inverse = channel_axis(x, data_layout), saved_variance
    batch = of_batch(is_test, use_global_stats, trainable_statistics)
    arrays = dy, scale, bias, saved_mean, inverse
    # The fast path takes dy alone; those of the moments arrive at second order.
    plain = batch and dy is not None and dsaved_mean is dsaved_variance is None
    if plain and channel_norm.serves(x, axis, *arrays):
        dx_, dscale, dbias = channel_norm.channel_gradients(
            dy, x, scale, saved_mean, inverse
        )
        return (
            dx_,
            None if scale is None else dscale,
            None if bias is None else dbias,
        )
    centred = elementwise_sub(x, saved_mean, axis=axis)
    normal = elementwise_mul(centred, inverse, axis=axis)
    dnormal = through_scale(dy, scale, axis)

    def dx() -> Any:
        if not batch:
            dx = fill_any_like(x) if dy is None else dnormal
            return reduce_to(through_scale(dx, inverse, axis), x)
        gradients = dnormal, dsaved_mean, of_inverse(dsaved_variance, inverse)
        dim = reduced_axes(len(x.shape), axis)
        return through_moments(*gradients, x, saved_mean, inverse, dim, axis)

    return dx, *of_affine(dy, normal, scale, bias, axis)
