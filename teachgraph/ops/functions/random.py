"""Random numbers, all from the one generator that `seed` starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph import dtypes
from teachgraph.ops.creation import gaussian_random, uniform_random

__all__ = [
    "rand",
    "randn",
    "uniform",
]


def uniform(
    shape: Sequence[int],
    dtype: Any = None,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
) -> Any:
    """Numbers spread evenly over [min, max)."""
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype or "float32")]
    return uniform_random(shape=list(shape), min=min, max=max, seed=seed, dtype=code)


def rand(shape: Sequence[int], dtype: Any = None) -> Any:
    """Numbers spread evenly over [0, 1)."""
    return uniform(shape, dtype, min=0.0)


def randn(shape: Sequence[int], dtype: Any = None) -> Any:
    """Normally distributed numbers."""
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype or "float32")]
    return gaussian_random(shape=list(shape), dtype=code)
