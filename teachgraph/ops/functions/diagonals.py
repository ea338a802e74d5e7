"""Diagonals, and lower and upper triangles, of matrices."""

from __future__ import annotations

from typing import Any

from teachgraph.ops import diagonal as diagonals
from teachgraph.ops.functions.manipulation import flatten

__all__ = [
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "tril",
    "triu",
]


def tril(x: Any, diagonal: int = 0, name: Any = None) -> Any:
    """Zero the elements of each matrix above a diagonal.

    >>> import numpy as np
    >>> tril(np.ones((2, 3)))
    array([[1., 0., 0.],
           [1., 1., 0.]])
    """
    return diagonals.tril_triu(x, diagonal=diagonal, lower=True)


def triu(x: Any, diagonal: int = 0, name: Any = None) -> Any:
    """Zero the elements of each matrix below a diagonal."""
    return diagonals.tril_triu(x, diagonal=diagonal, lower=False)


def diag(x: Any, offset: int = 0, padding_value: float = 0.0, name: Any = None) -> Any:
    """The diagonal of a matrix, or the diagonal matrix of a vector.

    Args:
        x: A vector or a matrix.
        offset: The distance to the right of the main diagonal.
        padding_value: The value off the diagonal of a created matrix.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> diag(np.array([1, 2]))
    array([[1, 0],
           [0, 2]])
    >>> diag(np.array([[1, 2], [3, 4]]), offset=1)
    array([2])
    """
    return diagonals.diag_v2(x, offset=offset, padding_value=padding_value)


def diagonal(
    x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Any = None
) -> Any:
    """The diagonals of the matrices that two axes span, in the last dimension."""
    return diagonals.diagonal(x, offset=offset, axis1=axis1, axis2=axis2)


def diagflat(x: Any, offset: int = 0, name: Any = None) -> Any:
    """The diagonal matrix of all elements of `x`."""
    return diag(x if len(x.shape) == 1 else flatten(x), offset)


def diag_embed(input: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Matrices with the last dimension of `input` on their diagonals.

    >>> import numpy as np
    >>> diag_embed(np.ones((3, 2))).shape
    (3, 2, 2)
    """
    return diagonals.diag_embed(input, offset=offset, dim1=dim1, dim2=dim2)
