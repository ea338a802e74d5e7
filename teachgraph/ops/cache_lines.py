"""Arrays that begin at a line of the cache, for products that take them as they are.

NumPy's begin at multiples of 16 bytes. From other places than a line's first each load
of a wide register reads two lines: a small product, of which BLAS copies no operand,
takes up to a third longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

__all__ = ["in_lines", "zeros"]

LINE = 64
"""Bytes of a line of the cache, and of the widest registers."""


def empty(shape: Sequence[int], dtype: Any) -> Any:
    """Make an array at an address that is a multiple of a line, of any values.

    >>> empty((2, 3), np.float32).ctypes.data % 64
    0
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    room = np.empty(size + LINE, np.uint8)
    first = -room.ctypes.data % LINE
    return room[first : first + size].view(dtype).reshape(shape)


def zeros(shape: Sequence[int], dtype: Any) -> Any:
    """Make an array of zeros at such an address."""
    out = empty(shape, dtype)
    out[...] = 0
    return out


def in_lines(x: Any) -> Any:
    """Copy `x` in C order to such an address."""
    out = empty(x.shape, x.dtype)
    out[...] = x
    return out
