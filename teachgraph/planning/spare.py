"""Arrays that a call may write its result over, found by their reference counts.

Aliases, such as a reshaped value and its original, need no analysis: Python counts the
references to an array, and a view holds one to its base.
"""

from __future__ import annotations

from sys import getrefcount
from typing import Any

import numpy as np

__all__ = ["reusable"]


def reusable(array: Any) -> Any:
    """An array that only one variable of the calling function holds, else None.

    It is called as `op(x, out=reusable(x))`: then the call itself holds x, too.
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
