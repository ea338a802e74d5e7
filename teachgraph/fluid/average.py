"""Paddle 1.x's `fluid.average`: a running weighted mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError

__all__ = ["WeightedAverage"]


class WeightedAverage:
    """The weighted mean, sum(value weight) / sum(weight).

    In Paddle 1.x this is `fluid.average.WeightedAverage`.

    >>> mean = WeightedAverage()
    >>> mean.add(value=2.0, weight=1)
    >>> mean.add(value=4.0, weight=3)
    >>> mean.eval()
    3.5
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all values."""
        self.total: Any = None
        self.weight: Any = 0

    def add(self, value: Any, weight: Any) -> None:
        """Add a number or an array with a weight.

        Raises:
            InvalidValueError: One of them is neither.
        """
        for number in (value, weight):
            if not isinstance(number, (int, float, np.number, np.ndarray)):
                raise InvalidValueError.here(
                    f"WeightedAverage counts numbers, not {number!r}"
                )
        self.total = value * weight + (0 if self.total is None else self.total)
        self.weight = self.weight + weight

    def eval(self) -> Any:
        """Return the mean so far.

        Raises:
            InvalidValueError: There is none yet.
        """
        if self.total is None or np.all(self.weight == 0):
            raise InvalidValueError.here(
                "There is no data in WeightedAverage: add some first"
            )
        return self.total / self.weight
