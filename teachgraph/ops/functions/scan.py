"""Running sums, products and extremes."""

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
    """Paddle's attributes for an axis, or for all elements in a row."""
    return {"flatten": True} if axis is None else {"axis": axis, "flatten": False}


def cumsum(x: Any, axis: int | None = None, dtype: Any = None, name: Any = None) -> Any:
    """The sum of each element and all before it along `axis`.

    Without an axis it goes through all elements in a row.

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
    """The product of each element and all before it along `dim`.

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
    """log sum exp of each element and all before it along `axis`.

    >>> import numpy as np
    >>> logcumsumexp(np.array([1000.0, 1000.0]))[1] - np.log(2.0)
    np.float64(1000.0)
    """
    x = x if dtype is None else cast(x, dtype)
    return scan.logcumsumexp(x, **direction(axis))


def cummax(
    x: Any, axis: int | None = None, dtype: Any = "int64", name: Any = None
) -> Any:
    """The largest of each element and all before it, and where it stands last.

    >>> import numpy as np
    >>> cummax(np.array([1.0, 3.0, 2.0]))
    (array([1., 3., 3.]), array([0, 1, 1]))
    """
    return running(scan.cummax, x, axis, dtype)


def cummin(
    x: Any, axis: int | None = None, dtype: Any = "int64", name: Any = None
) -> Any:
    """The smallest of each element and all before it, and where it stands last."""
    return running(scan.cummin, x, axis, dtype)


def running(op: Any, x: Any, axis: int | None, dtype: Any) -> Any:
    """A running extreme along `axis`, or of all elements in a row."""
    x, axis = (reshape2(x, shape=[-1]), -1) if axis is None else (x, axis)
    return op(x, axis=axis, dtype=dtypes.PADDLE_CODES[dtypes.convert(dtype)])
