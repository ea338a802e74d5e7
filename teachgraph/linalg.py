"""Paddle 2's `paddle.linalg`: inverses, determinants and factors of matrices."""

from teachgraph.ops.functions.decomposition import (
    cholesky,
    cholesky_solve,
    det,
    eigh,
    eigvalsh,
    inv,
    matrix_power,
    matrix_rank,
    multi_dot,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    trace,
    triangular_solve,
)

__all__ = [
    "cholesky",
    "cholesky_solve",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "trace",
    "triangular_solve",
]
