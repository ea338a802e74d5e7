"""Creation of constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import op

__all__ = [
    "assign_value",
    "fill_any_like",
    "fill_constant",
    "fill_constant_batch_size_like",
]

FLOAT32 = dtypes.PADDLE_CODES[dtypes.float32]


@op
def fill_constant(
    *, shape: Sequence[int], value: float = 0.0, dtype: int = FLOAT32
) -> Any:
    """Create an array of one value."""
    return np.full(tuple(shape), value, dtypes.convert(dtype))


@fill_constant.infers
def infer_fill_constant(*, shape: Sequence[int], value: float, dtype: int) -> Any:
    """The shape of the attributes, without allocating it."""
    one = np.full((), value, dtypes.convert(dtype))
    return [(np.broadcast_to(one, tuple(shape)).shape, one.dtype)]


@fill_constant.numpy
def fill_constant_numpy(*, shape: Sequence[int], value: float, dtype: int) -> str:
    """An array of these sizes; one number needs no filling."""
    kind = dtypes.convert(dtype)
    name = f"np.{kind.name}" if kind.kind in "fi" else f"np.dtype({kind.name!r})"
    if not shape and kind.kind == "f":
        return f"out = np.array(value, {name})"
    return f"out = np.full(shape, value, {name})"


@op(key="full_like")
def fill_any_like(x: Any, *, value: float = 0.0, dtype: int = -1) -> Any:
    """Create one value in the shape of `x` (and its dtype, if `dtype` is -1)."""
    return np.full(x.shape, value, x.dtype if dtype == -1 else dtypes.convert(dtype))


@op
def assign_value(*, values: Any, shape: Sequence[int], dtype: int = FLOAT32) -> Any:
    """Create an array from values stored in the program itself."""
    return np.array(values, dtypes.convert(dtype)).reshape(tuple(shape))


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
    return np.full(sizes, value, dtypes.convert(dtype))
