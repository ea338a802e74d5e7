"""Gaussian elimination: a matrix as a permutation times a lower and an upper triangle.

X = P L U. Both triangles are kept in one matrix, that of L without its diagonal of
ones; P as the rows that were exchanged, one after the other, counted from 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import (
    DTypeError,
    InvalidValueError,
    OutOfRangeError,
    ShapeError,
)
from teachgraph.core.op import Like, op
from teachgraph.ops.decomposition import check_matrices, triangle, triangular_solve
from teachgraph.ops.linalg import turned
from teachgraph.ops.spectral import arrived

__all__ = ["bordered", "fitted", "lu", "lu_unpack"]


def exchange(x: Any, k: int, other: Any) -> None:
    """Exchange row k of each matrix with another one of it, in place."""
    place = other[..., None, None]
    row = x[..., k : k + 1, :].copy()
    x[..., k : k + 1, :] = np.take_along_axis(x, place, -2)
    np.put_along_axis(x, place, row, -2)


@op(outputs=("out", "pivots", "infos"), needs="matrices of floating numbers")
def lu(x: Any, *, pivots: bool = True) -> Any:
    """L and U in one matrix, the rows exchanged, and which pivot is 0, or 0 if none.

    Each step takes the row with the largest element of its column up, and multiples of
    it from the rows below.
    """
    check_lu(x, pivots)
    out, count = x.copy(), min(x.shape[-2:])
    rows = np.zeros((*x.shape[:-2], count), np.int32)
    infos = np.zeros(x.shape[:-2], np.int32)
    for k in range(count):
        largest = k + np.abs(out[..., k:, k]).argmax(-1)
        exchange(out, k, largest)
        rows[..., k] = largest + 1
        pivot = out[..., k, k]
        infos[(infos == 0) & (pivot == 0)] = k + 1
        factors = out[..., k + 1 :, k] / np.where(pivot == 0, 1, pivot)[..., None]
        out[..., k + 1 :, k] = factors
        out[..., k + 1 :, k + 1 :] -= factors[..., None] * out[..., k, None, k + 1 :]
    return out, rows, infos


def check_lu(x: Any, pivots: Any) -> None:
    """Matrices, whose rows may be exchanged.

    Raises:
        InvalidValueError: They may not.
    """
    check_matrices(x)
    if not pivots:
        raise InvalidValueError("without exchanging rows digits are lost: pivot=True")


@lu.grad
def lu_grad(dout: Any, x: Like, out: Any, pivots: Any) -> Any:
    """dX = P L'^-1 (lower(L' dL) + upper(dU U')) U'^-1.

    The factors of a matrix that is not square are part of those of a square one, which
    has ones on the rest of its diagonal.
    """
    factors, slope = bordered(out, corner=1.0), bordered(dout)
    below, upper = triangle(factors, diagonal=0.0), triangle(factors, upper=True)
    dl, du = triangle(slope, diagonal=0.0), triangle(slope, upper=True)
    inner = triangle(dl + turned(below) @ dl, diagonal=0.0)
    inner = inner + triangle(du @ turned(upper), upper=True)
    way = {"upper": False, "transpose": True, "unitriangular": True}
    left = triangular_solve(factors, inner, **way)
    both = turned(triangular_solve(factors, turned(left)))
    return lu_unpack(out, pivots, unpack_ludata=False)[0] @ fitted(both, x)


@lu.infers
def infer_lu(x: Like, *, pivots: bool) -> Any:
    """Like x, the exchanges of each matrix, and a number for each."""
    check_lu(x, pivots)
    stack, int32 = x.shape[:-2], np.dtype("int32")
    count = -1 if -1 in x.shape[-2:] else min(x.shape[-2:])
    return [(x.shape, x.dtype), ((*stack, count), int32), (stack, int32)]


@op(outputs=("pmat", "l", "u"), needs="what `lu` gives")
def lu_unpack(
    x: Any, pivots: Any, *, unpack_ludata: bool = True, unpack_pivots: bool = True
) -> Any:
    """P, L and U of what `lu` gives; what is not asked for is empty."""
    check_packed(x, pivots)
    rows, columns = x.shape[-2:]
    count, empty = min(rows, columns), np.zeros(0, x.dtype)
    pmat = permutation(pivots, rows, x.dtype) if unpack_pivots else empty
    if not unpack_ludata:
        return pmat, empty, empty
    lower = np.tril(x[..., :count], -1) + np.eye(rows, count, dtype=x.dtype)
    return pmat, lower, np.triu(x[..., :count, :])


def permutation(pivots: Any, rows: int, dtype: Any) -> Any:
    """The matrix P that undoes the exchanges.

    Raises:
        OutOfRangeError: There is no such row.
    """
    if pivots.size and not (pivots.min() >= 1 and pivots.max() <= rows):
        raise OutOfRangeError(f"pivots are rows from 1 to {rows}")
    stack = pivots.shape[:-1]
    exchanged = np.zeros((*stack, rows, rows), dtype) + np.eye(rows, dtype=dtype)
    for k in range(pivots.shape[-1]):
        exchange(exchanged, k, pivots[..., k].astype(np.int64) - 1)
    return turned(exchanged)


def check_packed(x: Any, pivots: Any) -> None:
    """Matrices, and whole numbers for each.

    Raises:
        ShapeError: They do not fit.
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
    """Below the diagonal dX is dL, from there on dU."""
    if not unpack_ludata:
        return x * 0.0
    lower = triangle(arrived(dl, l), diagonal=0.0)
    upper = triangle(arrived(du, u), upper=True)
    return fitted(lower, x) + fitted(upper, x)


@lu_unpack.infers
def infer_lu_unpack(
    x: Like, pivots: Like, *, unpack_ludata: bool, unpack_pivots: bool
) -> Any:
    """A square, and two that x is the product of."""
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
    """Matrices with zeros to the right or below, so that they are square.

    The rest of the diagonal is `corner`.
    """
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
    """What was there before."""
    return fitted(dout, x)


@op(needs="matrices in X and in Y")
def fitted(x: Any, y: Any) -> Any:
    """Matrices cut off, or filled up with zeros, to the size of those in Y."""
    rows, columns = y.shape[-2:]
    out = np.zeros((*x.shape[:-2], rows, columns), x.dtype)
    kept = x[..., :rows, :columns]
    out[..., : kept.shape[-2], : kept.shape[-1]] = kept
    return out


@fitted.grad(of=("x",))
def fitted_grad(dout: Any, x: Like) -> Any:
    """The way back."""
    return fitted(dout, x)


@fitted.infers
def infer_fitted(x: Like, y: Like) -> Any:
    """Rows and columns of Y."""
    return [((*x.shape[:-2], *y.shape[-2:]), x.dtype)]
