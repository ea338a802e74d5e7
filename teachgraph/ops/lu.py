"""LU factorisation by Gaussian elimination with partial pivoting.

X = P L U. Both triangles are stored in one matrix, L without its unit diagonal; P as
the sequence of row exchanges, counted from 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.errors import OutOfRangeError
from teachgraph.ops.decomposition import check_matrices, triangle, triangular_solve
from teachgraph.ops.matmul import transposed
from teachgraph.ops.spectral import upstream_or_zeros

__all__ = ["bordered", "fitted", "lu", "lu_unpack"]


def exchange(x: Any, k: int, other: Any) -> None:
    """Exchange row k of each matrix with another row, in place."""
    place = other[..., None, None]
    row = x[..., k : k + 1, :].copy()
    x[..., k : k + 1, :] = np.take_along_axis(x, place, -2)
    np.put_along_axis(x, place, row, -2)


@op(outputs=("out", "pivots", "infos"), needs="matrices of floating numbers")
def lu(x: Any, *, pivots: bool = True) -> Any:
    """L and U in one matrix, the row exchanges, and the first pivot that is 0, or 0.

    Each step moves the row with the largest element of its column up, and subtracts
    multiples of it from the rows below.
    """
    check_lu(x, pivots)
    out, count = x.copy(), min(x.shape[-2:])
    rows = np.zeros((*x.shape[:-2], count), np.int32)
    infos = np.zeros(x.shape[:-2] or (1,), np.int32)
    for k in range(count):
        largest = k + np.abs(out[..., k:, k]).argmax(-1)
        exchange(out, k, largest)
        rows[..., k] = largest + 1
        pivot = out[..., k, k]
        infos[(infos == 0) & (pivot == 0)] = k + 1
        # The pivot is the column's largest element: if it is 0, so are all factors.
        factors = out[..., k + 1 :, k] / np.where(pivot == 0, 1, pivot)[..., None]
        out[..., k + 1 :, k] = factors
        out[..., k + 1 :, k + 1 :] -= factors[..., None] * out[..., k, None, k + 1 :]
    return out, rows, infos


def check_lu(x: Any, pivots: Any) -> None:
    """Require matrices and pivoting.

    Raises:
        InvalidValueError: `pivots` is False.
    """
    check_matrices(x)
    if not pivots:
        raise InvalidValueError("LU without pivoting is unstable: use pivot=True")


@lu.grad
def lu_grad(dout: Any, x: Like, out: Any, pivots: Any) -> Any:
    """dX = P L'^-1 (lower(L' dL) + upper(dU U')) U'^-1.

    A rectangular matrix is extended to a square one with ones on the rest of its
    diagonal, whose factors contain its own.
    """
    factors, slope = bordered(out, corner=1.0), bordered(dout)
    below, upper = triangle(factors, diagonal=0.0), triangle(factors, upper=True)
    dl, du = triangle(slope, diagonal=0.0), triangle(slope, upper=True)
    inner = triangle(dl + transposed(below) @ dl, diagonal=0.0)
    inner = inner + triangle(du @ transposed(upper), upper=True)
    way = {"upper": False, "transpose": True, "unitriangular": True}
    left = triangular_solve(factors, inner, **way)
    both = transposed(triangular_solve(factors, transposed(left)))
    return lu_unpack(out, pivots, unpack_ludata=False)[0] @ fitted(both, x)


@lu.infers
def infer_lu(x: Like, *, pivots: bool) -> Any:
    """x's spec, the exchanges of each matrix, and a number for each."""
    check_lu(x, pivots)
    stack, int32 = x.shape[:-2], np.dtype("int32")
    count = -1 if -1 in x.shape[-2:] else min(x.shape[-2:])
    return [(x.shape, x.dtype), ((*stack, count), int32), (stack or (1,), int32)]


@op(outputs=("pmat", "l", "u"), needs="the results of `lu`")
def lu_unpack(
    x: Any, pivots: Any, *, unpack_ludata: bool = True, unpack_pivots: bool = True
) -> Any:
    """Unpack the results of `lu` to P, L and U; empty if not requested."""
    check_packed(x, pivots)
    rows, columns = x.shape[-2:]
    count, empty = min(rows, columns), np.zeros(0, x.dtype)
    pmat = permutation(pivots, rows, x.dtype) if unpack_pivots else empty
    if not unpack_ludata:
        return pmat, empty, empty
    lower = np.tril(x[..., :count], -1) + np.eye(rows, count, dtype=x.dtype)
    return pmat, lower, np.triu(x[..., :count, :])


def permutation(pivots: Any, rows: int, dtype: Any) -> Any:
    """Build the matrix P from the row exchanges.

    Raises:
        OutOfRangeError: A row is out of range.
    """
    if pivots.size and not (pivots.min() >= 1 and pivots.max() <= rows):
        raise OutOfRangeError(f"pivots are rows from 1 to {rows}")
    stack = pivots.shape[:-1]
    exchanged = np.zeros((*stack, rows, rows), dtype) + np.eye(rows, dtype=dtype)
    for k in range(pivots.shape[-1]):
        exchange(exchanged, k, pivots[..., k].astype(np.int64) - 1)
    # The exchanges map X to L U, so the identity becomes P', and X = P L U needs P.
    return transposed(exchanged)


def check_packed(x: Any, pivots: Any) -> None:
    """Require matrices with integer pivots.

    Raises:
        ShapeError: The shapes do not fit.
        DTypeError: The pivots are no integers.
    """
    check_matrices(x)
    if pivots.dtype.kind not in "iu":
        raise DTypeError(f"pivots are integers, not {pivots.dtype}")
    count = -1 if -1 in x.shape[-2:] else min(x.shape[-2:])
    wanted = (*x.shape[:-2], count)
    fits = len(pivots.shape) == len(wanted)
    for size, one in zip(pivots.shape, wanted, strict=False):
        fits = fits and (size == one or -1 in (size, one))
    if not fits:
        raise ShapeError(f"pivots have shape {list(wanted)}, not {list(pivots.shape)}")


@lu_unpack.grad(of=("x",))
def lu_unpack_grad(
    dl: Any,
    du: Any,
    x: Any,
    l: Any,  # noqa: E741  Paddle's name
    u: Any,
    *,
    unpack_ludata: bool,
) -> Any:
    """dX = dL below the diagonal, dU on and above it."""
    if not unpack_ludata:
        return x * 0.0
    lower = triangle(upstream_or_zeros(dl, l), diagonal=0.0)
    upper = triangle(upstream_or_zeros(du, u), upper=True)
    return fitted(lower, x) + fitted(upper, x)


@lu_unpack.infers
def infer_lu_unpack(
    x: Like, pivots: Like, *, unpack_ludata: bool, unpack_pivots: bool
) -> Any:
    """A square matrix, and the factors' shapes."""
    check_packed(x, pivots)
    *stack, rows, columns = x.shape
    count = -1 if -1 in (rows, columns) else min(rows, columns)
    shapes = [
        (*stack, rows, rows) if unpack_pivots else (0,),
        (*stack, rows, count) if unpack_ludata else (0,),
        (*stack, count, columns) if unpack_ludata else (0,),
    ]
    return [(shape, x.dtype) for shape in shapes]


@op
def bordered(x: Any, *, corner: float = 0.0) -> Any:
    """Pad matrices with zeros to square ones; the rest of the diagonal is `corner`."""
    *stack, rows, columns = x.shape
    size = max(rows, columns)
    rest = np.arange(size) >= min(rows, columns)
    out = np.zeros((*stack, size, size), x.dtype) + np.diag(corner * rest).astype(
        x.dtype
    )
    out[..., :rows, :columns] = x
    return out


@bordered.grad
def bordered_grad(dout: Any, x: Like) -> Any:
    """dx = the original part of dout."""
    return fitted(dout, x)


@op(needs="matrices in X and in Y")
def fitted(x: Any, y: Any) -> Any:
    """Crop matrices, or pad them with zeros, to the size of those in Y."""
    rows, columns = y.shape[-2:]
    out = np.zeros((*x.shape[:-2], rows, columns), x.dtype)
    kept = x[..., :rows, :columns]
    out[..., : kept.shape[-2], : kept.shape[-1]] = kept
    return out


@fitted.grad(of=("x",))
def fitted_grad(dout: Any, x: Like) -> Any:
    """dx = dout cropped or padded to x's size."""
    return fitted(dout, x)


@fitted.infers
def infer_fitted(x: Like, y: Like) -> Any:
    """Rows and columns of Y."""
    return [((*x.shape[:-2], *y.shape[-2:]), x.dtype)]
