"""Checks of inputs from whose sizes layers derive their parameters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.nn.functional.norm import layout
from teachgraph.static.variable import Variable

__all__ = ["channels_of", "known_sizes", "variable"]


def variable(layer: str, x: Any, *ranks: int) -> Variable:
    """Require a Variable of one of these ranks.

    Raises:
        DTypeError: The input is no Variable.
        ShapeError: It has another rank.
    """
    if not isinstance(x, Variable):
        raise DTypeError.here(f"{layer}: input must be a Variable, got {type(x)}")
    if ranks and x.ndim not in ranks:
        wanted = " or ".join(map(str, ranks))
        raise ShapeError.here(
            f"{layer}: {x.name!r} must have {wanted} dimensions, got {list(x.shape)}"
        )
    return x


def known_sizes(layer: str, x: Variable, sizes: Sequence[int]) -> list[int]:
    """Require sizes that are known before the program runs.

    Raises:
        ShapeError: A size is -1.
    """
    if min(sizes, default=1) < 0:
        raise ShapeError.here(
            f"{layer}: the size of a parameter follows from {x.name!r}, whose "
            f"shape {list(x.shape)} is not known"
        )
    return list(sizes)


def channels_of(layer: str, x: Variable, data_format: str) -> tuple[int, int]:
    """Return the axis and the number of the channels.

    Raises:
        InvalidValueError: An unknown format.
        ShapeError: The number of channels is unknown.
    """
    axis = 1 if layout(data_format) == "NCHW" else x.ndim - 1
    return axis, known_sizes(layer, x, [x.shape[axis]])[0]
