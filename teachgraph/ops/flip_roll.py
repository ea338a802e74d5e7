"""Flip and roll along axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import ShapeError
from teachgraph.core.op import op
from teachgraph.ops.inline_rules import inline_grad

__all__ = ["flip", "roll"]


@op
def flip(x: Any, *, axis: Sequence[int]) -> Any:
    """Reverse `x` along axes."""
    return np.array(np.flip(x, tuple(axis)))


@inline_grad(flip)
def flip_grad(dout: Any, *, axis: Sequence[int]) -> Any:
    """dx = dout flipped."""
    return lambda: flip(dout, axis=axis)


@op(needs="as many shifts as axes, or one shift and no axis")
def roll(x: Any, *, shifts: Sequence[int], axis: Sequence[int] = ()) -> Any:
    """Shift `x` cyclically.

    Without an axis the flattened elements are shifted.

    Raises:
        ShapeError: There are not as many shifts as axes.
    """
    if not axis:
        return rolled(x, *shifts)
    if len(shifts) != len(axis):
        raise ShapeError(f"{len(shifts)} shifts along {len(axis)} axes")
    return np.roll(x, tuple(shifts), tuple(axis))


def rolled(x: Any, shift: int) -> Any:
    """Shift the flattened `x`."""
    return np.roll(x, shift)


@roll.grad
def roll_grad(dout: Any, *, shifts: Sequence[int], axis: Sequence[int]) -> Any:
    """dx = dout rolled back."""
    return roll(dout, shifts=[-shift for shift in shifts], axis=axis)
