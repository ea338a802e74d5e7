"""Padding: constant, reflect, replicate, circular, and their adjoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.ops.places import summed_at
from teachgraph.ops.slicing import OPEN_END, slice_

__all__ = ["pad", "pad3d", "unpad3d"]

Widths = list[tuple[int, int]]

MODES: dict[str, Any] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""Padding modes by Paddle's names."""


def pairs(paddings: Sequence[int], ndim: int) -> Widths:
    """Pair up paddings: (before, after) for each dimension.

    Raises:
        ShapeError: There are not two numbers per dimension.
        InvalidValueError: A number is negative.
    """
    if len(paddings) != 2 * ndim:
        raise ShapeError(f"{len(paddings)} paddings for {ndim} dimensions")
    if min(paddings, default=0) < 0:
        raise InvalidValueError(f"a padding of {min(paddings)}")
    return list(zip(paddings[::2], paddings[1::2], strict=True))


@op(needs="two paddings for each dimension of X, before and after")
def pad(x: Any, *, paddings: Sequence[int], pad_value: float = 0.0) -> Any:
    """Pad `x` with a constant."""
    widths = pairs(paddings, x.ndim)
    return np.pad(x, widths, constant_values=pad_value) if widths else np.array(x)


@pad.grad
def pad_grad(dout: Any, *, paddings: Sequence[int]) -> Any:
    """dx = dout without the padding."""
    befores, afters = paddings[::2], paddings[1::2]
    ends = [-after if after else OPEN_END for after in afters]
    return slice_(dout, axes=list(range(len(ends))), starts=list(befores), ends=ends)


def widths_of(paddings: Sequence[int], data_format: str, ndim: int) -> Widths:
    """Resolve (before, after) for each of five dimensions.

    The paddings begin with the last dimension: left, right, top, bottom, front, back.

    Raises:
        ShapeError: There are not five dimensions, or not six paddings.
        InvalidValueError: The format is unknown.
    """
    if ndim != 5:
        raise ShapeError(f"it has {ndim} dimensions, not five")
    spatial = pairs(paddings, 3)[::-1]
    none = (0, 0)
    if data_format == "NCDHW":
        return [none, none, *spatial]
    if data_format == "NDHWC":
        return [none, *spatial, none]
    raise InvalidValueError(f"data_format {data_format!r}: NCDHW or NDHWC")


def sources(shape: Sequence[int], widths: Widths, mode: str) -> list[Any]:
    """Compute the source index of each element of the padded array, per dimension.

    Raises:
        InvalidValueError: The mode is unknown, or "reflect" is wider than the input.
    """
    if mode not in MODES:
        raise InvalidValueError(f"mode {mode!r}: constant or {', '.join(MODES)}")
    for size, width in zip(shape, widths, strict=True):
        if max(width) and (not size or (mode == "reflect" and max(width) >= size)):
            raise InvalidValueError(f"{max(width)} elements of {size} cannot {mode}")
    return list(
        np.ix_(
            *(
                np.pad(np.arange(size), width, MODES[mode]) if size else np.arange(0)
                for size, width in zip(shape, widths, strict=True)
            )
        )
    )


@op(needs="five dimensions, and six paddings that begin with the last one")
def pad3d(
    x: Any,
    *,
    paddings: Sequence[int],
    mode: str = "constant",
    value: float = 0.0,
    data_format: str = "NCDHW",
) -> Any:
    """Pad `x` in three dimensions.

    With a constant, the edge elements (`replicate`), the elements mirrored at the edge
    (`reflect`), or those of the other side (`circular`).
    """
    widths = widths_of(paddings, data_format, x.ndim)
    if mode == "constant":
        return np.pad(x, widths, constant_values=value)
    return x[tuple(sources(x.shape, widths, mode))]


@pad3d.grad
def pad3d_grad(
    dout: Any, x: Like, *, paddings: Sequence[int], mode: str, data_format: str
) -> Any:
    """Adjoint: gradients of copies in the padding accumulate at their source."""
    how = {"paddings": paddings, "mode": mode, "data_format": data_format}
    return unpad3d(dout, x, **how)


@op
def unpad3d(
    x: Any, y: Any, *, paddings: Sequence[int], mode: str, data_format: str
) -> Any:
    """Add each element of `x` where `pad3d` would read it in `y`: its adjoint."""
    widths = widths_of(paddings, data_format, x.ndim)
    if mode == "constant":
        inner = zip(y.shape, widths, strict=True)
        return x[tuple(slice(before, before + n) for n, (before, _) in inner)]
    return summed_at(sources(y.shape, widths, mode), x, np.zeros(y.shape, x.dtype))


@unpad3d.grad(of=("x",))
def unpad3d_grad(
    dout: Any, *, paddings: Sequence[int], mode: str, data_format: str
) -> Any:
    """dx = dout padded in the same mode."""
    return pad3d(dout, paddings=paddings, mode=mode, data_format=data_format)
