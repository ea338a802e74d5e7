"""The recorder: an observer that writes the framework's announcements into a log.

It consists of three, for Tensors, for programs and for failures; each announcement goes
directly to the one that handles it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from teachgraph.autograd.observed import attach, detach
from teachgraph.core.errors import OpError
from teachgraph.core.observe import observers
from teachgraph_widgets.bindings import Bindings, Output
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.eager import SKIPPED, EagerRecorder, announcements_to
from teachgraph_widgets.failures import FailureRecorder
from teachgraph_widgets.lines import Cursor, Source
from teachgraph_widgets.log import EventLog
from teachgraph_widgets.op_docs import write_about
from teachgraph_widgets.processes import Processes
from teachgraph_widgets.programs import ProgramRecorder

__all__ = ["Recorder"]


class Recorder(EagerRecorder):
    """Records one source, from `begin` to `end`.

    Only the thread that began it is recorded. Traces may be nested: each has a log of
    its own, and an outer one also holds the events inside an inner one.

    Of a long training only some steps are recorded; during the others it pauses.

    Args:
        source: The traced text.
        title: The picture's heading.
        values: True to summarise values too.
    """

    def __init__(self, source: Source, title: str = "", *, values: bool = True) -> None:
        self.source, self.budget = source, (budget := Budget())
        log = EventLog(title)
        super().__init__(log, Cursor(source, log), budget, values=values)
        self.programs = ProgramRecorder(self.log, self.cursor, budget, values=values)
        self.bindings = Bindings(self.log, self.tape.number_of)
        self.cursor.tell_names = self.bindings.write
        self.output = Output(self.log, self.cursor)
        self.programs.layers = self.layers
        self.failures = FailureRecorder(self.tape, self.programs)
        self.processes = Processes(self.log, source, budget, values=values)
        # Methods as instance attributes: an announcement costs one call, not two, and
        # a pause removes them.
        for watcher in (self.programs, self.failures, self.processes):
            vars(self).update(announcements_to(watcher))

    def begin(self) -> None:
        """Start recording."""
        self.log.begin(self.source.text, has_markers=self.source.has_markers)
        self.cursor.begin()
        self.layers.look()
        attach(self)
        self.output.begin()

    def end(
        self,
        error: BaseException | None = None,
        namespace: Mapping[str, Any] | None = None,
        line: int = 0,
    ) -> None:
        """Stop recording and close the log.

        Args:
            error: The error that the source raised.
            namespace: The namespace in which to look up the last names of tensors.
            line: A line of the scope of that namespace; by default the outermost.
        """
        self.output.end()
        if self in observers:
            detach(self)
        if namespace is not None:
            names = self.source.names.get(line, self.source.top)
            self.tape.look(namespace, names)
            self.tell_last_names(namespace, names)
        if self.cursor.pause is not None and isinstance(error, OpError):
            self.failures.write_error(error)
        self.count_last_steps()
        skipped = self.sampler.skipped
        self.tape.refresh(skipped > 0)
        self.cursor.end()
        write_about(self.log, sorted(self.log.op_types()))
        if self.budget.refused:
            self.log.leave_out("values", self.budget.reason, self.budget.refused)
        self.tell_skipped()
        if self.programs.skipped:
            self.programs.write_counts()
            self.log.leave_out("runs", SKIPPED, self.programs.skipped)
        self.log.end(self.cursor.line, error, self.cursor.starts)

    def tell_last_names(
        self, namespace: Mapping[str, Any], names: Sequence[str]
    ) -> None:
        """Record what the names mean after the last line."""
        scope = "" if names is self.source.top else self.bindings.scope
        try:
            self.bindings.write(namespace, names, scope, self.cursor.line)
        except Exception as error:
            self.log.broke(error)
