"""Scalars as 1.x hands them out: arrays of one element."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["Single", "single"]


class Single(np.ndarray):
    """An array of shape [1] that Python also reads as a number.

    1.x code writes both `loss[0]` and `float(loss)`; NumPy 2.4 refuses the second for
    other arrays of shape [1].
    """

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and self.size == 1 else str(self)

    def __repr__(self) -> str:
        return repr(np.asarray(self))


def single(value: Any) -> Any:
    """View a scalar as an array of shape [1]; return other values as they are.

    >>> single(np.array(2.5))[0]
    np.float64(2.5)
    """
    if isinstance(value, np.ndarray) and value.ndim < 2 and value.size == 1:
        return value.reshape(1).view(Single)
    return value
