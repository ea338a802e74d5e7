"""The default dtype: that of what has no dtype of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.dtypes import convert, float32
from teachgraph.core.errors import DTypeError

__all__ = ["default_dtype", "get_default_dtype", "is_floating", "set_default_dtype"]


class _Default:
    """The dtype of Python's floats and of new parameters."""

    dtype = float32


def default_dtype() -> np.dtype[Any]:
    """The floating type of what has none of its own, as NumPy's."""
    return _Default.dtype


def get_default_dtype() -> str:
    """The floating type of what has none of its own.

    In Paddle this is `paddle.get_default_dtype`.

    >>> get_default_dtype()
    'float32'
    """
    return str(_Default.dtype)


def set_default_dtype(d: Any) -> None:
    """Choose the floating type of Python's floats, of new parameters and of `zeros`.

    Raises:
        DTypeError: It is no floating type.

    In Paddle this is `paddle.set_default_dtype`.
    """
    wanted = convert(d)
    if not is_floating(wanted):
        raise DTypeError(f"the default dtype is float32 or float64, got {d}")
    _Default.dtype = wanted


def is_floating(dtype: np.dtype[Any]) -> bool:
    """True if values of this dtype have gradients.

    >>> is_floating(np.dtype("float32")), is_floating(np.dtype("int64"))
    (True, False)
    """
    return bool(dtype.kind == "f")
