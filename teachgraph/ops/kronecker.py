"""Kronecker product, and its adjoints: splitting into blocks and joining them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.op import Like, op
from teachgraph.core.ops import elementwise_mul, of_one_dtype, reduce_sum, reduce_to

__all__ = ["cut_kron", "join_kron", "kron"]


@op
def kron(x: Any, y: Any) -> Any:
    """Kronecker's product: the block at [i, j] is x_ij Y.

    out[i p + k, j q + l] = x[i, j] y[k, l], where Y is p by q; likewise for any rank.
    """
    of_one_dtype(x, y)
    return np.kron(x, y)


@kron.grad
def kron_grad(dout: Any, x: Any, y: Any) -> Any:
    """dx_ij = <dOut_ij, Y>, dY = the sum of x_ij dOut_ij, over the blocks dOut_ij."""
    ndim = max(x.ndim, y.ndim)
    outer, inner = list(range(ndim)), list(range(ndim, 2 * ndim))
    blocks = cut_kron(dout, x, y)

    def dx() -> Any:
        each = blocks * y
        return reduce_to(reduce_sum(each, dim=inner) if ndim else each, x)

    def dy() -> Any:
        each = elementwise_mul(blocks, x, axis=ndim - x.ndim)
        return reduce_to(reduce_sum(each, dim=outer) if ndim else each, y)

    return dx, dy


@kron.infers
def infer_kron(x: Like, y: Like) -> Any:
    """Products of the sizes, the shorter shape padded with ones in front."""
    ndim = max(x.ndim, y.ndim)
    sizes = zip(padded(x.shape, ndim), padded(y.shape, ndim), strict=True)
    return [(tuple(m * n for m, n in sizes), of_one_dtype(x, y))]


@op
def cut_kron(x: Any, y: Any, z: Any) -> Any:
    """Split `x`, shaped like kron(y, z), into its blocks.

    out[i, j, k, l] = x[i p + k, j q + l]: block [i, j] has the shape of z.
    """
    ndim = x.ndim
    outer, inner = padded(y.shape, ndim), padded(z.shape, ndim)
    pairs = [n for pair in zip(outer, inner, strict=True) for n in pair]
    order = [*range(0, 2 * ndim, 2), *range(1, 2 * ndim, 2)]
    return x.reshape(pairs).transpose(order)


def padded(shape: Sequence[int], ndim: int) -> tuple[int, ...]:
    """Pad a shape with ones in front, as broadcasting does."""
    return (1,) * (ndim - len(shape)) + tuple(shape)


@cut_kron.grad(of=("x",))
def cut_kron_grad(dout: Any, y: Like, z: Like) -> Any:
    """dx = dout with its blocks joined."""
    return join_kron(dout, y, z)


@op
def join_kron(x: Any, y: Any, z: Any) -> Any:
    """Join the blocks `x` to the shape of kron(y, z): the adjoint of `cut_kron`."""
    ndim = x.ndim // 2
    order = [axis + side * ndim for axis in range(ndim) for side in (0, 1)]
    outer, inner = padded(y.shape, ndim), padded(z.shape, ndim)
    shape = [m * n for m, n in zip(outer, inner, strict=True)]
    return x.transpose(order).reshape(shape)


@join_kron.grad(of=("x",))
def join_kron_grad(dout: Any, y: Like, z: Like) -> Any:
    """dx = dout split into blocks."""
    return cut_kron(dout, y, z)
