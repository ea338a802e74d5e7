"""Snapshots of Python containers that a branch or a loop body may change.

A branch is traced whether it is taken or not, so its changes are undone after it; the
body of a loop finds in its containers the loop's values of that iteration. The
containers keep their identity throughout: each alias of one sees what becomes of it.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from types import CellType
from typing import Any

from teachgraph.core.callsite import Callsite
from teachgraph.errors import ConversionError
from teachgraph.jit.undefined import Either

__all__ = [
    "CONTAINERS",
    "BodyResult",
    "Copies",
    "SavedContainer",
    "Snapshot",
    "check_objects",
    "containers_in",
    "different",
    "items_of",
    "references",
    "refilled",
]

CONTAINERS = (list, dict, set, deque)


class SavedContainer:
    """A container and a copy of its contents.

    Attributes:
        container: The container.
        contents: The copy, from before the body.
        where: The line that changed it first, if known.
    """

    def __init__(self, container: Any) -> None:
        self.container, self.contents = container, copy(container)
        self.where: Callsite | None = None

    @property
    def changed(self) -> bool:
        """True if the contents differ from the copy by now."""
        return different(self.container, self.contents)

    def restore(self) -> None:
        """Put the copied contents back."""
        refilled(self.container, self.contents)

    def held_by_others(self, known: int) -> bool:
        """True if there are more than `known` references to it, besides this one."""
        # One more reference is the argument of getrefcount itself.
        return sys.getrefcount(self.container) > known + 2


class Snapshot:
    """The containers that a body may change, with their contents before it.

    Attributes:
        saved: The containers, by their identity.
        arguments: The identities of those within the body's arguments.
        objects: Objects whose attributes a called function has assigned, and where;
            also cells, globals, and iterators that have handed out an item.
    """

    def __init__(self, *arguments: Any) -> None:
        self.saved: dict[int, SavedContainer] = {}
        for container in containers_in(arguments):
            self.save(container)
        self.arguments = {*self.saved}
        self.objects: dict[int, tuple[Any, Callsite | None]] = {}

    def save(self, container: Any) -> SavedContainer:
        """Copy a container's contents, unless they have been copied before."""
        if id(container) not in self.saved:
            self.saved[id(container)] = SavedContainer(container)
        return self.saved[id(container)]

    def changed(self) -> list[SavedContainer]:
        """List the containers whose contents have changed."""
        return [saved for saved in self.saved.values() if saved.changed]

    def where(self, key: int) -> Callsite | None:
        """Return the line that changed a container first, if known."""
        return self.saved[key].where if key in self.saved else None

    def restore(self) -> None:
        """Put back the contents of all containers that have changed."""
        for saved in self.changed():
            saved.restore()

    def forget(self, references: Mapping[int, int]) -> None:
        """Drop containers that only the body refers to.

        Args:
            references: The number of references to each that come from the body.
        """
        # A dropped container lets go of those within it, so this runs to a fixed point.
        while gone := [
            key
            for key, saved in self.saved.items()
            if key not in self.arguments
            and not saved.held_by_others(references.get(key, 0))
        ]:
            for key in gone:
                del self.saved[key]


class Copies:
    """Copies of pytrees that keep aliases: one container has one copy everywhere.

    Attributes:
        origins: The container that each copy was made of, by the copy's identity.
    """

    def __init__(self, change: Callable[[Any], Any]) -> None:
        self.change = change
        self.copies: dict[int, tuple[Any, Any]] = {}
        self.origins: dict[int, Any] = {}

    def __call__(self, value: Any) -> Any:
        """Copy a pytree, each leaf changed."""
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
        """Return the copy of a container."""
        if id(value) not in self.copies:
            duplicate = copy(value)
            # Registered before it is filled: a container may hold itself.
            self.copies[id(value)] = value, duplicate
            self.origins[id(duplicate)] = value
            if isinstance(value, dict):
                refilled(duplicate, {key: self(item) for key, item in value.items()})
            else:
                refilled(duplicate, [self(item) for item in value])
        return self.copies[id(value)][1]


class BodyResult:
    """The return values of a body and its changes to containers, as copies.

    Attributes:
        snapshot: The containers from before the body, which are restored after it.
        values: The return values.
        changed: The new contents of the containers it has changed, by their identity.
        origins: The container that each copy was made of, by the copy's identity.
    """

    def __init__(
        self, before: Snapshot, values: Any, change: Callable[[Any], Any]
    ) -> None:
        copies = Copies(change)
        self.snapshot, self.values = before, copies(values)
        self.changed = {id(s.container): copies(s.container) for s in before.changed()}
        self.origins = copies.origins

    def settle(self) -> None:
        """Drop containers that only the body refers to.

        Raises:
            ConversionError: A function has assigned to another's attribute.
        """
        if self.snapshot.objects:
            check_objects(self.snapshot, self.values)
        if self.snapshot.saved:
            self.snapshot.forget(Counter(map(id, self.origins.values())))


def check_objects(before: Snapshot, values: Any) -> None:
    """Refuse a body whose functions assign to attributes of objects from outside it.

    Raises:
        ConversionError: One does.
    """
    returned = Counter(map(id, values))
    while before.objects:
        _, (owner, where) = before.objects.popitem()
        # Two references are this variable and the argument of getrefcount.
        if sys.getrefcount(owner) > 2 + returned[id(owner)]:
            raise ConversionError.here(attribute_of(owner), where)


def attribute_of(owner: Any) -> str:
    """Error message for what a function in a body changes outside of it."""
    if isinstance(owner, Iterator):
        return (
            f"this {type(owner).__name__} hands out an item in a branch or a loop that "
            "a tensor decides on, once and not when the program runs: put the items "
            "into a list or a tensor, and index that"
        )
    place = f"an attribute of this {type(owner).__name__}"
    if isinstance(owner, (CellType, dict)):
        place = "a nonlocal or global variable"
    return (
        "a function called in a branch or a loop that a tensor decides on assigns to "
        f"{place}, whether it is called when the program runs or not: return the value "
        "from the function, and assign it in the branch or the loop itself"
    )


def different(one: Any, other: Any) -> bool:
    """True if two containers of one kind hold other objects."""
    if len(one) != len(other) or isinstance(one, set):
        return bool(one != other)
    # By identity: `==` of Variables appends an operator.
    pairs = zip(items_of(one), items_of(other), strict=True)
    return any(a is not b for a, b in pairs)


def refilled(container: Any, contents: Any) -> Any:
    """Replace the contents of a container in place; return the container."""
    if isinstance(container, list):
        container[:] = contents
        return container
    contents = copy(contents)  # `contents` may be the container, which is cleared next
    container.clear()
    fill = container.extend if isinstance(container, deque) else container.update
    fill(contents)
    return container


def items_of(container: Any) -> Iterator[Any]:
    """Iterate over the items of a container; a dictionary's keys are among them."""
    if not isinstance(container, dict):
        return iter(container)
    return (part for pair in container.items() for part in pair)


def references(value: Any) -> Counter[int]:
    """Count the references to each container within a pytree, by its identity."""
    return Counter(
        id(item)
        for around in ((value,), *containers_in(value, tuple))
        for item in (around.values() if isinstance(around, dict) else around)
        if isinstance(item, CONTAINERS)
    )


def containers_in(value: Any, *others: type) -> Iterator[Any]:
    """Yield the containers within a pytree, also the inner ones.

    Args:
        value: The pytree.
        others: More types to yield.
    """
    seen: set[int] = set()
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, Either):
            stack += (node.yes, node.no)
        elif isinstance(node, (*CONTAINERS, tuple)) and id(node) not in seen:
            seen.add(id(node))
            stack += node.values() if isinstance(node, dict) else node
            if isinstance(node, (*CONTAINERS, *others)):
                yield node
