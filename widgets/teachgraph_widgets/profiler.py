"""`tg.profiler`: how long each op takes and how much it makes, under Paddle's names.

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
from typing import Any, Self

from teachgraph.core.errors import InvalidValueError, TeachgraphError, at_user_line
from teachgraph.core.observe import attach, detach
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
    """What to profile; here there is only the CPU."""

    CPU = 0
    GPU = 1
    CUSTOM_DEVICE = 2


class SortedKeys(Enum):
    """What `summary` sorts by."""

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
        scheduler: Which steps to record: `(first, end)`, or a function of the step's
            number as `make_scheduler` returns; by default all.
        on_trace_ready: Called with the profiler when recorded steps are complete.
        record_shapes: Whether to note the shapes of inputs.
        profile_memory: Accepted for Paddle's sake; results are always counted.
        timer_only: Whether to measure steps only, which costs nothing.

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
            told = f"on_trace_ready is called with the profiler, got {on_trace_ready!r}"
            raise InvalidValueError(at_user_line(told))
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
        """End; steps that are complete are handed on."""
        if not self._running:
            return
        recorded = self._leave()
        if self._step and self.is_quiet():
            self.steps.pop()
        self._running = False
        if recorded:
            self._hand_on()

    def step(self, num_samples: int | None = None) -> None:
        """One step is over, the next begins."""
        if not self._running:
            raise ProfilerError(at_user_line("call start() before step()"))
        state, recorded = self.state, self._leave(num_samples)
        if recorded and state is ProfilerState.RECORD_AND_RETURN:
            self._hand_on()
        self._step += 1
        self._enter()

    @property
    def state(self) -> ProfilerState:
        """What it does in this step."""
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
        """Whether nothing ran in the last step: one begins with each end of another."""
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
        """What was measured."""
        return self.timer.spans

    def rows(self) -> list[Row]:
        """What was measured, by name, the longest first."""
        return rows_of(self.spans)

    def step_info(self, unit: str | None = None) -> str:
        """How long steps take on average, and how many samples they get through."""
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
        """A table: of each op how often, how long, and how many bytes of results.

        Its last line says what measuring itself has cost.
        """
        if time_unit not in UNITS:
            told = f"time_unit is one of {', '.join(UNITS)}, got {time_unit!r}"
            raise InvalidValueError(at_user_line(told))
        if sorted_by not in ORDERS:
            told = f"sorted_by is one of SortedKeys, got {sorted_by!r}"
            raise InvalidValueError(at_user_line(told))
        rows = sorted(self.rows(), key=ORDERS[sorted_by], reverse=True)
        return Text(table(rows, self.spans, time_unit))

    def export(self, path: str | os.PathLike[str] = "", format: str = "json") -> None:
        """Write a trace for Chrome's `chrome://tracing` or Perfetto.

        Raises:
            OSError: It cannot be written there.
        """
        if format != "json":
            told = f"a trace is written as json, got format={format!r}"
            raise InvalidValueError(at_user_line(told))
        trace = chrome_trace(self.spans, f"teachgraph {os.getpid()}")
        with written_whole(Path(path)) as file:
            file.write(json.dumps(trace, allow_nan=False).encode("utf-8"))

    def log(self) -> Log:
        """The profile as an event log, which `tg.show` draws."""
        log = EventLog("Profile")
        log.begin("")
        spans = flame(sorted(self.spans, key=lambda span: (span.start, span.depth)))
        for first in range(0, len(spans), CHUNK):
            log.add(0, "profile", "Profile", spans[first : first + CHUNK])
        log.end(0, None)
        return log.whole()


def schedule_of(scheduler: Any) -> Schedule | None:
    """What says which steps to record.

    Raises:
        InvalidValueError: It is no schedule.
    """
    if isinstance(scheduler, (tuple, list)) and len(scheduler) == 2:
        return between(*scheduler)
    if scheduler is None or callable(scheduler):
        found: Schedule | None = scheduler
        return found
    told = f"a scheduler is (first, end) or a function of the step, got {scheduler!r}"
    raise InvalidValueError(at_user_line(told))


class ProfilerError(TeachgraphError, RuntimeError):
    """A profiler that is used before it is started, or started twice."""


active: list[Timer] = []
"""The timers of the profilers that record now."""


class RecordEvent(ContextDecorator):
    """Names a stretch of code in the profiles that are being made.

    In Paddle this is `paddle.profiler.RecordEvent`.
    """

    def __init__(self, name: str, event_type: Any = None) -> None:
        self.name, self.event_type = str(name), event_type
        self._spans: list[tuple[Timer, Span | None]] = []

    def begin(self) -> None:
        """It starts here."""
        self._spans += [(timer, timer.begin(self.name, "user")) for timer in active]

    def end(self) -> None:
        """It ends here."""
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
    """For `on_trace_ready`: write each trace into a folder, under a name of its own."""
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
    """The spans of a trace that was written by `export`.

    Raises:
        InvalidValueError: It is no such trace.
    """
    try:
        found = json.loads(Path(path).read_text("utf-8"))
        events = [e for e in found["traceEvents"] if e["ph"] == "X"]
        return [read(event) for event in events]
    except (ValueError, KeyError, TypeError) as error:
        told = f"{Path(path).name} is no trace of a profiler: {error!r}"
        raise InvalidValueError(told) from None


def read(event: Any) -> Span:
    """A span of a complete event."""
    start, duration = float(event["ts"]) / 1e6, float(event["dur"]) / 1e6
    size = int(event.get("args", {}).get("bytes", 0))
    return Span(str(event["name"]), str(event["cat"]), start, start + duration, 0, size)
