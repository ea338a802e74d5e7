"""Inverses, determinants, solvers and Cholesky factors of stacks of matrices.

A matrix without an inverse, or without the requested factors, is an error that names
the op. Gradients: Mike Giles, "An extended collection of matrix derivative results for
forward and reverse mode algorithmic differentiation" (2008).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import reduce_sum, reduce_to
from teachgraph.ops.matmul import transposed
from teachgraph.ops.shape import unsqueeze2

__all__ = [
    "cholesky",
    "cholesky_solve",
    "cofactors",
    "determinant",
    "inverse",
    "matrix_power",
    "matrix_rank",
    "pinv",
    "slogdeterminant",
    "solve",
    "triangle",
    "triangular_solve",
]

SQUARE = "square matrices of floating numbers"


@contextmanager
def linalg_error(reason: str) -> Iterator[None]:
    """Turn NumPy's LinAlgError inside the block into an error with this reason.

    Raises:
        InvalidValueError: NumPy raised LinAlgError.
    """
    try:
        yield
    except np.linalg.LinAlgError:
        raise InvalidValueError(reason) from None


def check_matrices(x: Any) -> None:
    """Require floating matrices.

    Raises:
        ShapeError: There are fewer than two dimensions.
        DTypeError: The dtype is not floating.
    """
    if x.ndim < 2:
        raise ShapeError(f"{x.ndim} dimensions are no matrix")
    if x.dtype.kind != "f":
        raise DTypeError(f"{x.dtype} is no floating type: x.astype('float32') is")


def check_square(x: Any) -> None:
    """Require square matrices.

    Raises:
        ShapeError: The matrices are not square.
    """
    check_matrices(x)
    if x.shape[-2] != x.shape[-1]:
        raise ShapeError(f"{x.shape[-2]} rows and {x.shape[-1]} columns: not square")


def same_shape(x: Like, **attrs: Any) -> Any:
    """Infer for an op that maps a square matrix to another."""
    check_square(x)
    return [(x.shape, x.dtype)]


@op(outputs=("output",), needs=SQUARE)
def inverse(input: Any) -> Any:
    """The matrix Y with Y X = 1."""
    check_square(input)
    with linalg_error("a matrix is singular"):
        return np.linalg.inv(input)


@inverse.grad
def inverse_grad(doutput: Any, output: Any) -> Any:
    """dX = -Y' dY Y'."""
    flipped = transposed(output)
    return -(flipped @ doutput @ flipped)


inverse.infers(same_shape)


@op(needs=SQUARE)
def cofactors(x: Any) -> Any:
    """The matrix of cofactors, the gradient of the determinant.

    With X = U diag(s) V' it is det(U) det(V') U diag(c) V', where each c is the product
    of all s but one: it is there for singular matrices too.
    """
    check_square(x)
    left, values, right = np.linalg.svd(x)
    others = np.repeat(values[..., None, :], values.shape[-1], -2)
    # A 1 on the diagonal leaves each value out of its own product: no division by it.
    others[..., range(values.shape[-1]), range(values.shape[-1])] = 1.0
    sign = np.linalg.det(left) * np.linalg.det(right)
    scaled = left * (sign[..., None, None] * others.prod(-1)[..., None, :])
    return (scaled @ right).astype(x.dtype)


@cofactors.grad
def cofactors_grad(dout: Any, x: Any, out: Any) -> Any:
    """dX = <dC, C> B - B dC' C with B = X^-1', where there is an inverse."""
    flipped = transposed(inverse(x))
    total = reduce_sum(dout * out, dim=[-2, -1], keep_dim=True)
    return total * flipped - flipped @ transposed(dout) @ out


cofactors.infers(same_shape)


@op(needs=SQUARE)
def determinant(input: Any) -> Any:
    """The determinant."""
    check_square(input)
    # Of a single matrix NumPy returns a scalar, which is no array.
    return np.asarray(np.linalg.det(input))


@determinant.grad
def determinant_grad(dout: Any, input: Any) -> Any:
    """dX = dout cof(X), which is det(X) X^-1' where there is an inverse."""
    return unsqueeze2(dout, axes=[-2, -1]) * cofactors(input)


@determinant.infers
def infer_determinant(input: Like) -> Any:
    """A number for each matrix."""
    check_square(input)
    return [(input.shape[:-2], input.dtype)]


@op(needs=SQUARE)
def slogdeterminant(input: Any) -> Any:
    """Stack the sign of the determinant and ln |det|."""
    check_square(input)
    return np.stack(np.linalg.slogdet(input))


@slogdeterminant.grad
def slogdeterminant_grad(dout: Any, input: Any) -> Any:
    """dX = dout2 X^-1'; the sign has no gradient."""
    return unsqueeze2(dout[1], axes=[-2, -1]) * transposed(inverse(input))


@slogdeterminant.infers
def infer_slogdeterminant(input: Like) -> Any:
    """Two numbers for each matrix."""
    check_square(input)
    return [((2, *input.shape[:-2]), input.dtype)]


@op(needs="square matrices in X, and in Y a vector or matrices of as many rows")
def solve(x: Any, y: Any) -> Any:
    """The solution of X out = Y.

    Y has a vector for each matrix of X, one dimension less; or it holds matrices, of
    which leading dimensions broadcast.
    """
    check_solve(x, y)
    with linalg_error("a matrix is singular"):
        if of_vectors(x, y):
            # NumPy 2 takes only a 1-D y for a vector: a stack of vectors gets a column.
            return np.linalg.solve(x, y[..., None])[..., 0]
        return np.linalg.solve(x, y)


def of_vectors(x: Like, y: Like) -> bool:
    """Tell whether Y has a vector for each matrix of X, or one for all."""
    return y.ndim == 1 or tuple(y.shape) == tuple(x.shape[:-1])


def check_solve(x: Any, y: Any) -> None:
    """Require square matrices, and right sides with as many rows.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: A dtype is not floating.
    """
    check_square(x)
    rows = -1 if of_vectors(x, y) else -2
    if y.ndim < -rows or y.shape[rows] != x.shape[-1]:
        raise ShapeError(f"{list(y.shape)} has not {x.shape[-1]} rows")
    if y.dtype.kind != "f":
        raise DTypeError(f"{y.dtype} is no floating type: y.astype('float32') is")


@solve.grad
def solve_grad(dout: Any, x: Any, y: Like, out: Any) -> Any:
    """dY = X'^-1 dOut, dX = -dY Out'."""
    flat = of_vectors(x, y)
    if flat:
        dout, out = unsqueeze2(dout, axes=[-1]), unsqueeze2(out, axes=[-1])
    dy = solve(transposed(x), dout)
    return (
        lambda: reduce_to(-(dy @ transposed(out)), x),
        lambda: reduce_to(dy[..., 0] if flat else dy, y),
    )


@solve.infers
def infer_solve(x: Like, y: Like, **attrs: Any) -> Any:
    """As many rows as X, columns as in Y."""
    check_solve(x, y)
    if of_vectors(x, y):
        stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-1])
        return [((*stack, y.shape[-1]), np.result_type(x.dtype, y.dtype))]
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return [((*stack, *y.shape[-2:]), np.result_type(x.dtype, y.dtype))]


@op
def triangle(x: Any, *, upper: bool = False, diagonal: float = 1.0) -> Any:
    """The lower or upper triangle of matrices, its diagonal times a number."""
    kept = np.triu(x, 1) if upper else np.tril(x, -1)
    return kept + diagonal * np.eye(*x.shape[-2:], dtype=x.dtype) * x


@triangle.grad
def triangle_grad(dout: Any, *, upper: bool, diagonal: float) -> Any:
    """The op is its own adjoint: the same triangle of dout."""
    return triangle(dout, upper=upper, diagonal=diagonal)


@op(needs="triangles in X, and in Y matrices of as many rows")
def triangular_solve(
    x: Any,
    y: Any,
    *,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """The solution of T out = Y, where T is a triangle of X, transposed if asked.

    With `unitriangular` its diagonal is taken to be 1.
    """
    check_triangular(x, y)
    factor = triangle.kernel(x, upper=upper, diagonal=0.0 if unitriangular else 1.0)
    if unitriangular:
        factor = factor + np.eye(x.shape[-1], dtype=x.dtype)
    # NumPy has no solver for triangles; the general one factors them once more.
    with linalg_error("there is a 0 on a diagonal"):
        return np.linalg.solve(transposed(factor) if transpose else factor, y)


def check_triangular(x: Any, y: Any) -> None:
    """Require square matrices, and matrices with as many rows.

    Raises:
        ShapeError: The sizes do not fit.
        DTypeError: A dtype is not floating.
    """
    check_square(x)
    check_matrices(y)
    if x.shape[-1] != y.shape[-2]:
        raise ShapeError(f"{x.shape[-1]} rows and {y.shape[-2]} rows")


@triangular_solve.grad
def triangular_solve_grad(
    dout: Any,
    x: Any,
    y: Like,
    out: Any,
    *,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
) -> Any:
    """dY = T'^-1 dOut, dT = the triangle of -dY Out'."""
    way = {"upper": upper, "unitriangular": unitriangular}
    dy = triangular_solve(x, dout, transpose=not transpose, **way)

    def dx() -> Any:
        slope = -(out @ transposed(dy) if transpose else dy @ transposed(out))
        diagonal = 0.0 if unitriangular else 1.0
        return reduce_to(triangle(slope, upper=upper, diagonal=diagonal), x)

    return dx, lambda: reduce_to(dy, y)


@triangular_solve.infers
def infer_triangular(x: Like, y: Like, **attrs: Any) -> Any:
    """Rows of X by columns of Y."""
    check_triangular(x, y)
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return [((*stack, *y.shape[-2:]), np.result_type(x.dtype, y.dtype))]


@op(needs=f"symmetric, positive definite, {SQUARE}")
def cholesky(x: Any, *, upper: bool = False) -> Any:
    """Cholesky factor L with L L' = X, or U with U' U = X; reads that triangle of X."""
    check_square(x)
    with linalg_error("a matrix is not positive definite"):
        return np.linalg.cholesky(x, upper=upper)


@cholesky.grad
def cholesky_grad(dout: Any, out: Any, *, upper: bool) -> Any:
    """dX = L'^-1 P(L' dL) L^-1, made symmetric.

    P takes the lower triangle and half the diagonal.
    """
    factor, slope = (transposed(out), transposed(dout)) if upper else (out, dout)
    inner = triangle(transposed(factor) @ slope, diagonal=0.5)
    half = triangular_solve(factor, inner, upper=False, transpose=True)
    dx = triangular_solve(factor, transposed(half), upper=False, transpose=True)
    return (dx + transposed(dx)) * 0.5


cholesky.infers(same_shape)


@op(needs="matrices in X with as many rows as the triangles in Y")
def cholesky_solve(x: Any, y: Any, *, upper: bool = False) -> Any:
    """The solution of A out = X, where Y is the Cholesky factor of A."""
    first, second = {"upper": upper, "transpose": upper}, {"upper": upper}
    half = triangular_solve.kernel(y, x, **first)
    return triangular_solve.kernel(y, half, **second, transpose=not upper)


@cholesky_solve.grad
def cholesky_solve_grad(dout: Any, x: Like, y: Any, out: Any, *, upper: bool) -> Any:
    """dX = A^-1 dOut, dA = -dX Out', dL = (dA + dA') L or dU = U (dA + dA')."""
    dx = cholesky_solve(dout, y, upper=upper)

    def dy() -> Any:
        slope, factor = -(dx @ transposed(out)), triangle(y, upper=upper)
        both = slope + transposed(slope)
        dfactor = factor @ both if upper else both @ factor
        return reduce_to(triangle(dfactor, upper=upper), y)

    return lambda: reduce_to(dx, x), dy


@cholesky_solve.infers
def infer_cholesky_solve(x: Like, y: Like, *, upper: bool) -> Any:
    """Rows of Y by columns of X."""
    return infer_triangular(y, x)


@op(needs=SQUARE)
def matrix_power(x: Any, *, n: int) -> Any:
    """X^n; the inverse to the power -n where n < 0."""
    check_square(x)
    with linalg_error("a matrix is singular"):
        return np.linalg.matrix_power(x, n)


@matrix_power.grad
def matrix_power_grad(dout: Any, x: Any, *, n: int) -> Any:
    """dX = the sum of X'^k dOut X'^(n-1-k) over 0 <= k < n."""
    if n == 0:
        # X^0 is the identity, whatever X is.
        return dout * 0.0
    if n < 0:
        root = inverse(x)
        flipped = transposed(root)
        return -(flipped @ matrix_power_grad(dout, root, n=-n) @ flipped)
    flipped = transposed(x)
    # Horner's scheme: two products for each further term.
    total = left = dout
    for _ in range(n - 1):
        left = flipped @ left
        total = total @ flipped + left
    return total


@matrix_power.infers
def infer_matrix_power(x: Like, *, n: int) -> Any:
    """The shape of x."""
    if n != int(n):
        raise InvalidValueError(f"n = {n} is not whole")
    return same_shape(x)


@op(needs="matrices of floating numbers")
def pinv(x: Any, *, rcond: float = 1e-15, hermitian: bool = False) -> Any:
    """The pseudo-inverse P: X P X = X, P X P = P, and X P and P X are symmetric.

    Singular values below rcond times the largest count as 0.
    """
    check_spectrum(x, hermitian=hermitian)
    with linalg_error("the singular values of a matrix were not found"):
        return np.linalg.pinv(x, rcond, hermitian=hermitian)


def check_spectrum(x: Any, *, hermitian: bool) -> None:
    """Require matrices, square ones if `hermitian`."""
    (check_square if hermitian else check_matrices)(x)


@pinv.grad
def pinv_grad(dout: Any, x: Any, out: Any) -> Any:
    """dX = -P' dP P' + (1 - X P) dP' P P' + P' P dP' (1 - P X).

    Golub and Pereyra (1973); valid while the rank is constant.
    """
    slope, flipped = transposed(dout), transposed(out)
    right, left = slope @ (out @ flipped), (flipped @ out) @ slope
    inside = -(flipped @ dout @ flipped)
    return inside + right - x @ out @ right + left - left @ out @ x


@pinv.infers
def infer_pinv(x: Like, *, rcond: float, hermitian: bool) -> Any:
    """Rows and columns are exchanged."""
    check_spectrum(x, hermitian=hermitian)
    return [((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)]


@op(needs="matrices of floating numbers, and tolerances that broadcast with them")
def matrix_rank(
    x: Any,
    tol_tensor: Any = None,
    *,
    tol: float = 0.0,
    hermitian: bool = False,
    use_default_tol: bool = True,
) -> Any:
    """Count the singular values larger than `tol`, or than each number of `tol_tensor`.

    By default `tol` is the rounding error of the largest, times the larger size.
    """
    check_spectrum(x, hermitian=hermitian)
    limit = None if use_default_tol else tol
    with linalg_error("the singular values of a matrix were not found"):
        if tol_tensor is None:
            rank = np.linalg.matrix_rank(x, limit, hermitian)
        else:
            values = np.linalg.svd(x, compute_uv=False, hermitian=hermitian)
            rank = (values > tol_tensor[..., None]).sum(axis=-1)
    # Paddle's rank is int32, NumPy's int64.
    return np.asarray(rank, np.int32)


@matrix_rank.infers
def infer_matrix_rank(
    x: Like, tol_tensor: Like | None = None, *, hermitian: bool, **attrs: Any
) -> Any:
    """A number for each matrix and tolerance."""
    check_spectrum(x, hermitian=hermitian)
    tolerances = () if tol_tensor is None else tol_tensor.shape
    return [(np.broadcast_shapes(x.shape[:-2], tolerances), np.dtype("int32"))]
