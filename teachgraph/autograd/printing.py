"""Text of a Tensor's values, and `set_printoptions`, which is about these alone.

NumPy's own arrays are printed as before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import InvalidValueError

__all__ = ["set_printoptions", "values_text"]

options: dict[str, Any] = {}
"""Options that were set, under NumPy's names."""


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
        threshold: From how many elements on some are left out.
        edgeitems: How many are shown at each end then.
        sci_mode: Whether floats are written like 1.5e+00.
        linewidth: How many characters a line has.

    Raises:
        InvalidValueError: A number is negative.

    >>> import teachgraph as tg
    >>> set_printoptions(precision=3)
    >>> tg.to_tensor([1.23456])
    Tensor(shape=[1], dtype=float32, place=Place(cpu), stop_gradient=True,
           [1.235])
    >>> set_printoptions(precision=8)
    """
    asked = {
        "precision": precision,
        "threshold": threshold,
        "edgeitems": edgeitems,
        "max_line_width": linewidth,
    }
    for name, value in asked.items():
        if value is not None and value < 0:
            told = f"set_printoptions: {name} is 0 or more, got {value}"
            raise InvalidValueError.here(told)
    options.update({name: n for name, n in asked.items() if n is not None})
    if sci_mode is not None:
        options["sci_mode"] = sci_mode


def values_text(values: np.ndarray[Any, Any], prefix: str) -> str:
    """The values as text, each line but the first after the width of `prefix`."""
    chosen = dict(options)
    if chosen.pop("sci_mode", False):
        digits = chosen.get("precision", 8)
        chosen["formatter"] = {"float_kind": lambda x: f"{x:.{digits}e}"}
    text = np.array2string(values, separator=", ", prefix=prefix, **chosen)
    return text.replace("inf", "inf.")  # as Paddle ends all numbers without a fraction
