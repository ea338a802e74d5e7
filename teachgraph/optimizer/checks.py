"""Range checks of optimizers' hyper-parameters."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.errors import InvalidValueError

__all__ = ["FRACTION", "NOT_NEGATIVE", "NUMBERS", "Range", "check", "is_number"]


class Range(NamedTuple):
    """The half-open interval [low, high)."""

    low: float = 0.0
    high: float = inf

    def __str__(self) -> str:
        return f"in [{self.low:g}, {self.high:g})"


NUMBERS = (int, float, np.integer, np.floating)
FRACTION = Range(0.0, 1.0)
NOT_NEGATIVE = Range()


def is_number(value: Any) -> bool:
    """True for a real number of Python's or NumPy's, but no bool."""
    return isinstance(value, NUMBERS) and not isinstance(value, bool)


def check(options: Mapping[str, Any], ranges: Mapping[str, Range]) -> None:
    """Require that every option with a range is a number in it.

    Raises:
        InvalidValueError: An option is not.

    >>> check({"beta1": 0.9}, {"beta1": FRACTION})
    """
    for name, allowed in ranges.items():
        value = options[name]
        if not is_number(value) or not allowed.low <= value < allowed.high:
            raise InvalidValueError.here(
                f"{name} must be a number {allowed}, got {value!r}"
            )
