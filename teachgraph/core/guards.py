"""Guards that Ctrl-C cannot leave open."""

from __future__ import annotations

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

    A signal is handled between bytecodes, before the first of an `__exit__` in Python
    too, which then never runs. `IOBase.__exit__` is in C and calls `close`, here
    a chain of calls in C: the values from before are a stack, as a guard may be entered
    inside itself, and `close` pops one and puts it back.

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
        stack: Any = iter(self.before.pop, self)
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
