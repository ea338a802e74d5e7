"""Products of matrices, and what else there is to do with them."""

from __future__ import annotations

from typing import Any

from teachgraph.ops import linalg

__all__ = [
    "matmul",
]


def matmul(
    x: Any,
    y: Any,
    transpose_x: bool = False,
    transpose_y: bool = False,
    name: Any = None,
) -> Any:
    """The product of matrices; leading dimensions broadcast.

    >>> import numpy as np
    >>> matmul(np.eye(2), np.ones((3, 2)), transpose_y=True).shape
    (2, 3)
    """
    return linalg.matmul_v2(x, y, trans_x=transpose_x, trans_y=transpose_y)
