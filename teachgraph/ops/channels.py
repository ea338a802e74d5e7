"""The channel axis of a data layout, and conversion to channels first."""

from __future__ import annotations

from typing import Any

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.ops.shape import transpose2

__all__ = ["LAYOUTS", "channel_axis", "channels_as_before", "channels_first"]

LAYOUTS = ("NC", "NCL", "NCHW", "NCDHW", "NLC", "NHWC", "NDHWC")


def channel_axis(x: Any, layout: str) -> int:
    """Return the axis of the channels of x.

    Raises:
        InvalidValueError: The layout is unknown.
        ShapeError: There are fewer than two dimensions.
    """
    if layout not in LAYOUTS:
        raise InvalidValueError(f"the layout is NCHW or NHWC, got {layout!r}")
    if len(x.shape) < 2:
        raise ShapeError(f"x is [N, C, ...], got {list(x.shape)}")
    return 1 if layout.startswith("NC") else len(x.shape) - 1


def channels_first(x: Any, layout: str) -> Any:
    """Transpose `x` [N, ..., C] to [N, C, ...], if that is its layout."""
    if x is None or channel_axis(x, layout) == 1:
        return x
    last = len(x.shape) - 1
    return transpose2(x, axis=[0, last, *range(1, last)])


def channels_as_before(x: Any, layout: str) -> Any:
    """Undo `channels_first`."""
    if channel_axis(x, layout) == 1:
        return x
    return transpose2(x, axis=[0, *range(2, len(x.shape)), 1])
