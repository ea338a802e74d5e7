"""Creation of constants."""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import op
from teachgraph.core.ops import FLOAT32

__all__ = [
    "assign_value",
    "fill_any_like",
    "fill_constant_batch_size_like",
]


@op(key="full_like")
def fill_any_like(x: Any, *, value: float = 0.0, dtype: int = -1) -> Any:
    """Create one value in the shape of `x` (and its dtype, if `dtype` is -1)."""
    wanted = x.dtype if dtype == -1 else dtypes.of_code(dtype)
    if value == 0 and copysign(1.0, value) > 0.0:
        return np.zeros(x.shape, wanted)
    return np.full(x.shape, value, wanted)


@op
def assign_value(*, values: Any, shape: Sequence[int], dtype: int = FLOAT32) -> Any:
    """Create an array from values stored in the program itself."""
    return np.array(values, dtypes.of_code(dtype)).reshape(tuple(shape))


@op
def fill_constant_batch_size_like(
    input: Any,
    *,
    shape: Sequence[int],
    value: float = 0.0,
    dtype: int = FLOAT32,
    input_dim_idx: int = 0,
    output_dim_idx: int = 0,
) -> Any:
    """Create one value in a shape of which one size is taken from the input."""
    sizes = list(shape)
    sizes[output_dim_idx] = input.shape[input_dim_idx]
    return np.full(sizes, value, dtypes.of_code(dtype))
