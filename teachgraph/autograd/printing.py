"""Text of a Tensor's values, as Paddle lays it out, and `set_printoptions`.

All numbers of a tensor have the width of the widest among those at its ends, the ones
that are shown of a long tensor. NumPy's own arrays are printed as before.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.errors import InvalidValueError

__all__ = ["set_printoptions", "values_text"]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class PrintOptions:
    """Options of `set_printoptions`, under its names."""

    precision: int = 8
    threshold: int = 1000
    edgeitems: int = 3
    sci_mode: bool = False
    linewidth: int = 80


options = PrintOptions()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sci_mode: bool | None = None,
    linewidth: int | None = None,
) -> None:
    """Choose how Tensors are printed; what is None stays as it is.

    Args:
        precision: How many digits after the point.
        threshold: The most elements of a tensor that is printed in full.
        edgeitems: How many are shown at each end of a longer one.
        sci_mode: Whether floats are written like 1.5e+00.
        linewidth: How many characters a line has.

    Raises:
        InvalidValueError: A number is negative, or no integer.

    >>> import teachgraph as tg
    >>> set_printoptions(precision=3)
    >>> tg.to_tensor([1.23456])
    Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
           [1.235])
    >>> set_printoptions(precision=8)
    """
    global options  # noqa: PLW0603  one setting a process, as in Paddle
    asked = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "linewidth": linewidth,
    }
    chosen: dict[str, Any] = {
        name: value for name, value in asked.items() if value is not None
    }
    for name, value in chosen.items():
        if not isinstance(value, int) or value < 0:
            told = f"set_printoptions: {name} is an integer of 0 or more, got {value!r}"
            raise InvalidValueError.here(told)
    if sci_mode is not None:
        chosen["sci_mode"] = bool(sci_mode)
    options = replace(options, **chosen)


def number_text(x: Any) -> str:
    """One element; a whole number of a floating dtype ends with its point."""
    if not isinstance(x, np.floating):
        return str(x)
    if options.sci_mode:
        return f"{x:.{options.precision}e}"
    whole = np.ceil(x) == x
    return f"{x:.0f}." if whole else f"{x:.{options.precision}f}"


def ends(values: Array) -> Array:
    """The elements at both ends of all long axes."""
    n = options.edgeitems
    for axis, length in enumerate(values.shape):
        if length > 2 * n:
            values = values.take([*range(n), *range(length - n, length)], axis)
    return values


class Layout(NamedTuple):
    """Decisions that hold for all elements of a tensor.

    Attributes:
        width: Characters of an element.
        signed: Whether one is negative: the others then begin with a space.
        skipped: Whether only the ends of long axes are shown.
    """

    width: int
    signed: bool
    skipped: bool

    def element(self, x: Any) -> str:
        """An element, padded."""
        text = number_text(x)
        if self.signed and len(text) < self.width and not x < 0:
            text = " " + text
        return text.ljust(self.width)

    def texts(self, values: Array, indent: int) -> list[str]:
        """The parts along the first axis."""
        if values.ndim == 1:
            return [self.element(x) for x in values]
        return [self.nested(x, indent + 1) for x in values]

    def nested(self, values: Array, indent: int) -> str:
        """The values in brackets; an empty line stands between matrices."""
        if not values.ndim:
            return self.element(values[()])
        n = options.edgeitems
        if self.skipped and len(values) > 2 * n:
            first, last = values[:n], values[len(values) - n :]
            items = [*self.texts(first, indent), "...", *self.texts(last, indent)]
        else:
            items = self.texts(values, indent)
        if values.ndim == 1:
            room = max(1, (options.linewidth - indent) // (self.width + 2))
            starts = range(0, len(items), room)
            items = [", ".join(items[start : start + room]) for start in starts]
        newlines = "\n" * max(1, values.ndim - 1)
        return "[" + f",{newlines}{' ' * (indent + 1)}".join(items) + "]"


def values_text(values: Array) -> str:
    """The values in brackets, lines but the first indented as in a Tensor's repr."""
    # Paddle measures the ends of short tensors too: a wider number inside sticks out.
    measured = list(ends(values).ravel())
    layout = Layout(
        max((len(number_text(x)) for x in measured), default=0),
        any(x < 0 for x in measured),
        values.size > options.threshold,
    )
    return layout.nested(values, len("Tensor("))
