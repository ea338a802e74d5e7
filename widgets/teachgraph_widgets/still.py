"""A still picture of a trace, for hosts without scripts: a self-contained SVG.

It has its own background, so it is legible on light and dark pages. Names in it are
text and never markup. In a notebook it is an image, which GitHub shows.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from xml.sax.saxutils import quoteattr

from teachgraph_widgets.events import Log
from teachgraph_widgets.folded import (
    Folded,
    Program,
    Row,
    Step,
    Tensor,
    fold,
    norm_text,
    number_text,
    shape_text,
    small_text,
)
from teachgraph_widgets.lettering import GLYPH, fitted, printable, text
from teachgraph_widgets.stamps import badge, line_tag, stamps
from teachgraph_widgets.still_charts import charts
from teachgraph_widgets.still_cluster import talking
from teachgraph_widgets.validate import read_log

__all__ = ["image", "still"]

WIDTH = 1080
MARGIN, GAP = 20, 16
SOURCE = 330
ROW = 22
MOST_ROWS = 60
MOST_LEAVES = 16
"""Most rows of parameters and data; those of a deep network would fill the picture."""
MOST_SMALL = 40
"""Most letters of a value and its gradient."""
FEW = 8
"""Most rows from before the trace; more are counted."""
WORDS = {
    "P": "parameter",
    "B": "buffer",
    "∇": "leaf with gradient",
    "D": "data",
    "T": "temporary",
    "g": "gradient",
    "L": "optimizer state",
    "ƒ": "operator",
    "∂": "gradient operator",
    "Δ": "optimizer operator",
    "!": "failed",
}
STYLE = (
    "text{font:600 11px ui-monospace,Menlo,Consolas,monospace;"
    "fill:#1d232a;white-space:pre}"
    ".h{font:600 12px system-ui,sans-serif}"
    ".t{font:600 15px system-ui,sans-serif}"
    ".d,tspan{fill:#5a636e}.c,.d,.l,.p,.w,tspan{font-weight:400}.l{font-size:10px;text-anchor:middle;fill:#111}.i{fill:#fff}"
    ".e,.w{fill:#b3261e}.p{fill:#1d6f42}"
    "@keyframes s{from{opacity:0}}"
    "@media (prefers-reduced-motion:no-preference)"
    "{g[class]{animation:s .4s var(--d)both}}"
)
LONGEST_PLAY = 4.5
"""Seconds until the last line has appeared: what moves for longer must be stoppable."""
SLOWEST = 0.8


def image(log: Log) -> str:
    """Return the picture as HTML that any host shows: an image with a data URL.

    `alt` describes its content in words. Of two traces beside each other it shows both.
    """
    events = log["events"]
    if events and events[-1]["kind"] == "beside":
        first: Log = {**log, "events": events[:-1]}
        return image(first) + image(read_log(events[-1]["log"]))
    folded = fold(log)
    data = base64.b64encode(picture(folded).encode("utf-8")).decode("ascii")
    title = log["title"] or "a trace"
    words = f"What each line made: {title}" if folded.is_traced else title
    return (
        f"<img alt={quoteattr(printable(words))} "
        f'style="max-width:100%" src="data:image/svg+xml;base64,{data}">'
    )


def still(log: Log) -> str:
    """Return the picture as SVG: the source beside its programs and its tape."""
    return picture(fold(log))


def picture(folded: Folded) -> str:
    """Return the picture of a folded log."""
    parts, top = heading(folded)
    source, source_end, left = list[str](), top, MARGIN
    if folded.is_traced:
        source, source_end = source_column(folded, top)
        left += SOURCE + 2 * GAP
    graphs, graphs_end = graph_columns(folded, left, top)
    drawn, drawn_end = charts(folded, left, graphs_end, WIDTH - MARGIN - left)
    bottom = max(source_end, drawn_end) + 8
    notes = [f"left out: {text}" for text in folded.dropped]
    body = [
        *parts,
        *source,
        *graphs,
        *drawn,
        *legend(folded, bottom),
        *footer(notes, bottom + 22),
    ]
    height, drawing = bottom + 30 + 16 * len(notes), joined("".join(body))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img" xml:space="preserve">'
        f"<style>{STYLE}{delays(folded, drawing)}</style>"
        f"<defs>{stamps(folded, drawing)}</defs>"
        f'<rect width="{WIDTH}" height="{height}" rx="12" fill="#ffffff" '
        f'stroke="#e2e5e9"/>{drawing}</svg>'
    )


def heading(folded: Folded) -> tuple[list[str], int]:
    """Draw the title, if there is one."""
    if not folded.title:
        return [], MARGIN + 8
    return [text(MARGIN, MARGIN + 14, folded.title, "t", WIDTH - 2 * MARGIN)], 60


def source_column(folded: Folded, top: int) -> tuple[list[str], int]:
    """Draw the source's lines, each line that ran with its colour."""
    parts = [text(MARGIN, top, "Source", "h")]
    y = top + 10
    shown = folded.lines[:MOST_ROWS]
    for number, line in enumerate(shown, 1):
        words = text(MARGIN + 34, y + 15, line, "", SOURCE - 34)
        if number in folded.ran:
            parts.append(appearing(folded, number, line_tag(number, MARGIN, y) + words))
        else:
            parts.append(text(MARGIN + 7, y + 15, str(number), "d") + words)
        y += ROW
    if len(folded.lines) > len(shown):
        rest = f"{len(folded.lines) - len(shown)} lines more"
        parts.append(text(MARGIN + 34, y + 15, rest, "d"))
        y += ROW
    if folded.error:
        first = folded.error.split("\n")[0]
        parts.append(text(MARGIN + 10, y + 15, first, "w", SOURCE - 10))
        y += ROW
    return parts, y


def graph_columns(folded: Folded, left: int, top: int) -> tuple[list[str], int]:
    """Draw the programs side by side, and under them the tape."""
    width = WIDTH - MARGIN - left
    parts: list[str] = []
    y = top
    programs = in_order(folded.programs.values())
    if folded.processes:
        programs = talking(folded)
    for pair in (programs[i : i + 2] for i in range(0, len(programs), 2)):
        wide = (width - GAP * (len(pair) - 1)) // len(pair)
        ends = []
        for index, program in enumerate(pair):
            more, end = program_column(
                folded, program, left + index * (wide + GAP), y, wide
            )
            parts += more
            ends.append(end)
        y = max(ends) + 24
    if folded.tensors or folded.steps:
        more, y = tape_column(folded, left, y, width)
        parts += more
        y += 14
    return parts, y


def in_order(programs: Iterable[Program]) -> list[Program]:
    """Return the programs that have rows, startup programs first."""
    filled = [program for program in programs if program.rows]
    return sorted(filled, key=lambda program: program.role != "startup")


def program_column(
    folded: Folded, program: Program, x: int, top: int, width: int
) -> tuple[list[str], int]:
    """Draw a program: its rows in the order they were added."""
    parts = [text(x, top, program.title, "h", width)]
    y = top + 10
    rows, before = recent(program.rows)
    if before:
        parts.append(text(x + 44, y + 15, f"{before:,} rows from before", "d"))
        y += ROW
    for row in rows[:MOST_ROWS]:
        parts.append(row_at(folded, row, x, y, width))
        y += ROW
    rest = len(rows) - MOST_ROWS
    return parts + remaining(rest, x, y), y + ROW * (rest > 0)


def recent(rows: list[Row]) -> tuple[list[Row], int]:
    """Return the rows that the source added, and the number of older ones left out.

    Otherwise a program that grows from cell to cell would be drawn whole under each.
    """
    own = [row for row in rows if row.line]
    older = len(rows) - len(own)
    return (own, older) if own and older > FEW else (rows, 0)


def row_at(folded: Folded, row: Row, x: int, y: int, width: int) -> str:
    """Draw a variable or an operator."""
    name = fitted(row.name, width - 60)
    detail = fitted(row.detail, width - 54 - round(len(name) * GLYPH))
    tone = "e" if row.letter == "!" else "n"
    drawn = (
        line_tag(row.line, x, y)
        + badge(row.letter, x + 32, y + 11)
        + text(x + 44, y + 15, name, tone, more=detail)
    )
    return appearing(folded, row.line, drawn)


def appearing(folded: Folded, line: int, drawn: str) -> str:
    """Let something appear when its line would run; whoever minds motion sees all.

    The animation plays once, and ends with the whole picture.
    """
    lines = list(folded.ran)
    if line not in folded.ran or len(lines) < 2:
        return drawn
    return f'<g class="s{lines.index(line) + 1}">{drawn}</g>'


SAME_TURN = re.compile(r'(<g class="s(\d+)">(?:(?!</?g).)*)</g><g class="s\2">')


def joined(drawing: str) -> str:
    """Let neighbours that appear together be one group: a picture is to be small."""
    count = 1
    while count:
        drawing, count = SAME_TURN.subn(r"\1", drawing)
    return drawing


def delays(folded: Folded, drawing: str) -> str:
    """Return the rules that let each line wait for its turn."""
    pace = min(SLOWEST, LONGEST_PLAY / max(1, len(folded.ran)))
    turns = sorted({int(turn) for turn in re.findall(r'class="s(\d+)"', drawing)})
    rules = "".join(f".s{turn}{{--d:{pace * turn:.2g}s}}" for turn in turns)
    return rules.replace(":0.", ":.")


def tape_column(folded: Folded, x: int, top: int, width: int) -> tuple[list[str], int]:
    """Draw the tape: leaves, then each op with its gradient at the same height."""
    half = (width - GAP) * 3 // 5
    right, narrow = x + half + GAP, width - half - GAP
    words = "forward, downwards" if folded.steps else "tensors"
    parts = [text(x, top, words, "h")]
    if any(step.has_gradient for step in folded.steps):
        parts.append(text(right, top, "backward, upwards", "h"))
    y = top + 10
    leaves = folded.leaves()
    few = leaves[:MOST_LEAVES] if folded.steps else leaves[:MOST_ROWS]
    for leaf in few:
        parts.append(leaf_at(folded, leaf, x, y, half))
        parts.append(gradient_at(leaf, right, y, narrow))
        y += ROW
    left = len(leaves) - len(few)
    parts += remaining(left, x, y)
    y += ROW * (left > 0)
    steps = folded.distinct_steps()
    for step, times in steps[:MOST_ROWS]:
        parts.append(step_at(folded, step, times, x, y, half))
        if step.has_gradient:
            parts.append(twin_at(folded, step, right, y, narrow))
        y += ROW
    rest = len(steps) - MOST_ROWS
    return parts + remaining(rest, x, y), y + ROW * (rest > 0)


def leaf_at(folded: Folded, leaf: Tensor, x: int, y: int, width: int) -> str:
    """Draw a leaf, with its value if the log is not of code."""
    held = held_text(leaf)
    detail = held.lstrip() if folded.is_traced else shape_text(leaf.shape)
    if leaf.value is not None and not folded.is_traced:
        low, high, mean = leaf.value["min"], leaf.value["max"], leaf.value["mean"]
        detail += f"  {number_text(low)} to {number_text(high)}"
        detail += f", mean {number_text(mean)}"
    row = Row(leaf.letter, leaf.name or "·", detail, leaf.line)
    return row_at(folded, row, x, y, width)


def gradient_at(leaf: Tensor, x: int, y: int, width: int) -> str:
    """Draw the gradient of a leaf, beside it."""
    result = leaf.returned
    if leaf.gradient is not None:
        norm = f"{leaf.name}.grad  ‖g‖ {norm_text(leaf.gradient)}"
    elif result is not None and result.gradient is not None:
        norm = f"{result.name}  ‖g‖ {norm_text(result.gradient)}"
    else:
        return ""
    return badge("g", x + 8, y + 11) + text(x + 20, y + 15, norm, "", width - 20)


def step_at(folded: Folded, step: Step, times: int, x: int, y: int, width: int) -> str:
    """Draw an op with the count of its runs, or with its error."""
    if step.failed:
        return row_at(folded, Row("!", step.type, step.failed, step.line), x, y, width)
    inputs = ", ".join(folded.name(number) for number in step.inputs)
    tensor = folded.tensors.get(step.output)
    held = "" if tensor is None else held_text(tensor)
    detail = f"{inputs} → {folded.name(step.output)}{held}"
    detail += f"  ×{times}" if times > 1 else ""
    return row_at(folded, Row(step.letter, step.type, detail, step.line), x, y, width)


def held_text(tensor: Tensor) -> str:
    """Return a tensor's value and gradient if they are small, else its shape."""
    value, gradient = small_text(tensor.value), small_text(tensor.gradient)
    if not value or len(value) + len(gradient) > MOST_SMALL:
        return f" {shape_text(tensor.shape)}"
    return f" = {value} | {gradient}" if gradient else f" = {value}"


def twin_at(folded: Folded, step: Step, x: int, y: int, width: int) -> str:
    """Draw the gradient of an op, with the norm of its upstream gradient."""
    tensor = folded.tensors.get(step.output)
    norm = ""
    if tensor is not None and tensor.gradient is not None:
        norm = f"  ‖g‖ {norm_text(tensor.gradient)}"
    name = f"{step.type}_grad{norm}"
    return badge("∂", x + 8, y + 11) + text(x + 20, y + 15, name, "", width - 20)


def legend(folded: Folded, y: int) -> list[str]:
    """Draw the meaning of the letters that are in the picture."""
    letters = {row.letter for p in folded.programs.values() for row in p.rows}
    letters |= {leaf.letter for leaf in folded.leaves()}
    letters |= {step.letter for step in folded.steps}
    if any(step.has_gradient for step in folded.steps):
        letters |= {"∂", "g"}
    parts, x = list[str](), MARGIN + 8
    for letter, word in WORDS.items():
        if letter in letters:
            parts.append(badge(letter, x, y + 4) + text(x + 12, y + 8, word, "d"))
            x += round(len(word) * GLYPH) + 36
    return parts


def footer(notes: Sequence[str], y: int) -> list[str]:
    """Draw the notes on what was left out."""
    return [
        text(MARGIN, y + 8 + 16 * index, note, "d", WIDTH - 2 * MARGIN)
        for index, note in enumerate(notes)
    ]


def remaining(rest: int, x: int, y: int) -> list[str]:
    """Draw the number of rows beyond the limit, if there are any."""
    return [text(x + 44, y + 15, f"{rest:,} more", "d")] if rest > 0 else []
