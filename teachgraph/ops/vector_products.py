"""Dot product and cross product."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import of_one_dtype, reduce_to
from teachgraph.ops.shape import unsqueeze2

__all__ = ["cross", "dot"]


@op(needs="two vectors, or two lists of vectors, of one shape")
def dot(x: Any, y: Any) -> Any:
    """out = x1 y1 + x2 y2 + ..., of two vectors or of each row of two matrices."""
    if x.shape != y.shape or x.ndim not in (1, 2):
        raise ShapeError(f"{list(x.shape)} and {list(y.shape)} are no such pair")
    of_one_dtype(x, y)
    product = x * y
    return np.add.reduce(product, axis=-1, dtype=product.dtype)


@dot.grad
def dot_grad(dout: Any, x: Any, y: Any) -> Any:
    """dx = dout y, dy = dout x."""
    dout = unsqueeze2(dout, axes=[-1])
    return lambda: reduce_to(dout * y, x), lambda: reduce_to(dout * x, y)


@op(needs="vectors of three numbers, in two inputs of one shape")
def cross(x: Any, y: Any, *, dim: int = 9) -> Any:
    """x cross y, of the vectors along `dim`.

    out1 = x2 y3 - x3 y2, and cyclically. If dim is 9 (Paddle's default, for None), it
    is the first dimension of size 3.
    """
    if x.shape != y.shape:
        raise ShapeError(f"shapes differ: {list(x.shape)} and {list(y.shape)}")
    if x.dtype.kind == "b" or y.dtype.kind == "b":
        raise DTypeError("True and False have no cross product")
    of_one_dtype(x, y)
    return np.cross(x, y, axis=along_three(x.shape, dim))


def along_three(shape: Sequence[int], dim: int) -> int:
    """Resolve the dimension of size 3.

    Raises:
        ShapeError: It has another size, or none has 3.
    """
    if dim == 9:
        dim = next((axis for axis, size in enumerate(shape) if size == 3), dim)
    if not -len(shape) <= dim < len(shape) or shape[dim] != 3:
        raise ShapeError(f"dimension {dim} of {list(shape)} has not size 3")
    return dim


@cross.grad
def cross_grad(dout: Any, x: Any, y: Any, *, dim: int) -> Any:
    """dx = y cross dout, dy = dout cross x."""
    return (
        lambda: reduce_to(cross(y, dout, dim=dim), x),
        lambda: reduce_to(cross(dout, x, dim=dim), y),
    )


@cross.infers
def infer_cross(x: Like, y: Like, *, dim: int) -> Any:
    """The shape of the inputs."""
    if x.shape != y.shape:
        raise ShapeError(f"shapes differ: {list(x.shape)} and {list(y.shape)}")
    along_three(x.shape, dim)
    return [(x.shape, of_one_dtype(x, y))]
