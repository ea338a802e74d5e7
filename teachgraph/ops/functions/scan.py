"""Cumulative sums, products, extremes and logsumexp."""

from __future__ import annotations

from typing import Any

from teachgraph.core import dtypes
from teachgraph.ops import scan
from teachgraph.ops.functions.math import cast
from teachgraph.ops.shape import reshape2

__all__ = [
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "logcumsumexp",
]


def direction(axis: int | None) -> dict[str, Any]:
    """Build Paddle's attributes for an axis, or for the flattened elements."""
    return {"flatten": True} if axis is None else {"axis": axis, "flatten": False}


def cumsum(x: Any, axis: int | None = None, dtype: Any = None, name: Any = None) -> Any:
    """Cumulative sum along `axis`, or of the flattened elements.

    >>> import numpy as np
    >>> cumsum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    array([[1., 2.],
           [4., 6.]])
    >>> cumsum(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([ 1.,  3.,  6., 10.])
    """
    x = x if dtype is None else cast(x, dtype)
    return scan.cumsum(x, **direction(axis))


def cumprod(x: Any, dim: int | None = None, dtype: Any = None, name: Any = None) -> Any:
    """Cumulative product along `dim`.

    >>> import numpy as np
    >>> cumprod(np.array([1.0, 2.0, 3.0]), dim=0)
    array([1., 2., 6.])
    """
    x = x if dtype is None else cast(x, dtype)
    x, dim = (reshape2(x, shape=[-1]), 0) if dim is None else (x, dim)
    return scan.cumprod(x, dim=dim)


def logcumsumexp(
    x: Any, axis: int | None = None, dtype: Any = None, name: Any = None
) -> Any:
    """Cumulative log sum exp along `axis`.

    >>> import numpy as np
    >>> logcumsumexp(np.array([1000.0, 1000.0]))[1] - np.log(2.0)
    np.float64(1000.0)
    """
    x = x if dtype is None else cast(x, dtype)
    return scan.logcumsumexp(x, **direction(axis))


def cummax(
    x: Any, axis: int | None = None, dtype: Any = "int64", name: Any = None
) -> Any:
    """Cumulative maximum, and the index of its last occurrence.

    >>> import numpy as np
    >>> cummax(np.array([1.0, 3.0, 2.0]))
    (array([1., 3., 3.]), array([0, 1, 1]))
    """
    return running(scan.cummax, x, axis, dtype)


def cummin(
    x: Any, axis: int | None = None, dtype: Any = "int64", name: Any = None
) -> Any:
    """Cumulative minimum, and the index of its last occurrence."""
    return running(scan.cummin, x, axis, dtype)


def running(op: Any, x: Any, axis: int | None, dtype: Any) -> Any:
    """Apply a cumulative extreme along `axis`, or to the flattened elements."""
    x, axis = (reshape2(x, shape=[-1]), -1) if axis is None else (x, axis)
    return op(x, axis=axis, dtype=dtypes.PADDLE_CODES[dtypes.convert(dtype)])
