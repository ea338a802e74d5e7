"""Reading a document that somebody else wrote: nothing in it is taken on trust.

A `Part` is a value of the document together with the way to it, so that whatever is
wrong is refused with its place: `blocks[0].ops[3].inputs.X`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from teachgraph.core.errors import TeachgraphError
from teachgraph.errors import DataError

__all__ = ["DEEPEST", "Part", "parsed", "reading", "sound"]

LONGEST_NAME, DEEPEST = 1000, 100


class Part:
    """A value of a document, and where it stands.

    Attributes:
        value: What JSON made of it.
        path: The way to it from the top.
    """

    def __init__(self, value: Any, path: str = "") -> None:
        self.value, self.path = value, path

    def refuse(self, reason: str) -> DataError:
        """The error about this part of the document."""
        return DataError.here(f"{self.path or 'the document'}: {reason}")

    def of(self, kind: type, word: str) -> Any:
        """The value, which must be of this type exactly: True is no integer."""
        if type(self.value) is not kind:
            raise self.refuse(f"{word} was expected, got {str(self.value)[:40]!r}")
        return self.value

    def fields(self, *names: str, optional: Iterable[str] = ()) -> dict[str, Part]:
        """The parts of an object that has these fields and no others."""
        table = self.of(dict, "an object")
        for name in names:
            if name not in table:
                raise self.refuse(f"there is no {name!r}")
        for name in table:
            if name not in names and name not in optional:
                raise self.refuse(f"nobody knows {str(name)[:40]!r}")
        return self.entries()

    def entries(self) -> dict[str, Part]:
        """The parts of an object with any fields."""
        table = self.of(dict, "an object")
        return {
            name: Part(v, f"{self.path}.{name}"[-200:]) for name, v in table.items()
        }

    def items(self, most: int) -> Iterator[Part]:
        """The parts of a list of at most so many."""
        values = self.of(list, "a list")
        if len(values) > most:
            raise self.refuse(f"{len(values)} are too many, {most} is the most")
        return (Part(value, f"{self.path}[{i}]") for i, value in enumerate(values))

    def name(self) -> str:
        """A text that may be a name."""
        text: str = self.of(str, "a name")
        if not 0 < len(text) <= LONGEST_NAME:
            raise self.refuse(f"a name has 1 to {LONGEST_NAME} letters")
        return text

    def integer(self, least: int, most: int) -> int:
        """A whole number within bounds."""
        number: int = self.of(int, "a whole number")
        if not least <= number <= most:
            raise self.refuse(f"{str(number)[:40]} is not within {least} and {most}")
        return number

    def flag(self) -> bool:
        """True or false."""
        value: bool = self.of(bool, "true or false")
        return value

    def number(self) -> float:
        """A number that is finite."""
        if type(self.value) is int:
            return float(self.integer(-(2**63), 2**63))
        value: float = self.of(float, "a number")
        return value


def parsed(content: bytes | str) -> Part:
    """The top of a document, from the JSON it is written in.

    Raises:
        DataError: It is no JSON, says the same thing twice or is nested too deeply.

    >>> parsed('{"version": 1}').fields("version")["version"].integer(1, 1)
    1
    """
    try:
        return Part(
            sound(
                json.loads(
                    content, object_pairs_hook=unique_fields, parse_constant=not_finite
                )
            )
        )
    except (ValueError, RecursionError) as error:
        raise Part(None).refuse(f"it is no JSON of ours: {error}") from None


def sound(value: Any, deepest: int = DEEPEST) -> Any:
    """Require that a value of JSON is not nested too deeply, and that its texts are.

    Raises:
        ValueError: It is nested more than `deepest` deep, or half of a character stands
            in a text.

    >>> sound([[["deep"]]], deepest=2)
    Traceback (most recent call last):
    ValueError: it is nested too deeply: 2 is the most
    """
    level = [value]
    for _ in range(deepest + 1):
        inner: list[Any] = []
        for one in level:
            if one.__class__ is dict:
                inner += one
                inner += one.values()
            elif one.__class__ is list:
                inner += one
            elif one.__class__ is str:
                one.encode()
        if not inner:
            return value
        level = inner
    raise ValueError(f"it is nested too deeply: {deepest} is the most")


@contextmanager
def reading(source: Any) -> Iterator[None]:
    """Let whatever goes wrong with a file's content be an error about that file.

    What is checked says what is wrong with it. What is only found when something is
    built of it is said here.

    Raises:
        DataError: It went wrong.
    """
    try:
        yield
    except (TeachgraphError, OSError, ImportError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"[:1000]
        raise DataError.here(f"{source} is damaged: {reason}") from error


def unique_fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless a field stands in it twice."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise ValueError(f"{name[:40]!r} stands twice in one object")
        fields[name] = value
    return fields


def not_finite(word: str) -> float:
    """JSON has no infinities."""
    raise ValueError(f"{word} is no number of JSON")
