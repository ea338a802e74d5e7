"""Memory that nobody needs any more: whether an array may be written over.

Which variables share memory, as a reshaped value does with its original, is not worked
out: Python counts who holds an array, and views hold what they look into.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

__all__ = ["sole_array"]


def sole_array(array: Any) -> Any:
    """An array that only one variable of the calling function holds, else None.

    It is called as `op(x, out=spare(x))`: then the call itself holds x, too.
    """
    alone = getrefcount(array) == ALONE and array.base is None
    return array if alone else None


def _holders() -> int:
    """Measure Python's count of references to an array that one variable holds."""

    def called(x: Any, out: int) -> int:
        return out

    def counted(x: Any) -> int:
        return getrefcount(x)

    array = np.empty(1)
    return called(array, out=counted(array))


ALONE = _holders()
"""Python's count for such an array; versions of it count differently."""
