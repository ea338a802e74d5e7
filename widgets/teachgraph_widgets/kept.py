"""What stays with a notebook: a picture, a text, and what lets an exported page step.

`nbconvert --to html` writes outputs into a page as they are, and its own way to draw
widgets needs a network. So a script among the outputs puts views in the place of their
pictures. Logs and code it has from the state of widgets, where that is saved, as
`nbconvert --execute` does. A notebook in a window saves it only if told to: there each
output takes its log along, and one of a kernel's the code.
"""

from __future__ import annotations

import base64
import json
from html import escape
from typing import TYPE_CHECKING, ClassVar

from IPython.display import display

from teachgraph_widgets import assets
from teachgraph_widgets.cells import the_cell, the_request
from teachgraph_widgets.events import Log
from teachgraph_widgets.still import image

if TYPE_CHECKING:
    from teachgraph_widgets.widget import TraceView

__all__ = ["PLAIN", "leave"]

PLAIN = "A trace: live in Jupyter, a picture elsewhere."
"""What a live view is as text."""

MOST_KEPT = 100_000
"""Bytes of logs, zipped, that the outputs of a notebook take along, all together."""

CELLS = (".jp-OutputArea", ".cell_container", ".output")
"""What holds a cell's outputs: in JupyterLab and Notebook 7, in VS Code, elsewhere."""

INSTEAD = (
    *(f"{cell}:has(.tg-root) .tg-still" for cell in CELLS),
    ".jp-OutputArea:has(.tg-root) > :has(.tg-still)",
    ".jp-OutputArea:has(.tg-still) .jp-OutputArea-output:not(:has(*))",
)
"""What is not to be seen: the picture beside a live view; beside the picture, the words
that JupyterLab has for a view whose kernel is gone."""

STEPPING = """
(async ({ code }) => {
  const RICH = ["jp-RenderedHTMLCommon", "rendered_html"];
  if (document.readyState !== "loading" || document.teachgraph) return;
  document.teachgraph = true;
  await new Promise((parsed) => addEventListener("DOMContentLoaded", parsed));
  const all = (words) => [...document.querySelectorAll(words)];
  const states = all("script[type$='widget-state+json']");
  const contents = states.map((script) => JSON.parse(script.textContent).state);
  const state = Object.assign({}, ...contents);
  const saved = (id, name) =>
    state[id]?.buffers?.find(({ path }) => path[0] === name)?.data;
  const unzip = (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const unzipping = new DecompressionStream("gzip");
    return new Response(new Blob([bytes]).stream().pipeThrough(unzipping)).json();
  };
  const found = all(".tg-still").map((still) => {
    const { view, log, options } = still.dataset;
    return { still, view, log: log ?? saved(view, "snapshot"), ...JSON.parse(options) };
  }).filter(({ log }) => log);
  const views = new Set(found.map(({ view }) => view));
  for (const words of all("pre"))
    if (words.textContent.trim() === PLAIN) words.remove();
  for (const script of all("script[type$='widget-view+json']"))
    if (views.has(JSON.parse(script.textContent).model_id)) script.remove();
  const codes = Object.keys(state).map((id) => saved(id, "code"));
  const { script, style } = await unzip(code ?? codes.find((text) => text));
  const file = new Blob([script], { type: "text/javascript" });
  const { mount } = await import(URL.createObjectURL(file));
  const sheet = document.head.appendChild(document.createElement("style"));
  sheet.textContent = style;
  for (const { still, log, ...options } of found) {
    const place = document.createElement("div");
    // The page's rules for texts among the outputs are not the view's.
    still.closest("." + RICH.join(",."))?.classList.remove(...RICH);
    mount(place, await unzip(log), options);
    still.replaceWith(place);
  }
})(document.currentScript.dataset);
"""
"""What a page runs while it is read; whoever shows a notebook adds outputs later."""


def leave(log: Log, text: str, view: TraceView | None) -> None:
    """Leave a picture and a text with the notebook."""
    hidden = f"<style>{','.join(INSTEAD)}{{display:none}}</style>"
    facts, script = ("", "") if view is None else (facts_of(view), _Kept.script())
    picture = f'<div class="tg-still"{facts}>{image(log)}{hidden}</div>{script}'
    display({"text/html": picture, "text/plain": text}, raw=True)


def facts_of(view: TraceView) -> str:
    """What an exported page is to know of a view."""
    options = json.dumps({"height": view.height, "theme": view.theme})
    facts = data(view=view.model_id, options=options)
    if _Kept.has_room(len(view.snapshot)):
        facts += data(log=letters(view.snapshot))
    return facts


class _Kept:
    """What this kernel's outputs have taken along.

    Attributes:
        carrier: The cell whose output has the script, and for which request to run it.
        logs: Bytes of logs, by cell, and for which request: what a cell left before is
            gone when it runs again.
    """

    carrier: tuple[str | None, str] | None = None
    logs: ClassVar[dict[str, tuple[str, int]]] = {}

    @classmethod
    def script(cls) -> str:
        """The script, for the first who asks, and again where that cell runs again."""
        cell, request = the_cell(), the_request()
        if cls.carrier is not None:
            carrier, earlier = cls.carrier
            if cell is None or carrier not in {None, cell} or request == earlier:
                return ""
        cls.carrier = cell, request
        code = "" if cell is None else data(code=letters(assets.packed()))
        return f"<script{code}>{STEPPING.replace('PLAIN', json.dumps(PLAIN))}</script>"

    @classmethod
    def has_room(cls, size: int) -> bool:
        """Whether the notebook takes a log of so many bytes along."""
        cell, request = the_cell(), the_request()
        if cell is None:
            return False
        earlier, before = cls.logs.pop(cell, (request, 0))
        here = before if earlier == request else 0
        fits = here + size + sum(kept for _, kept in cls.logs.values()) <= MOST_KEPT
        cls.logs[cell] = request, here + size * fits
        return fits


def letters(zipped: bytes) -> str:
    """Bytes as text."""
    return base64.b64encode(zipped).decode("ascii")


def data(**facts: str) -> str:
    """Attributes with data, as HTML.

    >>> data(view="a<b", height="3")
    ' data-view="a&lt;b" data-height="3"'
    """
    return "".join(f' data-{name}="{escape(fact)}"' for name, fact in facts.items())
