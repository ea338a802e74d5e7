"""Padding: constant, reflect, replicate, circular, and their adjoints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.ops.places import summed_at

__all__ = ["pad", "pad3d", "unpad3d"]

Widths = list[tuple[int, int]]

MODES: dict[str, Any] = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
"""Padding modes by Paddle's names."""


def pairs(paddings: Sequence[int], ndim: int) -> Widths:
    """Pair up paddings: (before, after) for each dimension.

    Raises:
        ShapeError: There are not two numbers per dimension.
    """
    if len(paddings) != 2 * ndim:
        raise ShapeError(f"{len(paddings)} paddings for {ndim} dimensions")
    return list(zip(paddings[::2], paddings[1::2], strict=True))


def with_constant(x: Any, widths: Widths, value: float) -> Any:
    """Pad `x` with a constant; a negative width cuts elements off.

    Raises:
        InvalidValueError: More are cut off than there are.
    """
    for size, (before, after) in zip(x.shape, widths, strict=True):
        if size + min(before, 0) + min(after, 0) < 0:
            raise InvalidValueError(
                f"a padding of {[before, after]} of {size} elements"
            )
    # NumPy takes no negative widths: what they cut off goes first.
    if any(min(width) < 0 for width in widths):
        x = x[
            tuple(
                slice(-min(b, 0), n + min(a, 0))
                for n, (b, a) in zip(x.shape, widths, strict=True)
            )
        ]
        widths = [(max(before, 0), max(after, 0)) for before, after in widths]
    return np.pad(x, widths, constant_values=value) if widths else np.array(x)


def without_constant(x: Any, widths: Widths) -> Any:
    """Undo it: cut off what was added, and put zeros where elements were cut off."""
    return with_constant(x, [(-before, -after) for before, after in widths], 0.0)


@op(needs="two paddings for each dimension of X, before and after")
def pad(x: Any, *, paddings: Sequence[int], pad_value: float = 0.0) -> Any:
    """Pad `x` with a constant."""
    widths = pairs(paddings, x.ndim)
    return with_constant(x, widths, pad_value)


@pad.grad
def pad_grad(dout: Any, *, paddings: Sequence[int]) -> Any:
    """dx = dout without the padding, which is padding by the opposite numbers."""
    return pad(dout, paddings=[-n for n in paddings])


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
    if any(min(width) < 0 for width in widths):
        raise InvalidValueError(f"{mode} has no negative padding, got {list(widths)}")
    for size, width in zip(shape, widths, strict=True):
        if max(width) and (not size or (mode == "reflect" and max(width) >= size)):
            raise InvalidValueError(f"{max(width)} elements of {size} cannot {mode}")
    # The indices are padded, not the array: the adjoint adds at the same places.
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
        return with_constant(x, widths, value)
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
        return without_constant(x, widths)
    return summed_at(sources(y.shape, widths, mode), x, np.zeros(y.shape, x.dtype))


@unpad3d.grad(of=("x",))
def unpad3d_grad(
    dout: Any, *, paddings: Sequence[int], mode: str, data_format: str
) -> Any:
    """dx = dout padded in the same mode."""
    return pad3d(dout, paddings=paddings, mode=mode, data_format=data_format)
