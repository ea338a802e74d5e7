"""`tg.record` and `Trace`: record the lines of a block, and show them in a notebook."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from teachgraph.core.errors import InvalidValueError, TeachgraphError
from teachgraph_widgets.events import AnyEvent, Log
from teachgraph_widgets.lines import Source
from teachgraph_widgets.page import write_page
from teachgraph_widgets.recorder import Recorder
from teachgraph_widgets.stepping import Asks, Prompt, Stepper, page_or_prompt
from teachgraph_widgets.still import image
from teachgraph_widgets.summary import summary

if TYPE_CHECKING:
    from teachgraph_widgets.live import Live

__all__ = ["Trace", "TraceError", "record"]

Theme = Literal["auto", "light", "dark"]
THEMES = get_args(Theme)


class TraceError(TeachgraphError, RuntimeError):
    """A trace that has not begun, or is to begin twice."""


class Trace:
    """The recorded execution of a piece of code, as an event log.

    Inside the `with` block all announcements of the framework are recorded, with their
    lines; in a notebook they are drawn live. Only the thread that entered the block is
    recorded.

    Args:
        title: The picture's heading.
        values: True to record summaries of values too, which costs time.
        show: True to draw it; by default in a notebook only.
        height: The height of a row of panes, in pixels.
        theme: `auto` follows the notebook's.
        step: True to wait at each line for the user's command; this needs code with
            markers: a cell with `%%trace --step`.
        pace: Seconds to wait at each line of such code.

    Raises:
        InvalidValueError: There is no such theme or height.
    """

    def __init__(
        self,
        title: str = "",
        *,
        values: bool = True,
        show: bool | None = None,
        height: int = 460,
        theme: Theme = "auto",
        step: bool = False,
        pace: float = 0.0,
    ) -> None:
        if theme not in THEMES:
            message = f"a theme is one of {', '.join(THEMES)}, got {theme!r}"
            raise InvalidValueError.here(message)
        if not isinstance(height, int) or height < 1:
            message = f"a height is a number of pixels from 1, got {height!r}"
            raise InvalidValueError.here(message)
        self.title, self.values, self.show = title, values, show
        self.height, self.theme = height, theme
        self.step, self.pace = step, pace
        self._stepper: Stepper | None = None
        self._recorder: Recorder | None = None
        self._live: Live | None = None

    def __enter__(self) -> Self:
        self.begin(source_of(sys._getframe(1)))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        frame = sys._getframe(1)
        self.end(error, frame.f_locals, frame.f_lineno)

    def begin(self, source: Source) -> None:
        """Start to record `source`, as entering the `with` block does.

        Raises:
            TraceError: The trace has been used before.
            NotBuiltError: The front end is not built, and `show` needs it.
        """
        if self._recorder is not None:
            raise TraceError("a trace records once: make another with tg.record()")
        self._recorder = Recorder(source, self.title, values=self.values)
        if in_notebook() if self.show is None else self.show:
            from teachgraph_widgets.live import Live

            self._live = Live(self._recorder.log, self.height, self.theme)
            self._live.open()
        self._recorder.begin()
        if self.step or self.pace > 0:
            self._stepper = Stepper(self.asks() if self.step else None, self.pace)
            self._recorder.cursor.wait = self._stepper.wait

    def asks(self) -> Asks:
        """Return the source of commands: the page if it answers, else a prompt."""
        page = None if self._live is None else self._live.page
        return page_or_prompt(page, Prompt(self.recorder.source, self.summary))

    def end(
        self,
        error: BaseException | None = None,
        namespace: Mapping[str, Any] | None = None,
        line: int = 0,
    ) -> None:
        """Stop recording, as leaving the `with` block does."""
        recorder = self.recorder
        if self._stepper is not None:
            self._stepper.close()
        recorder.end(error, namespace, line)
        if self._live is not None:
            self._live.close()

    @property
    def recorder(self) -> Recorder:
        """The recorder.

        Raises:
            TraceError: Nothing has been recorded yet.
        """
        if self._recorder is None:
            raise TraceError("nothing has been recorded: use `with tg.record() as t:`")
        return self._recorder

    @property
    def log(self) -> Log:
        """The event log so far."""
        return self.recorder.log.whole()

    @property
    def events(self) -> list[AnyEvent]:
        """The events so far."""
        return self.recorder.log.events()

    def summary(self) -> str:
        """Return the trace as text, line by line."""
        return summary(self.log)

    def export_html(self, path: str | os.PathLike[str]) -> Path:
        """Write one page to step through the trace, without network and kernel.

        Raises:
            OSError: The file cannot be written; no partial file is left.
            NotBuiltError: The front end is not built.
        """
        return write_page(self.log, path)

    def __repr__(self) -> str:
        return self.summary() if self._recorder is not None else "A trace yet to run"

    def _repr_html_(self) -> str:
        return image(self.log)


def record(
    title: str = "",
    *,
    values: bool = True,
    show: bool | None = None,
    height: int = 460,
    theme: Theme = "auto",
) -> Trace:
    """Record the effects of the lines of a `with` block, and show them.

    In a notebook the picture appears under the cell while the block runs; elsewhere
    `t.summary()` returns a text, and `t.export_html(path)` writes a page to step
    through.

    Args:
        title: The picture's heading.
        values: True to record summaries of values too, which costs time.
        show: True to draw it; by default in a notebook only.
        height: The height of a row of panes, in pixels.
        theme: `auto` follows the notebook's; or `light`, `dark`.

    >>> import teachgraph as tg
    >>> with tg.record() as t:
    ...     x = tg.to_tensor(3.0, stop_gradient=False)
    ...     y = x * x
    >>> [event["type"] for event in t.events if event["kind"] == "node"]
    ['elementwise_mul']
    """
    return Trace(title, values=values, show=show, height=height, theme=theme)


def source_of(frame: FrameType) -> Source:
    """Return the source of a frame's code, empty if it is not available."""
    filename = frame.f_code.co_filename
    source = Source.of_file(filename, "".join(linecache.getlines(filename)))
    source.root = frame.f_code
    return source


def in_notebook() -> bool:
    """True inside a Jupyter kernel: only there a front end shows displayed outputs."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None
