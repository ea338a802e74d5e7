"""Constraints: the sets of values that random variables can take.

In Paddle this is `paddle.distribution.constraint`.
"""

from __future__ import annotations

from typing import Any

from teachgraph.ops.functions.logic import logical_and
from teachgraph.ops.functions.math import abs
from teachgraph.ops.functions.reduce import all, sum

__all__ = [
    "Constraint",
    "Positive",
    "Range",
    "Real",
    "Simplex",
    "positive",
    "real",
    "simplex",
]

TOLERANCE = 1e-6


class Constraint:
    """A set of values; a call computes which of its argument are in it."""

    def __call__(self, value: Any) -> Any:
        """Compute which values are in the set."""
        raise NotImplementedError(f"{type(self).__name__} has no __call__")


class Real(Constraint):
    """The real numbers: whatever is not NaN."""

    def __call__(self, value: Any) -> Any:
        """Compute which values are in the set."""
        return value == value  # noqa: PLR0124  NaN alone is not itself


class Range(Constraint):
    """The numbers from `lower` to `upper`."""

    def __init__(self, lower: Any, upper: Any) -> None:
        self._lower, self._upper = lower, upper

    def __call__(self, value: Any) -> Any:
        """Compute which values are in the set."""
        return logical_and(value >= self._lower, value <= self._upper)


class Positive(Constraint):
    """The numbers from 0 up."""

    def __call__(self, value: Any) -> Any:
        """Compute which values are in the set."""
        return value >= 0.0


class Simplex(Constraint):
    """The vectors of numbers from 0 up whose sum is 1."""

    def __call__(self, value: Any) -> Any:
        """Compute which values are in the set."""
        is_whole = abs(sum(value, -1) - 1.0) < TOLERANCE
        return logical_and(all(value >= 0.0, -1), is_whole)


real = Real()
positive = Positive()
simplex = Simplex()
