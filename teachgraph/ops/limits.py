"""The limits of the element types."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.dtypes import convert

__all__ = ["finfo", "iinfo"]


def finfo(dtype: Any) -> np.finfo[Any]:
    """The limits of a floating type.

    >>> finfo("float32").eps
    np.float32(1.1920929e-07)
    """
    return np.finfo(convert(dtype))


class Integers:
    """The limits of an integer type.

    Attributes:
        min: The least number.
        max: The greatest.
        bits: The bits of each.
        dtype: The type's name.
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        info = np.iinfo(dtype)
        self.min, self.max = int(info.min), int(info.max)
        self.bits, self.dtype = info.bits, str(dtype)

    def __repr__(self) -> str:
        return (
            f"paddle.iinfo(min={self.min}, max={self.max}, bits={self.bits}, "
            f"dtype={self.dtype})"
        )


def iinfo(dtype: Any) -> Integers:
    """The limits of an integer type.

    >>> iinfo("int32").max
    2147483647
    """
    return Integers(convert(dtype))
