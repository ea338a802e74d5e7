"""A trace in a notebook: the widget while it runs, and a picture that stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from IPython.display import display

from teachgraph_widgets.batcher import Batcher
from teachgraph_widgets.log import EventLog
from teachgraph_widgets.still import image
from teachgraph_widgets.summary import summary

if TYPE_CHECKING:
    from teachgraph_widgets.widget import TraceView

__all__ = ["Live"]


class Live:
    """Shows a log from `open` on, and leaves a picture and a text at `close`."""

    def __init__(self, log: EventLog, height: int, theme: str) -> None:
        self.log, self.height, self.theme = log, height, theme
        self.view: TraceView | None = None
        self._batcher: Batcher | None = None

    def open(self) -> None:
        """Show the widget, if the notebook has what it needs."""
        try:
            from teachgraph_widgets.widget import TraceView
        except ImportError:
            return
        facts: dict[str, Any] = {"title": self.log.title, "theme": self.theme}
        self.view = TraceView(height=self.height, **facts)
        self._batcher = Batcher(self.log, self.view)
        self.view.hear(self._batcher.receive)
        display(self.view)
        self._batcher.open()

    def close(self) -> None:
        """Leave the whole log with the widget, and a picture with the notebook."""
        if self._batcher is not None:
            self._batcher.close()
        log = self.log.whole()
        still = {"text/html": image(log), "text/plain": summary(log)}
        display(still, raw=True)
