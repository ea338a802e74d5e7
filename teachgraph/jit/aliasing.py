"""Values that a tensor has chosen among several, which are not to change in place.

After `z = y if t else x`, Python would change y or x with z, as the case may be. A
program has a third value in z, so such a change is refused if one of the others can be
seen by somebody.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from teachgraph.core.callsite import ours
from teachgraph.core.errors import ConversionError, at_user_line
from teachgraph.jit.tracing import tracer
from teachgraph.nn.layer import Layer
from teachgraph.static.variable import Variable

__all__ = ["chosen", "not_chosen"]

NO_PLACES = (FunctionType, MethodType, ModuleType, Variable, type)
"""What is not looked into."""


def chosen(value: Any, *among: Any) -> Any:
    """The value, known to be one of several."""
    here = tracer()
    if here is not None:
        before = [one for other in among for one in here.chosen.get(id(other), ())]
        here.chosen[id(value)] = [value, *among, *before]
    return value


def not_chosen(value: Any) -> None:
    """See to it that no tensor has chosen between a value and others.

    Raises:
        ConversionError: One has, and somebody still sees one of the others, or what
            was chosen.
    """
    here = tracer()
    if here is None or not here.chosen:
        return
    among = {id(one): one for one in here.chosen.get(id(value), [value])}
    others = [one for one in among.values() if one is not value]
    kept = any(getattr(one, "persistable", False) for one in others)
    if kept or any(
        seen is not value
        and not among.keys().isdisjoint(
            [id(seen), *map(id, here.chosen.get(id(seen), ()))]
        )
        for seen in visible(here.outermost)
    ):
        raise ConversionError(at_user_line(AMBIGUOUS))


AMBIGUOUS = (
    "a tensor decides which of several values this is, so a change in place would have "
    "to change one of those that are there under other names as well, and which one "
    "is known only when the program runs: change a copy, as `.clone()` of a tensor or "
    "`list(...)` of a list makes one, or make the change inside the branches"
)


def visible(outermost: CodeType | None) -> Iterator[Any]:
    """What the user's variables stand for, and what these hold."""
    seen: set[int] = set()
    left = list(variables(sys._getframe(), outermost))
    while left:
        one = left.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, dict):
            left += one.values()
        elif isinstance(one, (list, tuple)):
            left += one
        elif isinstance(one, Layer) or not (isinstance(one, NO_PLACES) or inner(one)):
            left += getattr(one, "__dict__", {}).values()


def inner(one: Any) -> bool:
    """Whether an object is of this package: a program knows all of its variables."""
    return type(one).__module__.partition(".")[0] == "teachgraph"


def variables(frame: FrameType | None, outermost: CodeType | None) -> Iterator[Any]:
    """The variables of the functions that wait for this one, out to what is traced.

    A branch is a function within the user's: its variables come before theirs. Who
    called the traced function has none of the program's.
    """
    known: set[tuple[str, str, str]] = set()
    while frame is not None and frame.f_code is not outermost:
        code = frame.f_code
        if not ours(code.co_filename):
            for name, value in frame.f_locals.items():
                key = code.co_filename, code.co_qualname, name
                if key not in known:
                    known.add(key)
                    yield value
        frame = frame.f_back
