"""Containers that a branch or a loop of a program would change.

What a body changes is left to the program: as values handed on, put in the same lists
and dictionaries. What cannot be left to it, because it would have to be done now or not
at all, is refused.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

from teachgraph.core.callsite import Callsite, callsite
from teachgraph.core.errors import ConversionError, at_user_line
from teachgraph.jit.aliasing import not_chosen
from teachgraph.jit.container_snapshot import CONTAINERS, Copies, Journal, refilled
from teachgraph.jit.tracing import tracer
from teachgraph.jit.undefined import Undefined

__all__ = [
    "Effects",
    "Moved",
    "check_objects",
    "convert_outside",
    "journal",
    "moved",
    "noted",
    "refuse",
    "written",
]


def noted(owner: Any) -> None:
    """Remember that a container is about to be changed."""
    here = tracer()
    if here is not None and isinstance(owner, CONTAINERS):
        not_chosen(owner)
        kept = here.bodies[-1].keep(owner)
        kept.where = kept.where or callsite()


def convert_outside(owner: Any) -> None:
    """Remember that a function has assigned to an attribute of an object."""
    here = tracer()
    if here is not None and len(here.bodies) > 1:
        here.bodies[-1].objects.setdefault(id(owner), (owner, callsite()))


def written(owner: Any, contents: Any) -> Any:
    """A container with other contents; the body around this one has changed it."""
    here = tracer()
    if here is not None:
        here.bodies[-1].keep(owner)
    return refilled(owner, contents)


def moved(owner: Any, where: Callsite | None = None) -> None:
    """Leave in a container only the word that it is another one by now."""
    gone = Moved(where)
    written(owner, dict.fromkeys(owner, gone) if isinstance(owner, dict) else [gone])


class Moved(Undefined):
    """What is in a list that has become one of the program under another name."""

    def __init__(self, where: Callsite | None) -> None:
        super().__init__("items")
        self.__dict__["where"] = where

    def refuse(self) -> NoReturn:
        """Say what to do instead."""
        raise ConversionError(at_user_line(MOVED, self.__dict__["where"]))


MOVED = (
    "a tensor has decided how long this list is, in a branch or a loop that changed it "
    "under another name: change and read it under one name, or return it from there "
    "and assign it"
)


class Effects:
    """What a body returns and changes; in containers there is again what was.

    Attributes:
        log: The containers that were there before and that it may have changed.
        found: What it returns, in copies.
        changed: What became of containers, in copies, by their identity.
        origins: What the copies are of, by their identity.
    """

    def __init__(self, log: Journal, found: Any, change: Callable[[Any], Any]) -> None:
        copies = Copies(change)
        self.log, self.found = log, copies(found)
        self.changed = {id(k.container): copies(k.container) for k in log.changed()}
        self.origins = copies.origins

    def settle(self) -> None:
        """Forget containers that nobody but the body held.

        Raises:
            ConversionError: A function has assigned to another's attribute.
        """
        check_objects(self.log, self.found)
        self.log.forget(Counter(map(id, self.origins.values())))


@contextmanager
def journal(given: Sequence[Any]) -> Iterator[Journal]:
    """Inside, changes of containers are written down; afterwards they are undone."""
    here, made = tracer(), Journal(*given)
    bodies: list[Journal] = [] if here is None else here.bodies
    bodies.append(made)
    try:
        yield made
    finally:
        bodies.pop()
        made.put_back()


def refuse(owner: Any, where: Callsite | None) -> NoReturn:
    """Refuse a change of a container.

    Raises:
        ConversionError: Always.
    """
    raise ConversionError(at_user_line(belongs_to_others(owner), where))


def check_objects(log: Journal, found: Any) -> None:
    """Refuse that functions in a body assign to attributes of objects of others.

    Raises:
        ConversionError: One has.
    """
    returned = Counter(map(id, found))
    while log.objects:
        _, (owner, where) = log.objects.popitem()
        # One of the references is this variable, one is the argument that asks.
        if sys.getrefcount(owner) > 2 + returned[id(owner)]:
            raise ConversionError(at_user_line(attribute_of(owner), where))


def attribute_of(owner: Any) -> str:
    """The message for an attribute that a function in a body assigns to."""
    return (
        "a function called in a branch or a loop that a tensor decides on assigns to "
        f"an attribute of this {type(owner).__name__}, whether it is called when the "
        "program runs or not: return the value from the function, and assign it in the "
        "branch or the loop itself"
    )


def belongs_to_others(owner: Any) -> str:
    """The message for a container that a body must not change."""
    return (
        f"this {type(owner).__name__} is changed in a branch or a loop that a tensor "
        "decides on, and not in a way that can be left to the program: return what is "
        "new, and assign it to a variable of the function with the `if` or the loop"
    )
