"""When things happened: the birth of nodes, and the overwriting of arrays.

An op in place gives its tensor a new array; the old one stays as it was for whoever
kept it. A node that kept it before then computes with values that the tensor no longer
has, and a reverse pass over it is refused, as in Paddle and PyTorch.
"""

from __future__ import annotations

import weakref
from itertools import count
from typing import Any

import numpy as np

__all__ = ["clock", "overwrite", "overwritten", "overwritten_since"]

clock = count(0, 2)
"""Every node takes the next time when it is born."""

overwritten: dict[int, tuple[weakref.ref[Any], int]] = {}
"""By the identity of an array that lives on: when its tensor took another one."""


def overwrite(array: np.ndarray[Any, Any]) -> None:
    """Note that the tensor that held this array has taken another one."""
    key = id(array)

    def forget(_: Any) -> None:
        overwritten.pop(key, None)

    overwritten[key] = weakref.ref(array, forget), next(clock)


def overwritten_since(array: Any, born: int) -> bool:
    """Whether the tensor that held this array took another one after `born`.

    >>> array, before = np.zeros(3), next(clock)
    >>> overwrite(array)
    >>> overwritten_since(array, before), overwritten_since(array, next(clock))
    (True, False)
    """
    when = overwritten.get(id(array))
    return when is not None and when[1] > born
