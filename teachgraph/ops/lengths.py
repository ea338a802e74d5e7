"""The lengths of the parts of a weight, which weight normalisation divides by."""

from __future__ import annotations

from typing import Any

from teachgraph.ops.math import abs_, pow_
from teachgraph.ops.reduce import reduce_sum

__all__ = ["lengths", "squares_of"]


def lengths(x: Any, dim: int | None) -> Any:
    """The length of what stands at each place of dimension `dim`, or of all of `x`.

    The result has as many dimensions as `x`, so that it divides it.

    >>> import numpy as np
    >>> lengths(np.array([[3.0, 4.0], [6.0, 8.0]]), 0).tolist()
    [[5.0], [10.0]]
    """
    return pow_(squares_of(x, dim), factor=0.5)


def squares_of(x: Any, dim: int | None) -> Any:
    """The squares of these lengths."""
    others = [i for i in range(x.ndim) if i != dim]
    squares = pow_(abs_(x), factor=2.0)
    return reduce_sum(squares, dim=others, keep_dim=True, reduce_all=dim is None)
