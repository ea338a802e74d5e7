"""Batch normalisation and its gradient on arrays, with a single temporary each.

A new array costs more than a pass over one in the cache: its memory is handed out page
by page. So every step after the first is computed in place. Nor may NumPy copy what is
broadcast: that takes as long as the step itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from teachgraph.core.op import SILENT, Traced

__all__ = ["channel_gradients", "channel_moments", "minus_mean", "normalise", "serves"]

LONG = 256
"""Elements from which a row is long."""

ACCURATE = 1 << 16
"""Elements up to which BLAS sums a row as accurately as NumPy."""

UNBUFFERED = SILENT.copy()
"""A context in which NumPy's buffers are no larger than a long row.

NumPy broadcasts a number along rows by copies to a buffer, if several fit into it.
"""
UNBUFFERED.run(np.setbufsize, LONG)


def unbuffered(function: Callable[..., Any]) -> Callable[..., Any]:
    """Call a function in a copy of that context."""

    @wraps(function)
    def run(*arguments: Any) -> Any:
        return UNBUFFERED.copy().run(function, *arguments)

    return run


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


def along(vector: Any, x: Any) -> Any:
    """Broadcast a number for each channel to rows: [C, 1], or [C, elements] if few."""
    size = x.shape[2]
    return (
        vector[:, None] if size >= LONG else np.repeat(vector, size).reshape(-1, size)
    )


def total(x: Any) -> Any:
    """Sum of each channel, of rows by a product with ones.

    BLAS adds whole vectors; only NumPy's error does not grow with the length.
    """
    length = x.shape[2]
    if length > ACCURATE:
        sums = np.add.reduce(x, axis=2)
    else:
        sums = x.reshape(-1, length) @ np.ones(length, x.dtype)
    return np.add.reduce(sums.reshape(x.shape[:2]), axis=0)


@unbuffered
def minus_mean(x: Any, mean: Any) -> Any:
    """Compute x - mean as [N, C, ...]."""
    x_rows = rows(x)
    return (x_rows - along(mean, x_rows)).reshape(x.shape)


def channel_moments(x: Any) -> tuple[Any, Any, Any]:
    """Compute mean and variance of each channel, and x - mean."""
    count = x.size // x.shape[1]
    mean = total(rows(x)) / count
    centred = minus_mean(x, mean)
    # `vecdot` sums the squares without an array of them.
    squares = np.vecdot(rows(centred), rows(centred))
    return mean, np.add.reduce(squares) / count, centred


@unbuffered
def normalise(centred: Any, inverse: Any, scale: Any, bias: Any) -> Any:
    """Compute scale centred inverse + bias in place; scale and bias may be None."""
    y = rows(centred)
    y *= along(inverse if scale is None else inverse * scale, y)
    if bias is not None:
        y += along(bias, y)
    return y.reshape(centred.shape)


@unbuffered
def channel_gradients(
    dy: Any, x: Any, scale: Any, mean: Any, inverse: Any
) -> tuple[Any, Any, Any]:
    """Compute the gradients of x, scale and bias, where the moments are those of x.

    With normal = (x - mean) inverse and E the mean over a channel,

        dbias = sum dy,   dscale = sum dy normal
        dx = scale inverse (dy - E[dy] - normal E[dy normal])
    """
    shape, dy, x = x.shape, rows(dy), rows(x)
    dx = x - along(mean, x)
    count = len(dx) * dx.shape[2]
    dbias = total(dy)
    dscale = np.add.reduce(np.vecdot(dy, dx)) * inverse
    dx *= along(inverse * dscale / count, x)
    dx += along(dbias / count, x)
    np.subtract(dy, dx, out=dx)
    dx *= along(inverse if scale is None else inverse * scale, x)
    return dx.reshape(shape), dscale, dbias
