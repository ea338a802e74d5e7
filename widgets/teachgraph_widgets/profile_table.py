"""The table of a profile, with the cost of measuring itself."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence

from teachgraph_widgets.spans import Row, Span
from teachgraph_widgets.summary import cut
from teachgraph_widgets.timing import Timer

__all__ = ["UNITS", "table"]

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
MOST_ROWS = 40
TRIALS = 300


def table(rows: Sequence[Row], spans: Sequence[Span], unit: str) -> str:
    """Return the rows of a profile as text."""
    scale = UNITS[unit]
    whole = sum(span.seconds for span in spans if span.depth == 0) or 1.0
    width = min(max([len(row.name) for row in rows] + [4]), 28)
    head = f"{'name':{width}}  {'kind':4}  {'calls':>6}"
    for title in (f"total {unit}", f"own {unit}", f"mean {unit}", f"max {unit}"):
        head += f"  {title:>9}"
    lines = [head + f"  {'own %':>5}  {'made':>8}"]
    for row in rows[:MOST_ROWS]:
        name = cut(row.name)[:width]
        text = f"{name:{width}}  {row.kind:4}  {row.calls:>6,}"
        for seconds in (row.total, row.own, row.total / row.calls, row.most):
            text += f"  {seconds * scale:>9.3f}"
        lines.append(text + f"  {row.own / whole:>5.1%}  {amount(row.size):>8}")
    if len(rows) > MOST_ROWS:
        lines.append(f"... {len(rows) - MOST_ROWS} more")
    each = cost_of_a_span()
    cost, count = len(spans) * each * scale, f"{len(spans):,} spans"
    lines.append(
        f"measuring took about {cost:.3f} {unit} ({count}); it is in the times"
    )
    return "\n".join(lines)


def amount(size: int) -> str:
    """Return a number of bytes, in a suitable unit.

    >>> amount(0), amount(999), amount(123_456)
    ('', '999 B', '123.5 kB')
    """
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return "" if not size else f"{value:.{0 if unit == 'B' else 1}f} {unit}"
        value /= 1000
    raise AssertionError


def cost_of_a_span() -> float:
    """Measure the seconds that recording one span takes, on this machine, now."""
    timer = Timer()
    collecting = gc.isenabled()
    gc.disable()
    try:
        start = time.perf_counter()
        for _ in range(TRIALS):
            timer.op_begin("op", (), {})
            timer.op_end("op", (), (), {}, None)
        return (time.perf_counter() - start) / TRIALS
    finally:
        if collecting:
            gc.enable()
