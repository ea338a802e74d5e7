"""Inverses, determinants, solvers and matrix factorisations of `teachgraph.linalg`."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError
from teachgraph.core.op import Traced
from teachgraph.ops import decomposition, diagonal, linalg, spectral
from teachgraph.ops import lu as elimination
from teachgraph.ops.decomposition import inverse as inverse_op
from teachgraph.ops.elementwise import greater_than
from teachgraph.ops.error_context import all_in_words
from teachgraph.ops.functions.creation import full_like
from teachgraph.ops.functions.manipulation import swapaxes, unsqueeze
from teachgraph.ops.functions.math import cast
from teachgraph.ops.functions.reduce import amax
from teachgraph.ops.logic import where
from teachgraph.ops.math import abs_, reciprocal
from teachgraph.ops.matmul import matmul_v2

__all__ = [
    "cholesky",
    "cholesky_solve",
    "det",
    "eigh",
    "eigvalsh",
    "inv",
    "lu",
    "lu_unpack",
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


def multi_dot(x: Sequence[Any], name: Any = None) -> Any:
    """The product of several matrices, in the order with the fewest multiplications.

    >>> import numpy as np
    >>> multi_dot([np.ones((2, 3)), np.ones((3, 4)), np.ones(4)])
    array([12., 12.])
    """
    return linalg.multi_dot(*x)


def inverse(x: Any, name: Any = None) -> Any:
    """The inverses of square matrices.

    Raises:
        InvalidValueError: One is singular.

    >>> import numpy as np
    >>> inverse(np.array([[2.0, 0.0], [0.0, 4.0]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])

    In Paddle this is `paddle.inverse` and `paddle.linalg.inv`.
    """
    return inverse_op(x)


inv = inverse


def det(x: Any, name: Any = None) -> Any:
    """The determinants of square matrices.

    Its gradient needs an inverse.
    """
    return decomposition.determinant(x)


def slogdet(x: Any, name: Any = None) -> Any:
    """The signs of determinants, followed by the logarithms of their absolute values.

    >>> import numpy as np
    >>> slogdet(-np.eye(3)).tolist()
    [-1.0, 0.0]
    """
    return decomposition.slogdeterminant(x)


def solve(x: Any, y: Any, name: Any = None) -> Any:
    """The solutions of x out = y.

    Args:
        x: Square matrices [..., n, n].
        y: Matrices [..., n, k], or one vector [n]. (Paddle also takes a vector for
            each x; here that is y[..., None].)
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: A matrix is singular.

    >>> import numpy as np
    >>> solve(np.array([[2.0, 0.0], [0.0, 4.0]]), np.array([1.0, 1.0]))
    array([0.5 , 0.25])
    """
    return decomposition.solve(x, y)


def triangular_solve(
    x: Any,
    y: Any,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    name: Any = None,
) -> Any:
    """The solutions of t out = y, where t is a triangle of x, transposed if asked.

    Raises:
        InvalidValueError: A triangle has a 0 on its diagonal.
    """
    how = {"upper": upper, "transpose": transpose, "unitriangular": unitriangular}
    return decomposition.triangular_solve(x, y, **how)


def cholesky(x: Any, upper: bool = False, name: Any = None) -> Any:
    """The lower triangles L with L L' = x, or the upper ones U with U' U = x.

    Raises:
        InvalidValueError: A matrix is not positive definite.

    >>> import numpy as np
    >>> cholesky(np.array([[4.0, 2.0], [2.0, 10.0]]))
    array([[2., 0.],
           [1., 3.]])
    """
    return decomposition.cholesky(x, upper=upper)


def cholesky_solve(x: Any, y: Any, upper: bool = False, name: Any = None) -> Any:
    """The solutions of a out = x, where y is the triangle `cholesky` made of a."""
    return decomposition.cholesky_solve(x, y, upper=upper)


def matrix_power(x: Any, n: int, name: Any = None) -> Any:
    """Square matrices to the power n, of their inverses to the power -n if n < 0.

    >>> import numpy as np
    >>> matrix_power(np.array([[1.0, 1.0], [0.0, 1.0]]), 5)
    array([[1., 5.],
           [0., 1.]])
    """
    return decomposition.matrix_power(x, n=n)


ROUNDING = 1e-12
"""The largest `rcond` that cuts rounding errors alone."""


def pinv(x: Any, rcond: Any = 1e-15, hermitian: bool = False, name: Any = None) -> Any:
    """The pseudo-inverses of matrices of any shape.

    Args:
        x: Matrices [..., m, n].
        rcond: Singular values count as 0 from here on, as a share of the largest: a
            number, or a tensor that broadcasts with [..., 1].
        hermitian: Whether the matrices are symmetric.
        name: Accepted for Paddle's sake.

    By default it is an op, whose gradient is finite for equal singular values. Where
    `rcond` cuts more than rounding errors, it is composed of `svd`, as in Paddle: the
    gradient knows what is cut.
    """
    if isinstance(rcond, (int, float)) and rcond <= ROUNDING:
        return decomposition.pinv(x, rcond=rcond, hermitian=hermitian)
    if hermitian:
        values, left = spectral.eigh(x, UPLO="L")
        right, size = left, abs_(values)
    else:
        left, flipped, values = spectral.svd(x, full_matrices=False)
        right, size = swapaxes(flipped, -1, -2), values
    share = rcond if isinstance(rcond, (int, float)) else cast(rcond, x.dtype)
    kept = greater_than(size, amax(size, [-1], keepdim=True) * share)
    inverse = reciprocal(where(values, full_like(values, inf), kept))
    return matmul_v2(right * unsqueeze(inverse, -2), left, trans_y=True)


def matrix_rank(
    x: Any, tol: Any = None, hermitian: bool = False, name: Any = None
) -> Any:
    """Count the singular values larger than `tol`, by default the rounding error.

    Args:
        x: Matrices [..., m, n].
        tol: A number, or a tensor that broadcasts with the dimensions before m and n.
        hermitian: Whether they are symmetric: then these are the absolute eigenvalues.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> matrix_rank(np.ones((3, 3)))
    array(1, dtype=int32)
    """
    if isinstance(tol, (Traced, np.ndarray)):
        how = {"hermitian": hermitian, "use_default_tol": False}
        return decomposition.matrix_rank(x, cast(tol, x.dtype), **how)
    limit = {"tol": float(tol or 0.0), "use_default_tol": tol is None}
    return decomposition.matrix_rank(x, hermitian=hermitian, **limit)


def eigh(x: Any, UPLO: str = "L", name: Any = None) -> Any:  # noqa: N803
    """Eigenvalues, the smallest first, and eigenvectors of symmetric matrices.

    Args:
        x: Matrices [..., n, n], of which one triangle is read.
        UPLO: "L" for the lower one, "U" for the upper one.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> eigh(np.array([[2.0, 0.0], [0.0, 1.0]]))[0]
    array([1., 2.])
    """
    return spectral.eigh(x, UPLO=UPLO)


def eigvalsh(x: Any, UPLO: str = "L", name: Any = None) -> Any:  # noqa: N803
    """The eigenvalues of symmetric matrices, the smallest first."""
    return spectral.eigh(x, UPLO=UPLO)[0]


def svd(x: Any, full_matrices: bool = False, name: Any = None) -> Any:
    """U, s and VH with x = U diag(s) VH: the singular values s, the largest first.

    >>> import numpy as np
    >>> u, s, vh = svd(np.array([[0.0, 2.0], [1.0, 0.0]]))
    >>> s
    array([2., 1.])
    """
    u, vh, s = spectral.svd(x, full_matrices=full_matrices)
    return u, s, vh


def lu(x: Any, pivot: bool = True, get_infos: bool = False, name: Any = None) -> Any:
    """Matrices as P L U: exchanged rows, a lower and an upper triangle.

    Args:
        x: Matrices [..., m, n].
        pivot: Exchange rows; must be True.
        get_infos: Return which pivots are 0.
        name: Accepted for Paddle's sake.

    Returns:
        L, but for its diagonal of ones, and U in one matrix [..., m, n]; the row that
        was exchanged with the first, the second, ... one, counted from 1; and for each
        matrix the number of the first pivot that is 0, or 0.

    >>> import numpy as np
    >>> factors, rows = lu(np.array([[1.0, 2.0], [4.0, 5.0]]))
    >>> factors
    array([[4.  , 5.  ],
           [0.25, 0.75]])
    >>> rows
    array([2, 2], dtype=int32)

    In Paddle this is `paddle.linalg.lu`.
    """
    results = elimination.lu(x, pivots=pivot)
    return results if get_infos else results[:2]


def lu_unpack(
    x: Any,
    y: Any,
    unpack_ludata: bool = True,
    unpack_pivots: bool = True,
    name: Any = None,
) -> Any:
    """Unpack the results of `lu`: P [..., m, m], L and U; empty if not requested.

    >>> import numpy as np
    >>> x = np.array([[1.0, 2.0], [4.0, 5.0]])
    >>> p, l, u = lu_unpack(*lu(x))
    >>> (p @ l @ u).tolist()
    [[1.0, 2.0], [4.0, 5.0]]

    In Paddle this is `paddle.linalg.lu_unpack`.
    """
    asked = {"unpack_ludata": unpack_ludata, "unpack_pivots": unpack_pivots}
    return elimination.lu_unpack(x, y, **asked)


def qr(x: Any, mode: str = "reduced", name: Any = None) -> Any:
    """Q and R with x = Q R, or only R where the mode is "r".

    Args:
        x: Matrices.
        mode: "reduced", "complete" (Q is square; no gradient) or "r" (nor here).
        name: Accepted for Paddle's sake.
    """
    q, r = spectral.qr(x, mode=mode)
    return r if mode == "r" else (q, r)


def trace(
    x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Any = None
) -> Any:
    """The sum along a diagonal of two dimensions.

    Raises:
        DTypeError: `x` is a text, as for `tg.record`, which records lines.

    >>> import numpy as np
    >>> float(trace(np.eye(3)))
    3.0
    """
    if isinstance(x, str):
        raise DTypeError(
            "it sums a diagonal of a tensor; to record what the lines of a `with` "
            f"block do, use tg.record({x!r})"
        )
    return diagonal.trace(x, offset=offset, axis1=axis1, axis2=axis2)


all_in_words(__all__, globals())
