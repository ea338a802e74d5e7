"""The event log: append-only, numbered without gaps, and never too long.

Everything that is drawn is drawn from it, so what it leaves out it says: each `dropped`
event counts what was cut or sampled, and why. While the user's code runs an event is a
tuple, which costs a fraction of a microsecond and which the garbage collector need not
walk; when and where stand in lists beside it, as each object that lives on brings the
collector's next round nearer. It becomes the dictionary of the schema when somebody
asks for it.
"""

from __future__ import annotations

import gzip
import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from time import perf_counter, time
from typing import Any, cast, get_args, get_origin

from teachgraph_widgets.events import VERSION, AnyEvent, Log, Stats
from teachgraph_widgets.schema import EVENTS, fields_of
from teachgraph_widgets.stats import Look, stats_of

__all__ = ["EventLog", "clean", "message_of", "packed", "written"]

MOST_EVENTS = 250_000
LONGEST_TEXT = 2000
LONGEST_SOURCE = 200_000

Record = tuple[Any, ...]
"""An event's kind, and the kind's fields in the schema's order."""


class EventLog:
    """The events of one trace.

    Attributes:
        title: What the picture is called.
        pending: A line that has started but is told only if something happens on it.
        started: When the trace began, in seconds since 1970.
        due: From which moment (`perf_counter`) on `overdue` is to be called.
        overdue: Called then, by `add`: to send the events on.
        holding: Whether events are held back that must come before any other.
        release: Called then, by `add`: to add them.
    """

    def __init__(self, title: str, *, most: int = MOST_EVENTS) -> None:
        self.title = clean(title)
        self.most = most
        self.pending = 0
        self.started = time()
        self.due = math.inf
        self.overdue: Callable[[], None] = nothing
        self.holding = False
        self.release: Callable[[], None] = nothing
        self._records: list[Record] = []
        self._times: list[float] = []
        self._lines: list[int] = []
        self._start = perf_counter()
        self._left_out: Counter[tuple[str, str]] = Counter()

    def __len__(self) -> int:
        return len(self._records)

    def add(self, line: int, *record: Any) -> None:
        """Append an event, and before it the start of its line if that is pending.

        Args:
            line: The line to blame, 0 for none.
            record: Its kind, then its own fields in the order of the schema; None where
                one is absent, nothing where the last ones are.
        """
        self.add_all(line, (record,))

    def add_all(self, line: int, told: Sequence[Record]) -> None:
        """Append events that belong together: of each, its kind and its own fields."""
        if self.holding:
            self.release()
        records, count = self._records, len(told)
        if len(records) + count > self.most:
            self.leave_out("events", f"a log holds {self.most:,}", count)
            return
        now = perf_counter()
        if self.pending:
            self._times.append(now)
            self._lines.append(self.pending)
            records.append(LINE)
            self.pending = 0
        self._times += (now,) * count
        self._lines += (line,) * count
        records += told
        if now >= self.due:
            self.overdue()

    def begin(self, source: str) -> None:
        """A source starts to run."""
        self._append(0, "cell_begin", self.title, clean(source, LONGEST_SOURCE))

    def end(self, line: int, error: BaseException | None) -> None:
        """The source has run: say what was left out, and how it ended."""
        self.release()
        for (what, why), count in self._left_out.items():
            self._append(0, "dropped", count, what, why)
        message = None if error is None else message_of(error)
        self._append(line, "cell_end", error is None, message)

    def leave_out(self, what: str, why: str, count: int = 1) -> None:
        """Count something that is not in the log; `end` says so."""
        self._left_out[what, why] += count

    def broke(self, error: Exception) -> None:
        """The recorder itself failed; the user's line goes on."""
        self.leave_out("announcements", f"the recorder failed: {message_of(error)}")

    def events(self, first: int = 0, last: int | None = None) -> list[AnyEvent]:
        """The events from number `first` up to, and without, number `last`."""
        records = self._records[first:last]
        return [self._event(seq, record) for seq, record in enumerate(records, first)]

    def whole(self, known: Sequence[AnyEvent] = ()) -> Log:
        """The log as a page or a file holds it; `known` are its first events."""
        events = [*known, *self.events(len(known))]
        return {"version": VERSION, "title": self.title, "events": events}

    def weight(self, seq: int) -> int:
        """About how many bytes an event takes as JSON; rather too many than too few."""
        return weight(self._records[seq]) + 100

    def _append(self, line: int, *record: Any) -> None:
        self._times.append(perf_counter())
        self._lines.append(line)
        self._records.append(record)

    def _event(self, seq: int, record: Record) -> AnyEvent:
        when, line = self._times[seq], self._lines[seq]
        kind, *facts = record
        event: dict[str, Any] = {
            "seq": seq,
            "t": round(when - self._start, 6),
            "cell": 0,
            "line": line,
            "kind": kind,
        }
        for field, fact in zip(CONVERSIONS[kind], facts, strict=False):
            name, convert, optional = field
            if fact is not None:
                event[name] = convert(fact)
            elif not optional:
                event[name] = None
        return cast("AnyEvent", event)


LINE: Record = ("line",)
"""A statement starts."""

Convert = Callable[[Any], Any]


def conversion(hint: Any) -> Convert:
    """How a field of this type is made of what a record holds.

    A record has tuples for lists, pairs for mappings, and what was seen of a value.

    >>> conversion(dict[str, list[int]])((("a", (1, 2)),))
    {'a': [1, 2]}
    """
    if hint is Stats:
        return stats_of
    if get_origin(hint) is list:
        return list
    if get_origin(hint) is dict:
        inner = conversion(get_args(hint)[1])
        return lambda pairs: {clean(name): inner(part) for name, part in pairs}
    return str if hint is str else as_it_is


def as_it_is(fact: Any) -> Any:
    """The fact."""
    return fact


def conversions(event: type) -> list[tuple[str, Convert, bool]]:
    """A kind's own fields, without the five that all have; may they be absent?"""
    own = list(fields_of(event).items())[5:]
    return [(name, conversion(f.type), not f.required) for name, f in own]


CONVERSIONS = {kind: conversions(event) for kind, event in EVENTS.items()}


def weight(parts: Sequence[Any]) -> int:
    """About how many bytes the parts of a list take as JSON."""
    total = 80
    for part in parts:
        if isinstance(part, str):
            total += 4 * len(part) + 20
        elif isinstance(part, (tuple, list)):
            total += weight(part) if part else 80
        elif isinstance(part, Look):
            total += part.weight
        else:
            total += 25 if part is None or isinstance(part, (int, float)) else 500
    return total


def nothing() -> None:
    """Do nothing."""


def clean(text: str, longest: int = LONGEST_TEXT) -> str:
    r"""A text that can be written and sent: not too long, without half characters.

    >>> clean("abc\ud800def", 5)
    'abc?…'
    """
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def message_of(error: BaseException) -> str:
    """An error as the end of a traceback says it."""
    text = str(error)
    return clean(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def written(log: Log) -> str:
    r"""The log as JSON, in one line.

    >>> written({"version": 1, "title": "é", "events": []})
    '{"version":1,"title":"\\u00e9","events":[]}'
    """
    return json.dumps(log, separators=(",", ":"), allow_nan=False)


def packed(log: Log) -> bytes:
    """The log as gzip of its JSON: the same bytes for the same log."""
    return gzip.compress(written(log).encode("ascii"), compresslevel=5, mtime=0)
