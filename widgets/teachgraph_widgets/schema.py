"""The event log's schema at run time: each structure's fields and their types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple, NotRequired, get_args, get_origin, get_type_hints

from teachgraph_widgets import events

__all__ = ["EVENTS", "Field", "fields_of"]


class Field(NamedTuple):
    """One field of a structure."""

    type: Any
    required: bool


@cache
def fields_of(struct: type) -> Mapping[str, Field]:
    """Return the fields of a TypedDict, its bases' first, in order.

    >>> list(fields_of(events.Free))
    ['seq', 't', 'cell', 'line', 'kind', 'node']
    """
    fields = {}
    for name, hint in get_type_hints(struct, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        fields[name] = Field(get_args(hint)[0] if optional else hint, not optional)
    base = get_type_hints(events.Event) if "kind" in fields else {}
    return {
        name: fields[name] for name in (*base, *(n for n in fields if n not in base))
    }


def kind_of(event: type) -> str:
    """Return the only value of an event's `kind`."""
    (word,) = get_args(fields_of(event)["kind"].type)
    return str(word)


EVENTS: Mapping[str, type] = {kind_of(e): e for e in get_args(events.AnyEvent)}
"""Every event's TypedDict, by its kind."""
