"""A trace as text, for hosts without pictures: the same log gives the same text."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from textwrap import wrap

from teachgraph_widgets.events import Log
from teachgraph_widgets.folded import (
    COUNTED,
    Folded,
    Program,
    Row,
    Step,
    Tensor,
    fold,
    grouped,
    norm_text,
    number_text,
    shape_text,
)
from teachgraph_widgets.still_charts import goes_far, values_text

__all__ = ["summary"]

WIDTH = 88
MOST_LINES = 60
MOST_FACTS = 8
FEW = 4
VARIABLES = "PB∇DTgL"


def summary(log: Log) -> str:
    """Return a log as text, line by line of the source.

    It has no times and no addresses, so two texts may be compared.
    """
    folded = fold(log)
    texts = LineTexts(folded)
    body = [text for line in sorted(folded.ran) for text in texts.of_line(line)]
    if len(body) > MOST_LINES:
        body[MOST_LINES:] = [f"... {len(body) - MOST_LINES} lines more"]
    end = [part for text in folded.dropped for part in wrapped(f"left out: {text}", "")]
    if folded.error:
        end.append(f"ended with {folded.error.splitlines()[0]}")
    if not folded.is_traced:
        body += [part for fact in texts.on_tape(0) for part in wrapped(fact)]
    body += [*planned(folded), *passed(folded), *profiled(folded), *training(folded)]
    body += clustered(folded)
    return "\n".join(cut(text) for text in [*head(folded), *body, *end])


def head(folded: Folded) -> list[str]:
    """Return the title, and the counts of lines, programs, runs, tensors and ops."""
    title = f"Trace: {folded.title}" if folded.title else "Trace"
    counts = [counted(len(folded.ran), "line")]
    if not folded.is_traced:
        title, counts = folded.title or "Trace", []
    shown = [p for p in folded.programs.values() if p.rows or not folded.passes]
    counts += [contents(program) for program in shown[:FEW]]
    counts += more(len(shown) - FEW, "program")
    if folded.runs:
        counts.append(counted(folded.runs, "run"))
    if folded.tensors:
        counts.append(counted(len(folded.tensors), "tensor"))
        counts.append(counted(len(folded.steps), "op"))
    return [title, *wrapped("; ".join(counts), "  ")] if counts else [title]


def contents(program: Program) -> str:
    """Return the counts of a program's variables and operators."""
    letters = [row.letter for row in program.rows]
    variables = sum(letter in VARIABLES for letter in letters)
    ops = sum(letter in "ƒ∂Δ" for letter in letters)
    return f"{program.title} with {counted(variables, 'variable')} and " + counted(
        ops, "operator"
    )


def planned(folded: Folded) -> list[str]:
    """Return the bytes of each memory plan, with and without sharing."""
    return [
        f"  {values_text(plan)}, {plan['planned_peak']:,} bytes; "
        f"each on its own: {plan['naive_peak']:,}"
        for plan in folded.plans
    ]


def passed(folded: Folded) -> list[str]:
    """Return each pass with the numbers of operators before and after it."""
    return [
        f"  {event['name']}: {event['before']:,} -> {event['after']:,} operators, "
        f"{counted(len(event['changes']), 'change')}"
        for event in folded.passes
    ]


def profiled(folded: Folded) -> list[str]:
    """Return the measured names with their counts; times would differ in each run."""
    calls = Counter(span["name"] for span in folded.spans)
    names = [f"{name} x{count:,}" for name, count in calls.most_common()]
    return wrapped(f"measured {first_names(names)}") if names else []


BARS = "▁▂▃▄▅▆▇█"


def clustered(folded: Folded) -> list[str]:
    """Return who took part in a cluster, who died, and how long each trainer waited."""
    if not folded.processes:
        return []
    roles = Counter(event["role"] for event in folded.processes.values())
    parts = ", ".join(counted(roles[r], r) for r in ("trainer", "server") if roles[r])
    waits, steps, moved = defaultdict[int, float](float), set[int](), 0
    for message in folded.messages:
        process, what = message["process"], message["what"]
        if what == "restart" or folded.processes[process]["role"] == "server":
            continue
        moved += message["bytes"]
        if message["step"]:
            steps.add(message["step"])
        if what != "send":
            waits[process] += message["duration"]
    told = f"{parts}: {counted(len(steps), 'step')}, {moved:,} bytes moved"
    return [told, *(f"  {line}" for line in folded.restarts)] + [
        f"  {folded.processes[process]['title']} waited {1e3 * seconds:.1f} ms"
        for process, seconds in sorted(waits.items())
    ]


def training(folded: Folded) -> list[str]:
    """Return the state of a training: its steps, its loss curve, its last figures."""
    if not folded.training:
        return []
    last = folded.training[-1]
    steps = f"step {last['step']:,}"
    if "steps" in last:
        steps += f" of {last['steps']:,}"
    losses = [e["loss"] for e in folded.training if e["loss"] is not None]
    lines = [f"  {steps}, epoch {last['epoch']:,}"]
    if losses:
        ends = f"{number_text(losses[0])} -> {number_text(losses[-1])}"
        far = goes_far(losses)
        curve = sparkline([math.log(loss) for loss in losses] if far else losses)
        lines.append(f"  loss {ends}  {curve}" + "  by powers of ten" * far)
    lost = [e["step"] for e in folded.training if e["loss"] is None]
    if lost:
        count = f"{len(lost):,} step" + "s" * (len(lost) > 1)
        lines.append(f"  loss not finite in {count}, first in step {lost[0]:,}")
    if "rate" in last:
        lines.append(f"  learning rate {number_text(last['rate'])}")
    figures = last["metrics"].items()
    lines += [f"  {name} {number_text(value)}" for name, value in figures][:MOST_FACTS]
    norms = [f"{layer}: {number_text(norm)}" for layer, norm in last["norms"].items()]
    by_layer = [f"  gradient norms by layer: {first_names(norms)}"] if norms else []
    return lines + by_layer


def sparkline(values: list[float], width: int = 40) -> str:
    """Draw a curve in one line of text.

    >>> sparkline([4.0, 2.0, 1.0, 0.5])
    '█▄▂▁'
    """
    picked = values[:: max(1, -(-len(values) // width))]
    low, high = min(picked), max(picked)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0.0
    return "".join(BARS[round((value - low) * scale)] for value in picked)


class LineTexts:
    """The texts of each line; rows are grouped once, as a cell may have thousands."""

    def __init__(self, folded: Folded) -> None:
        self.folded = folded
        returned = [t for t in folded.results if t.gradient or t.value]
        self._leaves = grouped((t.line, t) for t in (*folded.leaves(), *returned))
        self._overwritten = grouped(folded.overwritten)
        self._barren = grouped(folded.barren)
        self._steps = grouped((step[0].line, step) for step in folded.distinct_steps())
        self._rows = [
            (program.title, grouped((row.line, row) for row in program.rows))
            for program in folded.programs.values()
        ]

    def of_line(self, line: int) -> list[str]:
        """Return a line of the source, and under it its effects."""
        lines, times = self.folded.lines, self.folded.ran[line]
        source = lines[line - 1].strip() if line <= len(lines) else ""
        effects = self.in_programs(line) + self.on_tape(line)
        parts = [part for text in effects for part in wrapped(text)]
        return [f"{line:>4}  {source}{again(times)}", *parts]

    def again(self, times: int) -> str:
        """Return a count of events: a lower bound if the log left some out."""
        sampled = times > 1 and self.folded.left_out.intersection(COUNTED)
        return f"  (at least x{times})" if sampled else again(times)

    def in_programs(self, line: int) -> list[str]:
        """Return the rows that a line added to programs, and the runs it started."""
        additions = Counter(
            f"{title}: {rows_text(rows[line])}"
            for title, rows in self._rows
            if rows[line]
        )
        runs = Counter({f"ran {t}": n for t, n in self.folded.ran_by[line].items()})
        return [text + self.again(count) for text, count in (additions + runs).items()]

    def on_tape(self, line: int) -> list[str]:
        """Return a line's new leaves, with gradients, its ops, and other effects."""
        leaves = [
            f"{t.letter} {t.name or '·'} {shape_text(t.shape)}{gradient(t)}"
            for t in self._leaves[line]
        ]
        steps = [
            ran(self.folded, step) + self.again(count)
            for step, count in self._steps[line]
        ]
        texts = [text for text in (first_names(leaves), *steps[:MOST_FACTS]) if text]
        texts += more(len(steps) - MOST_FACTS, "op")
        for number, count in Counter(self._overwritten[line]).items():
            texts.append(f"{self.named(number)} overwritten in place{again(count)}")
        for number, count in Counter(self._barren[line]).items():
            name = self.folded.name(number)
            texts.append(f"no gradient: {name} requires none{again(count)}")
        return texts

    def named(self, number: int) -> str:
        """Return a tensor's name and shape."""
        shape = shape_text(self.folded.tensors[number].shape)
        return f"{self.folded.name(number)} {shape}"


def again(times: int) -> str:
    """Return a count of repeats, if there are any."""
    return f"  (x{times})" if times > 1 else ""


def rows_text(rows: list[Row]) -> str:
    """Return a program's new rows: variables, operators, failures."""
    variables = [f"{r.letter} {r.name}" for r in rows if r.letter in VARIABLES]
    if len(variables) > FEW:
        variables = [counted(len(variables), "variable")]
    operators = [r.name for r in rows if r.letter in "ƒ∂Δ"]
    failed = [f"! {r.name}: {r.detail}" for r in rows if r.letter == "!"]
    texts = [", ".join(variables), first_names(operators), *failed]
    return "; ".join(text for text in texts if text)


def ran(folded: Folded, step: Step) -> str:
    """Return an eager op as a call, with its result or its error."""
    inputs = ", ".join(folded.name(number) for number in step.inputs)
    if step.failed:
        return f"! {step.type}({inputs}): {step.failed}"
    tensor = folded.tensors.get(step.output)
    shape = "" if tensor is None else f" {shape_text(tensor.shape)}"
    if step.bad:
        shape += f" {step.bad}"
    saved = f"  keeps {', '.join(step.saved)}" if step.saved else ""
    return f"{step.type}({inputs}) -> {folded.name(step.output)}{shape}{saved}"


def gradient(tensor: Tensor) -> str:
    """Return the norm of a tensor's gradient, or of one that `grad` has returned."""
    if tensor.gradient is None:
        return ""
    word = "norm" if tensor.letter == "g" else "gradient"
    return f", {word} {norm_text(tensor.gradient)}"


def first_names(names: list[str]) -> str:
    """Join the first names, with the count of the others."""
    shown = ", ".join(names[:MOST_FACTS])
    rest = len(names) - MOST_FACTS
    return f"{shown}, ... {rest} more" if rest > 0 else shown


def more(count: int, what: str) -> list[str]:
    """Return the count of the rest, if there is any."""
    return [f"... {counted(count, what)} more"] if count > 0 else []


def counted(count: int, what: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "line"), counted(1200, "line")
    ('1 line', '1,200 lines')
    """
    return f"{count:,} {what}" + ("" if count == 1 else "s")


def wrapped(text: str, indent: str = " " * 8) -> list[str]:
    """Wrap a text to at most three lines, by default indented under its source."""
    return wrap(
        text, WIDTH, initial_indent=indent, subsequent_indent=indent + "  ", max_lines=3
    )


def cut(text: str) -> str:
    """Cut a text to one printable line of the width."""
    text = "".join(c if c.isprintable() else "�" for c in text)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"
