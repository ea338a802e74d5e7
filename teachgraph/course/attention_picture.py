"""The picture of attention: under the token you point at, what each head looks at.

Plain HTML without a script, so that it works wherever a notebook is shown. A token can
be pointed at, or reached with the Tab key; until then the last one is open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

__all__ = ["AttentionPicture"]

Array = np.ndarray[Any, Any]

STYLE = """
.tg-attention { position: relative; font: 14px/1.4 system-ui, sans-serif;
  color: var(--jp-content-font-color1, CanvasText); padding: 4px 0; }
.tg-attention > ol { display: flex; gap: 2px; margin: 0; padding: 0; }
.tg-attention > ol > li { list-style: none; padding: 3px 8px; cursor: default;
  border: 1px solid #808891; border-radius: 4px; font-weight: 600; }
.tg-attention > ol > li:hover, .tg-attention > ol > li:focus,
.tg-attention > ol:not(:hover):not(:focus-within) > li:last-child { outline: none;
  background: #0067a5; border-color: #0067a5; color: white; }
.tg-attention div { display: none; position: absolute; left: 0; right: 0; top: 40px;
  bottom: 0; font-weight: 400; background: var(--jp-layout-color0, Canvas);
  color: var(--jp-content-font-color1, CanvasText); }
.tg-attention > ol > li:last-child > div { display: block; }
.tg-attention > ol > li:hover > div { display: block; z-index: 3; }
.tg-attention > ol > li:focus > div { display: block; z-index: 2; }
.tg-attention div > p { margin: 6px 0 2px; }
.tg-attention div > ol { display: flex; gap: 2px; margin: 0; padding: 0; }
.tg-attention div > ol > li { list-style: none; position: relative; width: 44px;
  flex: none; text-align: center; border: 1px solid #808891; border-radius: 4px;
  overflow: hidden; line-height: 1.5; }
.tg-attention div > ol > li > b { display: block; position: absolute; left: 0;
  right: 0; bottom: 0; background: #0067a5; opacity: 0.45; }
.tg-attention div > ol > li > span { position: relative; display: block; }
"""


@dataclass(frozen=True)
class AttentionPicture:
    """Attention by head under each token; in a notebook, point at one.

    Args:
        tokens: The tokens of one text, drawn as text.
        shares: For each head its shares, [tokens, tokens]: row i is what token i
            gives to each.

    >>> shares = {"A": np.array([[1.0, 0.0], [0.25, 0.75]])}
    >>> print(AttentionPicture([".", "a"], shares))
    head A
      .  . 100%
      a  . 25%  a 75%
    """

    tokens: Sequence[str]
    shares: Mapping[str, Array]

    def __repr__(self) -> str:
        lines = []
        for head, shares in self.shares.items():
            lines.append(f"head {head}")
            for token, row in zip(self.tokens, shares, strict=True):
                lines.append(f"  {token}  {'  '.join(self.looks(row))}")
        return "\n".join(lines)

    def looks(self, row: Array) -> list[str]:
        """The tokens that one row gives anything to, each with its share."""
        pairs = zip(self.tokens, row, strict=True)
        return [f"{token} {share:.0%}" for token, share in pairs if share > 0]

    def _repr_html_(self) -> str:
        height = 44 + 84 * len(self.shares)
        tokens = "".join(self.token(index) for index in range(len(self.tokens)))
        return (
            f'<style>{STYLE}</style><div class="tg-attention" '
            f'style="display:block;min-height:{height}px"><ol>{tokens}</ol></div>'
        )

    def token(self, index: int) -> str:
        """One token to point at, and what opens under it."""
        said = [
            f"head {head}: {', '.join(self.looks(shares[index]))}"
            for head, shares in self.shares.items()
        ]
        label = escape(f"{self.tokens[index]} looks at: {'; '.join(said)}")
        heads = "".join(
            f"<p>head {escape(head)}</p><ol>{self.row(shares[index], index)}</ol>"
            for head, shares in self.shares.items()
        )
        letter = escape(self.tokens[index])
        return (
            f'<li tabindex="0" aria-label="{label}">{letter}'
            f'<div aria-hidden="true">{heads}</div></li>'
        )

    def row(self, row: Array, last: int) -> str:
        """A bar and a number for each token up to this one: the shares of a row."""
        cells = []
        for token, share in list(zip(self.tokens, row, strict=True))[: last + 1]:
            bar = f'<b style="height:{min(max(float(share), 0.0), 1.0):.1%}"></b>'
            words = f"<span>{escape(token)}</span><span>{share:.0%}</span>"
            cells.append(f"<li>{bar}{words}</li>")
        return "".join(cells)
