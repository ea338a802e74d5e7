"""`tg.show(obj)`: a picture of an object as an event log; in a terminal, a text."""

from __future__ import annotations

import gzip
import html
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import InvalidValueError, at_user_line
from teachgraph.io.inference import model_from_bytes
from teachgraph.jit.static_function import StaticFunction
from teachgraph.nn.layer import Layer
from teachgraph.passes.report import Report
from teachgraph.static.program import Program
from teachgraph_widgets.budget import Budget
from teachgraph_widgets.comparing import beside
from teachgraph_widgets.engines import has_attribute, is_foreign
from teachgraph_widgets.events import Log, PlanBuffer
from teachgraph_widgets.explaining import explain
from teachgraph_widgets.folded import shape_text
from teachgraph_widgets.history import past_of
from teachgraph_widgets.lines import Cursor, Source
from teachgraph_widgets.log import EventLog, clean
from teachgraph_widgets.monitoring import Monitor
from teachgraph_widgets.op_docs import write_about
from teachgraph_widgets.profiler import Profiler
from teachgraph_widgets.programs import ProgramRecorder
from teachgraph_widgets.recorder import Recorder
from teachgraph_widgets.stats import dtype_name
from teachgraph_widgets.still import image
from teachgraph_widgets.summary import cut, summary
from teachgraph_widgets.tape import TapeRecorder
from teachgraph_widgets.tracing import Trace, in_notebook
from teachgraph_widgets.validate import LogError, read_log, validate

__all__ = ["Shown", "show"]

MOST_LINES = 80
FEW = 6
ORDINALS = "the first", "the second"
LARGEST_FILE = 200_000_000


class Shown:
    """A picture of an object: the widget in a notebook, text at a prompt.

    Attributes:
        log: The event log that it is drawn from.
        text: The text for hosts without pictures.
    """

    def __init__(self, log: Log, text: str) -> None:
        self.log, self.text = log, bounded(text)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return image(self.log)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        if in_notebook():
            from teachgraph_widgets.live import shown

            shown(self.log, self.text)
        else:
            display({"text/plain": self.text}, raw=True)


def show(thing: Any, *others: Any, names: tuple[str, str] = ("", "")) -> Shown:
    """Draw an object, or two beside each other: with the widget, elsewhere as text.

    Two come under one slider, and the first event in which they differ is marked.

    Args:
        thing: A Program, a function of `to_static`, a Layer, a Tensor (its
            tape), a value of another engine (see `engines.Vertex`), the report of
            passes, a memory plan, a trace, a profile, a monitor; or a file: a saved
            model, a saved log, an exported page.
        others: Another one, to be drawn beside it. Of a Layer its inputs: it is called
            with them, and drawn with all that the call computes, layer by layer.
        names: What two that are beside each other are called.

    Raises:
        InvalidValueError: There is no picture of such an object.
        LogError: The file is no log.
        DataError: The file is no model.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> x.name = "x"
    >>> tg.show(x * 3.0)
    Tensor float32 [2], made by 1 op from 1 leaf
         x = D float32 [2]
      1  scale(x) -> [2]  scale=3.0
    """
    if others and isinstance(thing, Layer):
        return of_call(thing, others)
    if others:
        return side_by_side(thing, others, names)
    if isinstance(thing, (str, os.PathLike)):
        return of_file(Path(thing))
    for kind, draw in KINDS:
        if isinstance(thing, kind):
            return draw(thing)
    if all(has_attribute(thing, name) for name in PLAN):
        return of_plan(thing)
    if is_vertex(thing):
        return of_vertex(thing)
    message = (
        f"there is no picture of {type(thing).__name__}: show takes a Program, a "
        "function of to_static, a Layer, a Tensor, a report, a memory plan, a trace, a "
        "profile, a monitor or a file"
    )
    raise InvalidValueError.here(message)


def side_by_side(thing: Any, others: tuple[Any, ...], names: tuple[str, str]) -> Shown:
    """Show two things beside each other.

    Raises:
        InvalidValueError: There are more than two.
    """
    if len(others) > 1:
        message = f"show draws one thing, or two; got {1 + len(others)}"
        raise InvalidValueError.here(message)
    shown = show(thing), show(*others)
    log = beside(shown[0].log, shown[1].log, names)
    event: Any = log["events"][-1]
    titles = [name or which for name, which in zip(names, ORDINALS, strict=True)]
    said = [
        f"{title}: {words}" for title, words in zip(titles, event["words"], strict=True)
    ]
    head = ["First difference", *said] if event["first"] else ["No difference"]
    texts = [f"{title}\n{one.text}" for title, one in zip(titles, shown, strict=True)]
    return Shown(log, "\n".join([*head, *texts]))


def of_program(program: Program, title: str = "Program") -> Shown:
    """Show a program, with its blocks."""
    log = EventLog(title)
    log.begin("")
    recorder = ProgramRecorder(log, Cursor(Source(""), log), Budget())
    recorder.number(program)
    return ended(log, str(program))


def of_function(static: StaticFunction) -> Shown:
    """Show a function as `to_static` has rewritten it, with its latest program.

    Raises:
        InvalidValueError: It has not been called, and has no `input_spec`.
    """
    log = EventLog(clean(static.__name__))
    log.begin("")
    recorder = ProgramRecorder(log, Cursor(Source(""), log), Budget())
    recorder.write_rewritten(static, static.concrete_program.main_program)
    return ended(log, static.code)


def of_tensor(tensor: Tensor) -> Shown:
    """Show a tensor: its tape and its value, with the gradients of its leaves."""
    log = EventLog(f"Tensor {tensor.label}".rstrip())
    log.begin("")
    recorder = TapeRecorder(log, Cursor(Source(""), log), Budget())
    write_tensor(recorder, tensor)
    for leaf in past_of(tensor, ()).leaves:
        if leaf.grad is not None and leaf is not tensor:
            stats = recorder.summarize_gradient(leaf.grad)
            log.add(0, "grad", recorder.number(leaf), None, True, stats)
    return ended(log, str(explain(tensor)))


def of_layer(layer: Layer) -> Shown:
    """Show a layer's parameters, with their values and gradients."""
    log = EventLog(type(layer).__name__)
    log.begin("")
    recorder = TapeRecorder(log, Cursor(Source(""), log), Budget())
    lines = repr(layer).splitlines()
    for name, parameter in layer.named_parameters():
        recorder.appear(parameter, 0, "P", name)
        write_tensor(recorder, parameter)
        facts = f"{dtype_name(parameter.dtype)} {shape_text(parameter.shape)}"
        lines.append(f"P {clean(name)} {facts}")
    total = sum(parameter.size for parameter in layer.parameters())
    return ended(log, "\n".join([*lines, f"{total:,} parameters"]))


def of_call(layer: Layer, inputs: tuple[Any, ...]) -> Shown:
    """Show a layer with the graph of one call, which is run for that.

    An error of the call is part of the picture.
    """
    recorder = Recorder(Source(""), type(layer).__name__)
    error: BaseException | None = None
    recorder.begin()
    try:
        layer(*inputs)
    except Exception as raised:
        error = raised
    finally:
        recorder.end(error)
    log = recorder.log.whole()
    return Shown(log, "\n".join([*repr(layer).splitlines(), summary(log)]))


def is_vertex(thing: Any) -> bool:
    """True for a value of another engine, which has at least `data` and `edges`."""
    foreign = is_foreign(type(thing)) and not isinstance(thing, (str, type))
    return foreign and has_attribute(thing, "data") and has_attribute(thing, "edges")


def of_vertex(thing: Any) -> Shown:
    """Show a value of another engine: all that it was computed from."""
    log = EventLog(type(thing).__name__)
    log.begin("")
    recorder = TapeRecorder(log, Cursor(Source(""), log), Budget())
    recorder.foreign.number(thing)
    log.end(0, None)
    return of_log(log.whole())


def write_tensor(recorder: TapeRecorder, tensor: Tensor) -> None:
    """Write the events of a tensor, its value and its gradient."""
    number = recorder.number(tensor)
    recorder.write_value(tensor, number, 0)
    if tensor.grad is not None:
        stats = recorder.summarize_gradient(tensor.grad)
        recorder.log.add(0, "grad", number, None, True, stats)


def of_report(report: Report) -> Shown:
    """Show the rewrites of passes."""
    log = EventLog("Passes")
    log.begin("")
    log.add(0, "program", 0, "other", "program", None)
    for applied in report:
        changes = [
            {
                "old": [clean(name) for name in change.old],
                "new": [clean(name) for name in change.new],
                "what": clean(change.what),
                "where": clean(str(change.where or "")),
            }
            for change in applied.changes
        ]
        log.add(0, "pass", 0, applied.name, applied.before, applied.after, changes)
    last = report[-1].after if report else 0
    for name in report.unchanged:
        log.add(0, "pass", 0, name, last, last, [])
    text = str(report) if report else "no pass changed anything"
    names = ", ".join(report.unchanged)
    return ended(log, f"{text}\nchanged nothing: {names}" if names else text)


def of_plan(plan: Any) -> Shown:
    """Show a memory plan: each buffer's lifetime and offset."""
    log = EventLog("Memory plan")
    log.begin("")
    buffers = [part for buffer in plan.buffers for part in parts_of(buffer)]
    peaks = int(plan.planned_peak), int(plan.naive_peak), int(plan.planned_peak)
    steps = getattr(plan, "steps", None)
    ops = None if steps is None else [clean(str(step)) for step in steps]
    log.add(0, "plan", *peaks, buffers, None, ops)
    return ended(log, str(plan))


def parts_of(buffer: Any) -> Iterator[PlanBuffer]:
    """Yield a buffer, and the variables that reuse it in place."""
    first, last = clean(str(buffer.name)), int(buffer.end)
    offset, size = int(buffer.offset), int(buffer.size)
    whole = PlanBuffer(
        name=first, offset=offset, size=size, start=int(buffer.start), end=last
    )
    yield whole
    since = dict(zip(buffer.names, buffer.since, strict=True))
    for name, start in since.items():
        if name != buffer.name:
            yield {**whole, "name": clean(name), "start": start, "alias_of": first}


def of_trace(trace: Trace) -> Shown:
    """Show a trace."""
    return of_log(trace.log)


def of_log(log: Any) -> Shown:
    """Check a log against the schema, and show it."""
    checked = validate(log)
    return Shown(checked, summary(checked))


def of_profile(profile: Profiler) -> Shown:
    """Show a profile."""
    return Shown(profile.log(), str(profile.summary()))


def of_monitor(monitor: Monitor) -> Shown:
    """Show a training."""
    return of_log(monitor.events)


def of_file(path: Path) -> Shown:
    """Show a saved model, given its file or the prefix of its files; or a log."""
    beside = path.with_name(path.name + ".pdmodel")
    if path.suffix == ".pdmodel" or (not path.is_file() and beside.is_file()):
        model = path if path.suffix == ".pdmodel" else beside
        program, feeds, fetches = model_from_bytes(model.read_bytes())
        gives = first_few([variable.name for variable in fetches])
        head = f"model {clean(model.name)}: takes {first_few(feeds)}; gives {gives}"
        return Shown(of_program(program, head).log, f"{head}\n{program}")
    wanted = "give a saved model (its .pdmodel or prefix), a log or an exported page"
    if not path.is_file():
        wrong = f"{path} is a folder" if path.is_dir() else f"there is no {path}"
        raise FileNotFoundError(at_user_line(f"{wrong}: {wanted}"))
    try:
        return of_log(read_log(text_of(path)))
    except LogError as error:
        message = f"{clean(path.name)} is no log ({error}): {wanted}"
        raise LogError(at_user_line(message)) from None


def first_few(names: list[str]) -> str:
    """Join the first names, with the count of the others."""
    more = [f"{len(names) - FEW} more"] if len(names) > FEW else []
    return ", ".join([*map(clean, names[:FEW]), *more]) or "nothing"


def text_of(path: Path) -> str:
    """Read a log's JSON from a plain file, from gzip, or from an exported page."""
    with path.open("rb") as file:
        content = file.read(LARGEST_FILE)
    if content[:2] == b"\x1f\x8b":
        with gzip.open(path) as packed:
            content = packed.read(LARGEST_FILE)
    text = content.decode("utf-8", "replace")
    page = re.search(r'<script type="application/json" id="log">(.*?)</script>', text)
    return html.unescape(page[1]) if page else text


def ended(log: EventLog, text: str) -> Shown:
    """Close a log and show it with its text."""
    write_about(log, sorted(log.op_types()))
    log.end(0, None)
    return Shown(log.whole(), text)


def bounded(text: str) -> str:
    """Limit a text's lines and their length, and replace control characters."""
    lines = [cut(line) for line in text.splitlines()]
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"... {len(lines) - MOST_LINES:,} lines more"]
    return "\n".join(lines)


def kinds() -> Iterator[tuple[type, Callable[[Any], Shown]]]:
    """Yield the types that `show` takes, with the functions that show them."""
    yield Program, of_program
    yield StaticFunction, of_function
    yield Tensor, of_tensor
    yield Layer, of_layer
    yield Report, of_report
    yield Trace, of_trace
    yield Profiler, of_profile
    yield Monitor, of_monitor
    yield dict, of_log


KINDS = list(kinds())
PLAN = "buffers", "naive_peak", "planned_peak"
