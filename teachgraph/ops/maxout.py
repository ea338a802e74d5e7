"""Maxout: the maximum of each group of neighbours, and its adjoints."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import op
from teachgraph.ops.activation import only_floating

__all__ = ["maxout", "maxout_pick", "maxout_place"]

GROUPED = "floating X, and along the axis groups of as many elements as `groups` says"


def grouped(x: Any, groups: int, axis: int) -> tuple[Any, int]:
    """Split an axis of `x` into groups.

    Raises:
        InvalidValueError: The axis holds no channels, or `groups` does not divide it.
    """
    if axis not in (1, -1, 3):
        raise InvalidValueError(f"channels are along axis 1, 3 or -1, not {axis}")
    if not -x.ndim <= axis < x.ndim or groups < 1 or x.shape[axis] % groups:
        raise InvalidValueError(f"groups of {groups} do not fit along axis {axis}")
    at = axis % x.ndim
    shape = (*x.shape[:at], x.shape[at] // groups, groups, *x.shape[at + 1 :])
    return x.reshape(shape), at + 1


def winners(x: Any, groups: int, axis: int) -> tuple[Any, Any, int]:
    """Return `x` in groups, the index of the first maximum of each, and the axis."""
    parts, at = grouped(x, groups, axis)
    return parts, np.expand_dims(parts.argmax(at), at), at


@op(needs=GROUPED)
def maxout(x: Any, *, groups: int, axis: int = 1) -> Any:
    """Maximum of each group of `groups` neighbours along `axis`."""
    only_floating(x)
    parts, at = grouped(x, groups, axis)
    return parts.max(at)


@maxout.grad
def maxout_grad(dout: Any, x: Any, *, groups: int, axis: int) -> Any:
    """dx = dout at the first maximum of each group."""
    return maxout_place(dout, x, groups=groups, axis=axis)


@op(needs=GROUPED)
def maxout_place(x: Any, y: Any, *, groups: int, axis: int = 1) -> Any:
    """Zeros in the shape of `y`, with `x` at the maxima of y's groups."""
    parts, where, at = winners(y, groups, axis)
    out = np.zeros(parts.shape, x.dtype)
    np.put_along_axis(out, where, np.expand_dims(x, at), at)
    return out.reshape(y.shape)


@maxout_place.grad(of=("x",))
def maxout_place_grad(dout: Any, y: Any, *, groups: int, axis: int) -> Any:
    """dx = dout at the maxima."""
    return maxout_pick(dout, y, groups=groups, axis=axis)


@op(needs=GROUPED)
def maxout_pick(x: Any, y: Any, *, groups: int, axis: int = 1) -> Any:
    """`x` at the maxima of y's groups: the adjoint of `maxout_place`."""
    _, where, at = winners(y, groups, axis)
    parts, _ = grouped(x, groups, axis)
    return np.take_along_axis(parts, where, at).squeeze(at)


@maxout_pick.grad(of=("x",))
def maxout_pick_grad(dout: Any, y: Any, *, groups: int, axis: int) -> Any:
    """dx = zeros with dout at the maxima."""
    return maxout_place(dout, y, groups=groups, axis=axis)
