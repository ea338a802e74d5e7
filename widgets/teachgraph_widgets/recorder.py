"""The recorder: an observer that writes what is announced into an event log.

It is put together of three, for Tensors, for programs and for what failed; each
announcement goes straight to the one that listens to it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from threading import get_ident
from typing import Any

from teachgraph.core.errors import OpError
from teachgraph.core.observe import Observer, attach, detach, observers
from teachgraph.nn.layer import Layer
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.failures import FailureRecorder
from teachgraph_widgets.lines import Cursor, Source
from teachgraph_widgets.log import EventLog
from teachgraph_widgets.pace import Nap, Pace, Region
from teachgraph_widgets.programs import ProgramRecorder
from teachgraph_widgets.tape import TapeRecorder, is_update

__all__ = ["Recorder"]


class Recorder(Observer):
    """Records one source, from `begin` to `end`.

    Only the thread that began it is recorded. Traces may be nested: each has a log of
    its own, and an outer one holds what happens inside an inner one as well.

    Of a long training only some steps are listened to; through the others it dozes.

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
        self.pace = Pace()
        self.tape = TapeRecorder(self.log, self.cursor, budget, values=values)
        self.programs = ProgramRecorder(self.log, self.cursor, budget, values=values)
        self.tape.passed = self.passed
        self.layers = self.programs.layers = self.tape.layers
        self.failures = FailureRecorder(self.tape, self.programs)
        for watcher in (self.programs, self.failures):
            vars(self).update(heard_by(watcher))
        self._listening = heard_by(self.tape)
        self._dozed_at: list[int] = []
        self._region = Region(None, 0, 0)
        vars(self).update(self._listening)

    def begin(self) -> None:
        """From now on, everything announced is recorded."""
        self.log.begin(self.source.text)
        self.cursor.begin()
        self.layers.look()
        attach(self)

    def op_begin(
        self, op: str, inputs: Sequence[Any], attrs: Mapping[str, Any]
    ) -> None:
        """An op is about to run: maybe the first of the next step."""
        pace = self.pace
        if (pace.awake and not pace.over) or get_ident() != self.cursor.thread:
            return
        if self._region.left(sys._getframe(1)):
            pace.over = False
            if not pace.awake:
                self.wake()
        elif pace.over and not is_update(op):
            before = pace.awake
            pace.turn()
            if pace.awake != before:
                self.wake() if pace.awake else self.doze()

    def layer_begin(self, layer: Layer) -> None:
        """A layer is called; heard while it dozes, as a step may begin inside."""
        if get_ident() == self.cursor.thread:
            self.layers.enter(layer)

    def layer_end(self, layer: Layer) -> None:
        """A layer's call is over."""
        if get_ident() == self.cursor.thread:
            self.layers.leave(layer)

    def passed(self, line: int) -> None:
        """A reverse pass that began at `line` has ended."""
        self._region = self.cursor.region()
        self.pace.passed(line)

    def backward_begin(self, roots: Sequence[Any]) -> None:
        """A reverse pass begins, unheard: unless it is another loop's."""
        if get_ident() == self.cursor.thread:
            line = self.cursor.place()
            self._dozed_at.append(line)
            if not self.pace.knows(line):
                self.wake()
                self.tape.backward_begin(roots)

    def backward_end(self, roots: Sequence[Any]) -> None:
        """A reverse pass ends, unheard."""
        if get_ident() == self.cursor.thread and self._dozed_at:
            self.pace.passed(self._dozed_at.pop())

    def doze(self) -> None:
        """Hear nothing of Tensors until the next step that is recorded.

        Where markers say when that is, nothing else is heard either.
        """
        line = self.cursor.place()
        for name in self._listening:
            del vars(self)[name]
        if self.cursor.marking:
            self.cursor.nap = Nap(self._region, line, self.pace, self.wake)
            detach(self)

    def wake(self) -> None:
        """Hear everything again."""
        self._dozed_at.clear()
        self.pace.awake, self.pace.over = True, False
        vars(self).update(self._listening)
        if self.cursor.nap is not None:
            self.cursor.nap = None
            self.layers.look()
            attach(self)

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
            detach(self)
        if namespace is not None:
            self.tape.look(namespace, self.source.names.get(line, self.source.top))
        if self.cursor.nap is not None and isinstance(error, OpError):
            self.failures.tell_error(error)
        skipped = self.pace.skipped
        self.tape.refresh(skipped > 0)
        self.cursor.end()
        if self.budget.refused:
            self.log.leave_out("values", self.budget.told, self.budget.refused)
        if skipped:
            self.log.leave_out("training steps", SKIPPED, skipped)
        if self.programs.skipped:
            self.log.leave_out("runs", SKIPPED, self.programs.skipped)
        self.log.end(self.cursor.line, error)


ANNOUNCEMENTS = [name for name in vars(Observer) if not name.startswith("_")]
SKIPPED = "the first 10 are told, then the 16th, the 32nd and so on"


def heard_by(watcher: Observer) -> dict[str, Callable[..., Any]]:
    """The announcements that an observer listens to, with what listens."""
    return {
        name: getattr(watcher, name)
        for name in ANNOUNCEMENTS
        if getattr(type(watcher), name) is not getattr(Observer, name)
    }
