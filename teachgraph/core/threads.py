"""A value of the process that a guard replaces, in its own thread or for all."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any, Generic, TypeVar

from teachgraph.core.guards import Guard

T = TypeVar("T")


class Own(threading.local):
    """The value of a thread inside a guard of its own, else None."""

    value: Any = None


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
        self._everyones, self._own = value, Own()

    @property
    def value(self) -> T:
        """The value in force in this thread."""
        own = self._own.value
        return self._everyones if own is None else own

    def place(self) -> tuple[object, str]:
        """The attribute that is put in force from here."""
        if threading.current_thread() is threading.main_thread():
            return self, "_everyones"
        return self._own, "value"

    def put(self, value: T) -> None:
        """Put another value in force, here or, from the main thread, for all."""
        setattr(*self.place(), value)

    def put_for_all(self, value: T) -> None:
        """Put another value in force for every thread outside of a guard of its own."""
        self._everyones = value

    def holding(self, value: T) -> Guard[Any]:
        """Inside, another value is in force."""
        place = self.place()
        return Guard(partial(getattr, *place), partial(setattr, *place), value)
