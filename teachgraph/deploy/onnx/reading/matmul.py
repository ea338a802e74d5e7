"""Importers of matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.deploy.onnx.reading.reader import Node, reads
from teachgraph.ops import functions as f
from teachgraph.ops.functions import decomposition


@reads("MatMul")
def matmul(node: Node) -> Any:
    """Compute the matrix product."""
    return f.matmul(node.x(), node.x(1))


@reads("Gemm")
def gemm(node: Node) -> Any:
    """Compute alpha a b + beta c; a and b may be transposed."""
    a, b = node.x(), node.x(1)
    transposed = bool(node.attr("transA", 0)), bool(node.attr("transB", 0))
    out = times(f.matmul(a, b, *transposed), node.attr("alpha", 1.0))
    if node.has(2):
        out = f.add(out, times(node.x(2), node.attr("beta", 1.0)))
    return out


def times(x: Any, factor: float) -> Any:
    """Multiply x by a factor; by 1 without an op."""
    return x if factor == 1 else f.multiply(x, np.array(factor, x.dtype))


@reads("Einsum")
def einsum(node: Node) -> Any:
    """Compute the sum of products of an equation."""
    return f.einsum(node.attr("equation"), *node.all())


@reads("Det")
def det(node: Node) -> Any:
    """Compute determinants."""
    return decomposition.det(node.x())


@reads("MatMulInteger")
def matmul_integer(node: Node) -> Any:
    """Compute the product of quantized integers, each minus its zero point."""
    # In float64, where sums of int8 products are exact: NumPy has no BLAS for integers.
    a, b = centred(node.x(), node.x(2), 0), centred(node.x(1), node.x(3), 1)
    return f.cast(f.matmul(f.cast(a, "float64"), f.cast(b, "float64")), "int32")


def centred(x: Any, zero: Any, side: int) -> Any:
    """Subtract the zero point: one for all, or one for each row (or column)."""
    x = f.cast(x, "int32")
    if zero is None:
        return x
    zero = f.cast(zero, "int32")
    if side == 0 and len(zero.shape) == 1 and zero.shape[0] != 1:
        zero = f.unsqueeze(zero, [-1])
    return f.subtract(x, zero)
