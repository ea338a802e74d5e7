"""What stands here for the names that Paddle has, and tables of those we lack."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["ours", "words"]


def words(table: dict[str, str]) -> set[str]:
    """The names in a table of reasons."""
    return {name for names in table.values() for name in names.split()}


def ours(root: ModuleType, path: str) -> Any:
    """What stands in a module for a name of Paddle's, or None."""
    found: Any = root
    for name in path.split("."):
        if isinstance(found, ModuleType) and not hasattr(found, name):
            try:
                found = import_module(f"{found.__name__}.{name}")
            except ImportError:
                return None
        else:
            found = getattr(found, name, None)
    return found
