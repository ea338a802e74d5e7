"""`tg.profiler`: time and result size of each op, under Paddle's names.

>>> import teachgraph as tg
>>> with tg.profiler.Profiler() as profile:
...     with tg.profiler.RecordEvent("square"):
...         y = tg.to_tensor([1.0, 2.0]) ** 2
>>> [row.name for row in profile.rows() if row.kind == "user"]
['square']
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ContextDecorator
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

from teachgraph.autograd.observed import attach, detach
from teachgraph.core.errors import InvalidValueError, TeachgraphError, at_user_line
from teachgraph.io.files import written_whole
from teachgraph_widgets.events import Log
from teachgraph_widgets.explaining import Text
from teachgraph_widgets.log import EventLog
from teachgraph_widgets.profile_table import UNITS, table
from teachgraph_widgets.schedule import (
    RECORDING,
    ProfilerState,
    Schedule,
    between,
    make_scheduler,
)
from teachgraph_widgets.spans import Row, Span, chrome_trace, flame, rows_of
from teachgraph_widgets.timing import Timer

__all__ = [
    "Profiler",
    "ProfilerState",
    "ProfilerTarget",
    "RecordEvent",
    "SortedKeys",
    "SummaryView",
    "export_chrome_tracing",
    "load_profiler_result",
    "make_scheduler",
]

CHUNK = 2000


class ProfilerTarget(Enum):
    """The device to profile; here there is only the CPU."""

    CPU = 0
    GPU = 1
    CUSTOM_DEVICE = 2


class SortedKeys(Enum):
    """The order of the rows of `summary`."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3


class SummaryView(Enum):
    """The parts of a summary."""

    OverView = 1
    OperatorView = 2
    UDFView = 3


ORDERS: dict[SortedKeys, Callable[[Row], float]] = {
    SortedKeys.CPUTotal: lambda row: row.total,
    SortedKeys.CPUAvg: lambda row: row.total / row.calls,
    SortedKeys.CPUMax: lambda row: row.most,
    SortedKeys.CPUMin: lambda row: row.least,
}


class Profiler:
    """Measures what runs between `start` and `stop`, or in a `with` block.

    Args:
        targets: Accepted for Paddle's sake; there is only the CPU.
        scheduler: The steps to record: `(first, end)`, or a function of the step's
            number as `make_scheduler` returns; by default all.
        on_trace_ready: Called with the profiler when recorded steps are complete.
        record_shapes: True to record the shapes of inputs.
        profile_memory: Accepted for Paddle's sake; results are always counted.
        timer_only: True to measure steps only, which costs nothing.

    In Paddle this is `paddle.profiler.Profiler`.
    """

    def __init__(
        self,
        *,
        targets: Iterable[ProfilerTarget] | None = None,
        scheduler: Schedule | tuple[int, int] | None = None,
        on_trace_ready: Callable[[Profiler], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        timer_only: bool = False,
        emit_nvtx: bool = False,
        custom_device_types: Sequence[str] = (),
        with_flops: bool = False,
    ) -> None:
        self.schedule: Schedule | None = schedule_of(scheduler)
        if on_trace_ready is not None and not callable(on_trace_ready):
            got = repr(on_trace_ready)
            message = f"on_trace_ready is called with the profiler, got {got}"
            raise InvalidValueError.here(message)
        self.on_trace_ready = on_trace_ready
        self.timer_only = timer_only
        self.timer = Timer(shapes=record_shapes)
        self.steps: list[tuple[float, int]] = []
        self._running, self._step, self._since = False, 0, 0.0
        self._span: Span | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Begin with step 0."""
        if self._running:
            raise ProfilerError(at_user_line("this profiler has been started already"))
        self._running, self._step = True, 0
        self._enter()

    def stop(self) -> None:
        """End the last step, and pass recorded steps to `on_trace_ready`."""
        if not self._running:
            return
        recorded = self._leave()
        if self._step and self.is_quiet():
            self.steps.pop()
        self._running = False
        if recorded:
            self._hand_on()

    def step(self, num_samples: int | None = None) -> None:
        """End a step, and begin the next."""
        if not self._running:
            raise ProfilerError(at_user_line("call start() before step()"))
        state, recorded = self.state, self._leave(num_samples)
        if recorded and state is ProfilerState.RECORD_AND_RETURN:
            self._hand_on()
        self._step += 1
        self._enter()

    @property
    def state(self) -> ProfilerState:
        """The state of the current step, from the schedule."""
        if self.schedule is None:
            return ProfilerState.RECORD
        return self.schedule(self._step)

    def _enter(self) -> None:
        self._since, self._span = time.perf_counter(), None
        if self.state in RECORDING and not self.timer_only:
            attach(self.timer)
            active.append(self.timer)
            self._span = self.timer.begin(f"ProfileStep#{self._step}", "step")

    def _leave(self, samples: int | None = None) -> bool:
        self.steps.append((time.perf_counter() - self._since, samples or 0))
        if self.timer not in active:
            return False
        self.timer.close()
        detach(self.timer)
        active.remove(self.timer)
        return True

    def is_quiet(self) -> bool:
        """True if nothing ran in the last step; its own span is removed then.

        `step()` at the end of a loop's last turn begins a step that has no content.
        """
        spans = self.timer.spans
        if self._span is None or not spans or spans[-1] is not self._span:
            return self._span is None
        if len(spans) > 1 and spans[-2].end > self._span.start:
            return False
        spans.pop()
        return True

    def _hand_on(self) -> None:
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    @property
    def spans(self) -> list[Span]:
        """The measured spans."""
        return self.timer.spans

    def rows(self) -> list[Row]:
        """Return the measured spans by name, the longest first."""
        return rows_of(self.spans)

    def step_info(self, unit: str | None = None) -> str:
        """Return the mean time of a step, and the samples per second."""
        seconds = sum(s for s, _ in self.steps) / max(len(self.steps), 1)
        samples = sum(n for _, n in self.steps)
        text = f"{len(self.steps):,} steps, {seconds * 1e3:.3f} ms each"
        if samples:
            rate = samples / sum(s for s, _ in self.steps)
            text += f", {rate:,.1f} {unit or 'samples'}/s"
        return text

    def summary(
        self,
        sorted_by: SortedKeys = SortedKeys.CPUTotal,
        op_detail: bool = True,
        thread_sep: bool = False,
        time_unit: str = "ms",
        views: SummaryView | Sequence[SummaryView] | None = None,
    ) -> Text:
        """Return a table with the calls, the times and the result bytes of each op.

        Its last line says what measuring itself has cost.
        """
        if time_unit not in UNITS:
            message = f"time_unit is one of {', '.join(UNITS)}, got {time_unit!r}"
            raise InvalidValueError.here(message)
        if sorted_by not in ORDERS:
            message = f"sorted_by is one of SortedKeys, got {sorted_by!r}"
            raise InvalidValueError.here(message)
        rows = sorted(self.rows(), key=ORDERS[sorted_by], reverse=True)
        return Text(table(rows, self.spans, time_unit))

    def export(self, path: str | os.PathLike[str] = "", format: str = "json") -> None:
        """Write a trace for Chrome's `chrome://tracing` or Perfetto.

        Raises:
            OSError: The file cannot be written.
        """
        if format != "json":
            message = f"a trace is written as json, got format={format!r}"
            raise InvalidValueError.here(message)
        trace = chrome_trace(self.spans, f"teachgraph {os.getpid()}")
        with written_whole(Path(path)) as file:
            file.write(json.dumps(trace, allow_nan=False).encode("utf-8"))

    def log(self) -> Log:
        """Return the profile as an event log, which `tg.show` draws."""
        log = EventLog("Profile")
        log.begin("")
        spans = flame(sorted(self.spans, key=lambda span: (span.start, span.depth)))
        for first in range(0, len(spans), CHUNK):
            log.add(0, "profile", "Profile", spans[first : first + CHUNK])
        log.end(0, None)
        return log.whole()


def schedule_of(scheduler: Any) -> Schedule | None:
    """Return the schedule of a profiler's argument; None records all steps.

    Raises:
        InvalidValueError: The argument is no schedule.
    """
    if isinstance(scheduler, (tuple, list)) and len(scheduler) == 2:
        return between(*scheduler)
    if scheduler is None or callable(scheduler):
        return cast("Schedule | None", scheduler)
    wanted = "a scheduler is (first, end) or a function of the step"
    raise InvalidValueError.here(f"{wanted}, got {scheduler!r}")


class ProfilerError(TeachgraphError, RuntimeError):
    """A profiler that is used before it is started, or started twice."""


active: list[Timer] = []
"""The timers of the profilers that are recording."""


class RecordEvent(ContextDecorator):
    """Names a section of code in the profiles that are recording.

    In Paddle this is `paddle.profiler.RecordEvent`.
    """

    def __init__(self, name: str, event_type: Any = None) -> None:
        self.name, self.event_type = str(name), event_type
        self._spans: list[tuple[Timer, Span | None]] = []

    def begin(self) -> None:
        """Begin the section."""
        self._spans += [(timer, timer.begin(self.name, "user")) for timer in active]

    def end(self) -> None:
        """End the section."""
        spans, self._spans = self._spans, []
        for timer, span in spans:
            timer.end(span)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, *error: object) -> None:
        self.end()


def export_chrome_tracing(
    dir_name: str | os.PathLike[str], worker_name: str | None = None
) -> Callable[[Profiler], None]:
    """Return a function for `on_trace_ready` that writes each trace into a folder."""
    folder = Path(dir_name)
    worker = worker_name or f"host_{socket.gethostname()}pid_{os.getpid()}"

    def write(profiler: Profiler) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        stamp = time.strftime("%Y_%m_%d_%H_%M_%S")
        path = folder / f"{worker}_time_{stamp}.paddle_trace.json"
        again = 1
        while path.exists():
            again += 1
            path = folder / f"{worker}_time_{stamp}_{again}.paddle_trace.json"
        profiler.export(path)

    return write


def load_profiler_result(path: str | os.PathLike[str]) -> list[Span]:
    """Read the spans of a trace that was written by `export`.

    Raises:
        InvalidValueError: The file is no such trace.
    """
    try:
        trace = json.loads(Path(path).read_text("utf-8"))
        events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
        return [read(event) for event in events]
    except (ValueError, KeyError, TypeError) as error:
        message = f"{Path(path).name} is no trace of a profiler: {error!r}"
        raise InvalidValueError(message) from None


def read(event: Any) -> Span:
    """Return the span of a complete event."""
    start, duration = float(event["ts"]) / 1e6, float(event["dur"]) / 1e6
    size = int(event.get("args", {}).get("bytes", 0))
    return Span(str(event["name"]), str(event["cat"]), start, start + duration, 0, size)
