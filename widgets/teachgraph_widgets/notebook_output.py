"""Saved notebook outputs: a picture, a text, and a script that makes an export live.

`nbconvert --to html` writes outputs into a page as they are, and its own way to draw
widgets needs a network. So a script among the outputs replaces the pictures by views.
It reads logs and code from the widget state, which `nbconvert --execute` saves. A
notebook in a window saves that state only on request: there each output embeds its log,
and one output of the kernel embeds the code.
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
"""The plain-text form of a live view."""

MOST_KEPT = 76_000
"""Limit of the zipped logs that the outputs of a notebook embed, in bytes."""

CELLS = (".jp-OutputArea", ".cell_container", ".output")
"""Selectors of a cell's outputs: JupyterLab and Notebook 7, VS Code, other hosts."""

NOTEBOOK = ".jp-Notebook,#container"
"""Selector of what holds all cells: in JupyterLab and Notebook 7, and in VS Code."""

INSTEAD = (
    f":is({','.join(CELLS)}):has(.tg-root) .tg-still",
    ".jp-OutputArea:has(.tg-root) > :has(.tg-still)",
    ".jp-OutputArea:has(.tg-still) .jp-OutputArea-output:not(:has(*))",
)
"""Selectors of hidden elements: the picture beside a live view; beside the picture, the
words that JupyterLab shows for a view whose kernel is gone."""

STEPPING = r"""
(async (self) => {
  const { code } = self.dataset;
  const RICH = ["jp-RenderedHTMLCommon", "rendered_html"];
  const unzip = (text) => {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const unzipping = new DecompressionStream("gzip");
    return new Response(new Blob([bytes]).stream().pipeThrough(unzipping)).json();
  };
  // A policy may forbid modules from a Blob, and allow what stands in the page.
  let scripts = 0;
  const inline = (code) => new Promise((arrive) => {
    const name = `teachgraph_script${scripts++}`;
    window[name] = arrive;
    const exported = (list) =>
      list.replace(/([\w$]+)(?: as (\w+))?/g, (_, own, as) => `${as ?? own}:${own}`);
    const script = document.createElement("script");
    script.type = "module";
    script.textContent = code.replace(
      /export\s*\{([^}]*)\};?\s*$/, (_, list) => `;${name}({${exported(list)}})`);
    document.head.append(script);
  });
  const load = async (zipped) => {
    const { script, style, charts } = await unzip(zipped);
    const run = (code) =>
      import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))
        .catch(() => inline(code));
    const { mount } = await run(script);
    const sheet = document.head.appendChild(document.createElement("style"));
    sheet.textContent = style + "STEPPED";
    const more = async () => (await run(charts)).teachgraph_charts;
    return (place, log, options) => mount(place, log, { ...options, charts: more });
  };
  const replace = async (still, log, options, mount) => {
    const place = document.createElement("div");
    place.className = "tg-stepped";
    // The page's rules for texts among the outputs are not the view's.
    still.closest("." + RICH.join(",."))?.classList.remove(...RICH);
    const { dispose } = mount(place, await unzip(log), options);
    place.takeBack = () => {
      dispose();
      place.replaceWith(still);
      still.teachgraph = false;
    };
    still.replaceWith(place);
  };

  // A host that adds outputs as it likes: a still steps where no live view is to come.
  if (document.readyState !== "loading") {
    const root = self.closest(NOTEBOOK) ?? self.closest(CELLS.join());
    // VS Code runs a copy of the script, without its data.
    const code = root?.querySelector("script[data-code]")?.dataset.code;
    if (!code || root.teachgraph) return;
    root.teachgraph = true;
    let loaded, due;
    const open = async (still) => {
      const { log, options } = still.dataset;
      if (!log || still.teachgraph) return;
      still.teachgraph = true;
      await replace(still, log, JSON.parse(options), await (loaded ??= load(code)));
      later();
    };
    const areaOf = (output) =>
      CELLS.map((cell) => output.closest(cell)).find((cell) => cell);
    const isLive = (area) =>
      [...area.querySelectorAll(".tg-root")].some((v) => !v.closest(".tg-stepped"));
    const look = () => {
      due = 0;
      // A host may restore the live view long after it said that it cannot.
      for (const place of root.querySelectorAll(".tg-stepped"))
        if (isLive(areaOf(place))) place.takeBack();
      for (const still of root.querySelectorAll(".tg-still")) {
        const area = areaOf(still);
        if (!area || isLive(area)) continue;
        const words = [...area.querySelectorAll(".output_container")]
          .filter((output) => output.textContent.trim() === PLAIN);
        const isGone = /Error displaying widget/.test(area.textContent);
        if (words.length === 0 && !isGone) continue;
        for (const output of words) output.style.display = "none";
        open(still);
      }
    };
    const later = () => (due ||= setTimeout(look, 200));
    new MutationObserver(later).observe(root, { childList: true, subtree: true });
    root.addEventListener("click", ({ target }) => {
      const still = target.closest(".tg-still");
      if (still) open(still);
    });
    later();
    return;
  }

  if (document.teachgraph) return;
  document.teachgraph = true;
  await new Promise((parsed) => addEventListener("DOMContentLoaded", parsed));
  const all = (words) => [...document.querySelectorAll(words)];
  const states = all("script[type$='widget-state+json']");
  const contents = states.map((script) => JSON.parse(script.textContent).state);
  const state = Object.assign({}, ...contents);
  const saved = (id, name) =>
    state[id]?.buffers?.find(({ path }) => path[0] === name)?.data;
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
  const mount = await load(code ?? codes.find((text) => text));
  for (const { still, log, ...options } of found) replace(still, log, options, mount);
})(document.currentScript);
"""
"""The script that lets the pictures step: in an exported page all of them, in a
notebook that is opened again those whose live view is gone. Where a notebook is not
trusted the host runs no script, and the pictures stay."""

STEPPED = ".jp-OutputArea:has(.tg-stepped) .jp-OutputArea-output:not(:has(*))"
"""The words that JupyterLab shows for a view whose kernel is gone, once it steps."""


def stepping() -> str:
    """Return the script, with the words and selectors that it needs."""
    script = STEPPING.replace("PLAIN", json.dumps(PLAIN))
    script = script.replace("CELLS", json.dumps(CELLS))
    script = script.replace("NOTEBOOK", json.dumps(NOTEBOOK))
    return script.replace("STEPPED", f"{STEPPED}{{display:none}}")


def leave(log: Log, text: str, view: TraceView | None) -> None:
    """Display a picture and a text, which stay in the saved notebook."""
    hidden = f"<style>{','.join(INSTEAD)}{{display:none}}</style>"
    facts, script = (
        ("", "") if view is None else (facts_of(view), _EmbeddedData.script())
    )
    picture = f'<div class="tg-still"{facts}>{image(log)}{hidden}</div>{script}'
    display({"text/html": picture, "text/plain": text}, raw=True)


def facts_of(view: TraceView) -> str:
    """Return the attributes from which an exported page restores a view."""
    options = json.dumps({"height": view.height, "theme": view.theme})
    facts = data(view=view.model_id, options=options)
    if _EmbeddedData.has_room(len(view.snapshot)):
        facts += data(log=letters(view.snapshot))
    return facts


class _EmbeddedData:
    """The code and logs that this kernel's outputs embed so far.

    Attributes:
        carrier: The cell whose output has the script, and the request to run it.
        logs: Request and bytes of logs, by cell: a cell that runs again replaces its
            outputs.
    """

    carrier: tuple[str | None, str] | None = None
    logs: ClassVar[dict[str, tuple[str, int]]] = {}

    @classmethod
    def script(cls) -> str:
        """Return the script for the first cell, and again if that cell runs again."""
        cell, request = the_cell(), the_request()
        if cls.carrier is not None:
            carrier, earlier = cls.carrier
            if cell is None or carrier not in {None, cell} or request == earlier:
                return ""
        cls.carrier = cell, request
        code = "" if cell is None else data(code=letters(assets.packed()))
        return f"<script{code}>{stepping()}</script>"

    @classmethod
    def has_room(cls, size: int) -> bool:
        """True if the outputs may embed `size` more bytes, which are then counted."""
        cell, request = the_cell(), the_request()
        if cell is None:
            return False
        earlier, before = cls.logs.pop(cell, (request, 0))
        here = before if earlier == request else 0
        fits = here + size + sum(used for _, used in cls.logs.values()) <= MOST_KEPT
        cls.logs[cell] = request, here + size * fits
        return fits


def letters(zipped: bytes) -> str:
    """Return bytes as base64 text."""
    return base64.b64encode(zipped).decode("ascii")


def data(**facts: str) -> str:
    """Return `data-` attributes, as HTML.

    >>> data(view="a<b", height="3")
    ' data-view="a&lt;b" data-height="3"'
    """
    return "".join(f' data-{name}="{escape(fact)}"' for name, fact in facts.items())
