"""Values that guards replace for a while, in one thread or in all."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ContextDecorator
from functools import partial
from io import IOBase
from operator import contains
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")

NO = partial(contains, ())  # always False: an `__exit__` that is true hides errors


class Guard(IOBase, ContextDecorator, Generic[T]):
    """A `with` block, or a decorator, in which another value is in force.

    Ctrl-C leaves none open: it may come before the first bytecode of an `__exit__` in
    Python, but `IOBase.__exit__` is in C and calls `close`, here a chain of calls in C.
    The values from before are a stack, as a guard may be entered inside itself.

    >>> from contextvars import ContextVar
    >>> speed = ContextVar("speed", default=1)
    >>> with Guard(speed.get, speed.set, 2): speed.get()
    2
    """

    closed = True  # so that nothing is closed when a guard is forgotten

    def __init__(
        self, get: Callable[[], T], put: Callable[[T], object], value: T
    ) -> None:
        self.get, self.put, self.value = get, put, value
        self.before: list[T] = []
        stack: Any = iter(self.before.pop, NO)  # which is never put back
        closed = map(NO, map(put, stack))
        self.close = partial(next, closed)  # type: ignore[method-assign]

    def _recreate_cm(self) -> Self:
        return type(self)(self.get, self.put, self.value)

    def __enter__(self) -> T:  # type: ignore[override]
        self.before.append(self.get())
        try:
            self.put(self.value)
        except BaseException:  # Ctrl-C between the call and the block
            self.close()
            raise
        return self.value


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
        self.everyones, self._own = value, threading.local()

    @property
    def value(self) -> T:
        """The value in force in this thread."""
        own = getattr(self._own, "value", None)
        return self.everyones if own is None else own

    def place(self) -> tuple[object, str]:
        """The attribute that is put in force from here."""
        if threading.current_thread() is threading.main_thread():
            return self, "everyones"
        return self._own, "value"

    def put(self, value: T) -> None:
        """Put another value in force, here or, from the main thread, for all."""
        setattr(*self.place(), value)

    def holding(self, value: T) -> Guard[Any]:
        """Inside, another value is in force."""
        place = self.place()
        return Guard(partial(getattr, *place, None), partial(setattr, *place), value)
