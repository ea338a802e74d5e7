"""The event log: append-only, numbered without gaps, and never too long.

All pictures are drawn from it, so it says what it leaves out: each `dropped` event
counts what was cut or sampled, and why. While the user's code runs an event is a tuple,
which costs a fraction of a microsecond and which the garbage collector need not
traverse. Times and lines are in lists beside it: each living container object brings
the next collection nearer. A reader of the log gets the dictionaries of the schema.
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
from teachgraph_widgets.stats import LazyStats, stats_of

__all__ = ["EventLog", "clean", "message_of", "packed", "written"]

MOST_EVENTS = 250_000
LONGEST_TEXT = 2000
SMALL = 200_000
LONGEST_SOURCE = 200_000

Record = tuple[Any, ...]
"""An event's kind, and the kind's fields in the schema's order."""


class EventLog:
    """The events of one trace.

    Attributes:
        title: The picture's heading.
        pending: A line that has started, to be recorded with its first event.
        starts: How often that line has started; None if that is not known.
        callers: The lines that have started before it, with the same numbers, and
            called what it is in.
        started: The trace's begin, in seconds since 1970.
        begin_time: The same on the clock of `perf_counter`.
        due: The moment (`perf_counter`) after which `add` calls `overdue`.
        overdue: Sends the events on.
        holding: True if events are held back that must come before any other.
        release: Called by `add` in that case: it adds them.
    """

    def __init__(self, title: str, *, most: int = MOST_EVENTS) -> None:
        self.title = clean(title)
        self.most = most
        self.pending = 0
        self.starts: int | None = 0
        self.callers: Sequence[tuple[int, int | None]] = ()
        self.started = time()
        self.due = math.inf
        self.overdue: Callable[[], None] = nothing
        self.holding = False
        self.release: Callable[[], None] = nothing
        self._records: list[Record] = []
        self._times: list[float] = []
        self._lines: list[int] = []
        self.begin_time = perf_counter()
        self._left_out: Counter[tuple[str, str]] = Counter()

    def __len__(self) -> int:
        return len(self._records)

    def add(self, line: int, *record: Any) -> None:
        """Append an event, and before it the start of its line if that is pending.

        Args:
            line: The user's line, 0 for none.
            record: Its kind, then its own fields in the order of the schema; None for
                an absent field; absent last fields may be left out.
        """
        self.add_all(line, (record,))

    def add_all(self, line: int, added: Sequence[Record]) -> None:
        """Append events of one moment and line, each as its kind and its own fields."""
        if self.holding:
            self.release()
        records, times, lines = self._records, self._times, self._lines
        if len(records) + len(added) > self.most:
            self.leave_out("events", f"a log holds {self.most:,}", len(added))
            return
        now = perf_counter()
        if self.pending:
            for started, starts in (*self.callers, (self.pending, self.starts)):
                times.append(now)
                lines.append(started)
                records.append(("line", starts))
            self.pending, self.callers = 0, ()
        for record in added:
            times.append(now)
            lines.append(line)
            records.append(record)
        if now >= self.due:
            self.overdue()

    def begin(self, source: str, *, has_markers: bool = True) -> None:
        """Append the begin of a traced source; without markers, counts are bounds."""
        text, sampled = clean(source, LONGEST_SOURCE), None if has_markers else True
        self._append(0, "cell_begin", self.title, text, sampled)

    def end(
        self,
        line: int,
        error: BaseException | None,
        starts: Sequence[tuple[str, int]] = (),
    ) -> None:
        """Append the counts of what was left out, and the end of the source.

        Args:
            line: The line that ran last.
            error: The error that the source raised.
            starts: Lines of which not all starts are in the log, with their number.
        """
        self.release()
        for (what, why), count in self._left_out.items():
            self._append(0, "dropped", count, what, why)
        message = None if error is None else message_of(error)
        self._append(line, "cell_end", error is None, message, starts or None)

    def op_types(self) -> set[str]:
        """Return the types of all ops, on Tensors and in programs, so far."""
        place = {"node": 2, "op": 5}
        return {r[place[r[0]]] for r in self._records if r[0] in place}

    def hold(self, release: Callable[[], None]) -> None:
        """Let `release` add events that are held back, before any other."""
        if self.holding:
            self.release()
        self.holding, self.release = True, release

    def leave_out(self, what: str, why: str, count: int = 1) -> None:
        """Count something that is not in the log; `end` records the counts."""
        self._left_out[what, why] += count

    def broke(self, error: Exception) -> None:
        """Count a failure of the recorder itself; the user's line goes on."""
        self.leave_out("announcements", f"the recorder failed: {message_of(error)}")

    def events(self, first: int = 0, last: int | None = None) -> list[AnyEvent]:
        """Return the events from number `first` up to, and without, number `last`."""
        records = self._records[first:last]
        return [self._event(seq, record) for seq, record in enumerate(records, first)]

    def whole(self, known: Sequence[AnyEvent] = ()) -> Log:
        """Return the log as pages and files hold it; `known` are its first events."""
        events = [*known, *self.events(len(known))]
        return {"version": VERSION, "title": self.title, "events": events}

    def weight(self, seq: int) -> int:
        """Estimate the bytes of an event as JSON, rather too high than too low."""
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
            "t": round(when - self.begin_time, 6),
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


Convert = Callable[[Any], Any]


def conversion(hint: Any) -> Convert:
    """Return the function that converts a record's field to this type of the schema.

    A record has tuples for lists, pairs for mappings, and lazy statistics of values.

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
    """Return the field unchanged."""
    return fact


def conversions(event: type) -> list[tuple[str, Convert, bool]]:
    """Return name, conversion and optionality of a kind's own fields."""
    own = list(fields_of(event).items())[5:]  # the first five are those of `Event`
    return [(name, conversion(f.type), not f.required) for name, f in own]


CONVERSIONS = {kind: conversions(event) for kind, event in EVENTS.items()}


def weight(parts: Sequence[Any]) -> int:
    """Estimate the bytes that the parts of a list take as JSON."""
    total = 80
    for part in parts:
        if isinstance(part, str):
            total += 4 * len(part) + 20
        elif isinstance(part, (tuple, list)):
            total += weight(part) if part else 80
        elif isinstance(part, LazyStats):
            total += part.weight
        else:
            total += 25 if part is None or isinstance(part, (int, float)) else 500
    return total


def nothing() -> None:
    """Do nothing."""


def clean(text: str, longest: int = LONGEST_TEXT) -> str:
    r"""Return a text that can be encoded: not too long, without lone surrogates.

    >>> clean("abc\ud800def", 5)
    'abc?…'
    """
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def message_of(error: BaseException) -> str:
    """Return an error as the last line of a traceback."""
    text = str(error)
    return clean(f"{type(error).__name__}: {text}" if text else type(error).__name__)


def written(log: Log) -> str:
    r"""Return the log as JSON, in one line.

    >>> written({"version": 1, "title": "é", "events": []})
    '{"version":1,"title":"\\u00e9","events":[]}'
    """
    return json.dumps(log, separators=(",", ":"), allow_nan=False)


def packed(log: Log) -> bytes:
    """Gzip the log's JSON: the same bytes for the same log."""
    text = written(log).encode("ascii")
    return gzip.compress(text, compresslevel=9 if len(text) < SMALL else 5, mtime=0)
