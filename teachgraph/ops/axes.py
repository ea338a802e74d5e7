"""Which dimensions an op runs over, checked, and an array seen along one of them."""

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
    """An axis is an integer; True, which Python counts as one, is none.

    Raises:
        DTypeError: It is something else.
    """
    if not isinstance(axis, (int, np.integer)) or isinstance(axis, bool):
        raise DTypeError(f"an axis is an integer, got {axis!r}")


def axes(dim: Sequence[Any], ndim: int, *, reduce_all: bool) -> Axes:
    """The dimensions a reduction runs over, from 0; None for all of them.

    A scalar counts as a line of one, so that axis 0 or -1 is all there is of it.

    Raises:
        DTypeError: One is no integer.
        InvalidValueError: There is no such dimension (NumPy's AxisError, told anew).
        ShapeError: One is named twice (likewise).
    """
    if not dim:
        return None
    for axis in dim:
        check_integer(axis)
    along = normalize_axis_tuple(dim, max(ndim, 1))
    return None if reduce_all or not ndim else along


def one_axis(axis: Any, ndim: int) -> int:
    """The dimension an op runs along, from 0; a scalar counts as a line of one."""
    check_integer(axis)
    return normalize_axis_tuple(axis, max(ndim, 1))[0]


def size(shape: Sequence[int], along: Axes) -> int:
    """How many elements one result is made of."""
    return prod(shape) if along is None else prod(shape[axis] for axis in along)


def lines(x: Any, axis: int) -> Any:
    """A view of `x` in which `axis` comes first; of a scalar, a line of one."""
    return np.moveaxis(x if x.ndim else x.reshape(1), one_axis(axis, x.ndim), 0)


def back_from_lines(rows: Any, ndim: int, axis: int) -> Any:
    """The reverse of `lines`, for an array of `ndim` dimensions."""
    return np.moveaxis(rows, 0, axis) if ndim else rows.reshape(())
