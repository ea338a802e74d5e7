"""What was in containers before a body was traced that may change them.

A branch is traced whether it is taken or not, so what it has changed is put back after
it, and a loop's body finds in its containers what the loop has made of them by then.
The containers stay the same objects all along: who holds one sees what becomes of it.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from typing import Any

from teachgraph.core.callsite import Callsite
from teachgraph.jit.undefined import Either

__all__ = [
    "CONTAINERS",
    "Copies",
    "Journal",
    "Kept",
    "containers_in",
    "different",
    "items_of",
    "references",
    "refilled",
]

CONTAINERS = (list, dict, set, deque)


class Kept:
    """A container, and what was in it.

    Attributes:
        container: It itself.
        contents: A copy of it from before.
        where: Where it was changed first, if that is known.
    """

    def __init__(self, container: Any) -> None:
        self.container, self.contents = container, copy(container)
        self.where: Callsite | None = None

    @property
    def changed(self) -> bool:
        """Whether something else is in it by now."""
        return different(self.container, self.contents)

    def put_back(self) -> None:
        """Let what was in it be in it again."""
        refilled(self.container, self.contents)

    def held_by_others(self, known: int) -> bool:
        """Whether more than so many places refer to it, besides this one."""
        # Of the references that are counted, one is for the question.
        return sys.getrefcount(self.container) > known + 2


class Journal:
    """The containers that a body may have changed.

    Attributes:
        kept: What was in them, by their identity.
        given: The identities of those that the body was given.
        objects: Objects that functions have assigned to attributes of, and where.
    """

    def __init__(self, *given: Any) -> None:
        self.kept: dict[int, Kept] = {}
        for container in containers_in(given):
            self.keep(container)
        self.given = {*self.kept}
        self.objects: dict[int, tuple[Any, Callsite | None]] = {}

    def keep(self, container: Any) -> Kept:
        """Remember what is in a container, unless that is known."""
        if id(container) not in self.kept:
            self.kept[id(container)] = Kept(container)
        return self.kept[id(container)]

    def changed(self) -> list[Kept]:
        """The containers with something else in them by now."""
        return [kept for kept in self.kept.values() if kept.changed]

    def where(self, key: int) -> Callsite | None:
        """Where a container was changed first, if that is known."""
        return self.kept[key].where if key in self.kept else None

    def put_back(self) -> None:
        """Let in all of them be what was."""
        for kept in self.changed():
            kept.put_back()

    def forget(self, references: Mapping[int, int]) -> None:
        """Forget those that nobody but the body itself knew.

        Args:
            references: How many of those that there still are come from the body.
        """
        while gone := [
            key
            for key, kept in self.kept.items()
            if key not in self.given and not kept.held_by_others(references.get(key, 0))
        ]:
            for key in gone:
                del self.kept[key]


class Copies:
    """Copies of nests: what is one container in several places has one copy.

    Attributes:
        origins: What a copy was made of, by its identity.
    """

    def __init__(self, change: Callable[[Any], Any]) -> None:
        self.change = change
        self.made: dict[int, tuple[Any, Any]] = {}
        self.origins: dict[int, Any] = {}

    def __call__(self, value: Any) -> Any:
        """The same nest, each leaf changed."""
        if isinstance(value, Either):
            flag, yes, no = map(self, (value.flag, value.yes, value.no))
            return Either(flag, yes, no, value.name_)
        if isinstance(value, tuple):
            items = map(self, value)
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if isinstance(value, CONTAINERS):
            return self.container(value)
        return self.change(value)

    def container(self, value: Any) -> Any:
        """The copy of a container."""
        if id(value) not in self.made:
            made = copy(value)
            self.made[id(value)] = value, made
            self.origins[id(made)] = value
            if isinstance(value, dict):
                refilled(made, {key: self(item) for key, item in value.items()})
            else:
                refilled(made, [self(item) for item in value])
        return self.made[id(value)][1]


def different(one: Any, other: Any) -> bool:
    """Whether there are not the same things in two containers of one kind."""
    if len(one) != len(other) or isinstance(one, set):
        return bool(one != other)
    pairs = zip(items_of(one), items_of(other), strict=True)
    return any(a is not b for a, b in pairs)


def refilled(container: Any, contents: Any) -> Any:
    """A container, with nothing but these in it."""
    if isinstance(container, list):
        container[:] = contents
        return container
    contents = copy(contents)
    container.clear()
    fill = container.extend if isinstance(container, deque) else container.update
    fill(contents)
    return container


def items_of(container: Any) -> Iterator[Any]:
    """What is in a list, or in a dictionary with its keys."""
    if not isinstance(container, dict):
        return iter(container)
    return (part for pair in container.items() for part in pair)


def references(value: Any) -> Counter[int]:
    """How often each container is referred to in a nest, by its identity."""
    return Counter(
        id(item)
        for around in ((value,), *containers_in(value, tuple))
        for item in (around.values() if isinstance(around, dict) else around)
        if isinstance(item, CONTAINERS)
    )


def containers_in(value: Any, *others: type) -> Iterator[Any]:
    """The containers in a nest, the inner ones too, and those of other types."""
    seen: set[int] = set()
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, Either):
            left += (one.yes, one.no)
        elif isinstance(one, (*CONTAINERS, tuple)) and id(one) not in seen:
            seen.add(id(one))
            left += one.values() if isinstance(one, dict) else one
            if isinstance(one, (*CONTAINERS, *others)):
                yield one
