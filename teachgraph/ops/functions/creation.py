"""Tensors from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph import dtypes
from teachgraph.ops.creation import fill_any_like, fill_constant

__all__ = [
    "full",
    "full_like",
    "ones",
    "ones_like",
    "zeros",
    "zeros_like",
]


def full(
    shape: Sequence[int], fill_value: float, dtype: Any = None, name: Any = None
) -> Any:
    """A tensor of one value (float32 unless said otherwise)."""
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype or "float32")]
    return fill_constant(shape=list(shape), value=fill_value, dtype=code)


def zeros(shape: Sequence[int], dtype: Any = None, name: Any = None) -> Any:
    """A tensor of zeros."""
    return full(shape, 0.0, dtype)


def ones(shape: Sequence[int], dtype: Any = None, name: Any = None) -> Any:
    """A tensor of ones."""
    return full(shape, 1.0, dtype)


def full_like(x: Any, fill_value: float, dtype: Any = None) -> Any:
    """A tensor of one value, shaped like `x`."""
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype or x.dtype)]
    return fill_any_like(x, value=fill_value, dtype=code)


def zeros_like(x: Any, dtype: Any = None) -> Any:
    """Zeros, shaped like `x`."""
    return full_like(x, 0.0, dtype)


def ones_like(x: Any, dtype: Any = None) -> Any:
    """Ones, shaped like `x`."""
    return full_like(x, 1.0, dtype)
