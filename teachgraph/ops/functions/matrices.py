"""Condition number, covariance, Householder products, least squares, PCA."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.ops import math as maths
from teachgraph.ops.diagonal import diagonal
from teachgraph.ops.elementwise import elementwise_sub
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.functions.decomposition import inverse, matrix_rank, pinv, qr, svd
from teachgraph.ops.functions.joining import concat, part
from teachgraph.ops.functions.manipulation import reshape, swapaxes, unsqueeze
from teachgraph.ops.functions.math import cast, clip
from teachgraph.ops.functions.random import randn
from teachgraph.ops.functions.reduce import amax, amin, mean, norm, sum
from teachgraph.ops.matmul import matmul_v2
from teachgraph.ops.slicing import OPEN_END
from teachgraph.ops.statistics import checked_weights

__all__ = ["cond", "corrcoef", "cov", "householder_product", "lstsq", "pca_lowrank"]


def cond(x: Any, p: Any = None, name: Any = None) -> Any:
    """The condition number of matrices: the norm times that of the inverse.

    Args:
        x: Matrices [..., m, n], square ones unless p is None, 2 or -2.
        p: The norm: None or 2 (the largest singular value over the smallest), -2 (its
            reciprocal), "fro", "nuc", 1, -1, inf or -inf.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: An unknown norm, or a matrix is singular.

    >>> import numpy as np
    >>> cond(np.array([[1.0, 0.0], [0.0, 4.0]]))
    np.float64(4.0)
    """
    if p in (None, 2, -2):
        values = svd(x)[1]
        most, least = amax(values, -1), amin(values, -1)
        return least / most if p == -2 else most / least
    return matrix_norm(x, p) * matrix_norm(inverse(x), p)


def matrix_norm(x: Any, p: Any) -> Any:
    """The norm of each matrix.

    Raises:
        InvalidValueError: An unknown norm.
    """
    if p == "fro":
        return norm(x, "fro", [-2, -1])
    if p == "nuc":
        return sum(svd(x)[1], -1)
    if p not in (1, -1, inf, -inf):
        raise InvalidValueError.here(f"cond: there is no matrix norm {p!r}")
    sums = sum(maths.abs_(x), -2 if p in (1, -1) else -1)
    return amax(sums, -1) if p > 0 else amin(sums, -1)


def cov(
    x: Any,
    rowvar: bool = True,
    ddof: bool = True,
    fweights: Any = None,
    aweights: Any = None,
    name: Any = None,
) -> Any:
    """The covariances of variables.

    Args:
        x: A variable in each row, an observation in each column; or one variable [n].
        rowvar: Variables are rows, not columns.
        ddof: Divide by n - 1 and not by n.
        fweights: The frequency of each observation, integers [n].
        aweights: The weight of each observation [n].
        name: Accepted for Paddle's sake.

    Returns:
        The covariance of each two variables [k, k]; of a single one its variance [].

    Raises:
        ShapeError: There are more than two dimensions, or weights are no vector of n.
        InvalidValueError: A weight is negative or all are 0, or a frequency is no
            integer.

    >>> import numpy as np
    >>> cov(np.array([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    ndim = len(x.shape)
    if ndim not in {1, 2}:
        raise ShapeError.here(f"cov: x has 1 or 2 dimensions, not {ndim}")
    x = x if ndim == 2 else unsqueeze(x, 0)
    x = x if rowvar or x.shape[0] == 1 else swapaxes(x, 0, 1)
    weights = observation_weights(x, fweights, aweights)
    if weights:
        w = weights[0] if len(weights) == 1 else weights[0] * weights[1]
        total = sum(w)
        middle = sum(x * w, 1, keepdim=True) / total
        lost = total if aweights is None else sum(w * weights[-1])
        free = clip(total - lost / total, 0.0) if ddof else total
        moved = elementwise_sub(x, middle)
        covariance = matmul_v2(moved * w, moved, trans_y=True) / free
    else:
        moved = elementwise_sub(x, mean(x, 1, keepdim=True))
        free = max(x.shape[1] - 1, 0) if ddof else x.shape[1]
        covariance = matmul_v2(moved, moved, trans_y=True) / np.asarray(free, x.dtype)
    return reshape(covariance, []) if x.shape[0] == 1 else covariance


def observation_weights(x: Any, fweights: Any, aweights: Any) -> list[Any]:
    """Check those weights of the columns of `x` that there are, in its dtype."""
    return [
        checked_weights(cast(w, x.dtype), x, whole=whole)
        for w, whole in ((fweights, True), (aweights, False))
        if w is not None
    ]


def corrcoef(x: Any, rowvar: bool = True, name: Any = None) -> Any:
    """The correlations of variables: their covariances over both deviations.

    >>> import numpy as np
    >>> corrcoef(np.array([[1.0, 2.0, 3.0], [6.0, 4.0, 2.0]]))
    array([[ 1., -1.],
           [-1.,  1.]])
    """
    c = cov(x, rowvar)
    if not len(c.shape):
        return c / c
    deviations = maths.sqrt(diagonal(c))
    row, column = unsqueeze(deviations, 0), unsqueeze(deviations, 1)
    return clip(c / row / column, -1.0, 1.0)


def householder_product(x: Any, tau: Any, name: Any = None) -> Any:
    """The first n columns of H_1 H_2 ... H_k, reflections H_i = 1 - tau_i v_i v_i'.

    Args:
        x: The vectors v_i below the diagonal of [..., m, n]; on it they are 1.
        tau: Their factors [..., k], with k <= n <= m.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The sizes do not fit.

    >>> import numpy as np
    >>> householder_product(np.zeros((2, 1)), np.array([2.0]))
    array([[-1.],
           [ 0.]])
    """
    m, n = x.shape[-2:] if len(x.shape) > 1 else (0, 1)
    count = tau.shape[-1] if len(tau.shape) else -1
    if not 0 <= count <= n <= m:
        message = f"householder_product: {count} factors, vectors {list(x.shape)}"
        raise ShapeError.here(message)
    out = np.eye(m, n, dtype=dtypes.convert(x.dtype))
    for i in reversed(range(count)):
        below = part(part(x, -1, i, i + 1), -2, i + 1, OPEN_END)
        top = np.zeros((*x.shape[:-2], i + 1, 1), out.dtype)
        top[..., i, :] = 1.0
        v = concat([top, below], -2)
        factor = unsqueeze(part(tau, -1, i, i + 1), -1)
        out = out - factor * matmul_v2(v, matmul_v2(v, out, trans_x=True))
    return out


DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def lstsq(
    x: Any, y: Any, rcond: float | None = None, driver: Any = None, name: Any = None
) -> tuple[Any, Any, Any, Any]:
    """The solutions of x out = y in the sense of least squares.

    Args:
        x: Matrices [..., m, n].
        y: Right sides [..., m, k].
        rcond: Singular values below this share of the largest count as 0; by default
            the rounding error times the larger of m and n.
        driver: LAPACK's "gels", "gelsy", "gelsd" or "gelss". All use the pseudo-inverse
            here; only the latter two return singular values.
        name: Accepted for Paddle's sake.

    Returns:
        Solutions [..., n, k]; the sums of squared residuals [..., k], empty unless
        m > n; the rank of each matrix; and its singular values, or nothing.

    Raises:
        InvalidValueError: An unknown driver.

    >>> import numpy as np
    >>> x = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]])
    >>> lstsq(x, np.array([[1.0], [3.0], [5.0]]))[0].round(9)
    array([[1.],
           [2.]])
    """
    if driver not in (None, *DRIVERS):
        raise InvalidValueError.here(f"lstsq: there is no driver {driver!r}")
    m, n = x.shape[-2:]
    share = float(np.finfo(x.dtype).eps) * max(m, n) if rcond is None else rcond
    solution = matmul_v2(pinv(x, share), y)
    values = svd(x)[1]
    rank = matrix_rank(x)
    empty = part(reshape(values, [-1]), 0, 0, 0)
    left = empty
    if m > n:
        away = elementwise_sub(matmul_v2(x, solution), y)
        left = sum(maths.square(away), -2)
    return solution, left, rank, values if driver in ("gelsd", "gelss") else empty


def pca_lowrank(
    x: Any, q: int | None = None, center: bool = True, niter: int = 2, name: Any = None
) -> tuple[Any, Any, Any]:
    """Approximate x by U diag(s) V', from a random sketch of q columns.

    Args:
        x: Matrices [..., m, n].
        q: The number of components; by default 6, or min(m, n) if that is less.
        center: Subtract the mean of each column first.
        niter: The number of subspace iterations (products with x and its transpose),
            which emphasise the large singular values.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: There are fewer than q components.

    Source: Halko et al. 2009, https://arxiv.org/abs/0909.4061.

    >>> import teachgraph as tg
    >>> table = tg.to_tensor([[1.0, 2.0], [3.0, 6.0], [2.0, 4.0]])
    >>> [round(s, 4) for s in pca_lowrank(table, 1)[1].tolist()]
    [3.1623]
    """
    m, n = x.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n) or niter < 0:
        message = f"pca_lowrank: {q} components of {list(x.shape)}, {niter} times"
        raise InvalidValueError.here(message)
    x = elementwise_sub(x, mean(x, -2, keepdim=True)) if center else x
    basis = qr(matmul_v2(x, cast(randn([n, q]), x.dtype)))[0]
    for _ in range(niter):
        other = qr(matmul_v2(x, basis, trans_x=True))[0]
        basis = qr(matmul_v2(x, other))[0]
    u, s, vh = svd(matmul_v2(basis, x, trans_x=True))
    return matmul_v2(basis, u), s, swapaxes(vh, -2, -1)


all_in_words(__all__, globals())
