"""Axis arguments: checks, normalisation, and views with one axis in front."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from teachgraph.core.ops import check_integer

__all__ = ["back_from_lines", "lines", "one_axis"]


def one_axis(axis: Any, ndim: int) -> int:
    """Resolve one axis to a non-negative one; a scalar counts as a vector of one."""
    check_integer(axis)
    return normalize_axis_tuple(axis, max(ndim, 1))[0]


def lines(x: Any, axis: int) -> Any:
    """View of `x` with `axis` in front; of a scalar, a vector of one."""
    return np.moveaxis(x if x.ndim else x.reshape(1), one_axis(axis, x.ndim), 0)


def back_from_lines(rows: Any, ndim: int, axis: int) -> Any:
    """Undo `lines` for an array of `ndim` dimensions."""
    return np.moveaxis(rows, 0, axis) if ndim else rows.reshape(())
