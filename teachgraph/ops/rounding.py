"""Rounding: to whole numbers, down, up, to the nearest or towards 0.

All are flat between their steps, so the gradient is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.op import op
from teachgraph.ops.math import FLOATING, floats

__all__ = ["ceil", "floor", "round_", "trunc"]


@op(needs=FLOATING)
def floor(x: Any) -> Any:
    """The largest whole number that is not above x."""
    return np.floor(floats(x))


@floor.grad
def floor_grad(dout: Any) -> Any:
    """dx = 0."""
    return dout * 0.0


@op(needs=FLOATING)
def ceil(x: Any) -> Any:
    """The smallest whole number that is not below x."""
    return np.ceil(floats(x))


@ceil.grad
def ceil_grad(dout: Any) -> Any:
    """dx = 0."""
    return dout * 0.0


@op(type="round", key="round", needs=FLOATING)
def round_(x: Any) -> Any:
    """The nearest whole number, halves away from 0 (NumPy rounds them to even)."""
    towards_zero = np.trunc(floats(x))
    return towards_zero + np.copysign(np.abs(x - towards_zero) >= 0.5, x)


@round_.grad
def round_grad(dout: Any) -> Any:
    """dx = 0."""
    return dout * 0.0


@op(needs="numbers")
def trunc(x: Any) -> Any:
    """The whole part of x: what stands before the point."""
    return x.copy() if x.dtype.kind in "iu" else np.trunc(floats(x))


@trunc.grad
def trunc_grad(dout: Any) -> Any:
    """dx = 0."""
    return dout * 0.0
