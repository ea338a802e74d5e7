"""Orthogonal factorisations: eigendecomposition, SVD and QR.

For equal eigenvalues or singular values the vectors are not unique and have no
derivative; computing it is an error.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import reduce_sum
from teachgraph.ops.decomposition import (
    SQUARE,
    check_matrices,
    check_square,
    linalg_error,
    triangle,
    triangular_solve,
)
from teachgraph.ops.matmul import transposed
from teachgraph.ops.shape import unsqueeze2

__all__ = ["eigh", "qr", "svd"]


def upstream_or_zeros(gradient: Any, output: Any) -> Any:
    """Replace the missing gradient of an unused output by zeros."""
    return output * 0.0 if gradient is None else gradient


@op(outputs=("eigenvalues", "eigenvectors"), needs=SQUARE)
def eigh(x: Any, *, UPLO: str = "L") -> Any:  # noqa: N803  Paddle's name
    """Eigenvalues w, the smallest first, and eigenvectors V: X = V diag(w) V'.

    X is symmetric; only the lower triangle is read, or with UPLO = "U" the upper one.
    """
    check_eigh(x, UPLO)
    with linalg_error("the eigenvalues of a matrix were not found"):
        return tuple(np.linalg.eigh(x, "U" if UPLO == "U" else "L"))


@eigh.grad
def eigh_grad(
    deigenvalues: Any, deigenvectors: Any, eigenvalues: Any, eigenvectors: Any
) -> Any:
    """dX = V (diag(dw) + G) V', made symmetric, G_ij = (V' dV)_ij / (w_j - w_i)."""
    flipped, dvectors = (
        transposed(eigenvectors),
        upstream_or_zeros(deigenvectors, eigenvectors),
    )
    dvalues = unsqueeze2(upstream_or_zeros(deigenvalues, eigenvalues), axes=[-2])
    turning = over_gaps(flipped @ dvectors, eigenvalues)
    scaling = eigenvectors * dvalues
    dx = (scaling + eigenvectors @ turning) @ flipped
    # Only one triangle of X was read, but X stands for a symmetric matrix.
    return (dx + transposed(dx)) * 0.5


@eigh.infers
def infer_eigh(x: Like, *, UPLO: str) -> Any:  # noqa: N803  Paddle's name
    """A vector and a matrix for each matrix."""
    check_eigh(x, UPLO)
    return [(x.shape[:-1], x.dtype), (x.shape, x.dtype)]


def check_eigh(x: Any, triangle: str) -> None:
    """Require square matrices and a valid `UPLO`.

    Raises:
        InvalidValueError: `UPLO` is neither "L" nor "U".
    """
    check_square(x)
    if triangle not in ("L", "U"):
        raise InvalidValueError(f"UPLO is 'L' or 'U', not {triangle!r}")


@op(needs="different eigenvalues (or singular values): equal ones may turn freely")
def over_gaps(x: Any, w: Any) -> Any:
    """out_ij = x_ij / (w_j - w_i), and 0 on the diagonal."""
    gaps = w[..., np.newaxis, :] - w[..., np.newaxis]
    # Equal eigenvalues matter only where a gradient asks for their vectors.
    wanted = (x != 0) & ~np.eye(w.shape[-1], dtype=bool)
    if (wanted & (gaps == 0)).any():
        raise InvalidValueError("the vectors of equal values have no derivative")
    return np.divide(x, gaps, out=np.zeros_like(x), where=wanted)


@over_gaps.infers
def infer_over_gaps(x: Like, w: Like) -> Any:
    """x's shape."""
    return [(x.shape, np.result_type(x.dtype, w.dtype))]


@over_gaps.grad
def over_gaps_grad(dout: Any, out: Any, w: Any) -> Any:
    """dx_ij = dout_ij / (w_j - w_i), dw_j = the sum over i of e_ji - e_ij.

    e_ij = dout_ij out_ij / (w_j - w_i).
    """

    def dw() -> Any:
        each = over_gaps(dout * out, w)
        return reduce_sum(transposed(each) - each, dim=[-2])

    return lambda: over_gaps(dout, w), dw


@op(outputs=("u", "v_h", "s"), needs="matrices of floating numbers")
def svd(x: Any, *, full_matrices: bool = False) -> Any:
    """X = U diag(s) VH, the largest s first; the columns of U and V are orthonormal."""
    check_matrices(x)
    with linalg_error("the singular values of a matrix were not found"):
        u, s, vh = np.linalg.svd(x, full_matrices)
    return u, vh, s


@svd.grad
def svd_grad(
    du: Any, dv_h: Any, ds: Any, u: Any, v_h: Any, s: Any, *, full_matrices: bool
) -> Any:
    """dX = U (diag(ds) + F(U' dU) S + S F(V' dV)) VH, plus two orthogonal parts.

    F_ij(A) = (A - A')_ij / (s_j^2 - s_i^2). The parts of dU and dV orthogonal to U and
    V contribute divided by s.
    """
    if full_matrices:
        raise InvalidValueError("with full_matrices=True it has no derivative")
    du, dv_h, ds = (
        upstream_or_zeros(du, u),
        upstream_or_zeros(dv_h, v_h),
        upstream_or_zeros(ds, s),
    )
    columns, rows = unsqueeze2(s, axes=[-2]), unsqueeze2(s, axes=[-1])
    on_u, on_v = transposed(u) @ du, v_h @ transposed(dv_h)
    squares = s * s
    turn_u = over_gaps(on_u - transposed(on_u), squares)
    turn_v = over_gaps(on_v - transposed(on_v), squares)
    core = u @ (turn_u * columns + rows * turn_v) + u * unsqueeze2(ds, axes=[-2])
    dx = core @ v_h
    # A square U spans the space: nothing is orthogonal to it, and s may hold 0.
    if u.shape[-2] != u.shape[-1]:
        dx = dx + ((du - u @ on_u) / columns) @ v_h
    if v_h.shape[-2] != v_h.shape[-1]:
        dx = dx + u @ ((dv_h - transposed(on_v) @ v_h) / rows)
    return dx


@svd.infers
def infer_svd(x: Like, *, full_matrices: bool) -> Any:
    """min(m, n) orthonormal columns, or all with `full_matrices`."""
    check_matrices(x)
    *stack, rows, columns = x.shape
    rank = min(rows, columns)
    width, height = (rows, columns) if full_matrices else (rank, rank)
    shapes = (*stack, rows, width), (*stack, height, columns), (*stack, rank)
    return [(shape, x.dtype) for shape in shapes]


@op(outputs=("q", "r"), needs="matrices of floating numbers")
def qr(x: Any, *, mode: str = "reduced") -> Any:
    """X = Q R: the columns of Q are orthonormal, R is an upper triangle.

    With mode "complete" Q is square; with "r" there is no Q.
    """
    check_qr(x, mode)
    if mode == "r":
        return np.zeros(0, x.dtype), np.linalg.qr(x, "r")
    return tuple(np.linalg.qr(x, "complete" if mode == "complete" else "reduced"))


def check_qr(x: Any, mode: str) -> None:
    """Require matrices and a valid mode.

    Raises:
        InvalidValueError: The mode is unknown.
    """
    check_matrices(x)
    if mode not in ("reduced", "complete", "r"):
        raise InvalidValueError(f"mode is 'reduced', 'complete' or 'r', not {mode!r}")


@qr.grad
def qr_grad(dq: Any, dr: Any, q: Any, r: Any, *, mode: str) -> Any:
    """dX = (dQ + Q M) R'^-1, M = the lower triangle of R dR' - dQ' Q, made symmetric.

    For matrices with no more columns than rows (Walter and Lehmann, 2018).
    """
    if mode != "reduced":
        raise InvalidValueError(f"mode {mode!r} has no derivative, 'reduced' has")
    if -1 not in r.shape[-2:] and r.shape[-2] != r.shape[-1]:
        raise ShapeError("a matrix of more columns than rows has no derivative here")
    dq, dr = upstream_or_zeros(dq, q), upstream_or_zeros(dr, r)
    inner = triangle(r @ transposed(dr) - transposed(dq) @ q, diagonal=0.5)
    slope = dq + q @ (inner + transposed(inner))
    return transposed(triangular_solve(r, transposed(slope), upper=True))


@qr.infers
def infer_qr(x: Like, *, mode: str) -> Any:
    """min(m, n) columns of Q, or m if "complete"."""
    check_qr(x, mode)
    *stack, rows, columns = x.shape
    width = rows if mode == "complete" else min(rows, columns)
    q = (0,) if mode == "r" else (*stack, rows, width)
    return [(q, x.dtype), ((*stack, width, columns), x.dtype)]
