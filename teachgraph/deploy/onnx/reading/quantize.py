"""Importers of quantization: x = scale (q - zero point), with integers q."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.elementwise import rounded
from teachgraph.deploy.onnx.reading.reader import Node, reads
from teachgraph.deploy.onnx.types import dtype_of
from teachgraph.ops import functions as f


def broadcast_scale(node: Node, value: Any, x: Any) -> Any:
    """Broadcast a scale or zero point: one for all, for each slice, or each block."""
    axis, block = node.attr("axis", 1) % max(len(x.shape), 1), node.attr("block_size")
    if block:
        if -1 in x.shape:
            node.refuse("blocks of a tensor whose size is not known")
        return f.gather(value, np.arange(x.shape[axis]) // block, axis)
    if not value.shape or value.shape == (1,):
        return f.reshape(value, [1] * len(x.shape)) if value.shape else value
    return f.reshape(value, [-1 if i == axis else 1 for i in range(len(x.shape))])


def quantized(x: Any, scale: Any, zero: Any, dtype: Any) -> Any:
    """Quantize: x / scale, rounded, plus the zero point, clipped to the dtype."""
    q = rounded(f.divide(x, scale))
    q = q if zero is None else f.add(q, f.cast(zero, q.dtype))
    limits = np.iinfo(dtype)
    low, high = (np.array(n, q.dtype) for n in (limits.min, limits.max))
    return f.cast(f.minimum(f.maximum(q, low), high), dtype)


def dequantized(q: Any, scale: Any, zero: Any) -> Any:
    """Dequantize: (q - zero point) scale."""
    wide = f.cast(q, scale.dtype)
    wide = wide if zero is None else f.subtract(wide, f.cast(zero, scale.dtype))
    return f.multiply(wide, scale)


@reads("QuantizeLinear")
def quantize(node: Node) -> Any:
    """Quantize to integers."""
    x, scale = node.x(), broadcast_scale(node, node.x(1), node.x())
    zero = broadcast_scale(node, node.x(2), x) if node.has(2) else None
    code = node.attr("output_dtype", 0)
    usual = np.dtype(np.uint8) if zero is None else zero.dtype
    dtype = dtype_of(code) if code else usual
    if x.dtype.kind != "f" or dtype.kind not in "iu":
        node.refuse(f"{x.dtype} as {dtype}")
    return quantized(x, scale, zero, dtype)


@reads("DequantizeLinear")
def dequantize(node: Node) -> Any:
    """Dequantize integers."""
    x = node.x()
    zero = broadcast_scale(node, node.x(2), x) if node.has(2) else None
    return dequantized(x, broadcast_scale(node, node.x(1), x), zero)


@reads("QLinearMatMul")
def matmul(node: Node) -> Any:
    """Compute a matrix product of quantized inputs, and quantize the result."""
    a, b = (dequantized(node.x(i), *scaled(node, i)) for i in (0, 3))
    scale, zero = node.x(6), node.x(7)
    wide = f.matmul(f.cast(a, "float64"), f.cast(b, "float64"))
    return quantized(wide, f.cast(scale, "float64"), zero, zero.dtype)


def scaled(node: Node, i: int) -> tuple[Any, Any]:
    """Return the scale and zero point that follow input i; of rows, as a column."""
    scale, zero = node.x(i + 1), node.x(i + 2)
    if len(scale.shape) == 1 and scale.shape[0] != 1 and i == 0:
        return f.unsqueeze(scale, [-1]), f.unsqueeze(zero, [-1])
    return scale, zero
