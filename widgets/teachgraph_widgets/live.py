"""A trace in a notebook: the widget while it runs, and a picture that stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from IPython.display import display

from teachgraph_widgets.batcher import Batcher
from teachgraph_widgets.events import Log
from teachgraph_widgets.log import EventLog, packed
from teachgraph_widgets.stepping import Page
from teachgraph_widgets.still import image
from teachgraph_widgets.summary import summary

if TYPE_CHECKING:
    from teachgraph_widgets.widget import TraceView

__all__ = ["Live"]

CELLS = (".jp-OutputArea", ".cell_container", ".output")
"""What holds a cell's outputs: in JupyterLab and Notebook 7, in VS Code, elsewhere."""

INSTEAD = (
    *(f"{cell}:has(.tg-root) .tg-still" for cell in CELLS),
    ".jp-OutputArea:has(.tg-root) > :has(.tg-still)",
    ".jp-OutputArea:has(.tg-still) .jp-OutputArea-output:not(:has(*))",
)
"""What is not to be seen: the picture beside a live view; beside the picture, the words
that JupyterLab has for a view whose kernel is gone."""


class Live:
    """Shows a log from `open` on, and leaves a picture and a text at `close`.

    The picture is an output of its own. It cannot be another form of the view's output:
    whoever has a widget manager but no kernel would be shown an error in place of both.
    """

    def __init__(self, log: EventLog, height: int, theme: str) -> None:
        self.log, self.height, self.theme = log, height, theme
        self.view: TraceView | None = None
        self.page: Page | None = None
        self._batcher: Batcher | None = None

    def open(self) -> None:
        """Show the widget, if the notebook has what it needs.

        Raises:
            NotBuiltError: The front end is not built.
        """
        try:
            from teachgraph_widgets.widget import TraceView
        except ImportError:
            return
        facts: dict[str, Any] = {"title": self.log.title, "theme": self.theme}
        self.view = TraceView(height=self.height, **facts)
        self._batcher = Batcher(self.log, self.view)
        self.view.hear(self._batcher.receive)
        self.page = Page(self.view)
        self.view.hear(self.page.receive)
        display(self.view)
        self._batcher.open()

    def close(self) -> None:
        """Leave the whole log with the widget, and a picture with the notebook."""
        log = self.log.whole() if self._batcher is None else self._batcher.close()
        leave(log, summary(log))


def shown(log: Log, text: str, height: int = 460) -> None:
    """Show a log that is complete: the widget, a picture, a text."""
    try:
        from teachgraph_widgets.widget import TraceView
    except ImportError:
        pass
    else:
        facts: dict[str, Any] = {"title": log["title"], "snapshot": packed(log)}
        display(TraceView(height=height, **facts))
    leave(log, text)


def leave(log: Log, text: str) -> None:
    """Leave a picture and a text with the notebook."""
    hidden = f"<style>{','.join(INSTEAD)}{{display:none}}</style>"
    picture = f'<div class="tg-still">{image(log)}{hidden}</div>'
    display({"text/html": picture, "text/plain": text}, raw=True)
