"""Words in an SVG: names are text in it and never markup, and none is too long."""

from __future__ import annotations

from xml.sax.saxutils import escape

__all__ = ["GLYPH", "fitted", "printable", "text"]

GLYPH = 6.63
"""The width of a character of the monospaced fonts at 11 px, about."""


def text(x: float, y: float, words: str, tone: str = "", width: float = 0) -> str:
    """Words as an SVG text, cut to a width if one is given.

    >>> text(1, 2, "<b>")
    '<text x="1" y="2">&lt;b&gt;</text>'
    """
    shown = escape(fitted(words, width) if width else printable(words))
    kind = f' class="{tone}"' if tone else ""
    return f'<text{kind} x="{x:g}" y="{y:g}">{shown}</text>'


def fitted(words: str, width: float) -> str:
    """As much of the words as fits."""
    words, most = printable(words), max(1, int(width / GLYPH))
    return words if len(words) <= most else words[: most - 1] + "…"


def printable(words: str) -> str:
    """Words without what XML has no place for."""
    return "".join(c if c.isprintable() else "�" for c in words.expandtabs(4))
