"""Inputs for ops: the same on every machine and with every NumPy, no two alike."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

GOLDEN = 0.6180339887498949


def numbers(*shape: int, low: float = -2.0, high: float = 2.0, start: int = 1) -> Array:
    """Multiples of the golden ratio, modulo 1, spread over [low, high)."""
    count = int(np.prod(shape))
    fractions = (GOLDEN * np.arange(start, start + count)) % 1.0
    return (low + (high - low) * fractions).reshape(shape)


def positive(*shape: int, start: int = 1) -> Array:
    """Numbers between a half and two and a half."""
    return numbers(*shape, low=0.5, high=2.5, start=start)


def integers(*shape: int, below: int, start: int = 1) -> Array:
    """Whole numbers 0 <= n < below."""
    return numbers(*shape, low=0, high=below, start=start).astype(np.int64)


def turned(x: Array) -> Array:
    """The same values with another layout in memory: not contiguous."""
    return np.asfortranarray(x) if x.ndim > 1 else np.repeat(x, 2)[::2]
