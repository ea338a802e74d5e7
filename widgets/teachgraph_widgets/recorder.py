"""The recorder: an observer that writes what is announced into an event log.

It is put together of three, for Tensors, for programs and for what failed; each
announcement goes straight to the one that listens to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teachgraph.observe import Observer, observers
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.failures import FailureRecorder
from teachgraph_widgets.lines import Cursor, Source
from teachgraph_widgets.log import EventLog
from teachgraph_widgets.programs import ProgramRecorder
from teachgraph_widgets.tape import TapeRecorder

__all__ = ["Recorder"]


class Recorder(Observer):
    """Records one source, from `begin` to `end`.

    Only the thread that began it is recorded. Traces may be nested: each has a log of
    its own, and an outer one holds what happens inside an inner one as well.

    Args:
        source: The traced text.
        title: What the picture is called.
        values: Whether to look at values at all.
    """

    def __init__(self, source: Source, title: str = "", *, values: bool = True) -> None:
        self.source = source
        self.log = EventLog(title)
        self.cursor = Cursor(source, self.log)
        self.budget = budget = Budget()
        self.tape = TapeRecorder(self.log, self.cursor, budget, values=values)
        self.programs = ProgramRecorder(self.log, self.cursor, budget, values=values)
        failures = FailureRecorder(self.tape, self.programs)
        for watcher in (self.tape, self.programs, failures):
            for name in ANNOUNCEMENTS:
                if getattr(type(watcher), name) is not getattr(Observer, name):
                    setattr(self, name, getattr(watcher, name))

    def begin(self) -> None:
        """From now on, everything announced is recorded."""
        self.log.begin(self.source.text)
        self.cursor.begin()
        observers.append(self)

    def end(
        self,
        error: BaseException | None = None,
        namespace: Mapping[str, Any] | None = None,
        line: int = 0,
    ) -> None:
        """Stop watching, whatever happened, and close the log.

        Args:
            error: What the source raised.
            namespace: Where its last names are to be found.
            line: The line of the scope they are of; by default the outermost.
        """
        if self in observers:
            observers.remove(self)
        if namespace is not None:
            self.tape.look(namespace, self.source.names.get(line, self.source.top))
        self.tape.refresh()
        self.cursor.end()
        if self.budget.refused:
            self.log.leave_out(*REFUSED, self.budget.refused)
        self.log.end(self.cursor.line, error)


ANNOUNCEMENTS = [name for name in vars(Observer) if not name.startswith("_")]
REFUSED = ("values", "some runs of a line are looked at, and a number of values in all")
