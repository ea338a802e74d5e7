"""Nested spans of time, the content of a profile, and their forms for output."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, NamedTuple

from teachgraph_widgets.events import Span as SpanFields
from teachgraph_widgets.log import clean

__all__ = ["Row", "Span", "chrome_trace", "flame", "rows_of"]

MICROSECOND = 1e6


@dataclass(slots=True)
class Span:
    """A timed span: an op, a gradient, a run, a backward pass, a step or user code.

    Attributes:
        name: The op's type, or the user's name for it.
        kind: `op`, `grad`, `run`, `pass` (a backward one), `step` or `user`.
        start: Its begin, in seconds since the profile began.
        end: Its end, likewise.
        depth: The number of spans that it is nested in.
        size: Bytes of its results.
        place: The user's file and line.
        shapes: The shapes of its inputs.
    """

    name: str
    kind: str
    start: float
    end: float = 0.0
    depth: int = 0
    size: int = 0
    place: tuple[str, int] = ("", 0)
    shapes: str = ""

    @property
    def seconds(self) -> float:
        """The duration."""
        return self.end - self.start


class Row(NamedTuple):
    """All spans of one name: their number, their times and their result bytes."""

    name: str
    kind: str
    calls: int
    total: float
    own: float
    least: float
    most: float
    size: int


def rows_of(spans: Sequence[Span]) -> list[Row]:
    """Group the spans by name, the longest total first.

    `own` is a span's time without that of the spans in it.

    >>> outer, inner = Span("f", "user", 0.0, 3.0), Span("g", "op", 1.0, 2.0, depth=1)
    >>> [(row.name, row.total, row.own) for row in rows_of([outer, inner])]
    [('f', 3.0, 2.0), ('g', 1.0, 1.0)]
    """
    groups: dict[tuple[str, str], list[tuple[Span, float]]] = {}
    for span, own in zip(spans, own_times(spans), strict=True):
        groups.setdefault((span.name, span.kind), []).append((span, own))
    rows = []
    for (name, kind), members in groups.items():
        times = [span.seconds for span, _ in members]
        own = sum(own for _, own in members)
        size = sum(span.size for span, _ in members)
        figures = len(times), sum(times), own, min(times), max(times), size
        rows.append(Row(name, kind, *figures))
    return sorted(rows, key=lambda row: -row.total)


def own_times(spans: Sequence[Span]) -> list[float]:
    """Return each span's time without that of the spans directly inside it."""
    order = sorted(range(len(spans)), key=lambda i: (spans[i].start, spans[i].depth))
    own = [span.seconds for span in spans]
    open_: list[int] = []
    for i in order:
        while open_ and spans[open_[-1]].depth >= spans[i].depth:
            open_.pop()
        if open_:
            own[open_[-1]] -= spans[i].seconds
        open_.append(i)
    return own


def flame(spans: Iterable[Span]) -> list[SpanFields]:
    """Return the spans as an event log has them, for a flame chart."""
    event_spans: list[SpanFields] = []
    for span in spans:
        fields: SpanFields = {
            "name": clean(span.name),
            "start": round(span.start, 7),
            "duration": round(max(span.seconds, 0.0), 7),
            "depth": span.depth,
        }
        if span.size:
            fields["bytes"] = span.size
        if span.place[1]:
            fields["at"] = span.place[1]
        event_spans.append(fields)
    return event_spans


def chrome_trace(spans: Iterable[Span], worker: str) -> dict[str, Any]:
    """Return the spans in Chrome's trace format: complete events, in microseconds."""
    process = os.getpid()
    place = {"pid": process, "tid": 0}
    named = {"name": "process_name", "ph": "M", **place, "args": {"name": worker}}
    return {
        "displayTimeUnit": "ms",
        "traceEvents": [named, *(complete(span, place) for span in spans)],
    }


def complete(span: Span, place: dict[str, int]) -> dict[str, Any]:
    """Return one span as a complete event."""
    args: dict[str, Any] = {}
    if span.size:
        args["bytes"] = span.size
    if span.shapes:
        args["shapes"] = span.shapes
    if span.place[1]:
        args["line"] = f"{PurePath(span.place[0]).name}:{span.place[1]}"
    return {
        "name": clean(span.name),
        "cat": span.kind,
        "ph": "X",
        "ts": round(span.start * MICROSECOND, 3),
        "dur": round(max(span.seconds, 0.0) * MICROSECOND, 3),
        **place,
        "args": args,
    }
