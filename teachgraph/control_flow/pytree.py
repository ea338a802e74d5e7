"""Nested lists, tuples and dictionaries: their leaves, and the same around others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["flat", "packed", "same_structure"]


def flat(nest: Any) -> list[Any]:
    """The leaves, in order; a dictionary's by key.

    >>> flat({"b": [1, (2, 3)], "a": 4})
    [4, 1, 2, 3]
    """
    if isinstance(nest, dict):
        return [leaf for key in sorted(nest) for leaf in flat(nest[key])]
    if isinstance(nest, (list, tuple)):
        return [leaf for item in nest for leaf in flat(item)]
    return [nest]


def packed(nest: Any, leaves: Sequence[Any]) -> Any:
    """Other leaves in the same order, nested in the same way.

    >>> packed({"b": [1, (2, 3)], "a": 4}, "wxyz")
    {'b': ['x', ('y', 'z')], 'a': 'w'}
    """
    return rebuilt(nest, iter(leaves))


def rebuilt(nest: Any, leaves: Iterator[Any]) -> Any:
    """The same nest around the next leaves."""
    if isinstance(nest, dict):
        found = {key: rebuilt(nest[key], leaves) for key in sorted(nest)}
        return type(nest)((key, found[key]) for key in nest)
    if isinstance(nest, tuple) and hasattr(nest, "_fields"):
        return type(nest)(*(rebuilt(item, leaves) for item in nest))
    if isinstance(nest, (list, tuple)):
        return type(nest)(rebuilt(item, leaves) for item in nest)
    return next(leaves)


def same_structure(one: Any, other: Any) -> bool:
    """Whether two nests differ in their leaves at most; a list is as good as a tuple.

    >>> same_structure([1, (2,)], (3, [4]))
    True
    """
    if isinstance(one, dict) or isinstance(other, dict):
        return (
            isinstance(one, dict)
            and isinstance(other, dict)
            and one.keys() == other.keys()
            and all(same_structure(one[key], other[key]) for key in one)
        )
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_structure, one, other))
    return not isinstance(one, (list, tuple)) and not isinstance(other, (list, tuple))
