"""Bare numbers beside tensors: which values count as one, and the dtype they take."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.dtypes import float32, int64

__all__ = ["dtype_with_number", "is_number"]


def is_number(value: Any) -> bool:
    """True for a Python or NumPy number, not an array.

    >>> is_number(1.5), is_number(np.int64(2)), is_number(np.zeros(1))
    (True, True, False)
    """
    return isinstance(value, (int, float, np.bool_, np.integer, np.floating))


def dtype_with_number(dtype: np.dtype[Any], number: Any) -> np.dtype[Any]:
    """The dtype of a tensor, or one that also holds a number it meets.

    That is float32 where an integer meets a fractional number, int64 where it meets a
    larger one.

    >>> from teachgraph.core.dtypes import int32, uint8
    >>> dtype_with_number(int32, 0.5), dtype_with_number(int32, 2)
    (dtype('float32'), dtype('int32'))
    >>> dtype_with_number(uint8, 300)
    dtype('int64')
    """
    if dtype.kind == "f" or isinstance(number, (bool, np.bool_)):
        return dtype
    if isinstance(number, (float, np.floating)):
        return float32
    fits = dtype.kind in "iu" and np.iinfo(dtype).min <= number <= np.iinfo(dtype).max
    return dtype if fits else int64
