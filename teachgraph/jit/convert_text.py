"""f-strings and `print` with tensors in them: they are written when a program runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, Self

from teachgraph.jit.messages import print_text
from teachgraph.jit.tracing import as_variable, tracer
from teachgraph.jit.undefined import Either
from teachgraph.static.program import current_block
from teachgraph.static.variable import Variable

__all__ = ["Text", "convert_print", "convert_text", "parts_of"]

CONVERSIONS: dict[str, Callable[[Any], Any]] = {"r": repr, "s": str, "a": ascii}


class Text(str):
    """A text with tensors in it, shown by their names until the program runs.

    Attributes:
        parts: Words, and (Variable, how to write it).
    """

    __slots__ = ("parts",)
    parts: list[Any]

    def __new__(cls, parts: Sequence[Any]) -> Self:
        """A text of these parts."""
        words = [p if isinstance(p, str) else f"<{p[0].name}>" for p in parts]
        made = super().__new__(cls, "".join(words))
        made.parts = list(parts)
        return made


def convert_text(*parts: Any) -> str:
    """An f-string: words, and (value, how to write it, conversion)."""
    found = [p if isinstance(p, str) else formatted(*p) for p in parts]
    if all(type(p) is str for p in found):
        return "".join(found)
    return Text([word for p in found for word in words_of(p)])


def formatted(value: Any, spec: str, conversion: str) -> Any:
    """One value of an f-string: text, or what is to be written later."""
    now = as_variable(value) if isinstance(value, Either) else value
    if isinstance(now, Variable):
        return now, spec
    if isinstance(now, Text):
        return now
    return format(CONVERSIONS[conversion](now) if conversion else now, spec)


def words_of(part: Any) -> list[Any]:
    """A part, or those it is made of."""
    return part.parts if isinstance(part, Text) else [part]


def parts_of(text: Text) -> tuple[list[Any], list[str], list[Variable]]:
    """A text as the op takes it: None for each tensor, how to write them, and they."""
    parts = [p if isinstance(p, str) else None for p in text.parts]
    later = [p for p in text.parts if not isinstance(p, str)]
    return parts, [spec for _, spec in later], [value for value, _ in later]


def convert_print(*values: Any, **options: Any) -> None:
    """`print`: each time the program runs, to a file of the user's only now."""
    shown = [as_variable(v) if isinstance(v, Either) else v for v in values]
    now = tracer() is None or options.get("file") is not None
    if now and not any(isinstance(value, (Variable, Text)) for value in shown):
        file = options.get("file") or sys.stdout
        end, separator = options.get("end"), options.get("sep")
        file.write((" " if separator is None else separator).join(map(str, shown)))
        file.write("\n" if end is None else end)
        return
    separator = " " if options.get("sep") is None else options["sep"]
    parts: list[Any] = []
    for value in shown:
        parts += [separator] if parts else []
        parts += (
            [(value, "")]
            if isinstance(value, Variable)
            else words_of(value if isinstance(value, Text) else str(value))
        )
    forms, specs, tensors = parts_of(Text(parts))
    end = "\n" if options.get("end") is None else options["end"]
    said = {"parts": forms, "specs": specs, "end": end}
    current_block().apply(print_text, tensors, said)  # also if there is no tensor
