"""Checks a log that comes from outside, field by field, before it is drawn."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Literal, NoReturn, cast, get_args, get_origin, is_typeddict

from teachgraph.errors import DataError
from teachgraph_widgets.events import VERSION, Log
from teachgraph_widgets.schema import EVENTS, fields_of

__all__ = ["LogError", "read_log", "validate"]


class LogError(DataError):
    """Something that is no event log, or of another version; it names the field."""


def read_log(text: str) -> Log:
    """A log from its JSON text.

    Raises:
        LogError: It is no JSON, or no log.

    >>> read_log('{"version": 1, "title": "", "events": [{"seq": 1}]}')
    Traceback (most recent call last):
    teachgraph_widgets.validate.LogError: events[0].kind is missing
    """
    try:
        value = json.loads(text, parse_constant=refuse)
    except ValueError as error:
        raise LogError(f"a log is JSON: {error}") from None
    except RecursionError:
        raise LogError("a log is JSON nested a few levels, not thousands") from None
    return validate(value)


def refuse(word: str) -> NoReturn:
    """Refuse the words that Python's JSON has and JSON has not."""
    raise ValueError(f"{word} is no number")


def validate(value: Any) -> Log:
    """The value, which is a log in every field.

    Raises:
        LogError: It is not; the message names the first field that is wrong.
    """
    if not isinstance(value, dict):
        raise LogError("a log is an object")
    if value.get("version") != VERSION:
        raise LogError(f"version is {value.get('version')!r}; this reads {VERSION}")
    if not isinstance(value.get("title"), str):
        raise LogError("title is no text")
    if not isinstance(value.get("events"), list):
        raise LogError("events is no list")
    if extra := set(value) - {"version", "title", "events"}:
        raise LogError(f"{min(extra)} is no field of a log")
    for seq, event in enumerate(value["events"]):
        check_event(event, seq)
    return cast("Log", value)


def check_event(event: Any, seq: int) -> None:
    """An event must be of a known kind, with that kind's fields and its own number."""
    where = f"events[{seq}]"
    kind = event.get("kind") if isinstance(event, dict) else None
    if kind is None:
        raise LogError(f"{where}.kind is missing")
    if not isinstance(kind, str) or kind not in EVENTS:
        raise LogError(f"{where}.kind is {kind!r}, which no event is")
    check_struct(event, EVENTS[kind], where)
    if event["seq"] != seq:
        raise LogError(f"{where}.seq is {event['seq']}: numbers have no gaps")


def check_struct(value: Any, struct: type, where: str) -> None:
    """A mapping must have exactly the fields of a TypedDict."""
    if not isinstance(value, Mapping):
        raise LogError(f"{where} is no object")
    fields = fields_of(struct)
    for name, field in fields.items():
        if name in value:
            check(value[name], field.type, f"{where}.{name}")
        elif field.required:
            raise LogError(f"{where}.{name} is missing")
    for name in value:
        if name not in fields:
            raise LogError(f"{where}.{name!s:.40} is no field of {struct.__name__}")


def check(value: Any, hint: Any, where: str) -> None:
    """A value must be of the type that the schema says."""
    origin = get_origin(hint)
    if is_typeddict(hint):
        check_struct(value, hint, where)
    elif origin is Literal:
        if value not in get_args(hint):
            raise LogError(f"{where} is {value!r:.40}, not one of {get_args(hint)}")
    elif origin is list:
        check_kind(value, list, where)
        for index, part in enumerate(value):
            check(part, get_args(hint)[0], f"{where}[{index}]")
    elif origin is dict:
        check_kind(value, dict, where)
        for name, part in value.items():
            check(part, get_args(hint)[1], f"{where}[{name!r:.40}]")
    elif origin is not None:  # what is left is `... | None`
        if value is not None:
            check(value, get_args(hint)[0], where)
    else:
        check_scalar(value, hint, where)


def check_kind(value: Any, kind: type, where: str) -> None:
    """A container must be of this kind."""
    if not isinstance(value, kind):
        raise LogError(f"{where} is {value!r:.40}, no {kind.__name__}")


def check_scalar(value: Any, kind: type, where: str) -> None:
    """A number, a text or a truth value; a truth value is no number here."""
    if kind is float:
        right = type(value) in (int, float) and math.isfinite(value)
    else:
        right = type(value) is kind
    if not right:
        raise LogError(f"{where} is {value!r:.40}, no {kind.__name__}")
