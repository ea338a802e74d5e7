"""Values in nested lists, tuples, dictionaries and `Either`s: the Variables in them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import fields
from typing import Any

from teachgraph.jit.undefined import Either

__all__ = ["copied", "entries", "fields_of", "mapped", "with_fields"]


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same nest, each leaf changed."""
    if isinstance(value, Either):
        flag, yes, no = (mapped(v, change) for v in (value.flag, value.yes, value.no))
        return Either(flag, yes, no, value.name_)
    if isinstance(value, dict):
        return entries(value, {k: mapped(item, change) for k, item in value.items()})
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(item, change) for item in value))
    if type(value) in (list, tuple):
        return type(value)(mapped(item, change) for item in value)
    return change(value)


def entries(like: dict[Any, Any], items: dict[Any, Any]) -> dict[Any, Any]:
    """A dictionary of these items, of the type of another one."""
    if type(like) is dict:
        return items
    made = copy(like)
    made.clear()
    made.update(items)
    return made


def fields_of(value: Any) -> dict[str, Any] | None:
    """The fields of an object of a dataclass, None of anything else."""
    if not hasattr(type(value), "__dataclass_fields__"):
        return None
    return {f.name: getattr(value, f.name) for f in fields(value)}


def with_fields(like: Any, items: dict[str, Any]) -> Any:
    """Another object of the same dataclass with these in its fields."""
    made = copy(like)
    for name, item in items.items():
        object.__setattr__(made, name, item)
    return made


def copied(value: Any) -> Any:
    """The same leaves in containers of their own, which may be changed."""
    return mapped(value, lambda leaf: leaf)
