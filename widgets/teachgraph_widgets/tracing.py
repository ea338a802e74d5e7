"""`with tg.record() as t:` records what its lines do, and shows it in a notebook."""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from teachgraph.core.errors import InvalidValueError, TeachgraphError, at_user_line
from teachgraph_widgets.events import AnyEvent, Log
from teachgraph_widgets.lines import Source
from teachgraph_widgets.page import write_page
from teachgraph_widgets.recorder import Recorder
from teachgraph_widgets.stepping import Asks, Prompt, Stepper, chosen
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
    """What one piece of code did, as an event log.

    Inside the `with` block everything the framework announces is recorded, with the
    line it comes from; in a notebook it is drawn meanwhile. Only the thread that
    entered the block is recorded.

    Args:
        title: The picture's heading.
        values: Whether to look at values too; without, it is lighter.
        show: Whether to draw it; by default where there is a notebook.
        height: Of a row of panes, in pixels.
        theme: `auto` follows the notebook's.
        step: Whether to wait at each line until somebody says to go on; only code with
            markers can: a cell with `%%trace --step`.
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
            told = f"a theme is one of {', '.join(THEMES)}, got {theme!r}"
            raise InvalidValueError(at_user_line(told))
        if not isinstance(height, int) or height < 1:
            told = f"a height is a number of pixels from 1, got {height!r}"
            raise InvalidValueError(at_user_line(told))
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
        """Start to record `source`: what a `with` block does when it is entered.

        Raises:
            TraceError: It has been used before.
            NotBuiltError: It is to be drawn, and the front end is not built.
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
        """Who is asked at each line: the page where it answers, else a prompt."""
        page = None if self._live is None else self._live.page
        return chosen(page, Prompt(self.recorder.source, self.summary))

    def end(
        self,
        error: BaseException | None = None,
        namespace: Mapping[str, Any] | None = None,
        line: int = 0,
    ) -> None:
        """Stop recording: what a `with` block does when it is left."""
        recorder = self.recorder
        if self._stepper is not None:
            self._stepper.close()
        recorder.end(error, namespace, line)
        if self._live is not None:
            self._live.close()

    @property
    def recorder(self) -> Recorder:
        """What records.

        Raises:
            TraceError: Nothing has been recorded yet.
        """
        if self._recorder is None:
            raise TraceError("nothing has been recorded: use `with tg.record() as t:`")
        return self._recorder

    @property
    def log(self) -> Log:
        """The event log, so far."""
        return self.recorder.log.whole()

    @property
    def events(self) -> list[AnyEvent]:
        """The events, so far."""
        return self.recorder.log.events()

    def summary(self) -> str:
        """What each line made, as text."""
        return summary(self.log)

    def export_html(self, path: str | os.PathLike[str]) -> Path:
        """Write one page to step through it, which needs no network and no kernel.

        Raises:
            OSError: It cannot be written there; nothing half-written stays.
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
    """Record what the lines of a `with` block do, and show it.

    In a notebook the picture appears under the cell while the block runs; elsewhere
    `t.summary()` tells it as text, and `t.export_html(path)` writes a page to step
    through.

    Args:
        title: The picture's heading.
        values: Whether to look at values too; without, it is lighter.
        show: Whether to draw it; by default where there is a notebook.
        height: Of a row of panes, in pixels.
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
    """The text that a frame's code comes from, as far as it is to be had."""
    filename = frame.f_code.co_filename
    return Source.of_file(filename, "".join(linecache.getlines(filename)))


def in_notebook() -> bool:
    """Whether what is displayed is seen: in a kernel, which alone has a front end."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None
