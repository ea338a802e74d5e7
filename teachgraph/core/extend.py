"""Hook points: functions of the core that extensions wrap.

A wrapper takes the function it wraps and returns one with the same signature. Wrappers
are composed when one comes or goes, so that a call asks nobody whether there are any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
Wrapper = Callable[[F], F]


class HookPoint(Generic[F]):
    """A function that extensions may wrap.

    Attributes:
        call: The function with all wrappers around it, the last one outermost.

    >>> greet = HookPoint(lambda name: f"hello {name}")
    >>> loud = greet.wrap(lambda inner: lambda name: inner(name).upper())
    >>> greet.call("tape")
    'HELLO TAPE'
    >>> greet.unwrap(loud)
    >>> greet.call("tape")
    'hello tape'
    """

    def __init__(self, plain: F) -> None:
        self.plain, self.call = plain, plain
        self.wrappers: list[Wrapper[F]] = []

    def wrap(self, wrapper: Wrapper[F], *, innermost: bool = False) -> Wrapper[F]:
        """Put a wrapper around those there are, or inside them, once; a decorator."""
        if wrapper not in self.wrappers:
            self.wrappers.insert(0 if innermost else len(self.wrappers), wrapper)
            self.compose()
        return wrapper

    def unwrap(self, wrapper: Wrapper[F]) -> None:
        """Remove a wrapper."""
        self.wrappers.remove(wrapper)
        self.compose()

    def compose(self) -> None:
        """Build `call` from the function and its wrappers."""
        self.call = self.plain
        for wrapper in self.wrappers:
            self.call = wrapper(self.call)


def nothing(kind: str, name: str) -> None:
    """Import nothing: only what has been imported is registered."""


unregistered: HookPoint[Callable[[str, str], None]] = HookPoint(nothing)
"""Asked for an op, a mode or a backend that is not registered yet, to import it."""
