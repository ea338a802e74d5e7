"""Axis arguments: checks, normalisation, and views with one axis in front."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from teachgraph.core.errors import DTypeError

__all__ = ["Axes", "axes", "back_from_lines", "lines", "one_axis", "size"]

Axes = tuple[int, ...] | None


def check_integer(axis: Any) -> None:
    """Require an integer axis; a bool, which is an int to Python, is refused.

    Raises:
        DTypeError: The axis is something else.
    """
    if not isinstance(axis, (int, np.integer)) or isinstance(axis, bool):
        raise DTypeError(f"an axis is an integer, got {axis!r}")


def axes(dim: Sequence[Any], ndim: int, *, reduce_all: bool) -> Axes:
    """Resolve the axes of a reduction to non-negative ones; None for all.

    A scalar counts as a vector of one element, with the axis 0 or -1.

    Raises:
        DTypeError: An axis is no integer.
        InvalidValueError: An axis is out of range (NumPy's AxisError).
        ShapeError: An axis is repeated (likewise).
    """
    if not dim:
        return None
    for axis in dim:
        check_integer(axis)
    along = normalize_axis_tuple(dim, max(ndim, 1))
    return None if reduce_all or not ndim else along


def one_axis(axis: Any, ndim: int) -> int:
    """Resolve one axis to a non-negative one; a scalar counts as a vector of one."""
    check_integer(axis)
    return normalize_axis_tuple(axis, max(ndim, 1))[0]


def size(shape: Sequence[int], along: Axes) -> int:
    """Number of elements that one result of a reduction combines."""
    return prod(shape) if along is None else prod(shape[axis] for axis in along)


def lines(x: Any, axis: int) -> Any:
    """View of `x` with `axis` in front; of a scalar, a vector of one."""
    return np.moveaxis(x if x.ndim else x.reshape(1), one_axis(axis, x.ndim), 0)


def back_from_lines(rows: Any, ndim: int, axis: int) -> Any:
    """Undo `lines` for an array of `ndim` dimensions."""
    return np.moveaxis(rows, 0, axis) if ndim else rows.reshape(())
