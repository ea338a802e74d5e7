"""Aliases that depend on a tensor, whose values must not change in place.

After `z = y if t else x`, `z` is an alias of y or of x in Python. In a program it is a
third value, so a change in place is refused if the user can still see one of the
others. `record_aliases` notes which those are.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from teachgraph.core import callsite
from teachgraph.errors import ConversionError
from teachgraph.jit.tracing import tracer
from teachgraph.nn.layer import Layer
from teachgraph.static.variable import Variable

__all__ = ["refuse_aliased"]

OPAQUE = (FunctionType, MethodType, ModuleType, Variable, type)
"""Kinds of objects whose attributes are not searched."""


def refuse_aliased(value: Any) -> None:
    """Refuse to change a value in place if a tensor decides what it is an alias of.

    Raises:
        ConversionError: It is such an alias, and the user can still see one of the
            other values, or another alias of them.
    """
    here = tracer()
    if here is None or not here.aliases:
        return
    by_id = {id(v): v for v in here.aliases.get(id(value), [value])}
    others = [v for v in by_id.values() if v is not value]
    persistent = any(getattr(v, "persistable", False) for v in others)
    if persistent or any(
        seen is not value
        and not by_id.keys().isdisjoint(
            [id(seen), *map(id, here.aliases.get(id(seen), ()))]
        )
        for seen in visible(here.outermost)
    ):
        raise ConversionError.here(AMBIGUOUS)


AMBIGUOUS = (
    "a tensor decides which of several values this is, so a change in place would have "
    "to change one of those that are there under other names as well, and which one "
    "is known only when the program runs: change a copy, as `.clone()` of a tensor or "
    "`list(...)` of a list makes one, or make the change inside the branches"
)


def visible(outermost: CodeType | None) -> Iterator[Any]:
    """Yield every object that the user's variables refer to, directly or not."""
    seen: set[int] = set()
    stack = list(variables(sys._getframe(), outermost))
    while stack:
        value = stack.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        if isinstance(value, dict):
            stack += value.values()
        elif isinstance(value, (list, tuple)):
            stack += value
        elif isinstance(value, Layer) or not (
            isinstance(value, OPAQUE) or internal(value)
        ):
            stack += getattr(value, "__dict__", {}).values()


def internal(value: Any) -> bool:
    """True for an object of this package: a program knows all of its variables."""
    return type(value).__module__.partition(".")[0] == "teachgraph"


def variables(frame: FrameType | None, outermost: CodeType | None) -> Iterator[Any]:
    """Yield the local variables on the call stack, out to the traced function's.

    A branch is a function within the user's, so its variables hide theirs. Callers of
    the traced function hold none of the program's values.
    """
    known: set[tuple[str, str, str]] = set()
    while frame is not None and frame.f_code is not outermost:
        code = frame.f_code
        if not code.co_filename.startswith(callsite.own_files):
            for name, value in frame.f_locals.items():
                # Conversion names a branch as the user's function, so that the inner
                # frame's value, which is the newer one, stands for both.
                key = code.co_filename, code.co_qualname, name
                if key not in known:
                    known.add(key)
                    yield value
        frame = frame.f_back
