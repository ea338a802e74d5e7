"""Importers of normalisations."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import Node, as_variable, reads
from teachgraph.ops import functions as f
from teachgraph.ops.norm import instance_norm as instance_norm_op
from teachgraph.ops.norm import layer_norm as layer_norm_op


@reads("BatchNormalization")
def batch_norm(node: Node) -> Any:
    """Normalise by running moments."""
    if node.attr("training_mode", 0) or (
        node.opset < 7 and not node.attr("is_test", 0)
    ):
        node.refuse("training_mode")
    x, scale, bias, mean, variance = (as_variable(node.x(i)) for i in range(5))
    shape = [1, -1, *[1] * (len(x.shape) - 2)]
    scale, bias, mean, variance = (
        f.reshape(v, shape) for v in (scale, bias, mean, variance)
    )
    epsilon = np.array(node.attr("epsilon", 1e-5), x.dtype)
    return (x - mean) / f.sqrt(variance + epsilon) * scale + bias


@reads("InstanceNormalization")
def instance_norm(node: Node) -> Any:
    """Normalise each channel of each sample."""
    x, scale, bias = (as_variable(node.x(i)) for i in range(3))
    return instance_norm_op(x, scale, bias, epsilon=node.attr("epsilon", 1e-5))[2]


@reads("LayerNormalization")
def layer_norm(node: Node) -> Any:
    """Normalise over the dimensions from one axis on."""
    # ONNX's second and third output are the mean and 1 / deviation.
    if len(node.outputs) > 1:
        x = node.x()
        axis = node.attr("axis", -1) % len(x.shape)
        axes = list(range(axis, len(x.shape)))
        mean = f.mean(x, axes, keepdim=True)
        spread = f.mean(f.square(x - mean), axes, keepdim=True)
        inverse = f.rsqrt(spread + np.array(node.attr("epsilon", 1e-5), x.dtype))
        out = (x - mean) * inverse * node.x(1)
        out = f.add(out, node.x(2)) if node.has(2) else out
        return out, mean, inverse
    x, scale = as_variable(node.x()), as_variable(node.x(1))
    axis = node.attr("axis", -1) % len(x.shape)
    bias = f.reshape(as_variable(node.x(2)), [-1]) if node.has(2) else None
    epsilon = node.attr("epsilon", 1e-5)
    scale = scale if len(scale.shape) == 1 else f.reshape(scale, [-1])
    return layer_norm_op(x, scale, bias, epsilon=epsilon, begin_norm_axis=axis)[2]


@reads("MeanVarianceNormalization")
def mean_variance(node: Node) -> Any:
    """Subtract the mean over some axes, and divide by the standard deviation."""
    x, axes = node.x(), node.attr("axes", [0, 2, 3])
    centred = x - f.mean(x, axes, keepdim=True)
    spread = f.sqrt(f.mean(f.square(centred), axes, keepdim=True))
    return f.divide(centred, spread + np.array(1e-9, x.dtype))


@reads("LpNormalization")
def lp_normalization(node: Node) -> Any:
    """Divide by the norm along an axis; zeros stay zeros."""
    x, axis = node.x(), node.attr("axis", -1)
    size = f.abs(x) if node.attr("p", 2) == 1 else f.square(x)
    norm = f.sum(size, axis, keepdim=True)
    norm = norm if node.attr("p", 2) == 1 else f.sqrt(norm)
    none = f.equal(norm, np.array(0, x.dtype))
    return f.where(none, x, f.divide(x, f.where(none, f.ones_like(norm), norm)))


@reads("LRN")
def lrn(node: Node) -> Any:
    """Divide by a power of the mean square over neighbouring channels."""
    x, size = node.x(), node.attr("size")
    alpha, beta, bias = (
        node.attr(n, d) for n, d in (("alpha", 1e-4), ("beta", 0.75), ("bias", 1.0))
    )
    if x.shape[1] == -1:
        node.refuse("channels that are not known")
    places = np.arange(x.shape[1])
    near = places[None] - places[:, None]
    window = (near >= -((size - 1) // 2)) & (near <= size // 2)
    squares = f.moveaxis(f.square(x), 1, -1)
    total = f.moveaxis(f.matmul(squares, window.T.astype(x.dtype)), -1, 1)
    scale = total * np.array(alpha / size, x.dtype) + np.array(bias, x.dtype)
    return f.divide(x, f.pow(scale, beta))
