"""A strip of thumbnails: the graphs that made some tensors, side by side, at one scale.

A dot is an op, in the colour of its type; it lies below all that it reads. What passes
other ops by on its way down goes round them.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.tape import Output
from teachgraph_widgets.history import past_of
from teachgraph_widgets.lettering import GLYPH, text
from teachgraph_widgets.still_charts import HUES

if TYPE_CHECKING:
    from teachgraph.autograd.tensor import Tensor

__all__ = ["Strip", "strip"]

WIDTH, HEIGHT = 150, 230
"""The largest thumbnail."""

MARGIN, GAP, SPACING, LETTERS = 14, 18, 13.0, 16
FADED = "#9aa3ad"


@dataclass(frozen=True)
class Thumbnail:
    """The graph of one tensor.

    Attributes:
        name: Its caption.
        types: The types of its ops, the oldest first.
        places: Column and row of each op.
        edges: The pairs of ops of which the second reads the first.
    """

    name: str
    types: list[str]
    places: list[tuple[float, int]]
    edges: list[tuple[int, int]]

    @property
    def columns(self) -> float:
        """The number of columns."""
        return max((column for column, _ in self.places), default=0.0) + 1.0

    @property
    def rows(self) -> int:
        """The number of rows."""
        return max((row for _, row in self.places), default=0) + 1

    @property
    def words(self) -> str:
        """The number of ops."""
        return f"{len(self.types)} op{'s' if len(self.types) != 1 else ''}"


class Strip:
    """Thumbnails side by side: a picture in a notebook, a line each elsewhere."""

    def __init__(self, thumbnails: Sequence[Thumbnail]) -> None:
        self.thumbnails = tuple(thumbnails)

    def __repr__(self) -> str:
        return "\n".join(f"{one.name}: {one.words}" for one in self.thumbnails)

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.svg().encode("utf-8")).decode("ascii")
        words = quoteattr("Graphs. " + "; ".join(repr(self).split("\n")))
        source = f"data:image/svg+xml;base64,{data}"
        return f'<img alt={words} style="max-width:100%" src="{source}">'

    def svg(self) -> str:
        """Return the picture as SVG."""
        known = dict.fromkeys(kind for one in self.thumbnails for kind in one.types)
        colours = {kind: HUES[k % len(HUES)] for k, kind in enumerate(known)}
        rows = max(one.rows for one in self.thumbnails)
        columns = max(one.columns for one in self.thumbnails)
        step = min(SPACING, WIDTH / columns, HEIGHT / rows)
        left, top, parts = float(MARGIN), MARGIN + 2 * LETTERS, list[str]()
        for one in self.thumbnails:
            words = max(len(one.name), len(one.words)) * GLYPH
            wide = max(one.columns * step, words)
            parts += captions(one, left)
            parts += drawn(one, colours, step, left, top)
            left += wide + GAP
        bottom = top + rows * step + LETTERS
        legend, across = legend_of(colours, bottom)
        width = round(max(left - GAP, across) + MARGIN)
        height = round(bottom + MARGIN)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" xml:space="preserve">'
            "<style>text{font:600 11px ui-monospace,Menlo,Consolas,monospace;"
            "fill:#1d232a}.d{font-weight:400;fill:#5a636e}</style>"
            f'<rect width="{width}" height="{height}" rx="12" fill="#ffffff" '
            f'stroke="#e2e5e9"/>{"".join(parts)}{legend}</svg>'
        )


def strip(*tensors: Tensor, names: Sequence[str] = ()) -> Strip:
    """Draw the graphs that made some tensors, side by side.

    Args:
        tensors: At least one; their tapes must not be freed.
        names: Captions, by default their positions.

    Raises:
        InvalidValueError: There is no tensor, or not a caption for each.

    >>> import teachgraph as tg
    >>> x = tg.to_tensor(2.0, stop_gradient=False)
    >>> strip(x * x, (x * x + x).sqrt(), names=["a square", "a root"])
    a square: 1 op
    a root: 3 ops
    """
    if not tensors or (names and len(names) != len(tensors)):
        message = f"a strip has a caption for each tensor: {len(names)}, {len(tensors)}"
        raise InvalidValueError.here(message)
    named = names or [str(position) for position in range(1, len(tensors) + 1)]
    return Strip([thumbnail(*pair) for pair in zip(tensors, named, strict=True)])


def thumbnail(tensor: Tensor, name: str) -> Thumbnail:
    """Lay out the graph of a tensor: an op lies below all that it reads."""
    nodes = past_of(tensor, ()).nodes
    numbers = {id(node): number for number, node in enumerate(nodes)}
    places: list[tuple[float, int]] = []
    edges: list[tuple[int, int]] = []
    free: dict[int, float] = {}
    for number, node in enumerate(nodes):
        ends = [e.node if isinstance(e, Output) else e for e in node.edges]
        read = sorted({numbers[id(e)] for e in ends if id(e) in numbers})
        edges += [(one, number) for one in read]
        row = 1 + max((places[one][1] for one in read), default=-1)
        above = sum(places[one][0] for one in read) / len(read) if read else 0.0
        column = max(above, free.get(row, 0.0))
        free[row] = column + 1.0
        places.append((column, row))
    return Thumbnail(name, [node.op.type for node in nodes], places, edges)


def captions(one: Thumbnail, left: float) -> list[str]:
    """Draw a thumbnail's name, and the number of its ops."""
    lines = [text(left, MARGIN + LETTERS - 6, one.name, "n")]
    return [*lines, text(left, MARGIN + 2 * LETTERS - 6, one.words, "d")]


def drawn(
    one: Thumbnail, colours: dict[str, str], step: float, left: float, top: float
) -> list[str]:
    """Draw the edges and the ops of a thumbnail."""
    at = [
        (left + (column + 0.5) * step, top + (row + 0.5) * step)
        for column, row in one.places
    ]
    lines = [line(at[a], at[b], step) for a, b in one.edges]
    edges = f'<path d="{"".join(lines)}" stroke="{FADED}" fill="none"/>'
    radius = max(1.2, 0.34 * step)
    dots = [
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colours[kind]}"/>'
        for (x, y), kind in zip(at, one.types, strict=True)
    ]
    return [edges, *dots]


def line(start: tuple[float, float], end: tuple[float, float], step: float) -> str:
    """Draw an edge; one straight down past other ops is bent around them."""
    (x, y), (right, below) = start, end
    rows = (below - y) / step
    if abs(x - right) > 0.1 or rows < 1.5:
        return f"M{x:.1f} {y:.1f}L{right:.1f} {below:.1f}"
    away = x + min(0.5 * rows, 2.5) * step
    return f"M{x:.1f} {y:.1f}Q{away:.1f} {(y + below) / 2:.1f} {x:.1f} {below:.1f}"


def legend_of(colours: dict[str, str], y: float) -> tuple[str, float]:
    """Draw the colour of each type; return where the row ends."""
    parts, left = list[str](), float(MARGIN)
    for kind, colour in colours.items():
        parts.append(f'<circle cx="{left + 4}" cy="{y - 4}" r="4" fill="{colour}"/>')
        parts.append(text(left + 12, y, kind, "d"))
        left += 12 + (len(kind) + 2) * GLYPH
    return "".join(parts), left
