"""Elements in another order along an axis: the other way round, or further on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.op import op

__all__ = ["flip", "roll"]


@op
def flip(x: Any, *, axis: Sequence[int]) -> Any:
    """`x` the other way round along each of the axes."""
    return np.array(np.flip(x, tuple(axis)))


@flip.grad(inline=True)
def flip_grad(dout: Any, *, axis: Sequence[int]) -> Any:
    """The gradient, turned back."""
    return lambda: flip(dout, axis=axis)


@op(needs="as many shifts as axes, or one shift and no axis")
def roll(x: Any, *, shifts: Sequence[int], axis: Sequence[int] = ()) -> Any:
    """`x` moved on by so many places; what falls off the end comes in at the start.

    Without an axis all elements are one row.
    """
    return np.roll(x, tuple(shifts), tuple(axis)) if axis else rolled(x, *shifts)


def rolled(x: Any, shift: int) -> Any:
    """`x` moved on as one row."""
    return np.roll(x, shift)


@roll.grad
def roll_grad(dout: Any, *, shifts: Sequence[int], axis: Sequence[int]) -> Any:
    """The gradient, moved back."""
    return roll(dout, shifts=[-shift for shift in shifts], axis=axis)
