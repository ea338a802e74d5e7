"""A recorder of what the Python names of the source mean, and of what it prints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from threading import get_ident
from types import FunctionType, ModuleType
from typing import Any

from teachgraph.static.variable import Variable
from teachgraph_widgets.lines import Cursor
from teachgraph_widgets.log import EventLog, clean

__all__ = ["Bindings", "Output"]

MOST_NAMES = 60
LONGEST = 60
MOST_CHARACTERS = 20_000
HIDDEN = (FunctionType, ModuleType, type)
PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None)})
SIZED = frozenset({list, tuple, dict, set, frozenset})

Meaning = int | str
"""A tensor's number, or a text for anything else."""


class Bindings:
    """Writes which names have come to mean something else, line by line.

    Args:
        log: The log.
        find: Returns the number of a tensor, None for anything else.
    """

    def __init__(self, log: EventLog, find: Callable[[Any], int | None]) -> None:
        self.log, self.find = log, find
        self._last: dict[str, dict[str, Meaning]] = {}
        self.scope = ""

    def write(
        self, namespace: Mapping[str, Any], names: Sequence[str], scope: str, line: int
    ) -> None:
        """Write the names of a scope that have changed their meaning."""
        meanings: dict[str, Meaning] = {}
        for name in names[:MOST_NAMES]:
            if name in namespace and not name.startswith("_"):
                meaning = self.meaning(namespace[name])
                if meaning is not None:
                    meanings[name] = meaning
        last = self._last.get(scope, {})
        if meanings == last and scope == self.scope:
            return
        self._last[scope], self.scope = meanings, scope
        new = {n: m for n, m in meanings.items() if last.get(n) != m}
        tensors = tuple((n, m) for n, m in new.items() if isinstance(m, int))
        texts = tuple((n, m) for n, m in new.items() if isinstance(m, str))
        gone = tuple(name for name in last if name not in meanings)
        self.log.add(line, "names", scope, tensors, texts, gone)

    def meaning(self, value: Any) -> Meaning | None:
        """Return what a name means: of most things only the type, never their words."""
        number = self.find(value)
        if number is not None:
            return number
        kind = type(value)
        if issubclass(kind, HIDDEN):
            return None
        if kind in PLAIN:
            large = kind is int and value.bit_length() > 200
            return (
                "a large int" if large else clean(repr(value)[: 4 * LONGEST], LONGEST)
            )
        if kind in SIZED:
            return f"{kind.__name__} of {len(value)}"
        if isinstance(value, Variable):
            return clean(f"variable {value.name}", LONGEST)
        return clean(str(kind.__name__), LONGEST)


class Output:
    """Writes what is printed into the log, and passes it on.

    It stands in the place of `sys.stdout` while a source is traced.
    """

    def __init__(self, log: EventLog, cursor: Cursor) -> None:
        self._log, self._cursor = log, cursor
        self._left = MOST_CHARACTERS
        self._held = ""
        self._stream: Any = None

    def begin(self) -> None:
        """Take the place of `sys.stdout`."""
        self._stream, sys.stdout = sys.stdout, self

    def end(self) -> None:
        """Give the place back, unless somebody else has taken it."""
        self._record("", ends=True)
        self._left = -1
        if sys.stdout is self:
            sys.stdout = self._stream

    def write(self, text: str) -> Any:
        """Print a text, and record it."""
        written = self._stream.write(text)
        if self._left >= 0 and get_ident() == self._cursor.thread:
            try:
                self._record(text)
            except Exception as error:
                self._log.broke(error)
        return written

    def _record(self, text: str, *, ends: bool = False) -> None:
        kept = text[: self._left]
        self._left -= len(kept)
        self._held += kept
        if self._held and (ends or "\n" in kept):  # `print` writes part after part
            whole = clean(self._held, MOST_CHARACTERS)
            self._log.add(self._cursor.line, "output", whole)
            self._held = ""
        if len(text) > len(kept):
            why = f"a log holds {MOST_CHARACTERS:,} of them"
            self._log.leave_out("printed characters", why, len(text) - len(kept))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Any:
        return iter(self._stream)
