"""A trace in a notebook: the live widget while it runs, then a saved picture."""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from IPython.display import display

from teachgraph_widgets.batcher import Batcher
from teachgraph_widgets.cells import the_cell, the_request
from teachgraph_widgets.events import Log
from teachgraph_widgets.log import EventLog, packed
from teachgraph_widgets.notebook_output import leave
from teachgraph_widgets.stepping import Page
from teachgraph_widgets.summary import summary

if TYPE_CHECKING:
    from teachgraph_widgets.widget import TraceView

__all__ = ["Live"]

MOST_UNNAMED = 8
"""Views that the kernel holds where cells have no name, as in Notebook 6 and Colab."""


class Live:
    """Shows a log from `open` on, and displays a picture and a text at `close`.

    The picture is an output of its own. As another MIME type of the view's output it
    would be hidden by an error in a host with a widget manager but no kernel.
    """

    def __init__(self, log: EventLog, height: int, theme: str) -> None:
        self.log, self.height, self.theme = log, height, theme
        self.view: TraceView | None = None
        self.page: Page | None = None
        self._batcher: Batcher | None = None

    def open(self) -> None:
        """Show the widget, if anywidget is installed.

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
        _Views.add(self.view)
        display(self.view)
        self._batcher.open()

    def close(self) -> None:
        """Store the whole log in the widget, and a picture in the notebook."""
        log = self.log.whole() if self._batcher is None else self._batcher.close()
        leave(log, summary(log), self.view)


def shown(log: Log, text: str, height: int = 460) -> None:
    """Show a complete log: the widget, a picture, a text."""
    view: TraceView | None = None
    with suppress(ImportError):
        from teachgraph_widgets.widget import TraceView

        facts: dict[str, Any] = {"title": log["title"], "snapshot": packed(log)}
        view = TraceView(height=height, **facts)
        _Views.add(view)
        display(view)
    leave(log, text, view)


class _Views:
    """The open views, by cell and the request to run it."""

    by_cell: ClassVar[dict[str, tuple[str, list[TraceView]]]] = {}
    unnamed: ClassVar[deque[TraceView]] = deque()

    @classmethod
    def add(cls, view: TraceView) -> None:
        """Add a cell's view; close those of its earlier run, whose outputs are gone.

        Where cells have no name, an earlier view may be another cell's that is on the
        page still: only the kernel lets go of it, and of its log.
        """
        cell, request = the_cell(), the_request()
        if cell is None:
            cls.unnamed.append(view)
            if len(cls.unnamed) > MOST_UNNAMED:
                cls.unnamed.popleft().let_go()
            return
        earlier, views = cls.by_cell.get(cell, (request, []))
        if earlier != request:
            for old in views:
                old.close()
            views = []
        cls.by_cell[cell] = request, [*views, view]
