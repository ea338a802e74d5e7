"""Products of matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import Node, reads
from teachgraph.ops import functions as f
from teachgraph.ops.functions import decomposition


@reads("MatMul")
def matmul(node: Node) -> Any:
    """X y."""
    return f.matmul(node.x(), node.x(1))


@reads("Gemm")
def gemm(node: Node) -> Any:
    """Alpha a b + beta c, either of a and b perhaps turned."""
    a, b = node.x(), node.x(1)
    turned = bool(node.attr("transA", 0)), bool(node.attr("transB", 0))
    out = times(f.matmul(a, b, *turned), node.attr("alpha", 1.0))
    if node.has(2):
        out = f.add(out, times(node.x(2), node.attr("beta", 1.0)))
    return out


def times(x: Any, factor: float) -> Any:
    """X, or a multiple of it."""
    return x if factor == 1 else f.multiply(x, np.array(factor, x.dtype))


@reads("Einsum")
def einsum(node: Node) -> Any:
    """Sums of products, as the equation says."""
    return f.einsum(node.attr("equation"), *node.all())


@reads("Det")
def det(node: Node) -> Any:
    """Determinants."""
    return decomposition.det(node.x())


@reads("MatMulInteger")
def matmul_integer(node: Node) -> Any:
    """The same of small whole numbers, each less its zero."""
    a, b = centred(node.x(), node.x(2), 0), centred(node.x(1), node.x(3), 1)
    return f.cast(f.matmul(f.cast(a, "float64"), f.cast(b, "float64")), "int32")


def centred(x: Any, zero: Any, side: int) -> Any:
    """X less its zero, one for all or one for each row (or column)."""
    x = f.cast(x, "int32")
    if zero is None:
        return x
    zero = f.cast(zero, "int32")
    if side == 0 and len(zero.shape) == 1 and zero.shape[0] != 1:
        zero = f.unsqueeze(zero, [-1])
    return f.subtract(x, zero)
