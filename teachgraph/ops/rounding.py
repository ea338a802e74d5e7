"""Rounding to integers: floor, ceil, round and trunc.

All are piecewise constant, so the gradient is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.op import op
from teachgraph.core.ops import FLOATING
from teachgraph.ops.math import floats

__all__ = ["ceil", "floor", "round_", "trunc"]


@op(needs=FLOATING)
def floor(x: Any) -> Any:
    """out = the largest integer <= x."""
    return np.floor(floats(x))


@floor.grad
def floor_grad(dout: Any) -> Any:
    """dx = 0."""
    return dout * 0.0


@op(needs=FLOATING)
def ceil(x: Any) -> Any:
    """out = the smallest integer >= x."""
    return np.ceil(floats(x))


@ceil.grad
def ceil_grad(dout: Any) -> Any:
    """dx = 0."""
    return dout * 0.0


@op(type="round", key="round", needs=FLOATING)
def round_(x: Any) -> Any:
    """out = the nearest integer, halves away from 0 (NumPy rounds them to even)."""
    towards_zero = np.trunc(floats(x))
    return towards_zero + np.copysign(np.abs(x - towards_zero) >= 0.5, x)


@round_.grad
def round_grad(dout: Any) -> Any:
    """dx = 0."""
    return dout * 0.0


@op(needs="numbers")
def trunc(x: Any) -> Any:
    """out = x rounded towards 0."""
    return x.copy() if x.dtype.kind in "iu" else np.trunc(floats(x))


@trunc.grad
def trunc_grad(dout: Any) -> Any:
    """dx = 0."""
    return dout * 0.0
