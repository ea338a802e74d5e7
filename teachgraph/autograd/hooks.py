"""The handle of a hook: takes it off again."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any

__all__ = ["HookHandle", "Hooks", "check", "register"]

Hooks = MutableMapping[Any, Callable[..., Any]]
"""Functions in the order they were registered in."""


class HookHandle:
    """Takes a hook off again.

    Attributes:
        removed: Called once it is off.

    In Paddle this is `TensorHookRemoveHelper`, and `HookRemoveHelper` for layers.
    """

    def __init__(self, hooks: Hooks, key: Any) -> None:
        self._hooks, self._key = hooks, key
        self.removed: Callable[[], None] = nothing

    def remove(self) -> bool:
        """Take the hook off; whether it was still there."""
        found = self._hooks.pop(self._key, None) is not None
        if found:
            self.removed()
        return found


def nothing() -> None:
    """Tell nobody."""


def check(hook: Any) -> None:
    """Refuse what cannot be called.

    Raises:
        TypeError: It cannot.
    """
    if not callable(hook):
        raise TypeError(f"a hook is a function, got {hook!r}")


def register(hooks: Hooks, hook: Callable[..., Any], *group: Any) -> HookHandle:
    """Add a hook after those there are, under a key that starts with `group`.

    Raises:
        TypeError: The hook cannot be called.

    >>> hooks = {}
    >>> handle = register(hooks, print)
    >>> handle.remove(), handle.remove()
    (True, False)
    """
    check(hook)
    key = (*group, max((k[-1] for k in hooks), default=-1) + 1)
    hooks[key] = hook
    return HookHandle(hooks, key)
