"""Still of a cluster: the calls of its processes in their last step, on one clock."""

from __future__ import annotations

from collections.abc import Sequence

from teachgraph_widgets.events import MessageEvent
from teachgraph_widgets.folded import Folded, Program
from teachgraph_widgets.lettering import text

__all__ = ["last_step", "talking", "timeline"]

TALKS = {"trainer": {"send", "c_allreduce_sum"}, "server": {"listen_and_serv"}}
VARIABLES = "PBDTgL"

LANE, AXIS = 26, 170
COLOURS = {
    "send": "#d55e00",
    "barrier": "#56b4e9",
    "update": "#009e73",
    "save": "#888888",
    "restart": "#b3261e",
}
RECEIVED = "#e69f00"
RULE = "#e2e5e9"


def talking(folded: Folded) -> list[Program]:
    """Return the operators of the first trainer's and the first server's program."""
    first: dict[str, Program] = {}
    for number in sorted(folded.processes):
        process = folded.processes[number]
        for program in folded.programs.values():
            names = {row.name for row in program.rows}
            is_own = program.title.startswith(f"{process['title']}: ")
            if is_own and names & TALKS[process["role"]]:
                rows = [row for row in program.rows if row.letter not in VARIABLES]
                shown = Program(program.title, program.role, rows)
                first.setdefault(process["role"], shown)
    return [*first.values()]


def last_step(folded: Folded) -> tuple[int, list[MessageEvent]]:
    """Return the number of the trainers' last step, and what happened in its time."""
    roles = {number: event["role"] for number, event in folded.processes.items()}
    own = [m for m in folded.messages if roles.get(m["process"]) == "trainer"]
    step = max((m["step"] for m in own), default=0)
    own = [m for m in own if m["step"] == step]
    begin = min((m["start"] for m in own), default=0.0)
    end = max((m["start"] + m["duration"] for m in own), default=0.0)
    served = [
        m
        for m in folded.messages
        if m["what"] in ("update", "save", "restart")
        and begin <= m["start"] + m["duration"]
        and m["start"] <= end
    ]
    return step, own + served


def timeline(folded: Folded, x: int, y: int, width: int) -> tuple[list[str], int]:
    """Draw the last step: a lane for each process, a bar for each of its calls."""
    step, messages = last_step(folded)
    within = [m for m in messages if m["what"] != "save"]  # written beside the step
    begin = min(m["start"] for m in within)
    end = max(m["start"] + m["duration"] for m in within)
    scale = (width - AXIS) / max(end - begin, 1e-9)
    title = f"Step {step}: {1e3 * (end - begin):.3g} ms; sends, barriers, receives"
    parts = [text(x, y, f"{title}, and what servers do", "h")]
    numbers = sorted(folded.processes)
    lanes = {number: y + 14 + LANE * at for at, number in enumerate(numbers)}
    for number, top in lanes.items():
        line = f'x1="{x + AXIS}" x2="{x + width}" y1="{top + 19}" y2="{top + 19}"'
        parts.append(text(x, top + 12, folded.processes[number]["title"], "d", AXIS))
        parts.append(f'<line {line} stroke="{RULE}"/>')
    parts += bars(messages, lanes, x + AXIS, (begin, end), scale)
    below = y + 14 + LANE * len(lanes)
    for at, line in enumerate(folded.restarts):
        parts.append(text(x, below + 12 + 18 * at, line, "d"))
    return parts, below - y + 18 * len(folded.restarts)


def bars(
    messages: Sequence[MessageEvent],
    lanes: dict[int, int],
    x: int,
    span: tuple[float, float],
    scale: float,
) -> list[str]:
    """Draw a bar for each call, as far as it is within the span of time."""
    shapes = []
    for message in messages:
        begin = max(message["start"], span[0])
        end = min(message["start"] + message["duration"], span[1])
        left = x + scale * (begin - span[0])
        wide = max(1.5, scale * (end - begin))
        colour = COLOURS.get(message["what"], RECEIVED)
        box = f'x="{left:.1f}" y="{lanes[message["process"]]}" width="{wide:.1f}"'
        look = f'fill="{colour}" fill-opacity="0.5" stroke="{colour}"'
        shapes.append(f'<rect {box} height="16" rx="2" {look}/>')
    return shapes
