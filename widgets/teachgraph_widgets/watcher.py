"""The base of the recorder's observers: a log, a cursor, a budget, and a guard.

An observer runs inside the user's own line. The guard lets it neither raise there nor
record the work of another thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, wraps
from threading import get_ident
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

import numpy as np

from teachgraph.utils.observe import Observer
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.lines import Cursor
from teachgraph_widgets.log import EventLog, clean
from teachgraph_widgets.stats import ValueStats, number

__all__ = ["Watcher", "careful", "cleaned", "short_text", "short_texts"]

LONGEST_ATTRIBUTE = 80

P = ParamSpec("P")
W = TypeVar("W", bound="Watcher")


class Watcher(Observer):
    """An observer that writes announcements into a log."""

    def __init__(
        self, log: EventLog, cursor: Cursor, budget: Budget, *, values: bool = True
    ) -> None:
        self.log, self.cursor, self.budget, self.values = log, cursor, budget, values

    def summarize(
        self, value: Any, owner: int = -1, visit: int = 0
    ) -> ValueStats | None:
        """Return a value's statistics, None if the budget refuses them.

        Args:
            value: The value.
            owner: The number of its program; by default the current line is the owner.
            visit: The number of runs of that program so far.
        """
        if not self.values:
            return None
        size, budget = value.size, self.budget
        if size == 1:
            return number(value)
        if owner < 0:
            cursor = self.cursor
            owner, visit = -cursor.line, cursor.visits.get(cursor.line, 0)
        if budget.grants(owner, visit, size):
            return budget.summarizer.summary(value)
        return None


def careful(
    method: Callable[Concatenate[W, P], None],
) -> Callable[Concatenate[W, P], None]:
    """Guard an observer's method: it never raises, and ignores other threads."""
    listen: Callable[..., None] = method

    @wraps(method)
    def guarded(self: Any, *facts: Any) -> None:
        if get_ident() != self.cursor.thread:
            return
        try:
            listen(self, *facts)
        except Exception as error:
            self.log.broke(error)

    return cast("Callable[Concatenate[W, P], None]", guarded)


def short_texts(attrs: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return attributes as short text, or as constants that a reader converts.

    >>> short_texts({"axis": 1, "scale": 0.5, "value": np.zeros(9)})
    (('axis', '1'), ('scale', 0.5), ('value', '<9 values>'))
    """
    return tuple(
        [
            (name, x if x.__class__ in PLAIN else short_text(x))
            for name, x in attrs.items()
        ]
    )


cleaned = lru_cache(maxsize=1024)(clean)
"""`clean`, cached: few names come again with each op."""

PLAIN = frozenset({bool, float, type(None)})
"""Immutable types whose `repr` is short and needs no cleaning."""

NUMBERS = PLAIN | {int}


def short_text(value: Any) -> str:
    """Return an attribute as text: strings bare, arrays by size, all else by `repr`."""
    if value.__class__ in NUMBERS:
        return repr(value)[:LONGEST_ATTRIBUTE]
    if isinstance(value, np.ndarray):
        return f"<{value.size} values>"
    text = value if isinstance(value, str) else repr(value)
    if isinstance(value, np.generic):
        text = str(value)
    return clean(text, LONGEST_ATTRIBUTE)
