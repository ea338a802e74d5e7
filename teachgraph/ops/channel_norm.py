"""Batch normalisation and its gradient on arrays, with a single temporary each.

A new array costs more than a pass over one in the cache: its memory is handed out page
by page. So every step after the first is computed in place.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.op import Traced

__all__ = ["channel_gradients", "channel_moments", "normalised", "serves"]


def serves(x: Any, axis: int, *others: Any) -> bool:
    """True for arrays [N, C, ...] of one dtype, of which sums need no wider one."""
    arrays = [x, *(other for other in others if other is not None)]
    return (
        axis == 1
        and not any(isinstance(array, Traced) for array in arrays)
        and x.dtype.itemsize >= 4
        and all(array.dtype == x.dtype for array in arrays)
        and x.size > 0
    )


def rows(x: Any) -> Any:
    """Reshape [N, C, ...] to [N, C, elements]."""
    return x.reshape(*x.shape[:2], -1)


def total(x: Any) -> Any:
    """Sum of each channel."""
    return np.add.reduce(np.add.reduce(x, axis=2), axis=0)


def channel_moments(x: Any) -> tuple[Any, Any]:
    """Compute mean and variance of each channel."""
    x = rows(x)
    count = len(x) * x.shape[2]
    mean = total(x) / count
    centred = x - mean[:, None]
    # `vecdot` sums the squares without an array of them.
    return mean, np.add.reduce(np.vecdot(centred, centred)) / count


def normalised(x: Any, mean: Any, inverse: Any, scale: Any, bias: Any) -> Any:
    """Compute scale (x - mean) inverse + bias; scale and bias may be None."""
    y = rows(x) - mean[:, None]
    y *= (inverse if scale is None else inverse * scale)[:, None]
    if bias is not None:
        y += bias[:, None]
    return y.reshape(x.shape)


def channel_gradients(
    dy: Any, x: Any, scale: Any, mean: Any, inverse: Any
) -> tuple[Any, Any, Any]:
    """Compute the gradients of x, scale and bias, where the moments are those of x.

    With normal = (x - mean) inverse and E the mean over a channel,

        dbias = sum dy,   dscale = sum dy normal
        dx = scale inverse (dy - E[dy] - normal E[dy normal])
    """
    shape, dy = x.shape, rows(dy)
    dx = rows(x) - mean[:, None]
    count = len(dx) * dx.shape[2]
    dbias = total(dy)
    dscale = np.add.reduce(np.vecdot(dy, dx)) * inverse
    dx *= (inverse * dscale / count)[:, None]
    dx += (dbias / count)[:, None]
    np.subtract(dy, dx, out=dx)
    dx *= (inverse if scale is None else inverse * scale)[:, None]
    return dx.reshape(shape), dscale, dbias
