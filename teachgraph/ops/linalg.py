"""Products of matrices."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.errors import ShapeError
from teachgraph.ops.op import Like, op
from teachgraph.ops.shape import reduce_to, reshape2, reshape_as, transpose2

__all__ = ["matmul_v2", "mul"]


def matrix(x: Any, columns_from: int) -> Any:
    """`x` as a matrix: dimensions before `columns_from` are rows, the rest columns."""
    if len(x.shape) == 2:
        return x
    rows, columns = x.shape[:columns_from], x.shape[columns_from:]
    return reshape2(x, shape=[-1 if -1 in rows else prod(rows), prod(columns)])


@op(needs="as many columns in X as there are rows in Y")
def mul(x: Any, y: Any, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1) -> Any:
    """out = X Y, where each input is first flattened to a matrix.

    The first `x_num_col_dims` dimensions of x become rows and the others columns, and
    so for y; the result gets x's row dimensions and y's column dimensions back.
    """
    if x.ndim == 2 == y.ndim and x_num_col_dims == 1 == y_num_col_dims:
        return x @ y
    check_columns(x, x_num_col_dims)
    check_columns(y, y_num_col_dims)
    out = matrix(x, x_num_col_dims) @ matrix(y, y_num_col_dims)
    return out.reshape(x.shape[:x_num_col_dims] + y.shape[y_num_col_dims:])


def check_columns(x: Any, columns_from: int) -> None:
    """There must be a dimension for the rows and one for the columns.

    Raises:
        ShapeError: There is not.
    """
    if not 1 <= columns_from < x.ndim:
        raise ShapeError(f"columns from dimension {columns_from} on, of {x.ndim}")


@mul.grad
def mul_grad(
    dout: Any, x: Any, y: Any, *, x_num_col_dims: int, y_num_col_dims: int
) -> Any:
    """dX = dOut Y', dY = X' dOut, of the matrices."""
    rows, columns = matrix(x, x_num_col_dims), matrix(y, y_num_col_dims)
    dout = matrix(dout, x_num_col_dims)
    return lambda: like(dout @ columns.T, x), lambda: like(rows.T @ dout, y)


def like(matrix: Any, x: Any) -> Any:
    """A matrix brought back to the shape and dtype of `x`, which was flattened."""
    matrix = matrix if matrix.dtype == x.dtype else matrix.astype(x.dtype)
    return matrix if len(x.shape) == 2 else reshape_as(matrix, x)


@mul.infers
def infer_mul(x: Like, y: Like, *, x_num_col_dims: int, y_num_col_dims: int) -> Any:
    """Rows of X by columns of Y."""
    check_columns(x, x_num_col_dims)
    check_columns(y, y_num_col_dims)
    inner = prod(x.shape[x_num_col_dims:]), prod(y.shape[:y_num_col_dims])
    if inner[0] != inner[1]:
        raise ShapeError(f"X has {inner[0]} columns, Y has {inner[1]} rows")
    shape = x.shape[:x_num_col_dims] + y.shape[y_num_col_dims:]
    return [(shape, np.result_type(x.dtype, y.dtype))]


def turned(x: Any) -> Any:
    """Each matrix of a stack transposed."""
    if x.ndim == 2:
        return x.T
    *stack, rows, columns = range(x.ndim)
    return transpose2(x, axis=[*stack, columns, rows])


@op(needs="matrices, as many columns in the first as there are rows in the second")
def matmul_v2(x: Any, y: Any, *, trans_x: bool = False, trans_y: bool = False) -> Any:
    """out = X Y, each transposed first if asked; leading dimensions broadcast."""
    if x.ndim < 2 or y.ndim < 2:
        raise no_matrices(x, y)
    return (turned(x) if trans_x else x) @ (turned(y) if trans_y else y)


def no_matrices(x: Any, y: Any) -> ShapeError:
    """The error for inputs of fewer than two dimensions."""
    return ShapeError(f"it multiplies matrices; got {x.ndim} and {y.ndim} dimensions")


@matmul_v2.grad
def matmul_v2_grad(dout: Any, x: Any, y: Any, *, trans_x: bool, trans_y: bool) -> Any:
    """dX = dOut Y', dY = X' dOut, of X and Y as they were multiplied."""

    def dx() -> Any:
        factor = dout @ (y if trans_y else turned(y))
        return reduce_to(turned(factor) if trans_x else factor, x)

    def dy() -> Any:
        factor = (x if trans_x else turned(x)) @ dout
        return reduce_to(turned(factor) if trans_y else factor, y)

    return dx, dy


@matmul_v2.infers
def infer_matmul(x: Like, y: Like, *, trans_x: bool, trans_y: bool) -> Any:
    """Leading dimensions broadcast, then rows of the first by columns of the second."""
    if x.ndim < 2 or y.ndim < 2:
        raise no_matrices(x, y)
    rows, inner = sides(x.shape, flip=trans_x)
    other, columns = sides(y.shape, flip=trans_y)
    if inner != other:
        raise ShapeError(f"the first has {inner} columns, the second {other} rows")
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return [((*stack, rows, columns), np.result_type(x.dtype, y.dtype))]


def sides(shape: Sequence[int], *, flip: bool) -> tuple[int, int]:
    """Rows and columns of a matrix as it enters the product."""
    rows, columns = shape[-2:]
    return (columns, rows) if flip else (rows, columns)
