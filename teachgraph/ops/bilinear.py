"""The bilinear product: linear in each of two inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import reduce_sum, reduce_to
from teachgraph.ops.matmul import matmul_v2
from teachgraph.ops.shape import transpose2, unsqueeze2

__all__ = ["bilinear_tensor_product"]


@op(
    key="bilinear",
    needs="X [N, A], Y [N, B], Weight [K, A, B] and Bias [1, K] (or none)",
)
def bilinear_tensor_product(x: Any, y: Any, weight: Any, bias: Any = None) -> Any:
    """out[n, k] = x[n]' W[k] y[n] + b[k]."""
    check(x, y, weight, bias)
    out = ((x @ weight) * y).sum(-1).T  # one matrix x W[k] for each k
    return np.ascontiguousarray(out if bias is None else out + bias)


def check(x: Any, y: Any, weight: Any, bias: Any) -> None:
    """Check dtypes and sizes.

    Raises:
        DTypeError: An input is not floating.
        ShapeError: The sizes do not fit.
    """
    for value in (x, y, weight, bias):
        if value is not None and value.dtype.kind != "f":
            raise DTypeError(f"floating numbers are multiplied here, not {value.dtype}")
    if len(x.shape) != 2 or len(y.shape) != 2 or len(weight.shape) != 3:
        raise ShapeError("X and Y have two dimensions, Weight three")
    wanted = (*weight.shape[:1], x.shape[1], y.shape[1])
    if x.shape[0] != y.shape[0] or tuple(weight.shape) != wanted:
        shapes = [list(value.shape) for value in (x, weight, y)]
        raise ShapeError(f"{shapes[0]}, {shapes[1]} and {shapes[2]} do not fit")
    if bias is not None and tuple(bias.shape) != (1, weight.shape[0]):
        raise ShapeError(f"a bias {list(bias.shape)} for {weight.shape[0]} results")


@bilinear_tensor_product.infers
def infer_bilinear(x: Like, y: Like, weight: Like, bias: Any = None) -> Any:
    """[N, K]: a row for each pair of rows."""
    check(x, y, weight, bias)
    floats = [value.dtype for value in (x, y, weight, bias) if value is not None]
    return [((x.shape[0], weight.shape[0]), np.result_type(*floats))]


@bilinear_tensor_product.grad
def bilinear_tensor_product_grad(
    dout: Any, x: Any, y: Any, weight: Any, bias: Any
) -> Any:
    """Each gradient is a sum over k of dout[:, k] times the other two inputs."""
    each = unsqueeze2(transpose2(dout, axis=[1, 0]), axes=[2])  # [K, N, 1]

    def dx() -> Any:
        products = matmul_v2(y, weight, trans_y=True) * each
        return reduce_to(reduce_sum(products, dim=[0]), x)

    def dy() -> Any:
        return reduce_to(reduce_sum(matmul_v2(x, weight) * each, dim=[0]), y)

    def dweight() -> Any:
        return reduce_to(matmul_v2(x, each * y, trans_x=True), weight)

    return dx, dy, dweight, None if bias is None else lambda: reduce_to(dout, bias)
