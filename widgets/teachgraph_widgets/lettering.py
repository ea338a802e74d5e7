"""SVG text elements: escaped, printable, and cut to a width."""

from __future__ import annotations

from xml.sax.saxutils import escape

__all__ = ["GLYPH", "fitted", "printable", "text"]

GLYPH = 6.63
"""Approximate width of a character of the monospaced fonts at 11 px."""


def text(
    x: float, y: float, words: str, tone: str = "", width: float = 0, more: str = ""
) -> str:
    """Return words as an SVG text element, cut to `width` unless it is 0.

    `more` follows after a gap of two letters.

    >>> text(1, 2, "<b>")
    '<text class="c" x="1" y="2">&lt;b&gt;</text>'
    """
    shown = escape(fitted(words, width) if width else printable(words))
    # What most texts of a large picture are, names, needs no class.
    kind = "" if tone == "n" else f' class="{tone or "c"}"'
    rest = f"<tspan>  {escape(more)}</tspan>" if more else ""
    return f'<text{kind} x="{x:g}" y="{y:g}">{shown}{rest}</text>'


def fitted(words: str, width: float) -> str:
    """Cut words to a width in pixels."""
    words, most = printable(words), max(1, int(width / GLYPH))
    return words if len(words) <= most else words[: most - 1] + "…"


def printable(words: str) -> str:
    """Replace characters that cannot be printed: XML allows no control characters."""
    return "".join(c if c.isprintable() else "�" for c in words.expandtabs(4))
