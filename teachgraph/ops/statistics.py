"""Histogram and bincount."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op

__all__ = ["bincount", "histogram"]


@op(needs="bins >= 1, and min <= max")
def histogram(x: Any, *, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """Count the elements in each of `bins` equal intervals of [min, max].

    If both are equal, the range is that of the elements.
    """
    if bins < 1 or min > max:
        raise InvalidValueError(f"{bins} bins from {min} to {max}")
    x = x.astype(np.int64) if x.dtype.kind == "b" else x
    low, high = (min, max) if min < max else extent(x)
    counts, _ = np.histogram(x, bins, (low, high))
    return counts.astype(np.int64)


def extent(x: Any) -> tuple[float, float]:
    """Compute the range of the elements.

    Raises:
        InvalidValueError: A bound is not finite.
    """
    if not x.size:
        return 0.0, 0.0
    low, high = float(x.min()), float(x.max())
    if not np.isfinite(low) or not np.isfinite(high):
        raise InvalidValueError(f"elements from {low} to {high} need a finite range")
    return low, high


@histogram.infers
def infer_histogram(x: Like, *, bins: int, min: float, max: float) -> Any:
    """A count for each interval."""
    if bins < 1 or min > max:
        raise InvalidValueError(f"{bins} bins from {min} to {max}")
    return [((bins,), dtypes.int64)]


@op(needs="integers from 0 on in a row, and a weight for each or none")
def bincount(x: Any, weights: Any = None, *, minlength: int = 0) -> Any:
    """Count the occurrences of 0, 1, 2, ... in `x`, or sum their weights."""
    check_counted(x, weights, minlength)
    if x.size and x.min() < 0:
        raise InvalidValueError(f"it counts numbers from 0 on, got {x.min()}")
    counts = np.bincount(x, weights, minlength)
    return counts.astype(counted_dtype(weights))


def counted_dtype(weights: Any) -> np.dtype[Any]:
    """Dtype of the result: int64 for counts, else that of the weights' sum."""
    if weights is None:
        return dtypes.int64
    return dtypes.float32 if weights.dtype == dtypes.float32 else dtypes.float64


def check_counted(x: Any, weights: Any, minlength: int) -> None:
    """Require a vector of integers, and as many weights.

    Raises:
        DTypeError: The elements are no integers.
        ShapeError: x is no vector, or the weights have another size.
        InvalidValueError: `minlength` is negative.
    """
    if x.dtype.kind not in "iu":
        raise DTypeError(f"it counts integers, got {x.dtype}")
    if x.ndim != 1:
        raise ShapeError(f"it counts numbers in a row, got {x.ndim} dimensions")
    if weights is not None and weights.shape != x.shape:
        raise ShapeError(f"{list(weights.shape)} weights for {list(x.shape)} numbers")
    if minlength < 0:
        raise InvalidValueError(f"minlength = {minlength} is below 0")


@bincount.infers
def infer_bincount(x: Like, weights: Like | None = None, *, minlength: int) -> Any:
    """A vector of unknown size (-1)."""
    check_counted(x, weights, minlength)
    return [((-1,), counted_dtype(weights))]
