"""Arguments that are one thing or several, as Paddle's functions take them."""

from __future__ import annotations

from typing import Any

__all__ = ["as_list"]


def as_list(value: Any) -> list[Any]:
    """Wrap a single value in a list; copy a list, tuple or set.

    >>> as_list(1), as_list((1, 2))
    ([1], [1, 2])
    """
    return list(value) if isinstance(value, (list, tuple, set)) else [value]
