"""Histogram and bincount."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op

__all__ = ["bincount", "checked_weights", "histogram"]


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


@op(needs="a weight for each column of Y, not negative and not all 0")
def checked_weights(x: Any, y: Any, *, whole: bool = False) -> Any:
    """out = x, the weights of the columns of y; integers if they are to be `whole`."""
    check_weighted(x, y)
    if x.size and x.min() < 0:
        raise InvalidValueError(f"a weight is 0 or more, got {x.min()}")
    if not x.any():
        raise InvalidValueError("all weights are 0, so nothing is left to average")
    if whole and (x != np.round(x)).any():
        raise InvalidValueError("a frequency is an integer: give these as aweights")
    return x


def check_weighted(x: Any, y: Any) -> None:
    """Require one weight for each column.

    Raises:
        ShapeError: There are more, fewer, or they are no vector.
    """
    if x.ndim != 1 or x.shape[0] != y.shape[1]:
        raise ShapeError(f"weights {list(x.shape)} for columns of {list(y.shape)}")


@checked_weights.infers
def infer_checked_weights(x: Like, y: Like, *, whole: bool) -> Any:
    """The spec of the weights."""
    check_weighted(x, y)
    return [(x.shape, x.dtype)]


@checked_weights.grad(of=("x",))
def checked_weights_grad(dout: Any, *, whole: bool) -> Any:
    """dx = dout."""
    return dout
