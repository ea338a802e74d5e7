"""Matrix products: mul, matmul, bmm, mv, addmm and multi_dot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.ops.math import scale
from teachgraph.ops.shape import (
    reduce_to,
    reshape2,
    reshape_as,
    transpose2,
    unsqueeze2,
)

__all__ = [
    "addmm",
    "bmm",
    "matmul_v2",
    "mul",
    "multi_dot",
    "mv",
    "turned",
]


def matrix(x: Any, columns_from: int) -> Any:
    """Flatten `x` to a matrix: dimensions before `columns_from` are rows."""
    if len(x.shape) == 2:
        return x
    rows, columns = x.shape[:columns_from], x.shape[columns_from:]
    return reshape2(x, shape=[-1 if -1 in rows else prod(rows), prod(columns)])


@op(needs="as many columns in X as there are rows in Y")
def mul(x: Any, y: Any, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1) -> Any:
    """out = X Y, where each input is first flattened to a matrix.

    The first `x_num_col_dims` dimensions of x become rows and the others columns,
    likewise for y; the result has x's row dimensions and y's column dimensions.
    """
    if x.ndim == 2 == y.ndim and x_num_col_dims == 1 == y_num_col_dims:
        return x @ y
    check_columns(x, x_num_col_dims)
    check_columns(y, y_num_col_dims)
    out = matrix(x, x_num_col_dims) @ matrix(y, y_num_col_dims)
    return out.reshape(x.shape[:x_num_col_dims] + y.shape[y_num_col_dims:])


def check_columns(x: Any, columns_from: int) -> None:
    """Require a dimension for the rows and one for the columns.

    Raises:
        ShapeError: There is none.
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


@mul.numpy
def mul_numpy(
    x: Like, y: Like, *, x_num_col_dims: int, y_num_col_dims: int
) -> str | None:
    """Of two matrices, their product."""
    plain = x.ndim == 2 == y.ndim and x_num_col_dims == 1 == y_num_col_dims
    return "out = x @ y" if plain else None


@mul.grad_numpy
def mul_grad_numpy(
    dout: Like, x: Like, y: Like, *, x_num_col_dims: int, y_num_col_dims: int
) -> str | None:
    """Of two matrices, two products."""
    same = dout.ndim == x.ndim == y.ndim == 2 and dout.dtype == x.dtype == y.dtype
    if not same or not x_num_col_dims == 1 == y_num_col_dims:
        return None
    return "dx = dout @ y.T\ndy = x.T @ dout"


def like(matrix: Any, x: Any) -> Any:
    """Reshape a matrix back to the shape and dtype of `x`, which was flattened."""
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
    """Transpose each matrix of a stack."""
    if x.ndim == 2:
        return x.T
    *stack, rows, columns = range(x.ndim)
    return transpose2(x, axis=[*stack, columns, rows])


@op(needs="as many columns in the first as there are rows in the second")
def matmul_v2(x: Any, y: Any, *, trans_x: bool = False, trans_y: bool = False) -> Any:
    """out = X Y, each transposed first if asked; leading dimensions broadcast.

    A vector is a row on the left, a column on the right, and unchanged by transposing;
    its dimension of size 1 is dropped from the result.
    """
    if x.ndim == 2 == y.ndim and not (trans_x or trans_y):
        return x @ y
    if x.ndim == 0 or y.ndim == 0:
        raise no_scalars(x, y)
    left = turned(x) if trans_x and x.ndim > 1 else x
    right = turned(y) if trans_y and y.ndim > 1 else y
    if left.ndim > 2 == right.ndim and left.shape[-1] == len(right):
        return stacked(left, right)
    return left @ right


def stacked(x: Any, matrix: Any) -> Any:
    """Multiply a stack of matrices with one matrix as one product of all rows."""
    rows = x.reshape(prod(x.shape[:-1]), x.shape[-1]) @ matrix
    return rows.reshape(*x.shape[:-1], matrix.shape[1])


def no_scalars(x: Any, y: Any) -> ShapeError:
    """Build the error for inputs without a dimension to sum over."""
    return ShapeError(
        f"it multiplies vectors and matrices; got {x.ndim} and {y.ndim} dimensions"
    )


def row(x: Any) -> Any:
    """Reshape a vector to a matrix of one row; return a matrix unchanged."""
    return unsqueeze2(x, axes=[0]) if x.ndim == 1 else x


def with_sides(product: Any, x: Any, y: Any) -> Any:
    """Restore the dimensions of a product that vectors have dropped."""
    axes = [-2] * (x.ndim == 1) + [-1] * (y.ndim == 1)
    return unsqueeze2(product, axes=axes) if axes else product


@matmul_v2.grad
def matmul_v2_grad(dout: Any, x: Any, y: Any, *, trans_x: bool, trans_y: bool) -> Any:
    """dX = dOut Y', dY = X' dOut, of X and Y as they were multiplied.

    A vector counts as a row, on the right transposed.
    """
    if x.ndim == 2 == y.ndim and not (trans_x or trans_y):
        return lambda: reduce_to(dout @ y.T, x), lambda: reduce_to(x.T @ dout, y)
    dout, left, right = with_sides(dout, x, y), row(x), row(y)
    flip_x, flip_y = trans_x and x.ndim > 1, trans_y or y.ndim == 1

    def dx() -> Any:
        factor = matmul_v2(dout, right, trans_y=not flip_y)
        return reduce_to(turned(factor) if flip_x else factor, x)

    def dy() -> Any:
        if left.ndim > 2 == right.ndim and not flip_x:
            factor = matrix(left, left.ndim - 1).T @ matrix(dout, dout.ndim - 1)
        else:
            factor = (left if flip_x else turned(left)) @ dout
        return reduce_to(turned(factor) if flip_y else factor, y)

    return dx, dy


@matmul_v2.numpy
def matmul_numpy(x: Like, y: Like, *, trans_x: bool, trans_y: bool) -> str | None:
    """Of two matrices, their product, transposed first if asked."""
    if not x.ndim == y.ndim == 2:
        return None
    return f"out = {'x.T' if trans_x else 'x'} @ {'y.T' if trans_y else 'y'}"


@matmul_v2.grad_numpy
def matmul_grad_numpy(
    dout: Like, x: Like, y: Like, *, trans_x: bool, trans_y: bool
) -> str | None:
    """Of two matrices, two products, each transposed where its factor was."""
    same = dout.dtype == x.dtype == y.dtype
    if not same or not dout.ndim == x.ndim == y.ndim == 2:
        return None
    dx = f"dout @ {'y' if trans_y else 'y.T'}"
    dy = f"{'x' if trans_x else 'x.T'} @ dout"
    dx, dy = f"({dx}).T" if trans_x else dx, f"({dy}).T" if trans_y else dy
    return f"dx = {dx}\ndy = {dy}"


@matmul_v2.infers
def infer_matmul(
    x: Like, y: Like, *, trans_x: bool = False, trans_y: bool = False
) -> Any:
    """Leading dimensions broadcast, then rows of the first by columns of the second."""
    if x.ndim == 0 or y.ndim == 0:
        raise no_scalars(x, y)
    *rows, inner = sides(x.shape, flip=trans_x)
    other, *columns = sides(y.shape, flip=trans_y)
    if inner != other:
        raise ShapeError(f"the first has {inner} columns, the second {other} rows")
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return [((*stack, *rows, *columns), np.result_type(x.dtype, y.dtype))]


def sides(shape: Sequence[int], *, flip: bool) -> Sequence[int]:
    """Rows and columns of a matrix, after transposing; the size of a vector."""
    return shape[-2:][::-1] if flip else shape[-2:]


@op(needs="two stacks of as many matrices, columns of the first as rows of the second")
def bmm(x: Any, y: Any) -> Any:
    """out_i = X_i Y_i, for each i of a batch."""
    check_bmm(x, y)
    return x @ y


def check_bmm(x: Any, y: Any) -> None:
    """Require equally large stacks of matrices that fit; without broadcasting.

    Raises:
        ShapeError: The shapes do not fit.
    """
    if not x.ndim == y.ndim == 3:
        raise ShapeError(f"{x.ndim} and {y.ndim} dimensions are not 3 and 3")
    if x.shape[0] != y.shape[0]:
        raise ShapeError(f"a batch of {x.shape[0]} and one of {y.shape[0]}")


@bmm.grad
def bmm_grad(dout: Any, x: Any, y: Any) -> Any:
    """dX_i = dOut_i Y_i', dY_i = X_i' dOut_i."""
    return (
        lambda: reduce_to(bmm(dout, turned(y)), x),
        lambda: reduce_to(bmm(turned(x), dout), y),
    )


@bmm.infers
def infer_bmm(x: Like, y: Like) -> Any:
    """As for `matmul_v2`."""
    check_bmm(x, y)
    return infer_matmul(x, y)


@op(needs="a matrix X and a vector Vec of as many elements as X has columns")
def mv(x: Any, vec: Any) -> Any:
    """out = X v."""
    if (x.ndim, vec.ndim) != (2, 1):
        raise ShapeError(f"{x.ndim} and {vec.ndim} dimensions are not 2 and 1")
    return x @ vec


@mv.grad
def mv_grad(dout: Any, x: Any, vec: Any) -> Any:
    """dX = dout v', dv = X' dout."""
    return (
        lambda: reduce_to(unsqueeze2(dout, axes=[1]) * row(vec), x),
        lambda: reduce_to(mv(turned(x), dout), vec),
    )


@op(needs="matrices X and Y that fit, and an Input that broadcasts to their product")
def addmm(
    input: Any,
    x: Any,
    y: Any,
    *,
    Alpha: float = 1.0,  # noqa: N803  Paddle's name
    Beta: float = 1.0,  # noqa: N803  Paddle's name
) -> Any:
    """out = beta Input + alpha X Y."""
    check_addmm(input, x, y)
    product = Alpha * (x @ y)
    return Beta * np.broadcast_to(input, product.shape) + product


def check_addmm(input: Any, x: Any, y: Any) -> None:
    """Require two matrices, and floating inputs.

    Raises:
        ShapeError: X or Y is no matrix.
        DTypeError: A dtype is not floating.
    """
    if not x.ndim == y.ndim == 2:
        raise ShapeError(f"{x.ndim} and {y.ndim} dimensions are not 2 and 2")
    if any(part.dtype.kind != "f" for part in (input, x, y)):
        raise DTypeError("it adds and multiplies floating numbers")


@addmm.grad
def addmm_grad(
    dout: Any,
    input: Like,
    x: Any,
    y: Any,
    *,
    Alpha: float,  # noqa: N803  Paddle's name
    Beta: float,  # noqa: N803  Paddle's name
) -> Any:
    """dInput = beta dOut, dX = alpha dOut Y', dY = alpha X' dOut."""
    return (
        lambda: reduce_to(scale(dout, scale=Beta), input),
        lambda: reduce_to(scale(dout @ turned(y), scale=Alpha), x),
        lambda: reduce_to(scale(turned(x) @ dout, scale=Alpha), y),
    )


@addmm.infers
def infer_addmm(
    input: Like,
    x: Like,
    y: Like,
    *,
    Alpha: float,  # noqa: N803  Paddle's name
    Beta: float,  # noqa: N803  Paddle's name
) -> Any:
    """The shape of the product."""
    check_addmm(input, x, y)
    ((shape, dtype),) = infer_matmul(x, y)
    if np.broadcast_shapes(input.shape, shape) != shape:
        raise ShapeError(f"{list(input.shape)} does not broadcast to {list(shape)}")
    return [(shape, np.result_type(input.dtype, dtype))]


@op(needs="two matrices or more that fit; the first and last may be vectors")
def multi_dot(*x: Any) -> Any:
    """out = X1 X2 ... Xn, in the order with the fewest multiplications."""
    check_chain(x)
    return np.linalg.multi_dot(x)


def check_chain(x: Sequence[Any]) -> None:
    """Require at least two matrices; the first and the last may be vectors.

    Raises:
        InvalidValueError: There are fewer than two.
        ShapeError: An input has another rank.
    """
    if len(x) < 2:
        raise InvalidValueError(f"a product has two factors or more, not {len(x)}")
    ends = x[0], x[-1]
    if any(m.ndim != 2 for m in x[1:-1]) or any(m.ndim not in (1, 2) for m in ends):
        raise ShapeError("only the first and the last may be vectors, the others not")


@multi_dot.grad
def multi_dot_grad(dout: Any, *x: Any) -> Any:
    """dX_i = (X_1 ... X_i-1)' dOut (X_i+1 ... X_n)'."""
    last = turned(row(x[-1])) if x[-1].ndim == 1 else x[-1]
    matrices = [row(x[0]), *x[1:-1], last]
    dout = with_sides(dout, x[0], x[-1])

    def gradient(i: int) -> Any:
        before = [turned(m) for m in matrices[:i][::-1]]
        after = [turned(m) for m in matrices[i + 1 :][::-1]]
        return like(reduce(matmul_v2, [*before, dout, *after]), x[i])

    return tuple((lambda i=i: gradient(i)) for i in range(len(x)))


@multi_dot.infers
def infer_multi_dot(*x: Like) -> Any:
    """Rows of the first by columns of the last."""
    check_chain(x)
    inner = [m.shape[0] for m in x[1:]]
    if [m.shape[-1] for m in x[:-1]] != inner:
        raise ShapeError("columns of one are not rows of the next")
    shape = (*x[0].shape[:-1], *x[-1].shape[1:])
    return [(shape, np.result_type(*(m.dtype for m in x)))]
