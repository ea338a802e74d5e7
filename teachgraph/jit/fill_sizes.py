"""Ops on sizes that a program computes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.op import Like, op

__all__ = ["fill_sizes"]


@op(key="full")
def fill_sizes(
    *sizes: Any, shape: Sequence[int], value: float = 0.0, dtype: int = 5
) -> Any:
    """Fill a tensor with one value; each -1 of its shape is the next of the sizes."""
    left = iter(sizes)
    known = [int(np.reshape(next(left), ())) if n == -1 else n for n in shape]
    return np.full(known, value, dtypes.of_code(dtype))


@fill_sizes.infers
def fill_sizes_spec(
    *sizes: Like, shape: Sequence[int], value: float, dtype: int
) -> Any:
    """Infer the shape as written: the sizes are known only when the program runs."""
    return [(tuple(shape), dtypes.of_code(dtype))]
