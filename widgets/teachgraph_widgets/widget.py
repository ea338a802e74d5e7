"""The widget: a trace in a notebook, live while its cell runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import anywidget
import traitlets

from teachgraph_widgets import assets

__all__ = ["TraceView"]


class TraceView(anywidget.AnyWidget):
    """Shows one event log; the page does all the drawing.

    Attributes:
        title: The heading.
        theme: `auto` follows the host; or `light`, `dark`.
        height: Of a row of panes, in pixels.
        head: The first events, for a page that is not ready yet.
        snapshot: The whole log, as gzip of its JSON, once the cell has ended.
    """

    _esm = traitlets.Unicode().tag(sync=True)
    _css = traitlets.Unicode().tag(sync=True)
    title = traitlets.Unicode("").tag(sync=True)
    theme = traitlets.Enum(["auto", "light", "dark"], "auto").tag(sync=True)
    height = traitlets.Int(460).tag(sync=True)
    head = traitlets.Dict().tag(sync=True)
    snapshot = traitlets.Bytes(b"").tag(sync=True)

    @traitlets.default("_esm")
    def _script(self) -> str:
        return assets.script()

    @traitlets.default("_css")
    def _style(self) -> str:
        return assets.style()

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message to every view there is now."""
        self.send(message)

    def keep(self, **state: Any) -> None:
        """Set state that every view gets, now or later."""
        with self.hold_sync():
            for name, value in state.items():
                setattr(self, name, value)

    def open(self) -> None:
        """Tell the page of the model, and let answers come in while a cell runs.

        ipykernel 7.4 leads what a page sends to the shell that last sent on its comm:
        the one that is busy with the cell. Here it goes to the shell it was sent to.
        """
        super().open()
        if self.comm is not None:
            self.comm.__dict__["_reply_subshell_for"] = as_sent

    def hear(self, answer: Callable[[Any], None]) -> None:
        """Let `answer` have what pages send."""
        self.on_msg(lambda _widget, content, _buffers: answer(content))

    def __repr__(self) -> str:
        return "A trace: live in Jupyter, a picture elsewhere."


def as_sent(data: Any, subshell: str | None) -> str | None:
    """The shell that a message names itself."""
    return subshell
