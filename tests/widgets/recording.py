"""Running a text as a traced source, in programs of its own, and reading its log."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping
from itertools import count
from typing import Any

from teachgraph_widgets.lines import MARKER, Source, mark, marked
from teachgraph_widgets.log import EventLog
from teachgraph_widgets.recorder import Recorder
from teachgraph_widgets.validate import validate

from teachgraph import static
from teachgraph.core import unique_name

FOUR_LINES = """\
X = fluid.data(name="X", shape=[None, 1], dtype="float32")
hidden = fluid.layers.fc(input=X, size=10)
loss = fluid.layers.mean(hidden)
fluid.optimizer.SGD(learning_rate=0.01).minimize(loss)
"""


class Recording:
    """What a source did.

    Attributes:
        log: The log, checked against the schema.
        events: Its events.
        error: What the source raised.
        names: Its variables, afterwards.
    """

    def __init__(
        self, log: EventLog, error: BaseException | None, names: Mapping[str, Any]
    ) -> None:
        self.log = validate(log.whole())
        self.events: list[Any] = list(self.log["events"])
        self.error, self.names = error, names

    def all(self, kind: str, **facts: Any) -> list[Any]:
        """The events of a kind that have these facts."""
        return [
            event
            for event in self.events
            if event["kind"] == kind and facts.items() <= event.items()
        ]

    def one(self, kind: str, **facts: Any) -> Any:
        """The only event of a kind with these facts."""
        (event,) = self.all(kind, **facts)
        return event

    def program(self, role: str) -> int:
        """The number of the program with this role."""
        number: int = self.one("program", role=role)["program"]
        return number

    def operators(self, role: str) -> list[tuple[str, int]]:
        """Type and line of a program's operators, in order."""
        ops = self.all("op", program=self.program(role))
        return [(op["type"], op["line"]) for op in ops]

    def tensor(self, name: str) -> Any:
        """The event of the last tensor that was found to have this name."""
        named = self.all("attr", attr="name", value=name)
        number = (
            named[-1]["tensor"]
            if named
            else self.all("tensor", name=name)[-1]["tensor"]
        )
        return self.one("tensor", tensor=number)

    def value(self, name: str) -> Any:
        """The last value of a tensor."""
        return self.all("value", tensor=self.tensor(name)["tensor"])[-1]["value"]

    def gradient(self, name: str) -> Any:
        """The last gradient of a tensor: the whole, if it came in parts."""
        return self.all("grad", tensor=self.tensor(name)["tensor"])[-1]["value"]


def record(text: str, *, values: bool = True, **names: Any) -> Recording:
    """Run a text under a recorder, in fresh programs, with `tg` and `fluid` at hand."""
    with static.program_guard(static.Program(), static.Program()), unique_name.guard():
        return record_here(text, values=values, **names)


def record_here(text: str, *, values: bool = True, **names: Any) -> Recording:
    """Run a text under a recorder, in the programs there are."""
    import numpy as np

    import teachgraph as tg
    from teachgraph import fluid

    source = Source(text)
    code = compile(marked(ast.parse(text), source), "<traced>", "exec")
    namespace = {"tg": tg, "fluid": fluid, "np": np, MARKER: mark, **names}
    recorder = Recorder(source, "A recording", values=values)
    error: BaseException | None = None
    recorder.begin()
    try:
        exec(code, namespace)  # noqa: S102  a text of ours
    except Exception as raised:  # what the source raised is part of its recording
        error = raised
    finally:
        recorder.end(error, namespace)
    return Recording(recorder.log, error, namespace)


_texts = count()


def record_unmarked(text: str) -> Recording:
    """Run a text as it is, without markers, under a recorder, with `tg` at hand."""
    import teachgraph as tg

    filename = f"<unmarked {next(_texts)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    names: dict[str, Any] = {"tg": tg}
    recorder = Recorder(Source.of_file(filename, text))
    recorder.begin()
    try:
        exec(compile(text, filename, "exec"), names)  # noqa: S102  a text of ours
    finally:
        recorder.end(None, names)
    return Recording(recorder.log, None, names)
