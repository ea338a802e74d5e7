"""Distances between tensors, and between all pairs of vectors."""

from __future__ import annotations

from typing import Any

from teachgraph.core import ops
from teachgraph.core.errors import InvalidValueError
from teachgraph.ops import elementwise, logic
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.elementwise import elementwise_div
from teachgraph.ops.functions.manipulation import positive_axis, unsqueeze
from teachgraph.ops.functions.reduce import norm
from teachgraph.ops.vector_norm import p_norm

__all__ = [
    "cdist",
    "dist",
    "renorm",
]


def dist(x: Any, y: Any, p: float = 2, name: Any = None) -> Any:
    """The p-norm of x - y, which broadcast; for p = 0, the number of differences.

    >>> import numpy as np
    >>> dist(np.array([1.0, 2.0]), np.array([4.0, 6.0]))
    np.float64(5.0)
    """
    return norm(elementwise.elementwise_sub(x, y), float(p))


def cdist(
    x: Any,
    y: Any,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
    name: Any = None,
) -> Any:
    """The p-norm of the difference of each row of x and each row of y.

    Args:
        x: Vectors [..., P, M].
        y: Vectors [..., R, M].
        p: Of the norm, from 0 to infinity.
        compute_mode: Accepted for Paddle's sake; no matrix product is used here, which
            would lose digits where two vectors are near.
        name: Accepted for Paddle's sake.

    Returns:
        Distances [..., P, R]; at a distance of 0 the gradient is 0.

    >>> import numpy as np
    >>> cdist(np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([[0.0, 4.0]]))
    array([[4.],
           [5.]])
    """
    differences = elementwise.elementwise_sub(unsqueeze(x, -2), unsqueeze(y, -3))
    return p_norm(differences, porder=float(p), axis=-1)


def renorm(x: Any, p: float, axis: int, max_norm: float) -> Any:
    """Scale each slice of `x` along `axis` to a p-norm of at most `max_norm`.

    Raises:
        InvalidValueError: `p` is not positive, or the largest norm negative.

    >>> import numpy as np
    >>> renorm(np.array([[3.0, 4.0], [0.3, 0.4]]), 2.0, 0, 1.0)
    array([[0.6, 0.8],
           [0.3, 0.4]])
    """
    if p <= 0 or max_norm < 0:
        message = f"renorm: the {p}-norm cannot be {max_norm} at most"
        raise InvalidValueError.here(message)
    at = positive_axis(x, axis)
    others = [i for i in range(len(x.shape)) if i != at]
    length = norm(x, float(p), others, keepdim=True)
    limit = fill_any_like(length, value=float(max_norm))
    factor = elementwise_div(limit, length)
    short = elementwise.less_equal(length, limit)
    ones = fill_any_like(length, value=1.0)
    return ops.elementwise_mul(x, logic.where(ones, factor, short))
