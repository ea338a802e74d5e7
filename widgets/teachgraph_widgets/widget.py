"""The Jupyter widgets: a trace, live while its cell runs, and the shared front end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import traitlets

from teachgraph_widgets import assets
from teachgraph_widgets.notebook_output import PLAIN

__all__ = ["FrontEnd", "TraceView"]

LOADER = """\
export default {
  async render({ model, el }) {
    const all = model.widget_manager;
    const shared = await all.get_model(model.get("front_end").slice(10));
    const opener = new Blob([shared.get("_esm")], { type: "text/javascript" });
    shared.tg ??= import(URL.createObjectURL(opener));
    return (await shared.tg).show({ model, el }, shared.get("code"));
  },
};
"""
LOADER = "".join(line.strip() for line in LOADER.splitlines())
"""The module in each view's state, so as short as can be: it opens the front end with
the shared model's module, whose name follows `IPY_MODEL_`."""

OPENER = """\
const load = (code) =>
  import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));

async function open(zip) {
  const file = new Blob([zip]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { script, style, charts } = await new Response(file).json();
  return { charts, style, ...(await load(script)) };
}

let opened;

export async function show({ model, el }, zip) {
  opened ??= open(zip);
  const { default: widget, style, charts } = await opened;
  el.append(document.createElement("style"));
  el.lastChild.textContent = style;
  const more = async () => (await load(charts)).teachgraph_charts;
  return widget.render({ model, el, charts: more });
}

export default {};
"""
"""The module of the shared model: it unpacks the code, once for all views."""


class FrontEnd(anywidget.AnyWidget):
    """The model of the drawing code, shared by all views of a kernel.

    So a notebook or a page that is saved with its widgets holds the code once; each
    view's own state is its log and little else.

    It has no view. Jupyter's base model would lose the bytes when it is saved.

    Attributes:
        code: The ES module, its stylesheet and the charts, as gzip of JSON.
    """

    _esm = traitlets.Unicode(OPENER).tag(sync=True)
    code = traitlets.Bytes().tag(sync=True)

    @classmethod
    def shared(cls) -> FrontEnd:
        """Return the kernel's model: a new one at first, and after all were closed.

        Raises:
            NotBuiltError: The front end is not built.
        """
        model = _Shared.front_end
        if model is None or model.comm is None:
            model = _Shared.front_end = cls(code=assets.packed())
        return model


class _Shared:
    """Holder of the kernel's front end."""

    front_end: FrontEnd | None = None


class TraceView(anywidget.AnyWidget):
    """Shows one event log; the page does all the drawing.

    Attributes:
        front_end: The model of the code that draws, as Jupyter refers to one.
        title: The heading.
        theme: `auto` follows the host; or `light`, `dark`.
        height: Of a row of panes, in pixels.
        head: The first events, for a page that is not ready yet.
        snapshot: The whole log, as gzip of its JSON, once the cell has ended.
    """

    _esm = traitlets.Unicode(LOADER).tag(sync=True)
    front_end = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode("").tag(sync=True)
    theme = traitlets.Enum(["auto", "light", "dark"], "auto").tag(sync=True)
    height = traitlets.Int(460).tag(sync=True)
    head = traitlets.Dict().tag(sync=True)
    snapshot = traitlets.Bytes(b"").tag(sync=True)

    @traitlets.default("front_end")
    def _front_end(self) -> str:
        return f"IPY_MODEL_{FrontEnd.shared().model_id}"

    @traitlets.default("layout")
    def _layout(self) -> Any:
        return FrontEnd.shared().layout

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message to every view there is now."""
        self.send(message)

    def keep(self, **state: Any) -> None:
        """Set state that every view gets, now or later."""
        with self.hold_sync():
            for name, value in state.items():
                setattr(self, name, value)

    def open(self) -> None:
        """Open the comm so that answers arrive while a cell runs.

        ipykernel 7.4 routes a page's message to the shell that last sent on its comm:
        the one that is busy with the cell. Here it goes to the shell that it names.
        """
        super().open()
        if self.comm is not None:
            self.comm.__dict__["_reply_subshell_for"] = as_sent

    def let_go(self) -> None:
        """Free the kernel's side; the page has the whole log and is told nothing."""
        if self.comm is not None:
            self.comm.__dict__["publish_msg"] = unsent
        self.close()

    def hear(self, answer: Callable[[Any], None]) -> None:
        """Call `answer` with each message of a page."""
        self.on_msg(lambda _widget, content, _buffers: answer(content))

    def __repr__(self) -> str:
        return PLAIN


def as_sent(data: Any, subshell: str | None) -> str | None:
    """Return the subshell that a message names."""
    return subshell


def unsent(*args: Any, **kwargs: Any) -> None:
    """Send nothing."""
