"""Validation of a log from outside against the schema, field by field."""

from __future__ import annotations

import json
import reprlib
import sys
from collections.abc import Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NoReturn,
    cast,
    get_args,
    get_origin,
    is_typeddict,
)

from teachgraph.errors import DataError
from teachgraph_widgets.events import VERSION, Log
from teachgraph_widgets.schema import EVENTS, fields_of

__all__ = ["LogError", "read_log", "validate"]

MOST_EXACT = 2**53 - 1
"""The largest integer that JavaScript represents exactly."""


class LogError(DataError):
    """No event log, or one of another version; the message names the field."""


def read_log(text: str) -> Log:
    """Read a log from its JSON text.

    Raises:
        LogError: The text is no JSON, or no log.

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
    """Refuse NaN and Infinity, which Python's JSON reader accepts."""
    raise ValueError(f"{word} is no number")


def validate(value: Any) -> Log:
    """Return the value, after every field is checked.

    Raises:
        LogError: A field is wrong; the message names the first one.
    """
    if not isinstance(value, dict):
        raise LogError("a log is an object")
    version = value.get("version")
    if type(version) is not int or version != VERSION:
        raise LogError(f"version is {described(version)}; this reads {VERSION}")
    if not isinstance(value.get("title"), str):
        raise LogError("title is no text")
    if not isinstance(value.get("events"), list):
        raise LogError("events is no list")
    for name in value:
        if name not in ("version", "title", "events"):
            raise LogError(f"{described(name)} is no field of a log")
    for seq, event in enumerate(value["events"]):
        check_event(event, seq)
    return cast("Log", value)


def check_event(event: Any, seq: int) -> None:
    """Check an event: a known kind, with that kind's fields and its own number."""
    where = f"events[{seq}]"
    if not isinstance(event, dict):
        raise LogError(f"{where} is no object")
    if "kind" not in event:
        raise LogError(f"{where}.kind is missing")
    kind = event["kind"]
    if not isinstance(kind, str) or kind not in EVENTS:
        raise LogError(f"{where}.kind is {described(kind)}, which no event is")
    check_struct(event, EVENTS[kind], where)
    if event["seq"] != seq:
        raise LogError(f"{where}.seq is {event['seq']}: numbers have no gaps")


def check_struct(value: Any, struct: type, where: str) -> None:
    """Check a mapping: exactly the fields of a TypedDict."""
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
            wrong = f"{described(name)} is no field of {struct.__name__}"
            raise LogError(f"{where}: {wrong}")


def check(value: Any, hint: Any, where: str) -> None:
    """Check a value against its type in the schema."""
    origin = get_origin(hint)
    if is_typeddict(hint):
        check_struct(value, hint, where)
    elif origin in (list, dict):
        check_parts(value, hint, where)
    elif origin is Literal:
        if value not in get_args(hint):
            words = get_args(hint)
            raise LogError(f"{where} is {described(value)}, not one of {words}")
    elif origin is Annotated:
        check_scalar(value, int, where)
        if value < 0:
            raise LogError(f"{where} is {value}, less than 0")
    elif origin is not None:  # what is left is `... | None`
        if value is not None:
            check(value, get_args(hint)[0], where)
    else:
        check_scalar(value, hint, where)


def check_parts(value: Any, hint: Any, where: str) -> None:
    """Check the parts of a list or a mapping against their type in the schema."""
    kind: Any = get_origin(hint)
    if type(value) is not kind:
        raise LogError(f"{where} is {described(value)}, no {kind.__name__}")
    parts = enumerate(value) if kind is list else value.items()
    for key, part in parts:
        check(part, get_args(hint)[-1], f"{where}[{described(key)}]")


def check_scalar(value: Any, kind: type, where: str) -> None:
    """Check a number, a text or a bool; a bool is no number here.

    An integer must be exact in JavaScript and have no fraction, not even `.0`; any
    finite number is a float.
    """
    if kind is float:
        right = type(value) in (int, float) and abs(value) <= sys.float_info.max
    else:
        right = type(value) is kind
    if not right or (kind is int and abs(value) > MOST_EXACT):
        raise LogError(f"{where} is {described(value)}, no {kind.__name__}")


def described(value: Any) -> str:
    """Return a wrong value in a few characters that can be printed anywhere."""
    if isinstance(value, int) and abs(value) > MOST_EXACT:
        return "a number too large"
    return reprlib.repr(value)
