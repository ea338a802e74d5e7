"""Values from nothing: constants and random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph import dtypes, random
from teachgraph.ops.op import op

__all__ = [
    "assign_value",
    "fill_any_like",
    "fill_constant",
    "gaussian_random",
    "uniform_random",
]

FLOAT32 = dtypes.PADDLE_CODES[dtypes.float32]


@op
def fill_constant(
    *, shape: Sequence[int], value: float = 0.0, dtype: int = FLOAT32
) -> Any:
    """One value everywhere."""
    return np.full(tuple(shape), value, dtypes.convert(dtype))


@op(key="full_like")
def fill_any_like(x: Any, *, value: float = 0.0, dtype: int = -1) -> Any:
    """One value everywhere, in the shape of `x` (and its dtype, where that is -1)."""
    return np.full(x.shape, value, x.dtype if dtype == -1 else dtypes.convert(dtype))


@op
def assign_value(*, values: Any, shape: Sequence[int], dtype: int = FLOAT32) -> Any:
    """Given values: a small array that stands in the program itself."""
    return np.array(values, dtypes.convert(dtype)).reshape(tuple(shape))


def source(seed: int) -> np.random.Generator:
    """The one generator, or one of its own for an op with a seed."""
    return np.random.default_rng(seed) if seed else random.generator()


@op(key="uniform", random=True)
def uniform_random(
    *,
    shape: Sequence[int],
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    dtype: int = FLOAT32,
) -> Any:
    """Numbers spread evenly over [min, max)."""
    numbers = source(seed).uniform(min, max, tuple(shape))
    return np.asarray(numbers, dtypes.convert(dtype))


@op(key="gaussian", random=True)
def gaussian_random(
    *,
    shape: Sequence[int],
    mean: float = 0.0,
    std: float = 1.0,
    seed: int = 0,
    dtype: int = FLOAT32,
) -> Any:
    """Normally distributed numbers."""
    numbers = source(seed).normal(mean, std, tuple(shape))
    return np.asarray(numbers, dtypes.convert(dtype))
