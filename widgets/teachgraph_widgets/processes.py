"""Recorders of a cluster: the programs and messages of its trainers and servers.

The threads of `run_local` write into the log of the trace around them, each with its
own position in the source. A process on Ray has a log of its own; `merged` puts all on
one clock and makes one log of them.
"""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from teachgraph.autograd.observed import attach, detach
from teachgraph.core.observe import observers
from teachgraph.core.program import OpRole, Program
from teachgraph.utils.observe import Observer
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.eager import EagerRecorder
from teachgraph_widgets.events import VERSION, Log
from teachgraph_widgets.lines import Cursor, Source
from teachgraph_widgets.log import EventLog, clean, written
from teachgraph_widgets.op_docs import write_about
from teachgraph_widgets.page import write_page
from teachgraph_widgets.programs import ProgramRecorder
from teachgraph_widgets.step_sampling import is_recorded

if TYPE_CHECKING:
    from teachgraph.distributed.record import Message
    from teachgraph.distributed.roles import Role

__all__ = ["ProcessRecorder", "Processes", "RayProcess", "merged", "write"]

APART = 1_000_000
"""Programs, operators and runs of the next thread are counted from so much further."""

LOGS_APART = 1000 * APART
"""Distance of the numbers of the next log."""

NUMBERS = "program", "origin", "op", "twin", "run"


class ProcessRecorder(ProgramRecorder):
    """Records the programs of one process of a cluster.

    Args:
        log: The log.
        cursor: The position of the process in the source.
        budget: Limits what is summarised.
        role: Its part in the cluster.
        values: True to summarise values too.
        first: The number of its first program, operator and run.
    """

    def __init__(
        self,
        log: EventLog,
        cursor: Cursor,
        budget: Budget,
        role: Role,
        *,
        values: bool = True,
        first: int = 0,
    ) -> None:
        from teachgraph.distributed.communication import get_start_step

        super().__init__(log, cursor, budget, values=values, first=first)
        self.role, self.process = role, number_of(role)
        self.start = 0 if role.is_server else get_start_step()

    def begin(self) -> None:
        """Start to record."""
        kind = "server" if self.role.is_server else "trainer"
        self.log.add(0, "process", self.process, kind, clean(str(self.role)))
        self.cursor.begin()
        attach(self)

    def end(self) -> None:
        """Stop to record."""
        detach(self)
        self.release()
        self.cursor.end()
        if self.skipped:
            self.write_counts()

    def title(self, program: Program, *rest: Any) -> str:
        """Return a program's title, behind the name of its process."""
        return f"{self.role}: {super().title(program, *rest)}"

    def step_of(self, message: Message) -> int | None:
        """Return the step of a message, None if that step is not recorded.

        A trainer's steps are the runs of the program that has a backward part.
        """
        if self.role.is_server or self.running is None:
            recorded = is_recorded(max(message.step - self.start, 1))
            return message.step if recorded else None
        if not self._followed:
            return None
        trains = any(
            op.role & OpRole.BACKWARD for op in self.running.global_block().ops
        )
        return self.start + self._run[1] if trains else 0

    def write_message(self, message: Message, begin: float) -> None:
        """Record a message; `begin` is the reading of its clock when the log began."""
        died = message.what == "restart"  # told whatever the step
        step = message.step if died else self.step_of(message)
        if step is None:
            return
        peer, name = clean(message.peer), clean(message.name)
        facts = step, message.what, peer, name, message.nbytes
        times = round(message.begin - begin, 6), round(message.end - message.begin, 6)
        self.log.add(self.cursor.line, "message", self.process, *facts, *times)


def number_of(role: Role) -> int:
    """Return the number of a process: trainers first, then servers.

    >>> from teachgraph.distributed import Role
    >>> number_of(Role("PSERVER", 0, trainers=2, endpoints=("a:1",)))
    2
    """
    return role.index + role.trainers * role.is_server


class Processes(Observer):
    """Records the processes of a cluster that run as threads of the traced code.

    Their Tensors too, those of each inside a layer of its name; on Ray, whose logs are
    merged, only programs and messages.

    Args:
        log: The log of the trace.
        source: The traced source.
        budget: Limits what is summarised.
        values: True to summarise values too.
    """

    has_tensors = True

    def __init__(
        self, log: EventLog, source: Source, budget: Budget, *, values: bool
    ) -> None:
        self.log, self.source, self.budget, self.values = log, source, budget, values
        self.by_title: dict[str, ProcessRecorder] = {}
        self.eager: dict[str, EagerRecorder] = {}
        self.begun = 0

    def process_begin(self, role: Role) -> None:
        """Record this thread."""
        try:
            self.begun += 1
            title, first = str(role), self.begun * APART
            cursor = Cursor(self.source, self.log)
            place = self.log, cursor, self.budget
            recorder = ProcessRecorder(*place, role, values=self.values, first=first)
            self.by_title[title] = recorder
            recorder.begin()
            if self.has_tensors:
                self.eager[title] = EagerRecorder(
                    *place, values=self.values, first=first, process=clean(title)
                )
                attach(self.eager[title])
        except Exception as error:  # never raise in the user's line
            self.log.broke(error)

    def process_end(self, role: Role) -> None:
        """Record this thread no more."""
        eager = self.eager.pop(str(role), None)
        if eager is not None and eager in observers:
            detach(eager)
            eager.count_last_steps()
            eager.tell_skipped()
        recorder = self.by_title.get(str(role))
        if recorder is not None:
            recorder.end()

    def message(self, message: Message) -> None:
        """Record a message, in whichever thread it is."""
        recorder = self.by_title.get(message.who)
        try:
            if recorder is not None:
                recorder.write_message(message, self.log.begin_time)
        except Exception as error:
            self.log.broke(error)


class RayProcess(Processes):
    """The log of one process on Ray, with times of its own clock.

    In the framework this is a `distributed.record.ProcessLog`.

    Args:
        filename: The file whose lines are recorded.
        role: The part of the process in its cluster.
    """

    has_tensors = False

    def __init__(self, filename: str, role: Role) -> None:
        source = Source.of_file(filename, "".join(linecache.getlines(filename)))
        super().__init__(EventLog(str(role)), source, Budget(), values=False)
        self.taken = 0

    def begin(self) -> None:
        """Start to record."""
        attach(self)

    def end(self) -> None:
        """Stop to record."""
        detach(self)

    def take(self) -> list[Any]:
        """Return the events since the last time."""
        events: list[Any] = self.log.events(self.taken)
        self.taken += len(events)
        for event in events:
            event["t"] += self.log.begin_time
            if "start" in event:
                event["start"] += self.log.begin_time
        return events


def merged(
    title: str,
    source: str,
    records: Iterable[tuple[Sequence[Mapping[str, Any]], float]],
) -> Log:
    """Make one log of those of several processes, on one clock.

    Args:
        title: The picture's heading.
        source: The text that all of them ran.
        records: For each, its events and the seconds by which its clock is ahead.
    """
    events: list[dict[str, Any]] = []
    for number, (record, ahead) in enumerate(records):
        first = number * LOGS_APART
        for event in record:
            moved = {name: event[name] + first for name in NUMBERS if name in event}
            times = {n: event[n] - ahead for n in ("t", "start") if n in event}
            events.append({**event, **moved, **times})
    events.sort(key=lambda event: event["t"])
    begin = min((event.get("start", event["t"]) for event in events), default=0.0)
    for event in events:
        for name in ("t", "start"):
            if name in event:
                event[name] = round(event[name] - begin, 6)
    log = EventLog(title)
    log.begin(source, has_markers=False)
    types = {event["type"] for event in events if event["kind"] == "op"}
    write_about(log, sorted(types))
    whole = log.whole()
    head, *about = cast("list[dict[str, Any]]", whole["events"])
    last = events[-1]["t"] if events else 0.0
    end = {"cell": 0, "line": 0, "t": last, "kind": "cell_end", "ok": True}
    parts = [head | {"t": 0.0}, *events, *(part | {"t": last} for part in about), end]
    numbered = [{**part, "seq": seq} for seq, part in enumerate(parts)]
    return cast(
        "Log", {"version": VERSION, "title": whole["title"], "events": numbered}
    )


def write(
    file: Path,
    script: Path,
    records: Iterable[tuple[Sequence[Mapping[str, Any]], float]],
) -> None:
    """Write the log of a script that ran in several processes: a page, or JSON.

    Raises:
        OSError: The file cannot be written.
    """
    log = merged(script.name, script.read_text("utf-8"), records)
    if file.suffix == ".html":
        write_page(log, file)
    else:
        file.write_text(written(log), "utf-8")
