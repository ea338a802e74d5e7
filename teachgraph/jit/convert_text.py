"""f-strings and `print` of tensors, which a program formats when it runs."""

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
    """A string with tensors in it, shown by their names until the program runs.

    Attributes:
        parts: Strings, and pairs (Variable, format spec).
    """

    __slots__ = ("parts",)
    parts: list[Any]

    def __new__(cls, parts: Sequence[Any]) -> Self:
        """Create a text of these parts."""
        words = [p if isinstance(p, str) else f"<{p[0].name}>" for p in parts]
        text = super().__new__(cls, "".join(words))
        text.parts = list(parts)
        return text


def convert_text(*parts: Any) -> str:
    """Format an f-string: strings, and triples (value, format spec, conversion)."""
    formats = [p if isinstance(p, str) else formatted(*p) for p in parts]
    if all(type(p) is str for p in formats):
        return "".join(formats)
    return Text([word for p in formats for word in words_of(p)])


def formatted(value: Any, spec: str, conversion: str) -> Any:
    """Format one value of an f-string; a tensor stays a pair with its format spec."""
    now = as_variable(value) if isinstance(value, Either) else value
    if isinstance(now, Variable):
        return now, spec
    if isinstance(now, Text):
        return now
    return format(CONVERSIONS[conversion](now) if conversion else now, spec)


def words_of(part: Any) -> list[Any]:
    """List the parts of a text; of a string, the string."""
    return part.parts if isinstance(part, Text) else [part]


def parts_of(text: Text) -> tuple[list[Any], list[str], list[Variable]]:
    """Split a text into attributes and inputs of an op.

    Returns:
        Its parts with None for each tensor, the format specs, and the tensors.
    """
    parts = [p if isinstance(p, str) else None for p in text.parts]
    later = [p for p in text.parts if not isinstance(p, str)]
    return parts, [spec for _, spec in later], [value for value, _ in later]


def convert_print(*values: Any, **options: Any) -> None:
    """`print` in each run of the program; into a file of the user's, now."""
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
