"""Sums, means and extremes along dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.ops import reduce as reductions
from teachgraph.ops.functions.math import cast

__all__ = [
    "max",
    "mean",
    "sum",
]

Axis = int | Sequence[int] | None


def reduction(x: Any, axis: Axis, keepdim: bool) -> dict[str, Any]:
    """Paddle's attributes of a reduction."""
    dim = dimensions(axis)
    whole = not dim or len(dim) == len(x.shape)
    return {"dim": dim, "keep_dim": keepdim, "reduce_all": whole}


def dimensions(axis: Axis) -> list[int]:
    """An axis, several or None (all) as a list."""
    if axis is None:
        return []
    return [axis] if isinstance(axis, int) else list(axis)


def mean(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The mean over `axis` (a number, several, or None for all).

    >>> import numpy as np
    >>> mean(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=0)
    array([2., 3.])
    """
    return reductions.reduce_mean(x, **reduction(x, axis, keepdim))


def sum(
    x: Any,
    axis: Axis = None,
    dtype: Any = None,
    keepdim: bool = False,
    name: Any = None,
) -> Any:
    """The sum over `axis` (a number, several, or None for all).

    >>> import numpy as np
    >>> sum(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=-1)
    array([3., 7.])
    """
    x = x if dtype is None else cast(x, dtype)
    return reductions.reduce_sum(x, dim=dimensions(axis), keep_dim=keepdim)


def max(x: Any, axis: Axis = None, keepdim: bool = False, name: Any = None) -> Any:
    """The largest element over `axis`."""
    return reductions.reduce_max(x, **reduction(x, axis, keepdim))
