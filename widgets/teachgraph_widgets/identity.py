"""Numbers for the user's objects, by identity, without keeping the objects alive.

An address identifies an object while it lives; a weak reference says whether it still
does. `==` is never used: on Tensors it is an op.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

__all__ = ["CROWD", "Numbers"]

CROWD = 1000
"""Number of new entries after which those of dead objects are dropped."""


class Numbered(ref[Any]):
    """A weak reference that also holds the number of its object."""

    __slots__ = ("number",)
    number: int


class Held:
    """Stands for an object that allows no weak reference, and keeps it alive."""

    __slots__ = ("number", "thing")

    def __init__(self, thing: Any) -> None:
        self.thing, self.number = thing, -1

    def __call__(self) -> Any:
        """Return the object."""
        return self.thing


class Numbers:
    """Assigns a number to each object at its first appearance.

    Args:
        first: The first number.

    Attributes:
        count: The next number.

    >>> class Thing: ...
    >>> numbers, thing = Numbers(), Thing()
    >>> numbers.find(thing), numbers.give(thing), numbers.find(thing)
    (None, 0, 0)
    """

    def __init__(self, first: int = 0) -> None:
        self._references: dict[int, Numbered | Held] = {}
        self.count = first
        self._crowded = CROWD

    def find(self, thing: Any) -> int | None:
        """Return the object's number, None if it has none."""
        reference = self._references.get(id(thing))
        # The address of a dead object may be that of another one now.
        if reference is None or reference() is not thing:
            return None
        return reference.number

    def give(self, thing: Any, number: int | None = None) -> int:
        """Assign the next number to the object, or `number` to one more name of it."""
        if number is None:
            number = self.fresh()
        reference: Numbered | Held
        try:
            reference = Numbered(thing)
        except TypeError:  # a class with `__slots__`, or a tuple
            reference = Held(thing)
        self._references[id(thing)] = reference
        reference.number = number
        if len(self._references) > self._crowded:
            self.forget()
        return number

    def forget(self) -> None:
        """Drop the entries of dead objects."""
        gone = [a for a, reference in self._references.items() if reference() is None]
        for address in gone:
            del self._references[address]
        # Twice the living: the cost of a search stays constant per object.
        self._crowded = 2 * len(self._references) + CROWD

    def fresh(self) -> int:
        """Return a number for a value whose object is gone."""
        self.count += 1
        return self.count - 1

    def living(self) -> Iterator[tuple[int, Any]]:
        """Yield number and object of each that still lives."""
        for reference in list(self._references.values()):
            thing = reference()
            if thing is not None:
                yield reference.number, thing
