"""Maxout: of each group of neighbours the largest, and its adjoints."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import op
from teachgraph.ops.activation import only_floating

__all__ = ["maxout", "maxout_pick", "maxout_place"]

GROUPED = "floating X, and along the axis groups of as many elements as `groups` says"


def grouped(x: Any, groups: int, axis: int) -> tuple[Any, int]:
    """`x` with its axis in two, one element of each group after the other.

    Raises:
        InvalidValueError: The axis is not there, or does not go up in groups.
    """
    if not -x.ndim <= axis < x.ndim or groups < 1 or x.shape[axis] % groups:
        raise InvalidValueError(f"groups of {groups} do not fit along axis {axis}")
    at = axis % x.ndim
    shape = (*x.shape[:at], x.shape[at] // groups, groups, *x.shape[at + 1 :])
    return x.reshape(shape), at + 1


def winners(x: Any, groups: int, axis: int) -> tuple[Any, Any, int]:
    """`x` in groups, where the first of the largest of each stands, and the axis."""
    parts, at = grouped(x, groups, axis)
    return parts, np.expand_dims(parts.argmax(at), at), at


@op(needs=GROUPED)
def maxout(x: Any, *, groups: int, axis: int = 1) -> Any:
    """The largest of each group of `groups` neighbours along `axis`."""
    only_floating(x)
    parts, at = grouped(x, groups, axis)
    return parts.max(at)


@maxout.grad
def maxout_grad(dout: Any, x: Any, *, groups: int, axis: int) -> Any:
    """dx = dout where x was the first of the largest."""
    return maxout_place(dout, x, groups=groups, axis=axis)


@op(needs=GROUPED)
def maxout_place(x: Any, y: Any, *, groups: int, axis: int = 1) -> Any:
    """Zeros in the shape of `y`, with `x` where y's groups are largest."""
    parts, where, at = winners(y, groups, axis)
    out = np.zeros(parts.shape, x.dtype)
    np.put_along_axis(out, where, np.expand_dims(x, at), at)
    return out.reshape(y.shape)


@maxout_place.grad(of=("x",))
def maxout_place_grad(dout: Any, y: Any, *, groups: int, axis: int) -> Any:
    """Only what was placed counts."""
    return maxout_pick(dout, y, groups=groups, axis=axis)


@op(needs=GROUPED)
def maxout_pick(x: Any, y: Any, *, groups: int, axis: int = 1) -> Any:
    """`x` where y's groups are largest: maxout_place's adjoint."""
    _, where, at = winners(y, groups, axis)
    parts, _ = grouped(x, groups, axis)
    return np.take_along_axis(parts, where, at).squeeze(at)


@maxout_pick.grad(of=("x",))
def maxout_pick_grad(dout: Any, y: Any, *, groups: int, axis: int) -> Any:
    """Only what was picked counts."""
    return maxout_place(dout, y, groups=groups, axis=axis)
