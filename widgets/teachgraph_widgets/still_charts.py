"""Still charts: the loss of a training, a memory plan, passes, a profile, a cluster."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from teachgraph_widgets.events import PassEvent, PlanBuffer, PlanEvent
from teachgraph_widgets.events import Span as SpanFields
from teachgraph_widgets.folded import Folded, number_text
from teachgraph_widgets.lettering import GLYPH, text
from teachgraph_widgets.spans import Span, rows_of
from teachgraph_widgets.still_cluster import timeline

__all__ = ["charts", "goes_far", "values_text"]

Parts = tuple[list[str], int]

ROW = 22
HEIGHT = 230
AXIS = 74
MOST_ROWS = 30
BORDERED = 3.0
"""Pixels of the height from which on a buffer has a border."""
MOST_BUFFERS = 400
MOST_POINTS = 600
HUES = (
    *("#8684f5", "#c33467", "#6c9a08", "#6f41e6"),
    *("#d574aa", "#186550", "#59510c", "#872b7c"),
)
RULE, BLUE = "#e2e5e9", "#0a5fb4"


def charts(folded: Folded, x: int, top: int, width: int) -> Parts:
    """Draw all charts that a log has data for, one under the other."""
    parts: list[str] = []
    y = top
    for drawn, height in (
        *(plan_chart(plan, x, y, width) for plan in folded.plans[-1:]),
        *([loss_chart(folded, x, y, width)] if losses_of(folded) else []),
        *([pass_table(folded.passes, x, y, width)] if folded.passes else []),
        *([profile_table(folded.spans, x, y, width)] if folded.spans else []),
        *([timeline(folded, x, y, width)] if folded.messages else []),
    ):
        parts.append(f'<g transform="translate(0 {y - top})">{"".join(drawn)}</g>')
        y += height + 24
    return parts, max(top, y - 24)


def losses_of(folded: Folded) -> list[tuple[int, float]]:
    """Return step and loss of the steps that have a finite loss, thinned evenly."""
    losses = [(e["step"], e["loss"]) for e in folded.training]
    known = [(step, loss) for step, loss in losses if loss is not None]
    return known[:: max(1, -(-len(known) // MOST_POINTS))]


def loss_chart(folded: Folded, x: int, y: int, width: int) -> Parts:
    """Draw the loss by step."""
    points, last = losses_of(folded), folded.training[-1]
    first, end = points[0][0], max(points[-1][0], points[0][0] + 1)
    by_powers = goes_far([loss for _, loss in points])
    heights = [math.log10(loss) if by_powers else loss for _, loss in points]
    low, high = min(heights), max(heights)
    wide, range_ = width - AXIS, (high - low) or 1.0
    top = y + 20

    def place(step: float, at: float) -> str:
        right = x + AXIS + wide * (step - first) / (end - first)
        return f"{right:.1f} {top + HEIGHT * (high - at) / range_:.1f}"

    drawn = zip(points, heights, strict=True)
    path = "M" + "L".join(place(step, at) for (step, _), at in drawn)
    of = f" of {last['steps']:,}" if "steps" in last else ""
    steps = f"step {last['step']:,}{of}"
    fell = f"{number_text(points[0][1])} → {number_text(points[-1][1])}"
    words = f"Loss {fell} · {steps} · epoch {last['epoch']:,}"
    words += " · by powers of ten" * by_powers
    words += f" · learning rate {number_text(last['rate'])}" if "rate" in last else ""
    parts = [text(x, y, words, "h")]
    for share in (0.0, 0.5, 1.0):
        at = high - share * range_
        value = number_text(10.0**at if by_powers else at)
        parts += gridline(x, top + HEIGHT * share, width, value)
    parts += [
        f'<path d="{path}" fill="none" stroke="{BLUE}" stroke-width="2"/>',
        text(x + AXIS, top + HEIGHT + 16, f"step {first:,}", "d"),
        text(x + width - 8 * GLYPH, top + HEIGHT + 16, f"{end:,}".rjust(8), "d"),
    ]
    lost = [e["step"] for e in folded.training if e["loss"] is None][:MOST_ROWS]
    parts += [
        text(x + AXIS + wide * (step - first) / (end - first) - 4, top + 10, "✕", "w")
        for step in lost
    ]
    norms = [f"{name}: {number_text(norm)}" for name, norm in last["norms"].items()]
    if norms:
        words = f"last gradient norm by layer: {', '.join(norms)}"
        parts.append(text(x, top + HEIGHT + 38, words, "d", width))
    return parts, HEIGHT + 20 + 44


def goes_far(values: Sequence[float]) -> bool:
    """True if a curve needs a logarithmic scale: most of it would be a line at zero.

    >>> goes_far([5.0, 0.001]), goes_far([5.0, 1.0, 0.0])
    (True, False)
    """
    return min(values) > 0 and max(values) > 1000 * min(values)


def gridline(x: int, y: float, width: int, words: str) -> Iterator[str]:
    """Draw a grid line of a chart, with its number."""
    yield f'<path d="M{x + AXIS} {y:.1f}h{width - AXIS}" stroke="{RULE}"/>'
    yield text(x, y + 4, words.rjust(10), "d")


def plan_chart(plan: PlanEvent, x: int, y: int, width: int) -> Parts:
    """Draw each buffer of a plan: operators to the right, bytes upwards."""
    buffers, peak = plan["buffers"][:MOST_BUFFERS], max(1, plan["planned_peak"])
    ends = max([b["end"] + 1 for b in buffers] + [1])
    top, wide, tall = y + 20, width - AXIS, HEIGHT
    naive = max(1, plan["naive_peak"])
    words = (
        f"{values_text(plan)}, {size_text(plan['planned_peak'])}; "
        f"each on its own would take {size_text(naive)}: {1 - peak / naive:.0%} less"
    )
    parts = [text(x, y, words, "h", width)]
    covered = {b["alias_of"]: b["start"] for b in buffers if "alias_of" in b}
    for share in (0.0, 0.5, 1.0):
        parts += gridline(x, top + tall * share, width, size_text(peak * (1 - share)))
    for index, buffer in enumerate(buffers):
        left = x + AXIS + wide * buffer["start"] / ends
        right = x + AXIS + wide * (buffer["end"] + 1) / ends
        bottom = top + tall * (1 - buffer["offset"] / peak)
        above = bottom - tall * buffer["size"] / peak
        seen = wide * (covered.get(buffer["name"], ends) - buffer["start"]) / ends
        box = left, above, right - left, bottom - above
        parts.append(buffer_box(index, buffer, box, min(seen, right - left)))
    parts.append(
        text(x + AXIS, top + tall + 16, f"{ends:,} operators, in order →", "d")
    )
    parts += more(len(plan["buffers"]) - len(buffers), x + AXIS + 260, top + tall + 16)
    return parts, HEIGHT + 20 + 22


def values_text(plan: PlanEvent) -> str:
    """Return the counts of values, and of buffers: some values reuse another's."""
    own = sum("alias_of" not in buffer for buffer in plan["buffers"])
    return f"{len(plan['buffers']):,} values in {own:,} buffers"


def buffer_box(
    index: int, buffer: PlanBuffer, box: tuple[float, ...], room: float
) -> str:
    """Draw a buffer's rectangle; dashed if it reuses another's bytes in place.

    Its name may be `room` wide: further on another rectangle covers it.
    """
    # A border would make a low one higher than it is.
    border = 1 if box[3] >= BORDERED else 0
    x, y, width, height = *box[:2], *(max(0.5, size - border) for size in box[2:])
    hue = HUES[index % len(HUES)]
    dashes = ' stroke-dasharray="4 3"' if "alias_of" in buffer else ""
    edge = f'fill-opacity="0.22" stroke="{hue}"{dashes}' if border else ""
    place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2"'
    drawn = f'<rect {place} fill="{hue}" {edge}/>'
    if height < 14 or room < 4 * GLYPH:
        return drawn
    return drawn + text(round(x + 4), round(y + 13), buffer["name"], "", room - 6)


def pass_table(passes: Sequence[PassEvent], x: int, y: int, width: int) -> Parts:
    """Draw a table of passes: the numbers of operators, and the rewrites."""
    parts, start = list[str](), y
    rows = 0
    for event in passes:
        words = f"{event['name']}: {event['before']:,} → {event['after']:,} operators"
        parts.append(text(x, y, words, "h", width))
        changes = event["changes"][: max(0, MOST_ROWS - rows)]
        rows += len(changes)
        for change in changes:
            y += ROW
            old, new = ", ".join(change["old"]), ", ".join(change["new"]) or "nothing"
            facts = ": ".join(part for part in (new, change["what"]) if part)
            words = f"→ {facts}  {change['where']}"
            gap = (len(old) + 4) * GLYPH
            parts.append(text(x + 12, y, f"− {old}", "w", width))
            parts.append(text(x + 12 + round(gap), y, words, "p", width - gap - 12))
        left = len(event["changes"]) - len(changes)
        y += ROW * (left > 0)
        parts += more(left, x + 12, y)
        y += ROW + 8
    return parts, y - start


def profile_table(fields: Sequence[SpanFields], x: int, y: int, width: int) -> Parts:
    """Draw the spans with the most own time, with their shares as bars."""
    spans = [
        Span(s["name"], "", s["start"], s["start"] + s["duration"], s["depth"])
        for s in fields
    ]
    rows = sorted(rows_of(spans), key=lambda row: -row.own)
    whole = sum(row.own for row in rows) or 1.0
    parts = [text(x, y, f"{len(spans):,} spans in {time_text(whole)}", "h")]
    bar, start = x + 430, y
    for row in rows[:MOST_ROWS]:
        y += ROW
        share = row.own / whole
        length = max(1.0, share * (width - 430 - 60))
        calls = f"{row.calls:,} ×".rjust(9)
        words = f"{calls}  {time_text(row.own).rjust(9)}"
        parts += [
            text(x + 4, y, row.name, "n", 260),
            text(x + 270, y, words, "d"),
            share_bar(bar, y - 10, length),
            text(bar + round(length) + 6, y, f"{share:.1%}", "d"),
        ]
    y += ROW * (len(rows) > MOST_ROWS)
    parts += more(len(rows) - MOST_ROWS, x + 4, y)
    return parts, y - start


def share_bar(x: int, y: int, width: float) -> str:
    """Draw a bar for a share."""
    box = f'x="{x}" y="{y}" width="{width:.1f}" height="12" rx="2"'
    return f'<rect {box} fill="{BLUE}" fill-opacity="0.35"/>'


def more(count: int, x: int, y: float) -> list[str]:
    """Draw the number of rows beyond the limit, if there are any."""
    return [text(x, y, f"{count:,} more", "d")] if count > 0 else []


def size_text(size: float) -> str:
    """Return a number of bytes as text.

    >>> size_text(512), size_text(2048)
    ('512 B', '2 kB')
    """
    units = ["B", "kB", "MB", "GB"]
    while size >= 1024 and len(units) > 1:
        size, units = size / 1024, units[1:]
    return f"{size:.3g} {units[0]}"


def time_text(seconds: float) -> str:
    """Return a time in a suitable unit.

    >>> time_text(0.0123), time_text(2.0)
    ('12.3 ms', '2 s')
    """
    for unit, scale in (("s", 1.0), ("ms", 1e3)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"
