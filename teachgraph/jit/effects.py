"""Lists and dictionaries of others that a branch or a loop of a program would change.

A branch is traced whether it is taken or not. What it changes of its function's own
variables is handed on by name; a list that somebody else holds as well (an argument of
a helper, a variable of a function around, a part of an object) would be changed for
good. So containers that were changed are looked at when the trace of a body is done.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from teachgraph.callsite import Callsite, callsite
from teachgraph.errors import ConversionError, at_user_line
from teachgraph.jit.tracing import tracer

__all__ = ["noted", "traced_body"]

CONTAINERS = (list, dict, set, deque)


def handed_on(value: Any) -> bool:
    """Whether each branch and round has a copy of its own of a container."""
    return isinstance(value, (tuple, dict)) or type(value) is list


def noted(owner: Any) -> None:
    """Remember that a container is about to be changed."""
    here = tracer()
    if here is not None and here.bodies and isinstance(owner, CONTAINERS):
        changed = here.bodies[-1]
        if not any(one is owner for one, _ in changed):
            changed.append((owner, callsite()))


def traced_body(
    body: Callable[..., tuple[Any, ...]], given: list[Any]
) -> tuple[Any, ...]:
    """What a body returns for copies of its own, which nobody else holds.

    Raises:
        ConversionError: It has changed a container that others hold.
    """
    here = tracer()
    if here is None:
        return body(*given)
    changed: list[tuple[Any, Callsite | None]] = []
    here.bodies.append(changed)
    try:
        found = body(*given)
    finally:
        here.bodies.pop()
    given.clear()
    check(changed, found)
    return found


def check(changed: list[tuple[Any, Callsite | None]], found: Any) -> None:
    """Refuse changes of containers that somebody else holds."""
    returned = list(containers(found, own=True))
    while changed:
        owner, where = changed.pop()
        if (id(owner), True) in returned:
            continue
        within = returned.count((id(owner), False))
        # One of the references is this variable, one is the argument that asks.
        if sys.getrefcount(owner) > 2 + within:
            raise ConversionError(at_user_line(belongs_to_others(owner), where))


def containers(value: Any, *, own: bool) -> Iterator[tuple[int, bool]]:
    """The identities of the containers in a nest, and whether they are copies."""
    if isinstance(value, (*CONTAINERS, tuple)):
        own = own and handed_on(value)
        yield id(value), own
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item, own=own)


def belongs_to_others(owner: Any) -> str:
    """The message for a container that a body must not change."""
    return (
        f"this {type(owner).__name__} is changed in a branch or a loop that a tensor "
        "decides on, but it is not a list or a dict that a variable of this function "
        "alone stands for, so the change cannot be left to the program: return what is "
        "new, and assign it to a variable of the function with the `if` or the loop"
    )
