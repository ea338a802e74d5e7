"""Changes that a branch or a loop body makes to Python containers.

They become changes of the program: values handed out of the body and put into the same
lists and dictionaries. A change that the program cannot make is refused, because while
tracing it would have to be made now or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from teachgraph.core.callsite import Callsite, callsite
from teachgraph.errors import ConversionError
from teachgraph.jit.aliasing import refuse_aliased
from teachgraph.jit.container_snapshot import CONTAINERS, refilled
from teachgraph.jit.tracing import tracer
from teachgraph.jit.undefined import Undefined

__all__ = [
    "Moved",
    "about_to_change",
    "change_contents",
    "convert_next",
    "convert_outside",
    "convert_rebound",
    "mark_moved",
    "refuse",
]


def about_to_change(owner: Any) -> None:
    """Save a container's contents, before the user's code changes them."""
    here = tracer()
    if here is not None and isinstance(owner, CONTAINERS):
        refuse_aliased(owner)
        saved = here.bodies[-1].save(owner)
        saved.where = saved.where or callsite()


def convert_outside(owner: Any) -> None:
    """Note that a function has assigned to an attribute of an object."""
    here = tracer()
    if here is not None and len(here.bodies) > 1:
        here.bodies[-1].objects.setdefault(id(owner), (owner, callsite()))


def convert_rebound(name: Callable[[], Any]) -> None:
    """Note that a function has assigned to a nonlocal or global name.

    Args:
        name: A function that reads the name, and no other.
    """
    cells = name.__closure__
    convert_outside(cells[0] if cells else name.__globals__)


def convert_next(iterator: Any, *default: Any) -> Any:
    """`next`; outside of the body that takes it, the iterator must not be seen."""
    convert_outside(iterator)
    return next(iterator, *default)


def change_contents(owner: Any, contents: Any) -> Any:
    """Replace a container's contents, as a change of the body around this one."""
    here = tracer()
    if here is not None:
        here.bodies[-1].save(owner)
    return refilled(owner, contents)


def mark_moved(owner: Any, where: Callsite | None = None) -> None:
    """Replace a container's contents by `Moved`, which refuses to be read."""
    gone = Moved(where)
    empty = dict.fromkeys(owner, gone) if isinstance(owner, dict) else [gone]
    change_contents(owner, empty)


class Moved(Undefined):
    """Placeholder in a list that has become an array under another name."""

    def __init__(self, where: Callsite | None) -> None:
        super().__init__("items")
        self.__dict__["where"] = where

    def refuse(self) -> NoReturn:
        """Raise an error that says what to do instead."""
        raise ConversionError.here(MOVED, self.__dict__["where"])


MOVED = (
    "a tensor has decided how long this list is, in a branch or a loop that changed it "
    "under another name: change and read it under one name, or return it from there "
    "and assign it"
)


def refuse(owner: Any, where: Callsite | None) -> NoReturn:
    """Refuse a change of a container.

    Raises:
        ConversionError: Always.
    """
    raise ConversionError.here(belongs_to_others(owner), where)


def belongs_to_others(owner: Any) -> str:
    """Error message for a container that a body must not change."""
    return (
        f"this {type(owner).__name__} is changed in a branch or a loop that a tensor "
        "decides on, and not in a way that can be left to the program: return what is "
        "new, and assign it to a variable of the function with the `if` or the loop"
    )
