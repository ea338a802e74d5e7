"""Badges and line numbers of a still picture: each drawn once, used by reference."""

from __future__ import annotations

import re

from teachgraph_widgets.folded import Folded
from teachgraph_widgets.lettering import text
from teachgraph_widgets.still_charts import HUES

__all__ = ["FILLS", "LIGHT_LETTERS", "badge", "line_tag", "stamps"]

FILLS = {
    "P": "#e69f00",
    "B": "#713800",
    "∇": "#38008d",
    "D": "#56b4e9",
    "T": "#dddddd",
    "g": "#d55e00",
    "L": "#004d40",
    "ƒ": "#0072b2",
    "∂": "#cc79a7",
    "Δ": "#009e73",
    "!": "#b3261e",
}
LIGHT_LETTERS = "B∇Lƒ!"
ROUND = "PB∇DTgL"
ROUNDS = 3
"""Rounds of the colours; in each the stripes of lines are cut otherwise."""


def badge(letter: str, x: int, y: int) -> str:
    """Place the badge of a letter."""
    return stamped(name_of(letter), x, y)


def line_tag(line: int, x: int, y: int) -> str:
    """Place the tag of a row's line, in the line's colour."""
    return stamped(f"l{line}", x, y) if line else ""


def stamped(name: str, x: int, y: int) -> str:
    """Place a stamp by reference."""
    return f'<use href="#{name}" x="{x}" y="{y}"/>'


def name_of(letter: str) -> str:
    """Return a badge's id: a link takes no letters such as Δ."""
    return f"k{list(FILLS).index(letter)}"


def stamps(folded: Folded, drawing: str) -> str:
    """Return the definitions of the stamps that a drawing uses."""
    used = set(re.findall(r'<use href="#(\w+)"', drawing))
    badges = {name_of(letter): drawn_badge(letter) for letter in FILLS}
    lines = {n: drawn_tag(folded, int(n[1:])) for n in sorted(used) if n[0] == "l"}
    drawn = {**badges, **lines}
    return "".join(f'<g id="{n}">{drawn[n]}</g>' for n in drawn if n in used)


def drawn_tag(folded: Folded, line: int) -> str:
    """Draw a line's tag: a stripe in its colour, and its number.

    Where there are more lines than colours, the stripe is cut into pieces.
    """
    pieces = 1 + folded.hues.get(line, 0) // len(HUES) % ROUNDS
    pitch = 18 / pieces
    look = f'width="4" height="{pitch - 2:g}" rx="2" fill="{hue(folded, line)}"'
    stripe = "".join(f'<rect y="{3 + i * pitch:g}" {look}/>' for i in range(pieces))
    return stripe + text(7, 15, str(line), "d")


def drawn_badge(letter: str) -> str:
    """Draw a letter on its colour: round for a variable, square for an operator."""
    fill = FILLS[letter]
    if letter in ROUND:
        shape = f'<circle r="8" fill="{fill}"/>'
    else:
        hatch = ' stroke="#1d232a" stroke-dasharray="3 2"' if letter == "!" else ""
        corner = 'x="-8" y="-8" width="16" height="16" rx="3"'
        shape = f'<rect {corner} fill="{fill}"{hatch}/>'
    ink = "l i" if letter in LIGHT_LETTERS else "l"
    return f'{shape}<text class="{ink}" y="3.5">{letter}</text>'


def hue(folded: Folded, line: int) -> str:
    """Return the colour of a line."""
    rank = folded.hues.get(line)
    return "#9aa3ad" if rank is None else HUES[rank % len(HUES)]
