"""Values kept beside objects, found by identity and forgotten when the object dies."""

from __future__ import annotations

from typing import Any, Generic, TypeVar
from weakref import ref

__all__ = ["ByIdentity"]

T = TypeVar("T")


class ByIdentity(Generic[T]):
    """A mapping from living objects to values.

    A `WeakKeyDictionary` compares its keys by `==`, which of arrays and Tensors is an
    op; this one compares by identity.

    >>> class Thing: pass
    >>> thing, notes = Thing(), ByIdentity()
    >>> notes.put(thing, "seen")
    >>> notes.get(thing), len(notes)
    ('seen', 1)
    >>> del thing
    >>> len(notes)
    0
    """

    def __init__(self) -> None:
        self.entries: dict[int, tuple[ref[Any], T]] = {}

    def put(self, thing: Any, value: T) -> None:
        """Keep a value beside an object."""
        key = id(thing)
        self.entries[key] = ref(thing, lambda _: self.entries.pop(key, None)), value

    def get(self, thing: Any) -> T | None:
        """The value beside an object, None if there is none."""
        entry = self.entries.get(id(thing))
        return None if entry is None else entry[1]

    def __len__(self) -> int:
        return len(self.entries)
