"""Pytrees: nested lists, tuples and dictionaries, whose other values are the leaves.

`flat` and `packed` take a tree apart and put it together; `mapped` changes its leaves.
Another container takes part in `mapped` once `register_container` knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import fields
from typing import Any

__all__ = [
    "copied",
    "dict_like",
    "fields_of",
    "flat",
    "mapped",
    "packed",
    "register_container",
    "same_structure",
    "with_fields",
]

Change = Callable[[Any], Any]

_mappers: dict[type, Callable[[Any, Change], Any]] = {}


def register_container(kind: type, mapper: Callable[[Any, Change], Any]) -> None:
    """Let `mapped` descend into the objects of a class.

    Args:
        kind: The class.
        mapper: Takes an object and a function of its parts; returns another object,
            made of the function's results.
    """
    _mappers[kind] = mapper


def flat(tree: Any) -> list[Any]:
    """List the leaves, in order; a dictionary's by key.

    >>> flat({"b": [1, (2, 3)], "a": 4})
    [4, 1, 2, 3]
    """
    if isinstance(tree, dict):
        return [leaf for key in sorted(tree) for leaf in flat(tree[key])]
    if isinstance(tree, (list, tuple)):
        return [leaf for item in tree for leaf in flat(item)]
    return [tree]


def packed(tree: Any, leaves: Sequence[Any]) -> Any:
    """Build a pytree of the same structure around other leaves, in the order of `flat`.

    >>> packed({"b": [1, (2, 3)], "a": 4}, "wxyz")
    {'b': ['x', ('y', 'z')], 'a': 'w'}
    """
    return rebuilt(tree, iter(leaves))


def rebuilt(tree: Any, leaves: Iterator[Any]) -> Any:
    """Build a pytree of the same structure around the next leaves."""
    if isinstance(tree, dict):
        # Leaves come by sorted key, but the new dictionary keeps the old one's order.
        items = {key: rebuilt(tree[key], leaves) for key in sorted(tree)}
        return type(tree)((key, items[key]) for key in tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(rebuilt(item, leaves) for item in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(rebuilt(item, leaves) for item in tree)
    return next(leaves)


def same_structure(one: Any, other: Any) -> bool:
    """True if two pytrees differ in their leaves at most; a list is as good as a tuple.

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


def mapped(tree: Any, change: Change) -> Any:
    """Build a pytree of the same structure, each leaf changed.

    >>> mapped({"b": [1, (2, 3)], "a": 4}, lambda n: n * 10)
    {'b': [10, (20, 30)], 'a': 40}
    """
    if (mapper := _mappers.get(type(tree))) is not None:
        return mapper(tree, lambda part: mapped(part, change))
    if isinstance(tree, dict):
        return dict_like(tree, {k: mapped(item, change) for k, item in tree.items()})
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(mapped(item, change) for item in tree))
    # A subclass of list or tuple may take other arguments: it counts as a leaf.
    if type(tree) in (list, tuple):
        return type(tree)(mapped(item, change) for item in tree)
    return change(tree)


def copied(tree: Any) -> Any:
    """Copy the containers of a pytree, around the same leaves."""
    return mapped(tree, lambda leaf: leaf)


def dict_like(like: dict[Any, Any], items: dict[Any, Any]) -> dict[Any, Any]:
    """Build a dictionary of these items, of the type of another one."""
    if type(like) is dict:
        return items
    # A defaultdict's factory survives a copy, but not a call of its type.
    result = copy(like)
    result.clear()
    result.update(items)
    return result


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return the fields of a dataclass's object by name, None for anything else."""
    if not hasattr(type(value), "__dataclass_fields__"):
        return None
    return {f.name: getattr(value, f.name) for f in fields(value)}


def with_fields(like: Any, items: dict[str, Any]) -> Any:
    """Build another object of the same dataclass, with these values in its fields."""
    result = copy(like)
    for name, item in items.items():
        object.__setattr__(result, name, item)  # a frozen dataclass refuses setattr
    return result
