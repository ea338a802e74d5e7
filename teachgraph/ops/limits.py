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


def iinfo(dtype: Any) -> np.iinfo[Any]:
    """The limits of an integer type.

    >>> iinfo("int32").max
    2147483647
    """
    return np.iinfo(convert(dtype))
