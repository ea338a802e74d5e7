"""Numbers for the user's objects, which are neither kept alive nor compared.

An object's address says which one it is for as long as it lives; a weak reference says
whether it still does. `==` is never used: Tensors compute with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

__all__ = ["CROWD", "Numbers"]

CROWD = 1000
"""So many more than lived last are kept before the dead are looked for."""


class Numbered(ref[Any]):
    """A weak reference that knows the number of what it refers to."""

    __slots__ = ("number",)
    number: int


class Numbers:
    """Gives each object a number when it is first seen.

    Attributes:
        count: How many numbers there are so far.

    >>> class Thing: ...
    >>> numbers, thing = Numbers(), Thing()
    >>> numbers.find(thing), numbers.give(thing), numbers.find(thing)
    (None, 0, 0)
    """

    def __init__(self) -> None:
        self._references: dict[int, Numbered] = {}
        self.count = 0
        self._crowded = CROWD

    def find(self, thing: Any) -> int | None:
        """The object's number, None if it has none."""
        reference = self._references.get(id(thing))
        if reference is None or reference() is not thing:
            return None
        return reference.number

    def give(self, thing: Any, number: int | None = None) -> int:
        """Give the object the next number, or the one of what it stands for."""
        if number is None:
            number = self.fresh()
        self._references[id(thing)] = reference = Numbered(thing)
        reference.number = number
        if len(self._references) > self._crowded:
            self.forget()
        return number

    def forget(self) -> None:
        """Forget those that are gone."""
        gone = [a for a, reference in self._references.items() if reference() is None]
        for address in gone:
            del self._references[address]
        self._crowded = 2 * len(self._references) + CROWD

    def fresh(self) -> int:
        """A number for something that has no object."""
        self.count += 1
        return self.count - 1

    def living(self) -> Iterator[tuple[int, Any]]:
        """Number and object of each that still lives."""
        for reference in list(self._references.values()):
            thing = reference()
            if thing is not None:
                yield reference.number, thing
