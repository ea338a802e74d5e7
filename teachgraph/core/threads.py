"""A value of the process that a guard replaces, in its own thread or for all."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T")


class InForce(Generic[T]):
    """A value that guards replace for a while.

    The main thread's guards hold for every thread, as in Paddle, except for those that
    are inside a guard of their own: so threads that build programs at the same time do
    not undo each other's guards.

    >>> scope = InForce("global")
    >>> with scope.holding("inner"):
    ...     scope.value
    'inner'
    >>> scope.value
    'global'
    """

    def __init__(self, value: T) -> None:
        self._everyones, self._own = value, threading.local()

    @property
    def value(self) -> T:
        """The value in force in this thread."""
        found: T = getattr(self._own, "value", self._everyones)
        return found

    def put(self, value: T) -> None:
        """Put another value in force, here or, from the main thread, for all."""
        if threading.current_thread() is threading.main_thread():
            self._everyones = value
        else:
            self._own.value = value

    def put_for_all(self, value: T) -> None:
        """Put another value in force for every thread outside of a guard of its own."""
        self._everyones = value

    @contextmanager
    def holding(self, value: T) -> Iterator[T]:
        """Inside, another value is in force."""
        before, had = self.value, "value" in self._own.__dict__
        self.put(value)
        try:
            yield value
        finally:
            if had or threading.current_thread() is threading.main_thread():
                self.put(before)
            else:
                self._own.__dict__.pop("value", None)
