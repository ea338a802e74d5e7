"""Values in nested lists, tuples, dictionaries and `Either`s: the Variables in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph.jit.undefined import Either

__all__ = ["copied", "mapped"]


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The same nest, each leaf changed."""
    if isinstance(value, Either):
        flag, yes, no = (mapped(v, change) for v in (value.flag, value.yes, value.no))
        return Either(flag, yes, no, value.name_)
    if type(value) is dict:
        return {key: mapped(item, change) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(item, change) for item in value))
    if type(value) in (list, tuple):
        return type(value)(mapped(item, change) for item in value)
    return change(value)


def copied(value: Any) -> Any:
    """The same leaves in containers of their own, which may be changed."""
    return mapped(value, lambda leaf: leaf)
