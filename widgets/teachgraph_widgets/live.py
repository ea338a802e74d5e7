"""A trace in a notebook: the widget while it runs, and a picture that stays."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

from IPython.display import display

from teachgraph_widgets.batcher import Batcher
from teachgraph_widgets.cells import the_cell, the_request
from teachgraph_widgets.events import Log
from teachgraph_widgets.kept import leave
from teachgraph_widgets.log import EventLog, packed
from teachgraph_widgets.stepping import Page
from teachgraph_widgets.summary import summary

if TYPE_CHECKING:
    from teachgraph_widgets.widget import TraceView

__all__ = ["Live"]


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
        _Views.add(self.view)
        display(self.view)
        self._batcher.open()

    def close(self) -> None:
        """Leave the whole log with the widget, and a picture with the notebook."""
        log = self.log.whole() if self._batcher is None else self._batcher.close()
        leave(log, summary(log), self.view)


def shown(log: Log, text: str, height: int = 460) -> None:
    """Show a log that is complete: the widget, a picture, a text."""
    view: TraceView | None = None
    with suppress(ImportError):
        from teachgraph_widgets.widget import TraceView

        facts: dict[str, Any] = {"title": log["title"], "snapshot": packed(log)}
        view = TraceView(height=height, **facts)
        _Views.add(view)
        display(view)
    leave(log, text, view)


class _Views:
    """The views that are shown, by cell and the request to run it."""

    by_cell: ClassVar[dict[str, tuple[str, list[TraceView]]]] = {}

    @classmethod
    def add(cls, view: TraceView) -> None:
        """A cell shows a view; what it showed when it ran before is gone."""
        cell, request = the_cell(), the_request()
        if cell is None:
            return
        earlier, views = cls.by_cell.get(cell, (request, []))
        if earlier != request:
            for old in views:
                old.close()
            views = []
        cls.by_cell[cell] = request, [*views, view]
