"""Norms of the slices of a weight, which weight normalisation divides by."""

from __future__ import annotations

from typing import Any

from teachgraph.core.ops import reduce_sum
from teachgraph.ops.math import abs_, pow_

__all__ = ["lengths", "squares_of"]


def lengths(x: Any, dim: int | None) -> Any:
    """L2 norm of each slice of `x` along `dim`, or of all of `x`.

    The result has the rank of `x`, so that it broadcasts.

    >>> import numpy as np
    >>> lengths(np.array([[3.0, 4.0], [6.0, 8.0]]), 0).tolist()
    [[5.0], [10.0]]
    """
    return pow_(squares_of(x, dim), factor=0.5)


def squares_of(x: Any, dim: int | None) -> Any:
    """Squares of these norms."""
    others = [i for i in range(x.ndim) if i != dim]
    squares = pow_(abs_(x), factor=2.0)
    return reduce_sum(squares, dim=others, keep_dim=True, reduce_all=dim is None)
