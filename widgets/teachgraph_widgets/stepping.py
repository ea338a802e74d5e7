"""`%%trace --step`: the cell waits at each line for the user's command.

Buttons in the page reach a busy kernel only if the host gives the widget a subshell, so
the page is probed first. Without an answer, there is a prompt under the cell.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any, Literal, Protocol, cast, get_args

from teachgraph_widgets.lines import Source

__all__ = ["Asks", "Page", "Prompt", "Stepper", "Stopped", "page_or_prompt"]

PROBE_SECONDS = 2.0
PROBE_EVERY = 0.1
AGAIN = 1.0
"""Seconds until a question is sent again: for a page that was loaded in between, and as
a sign that the kernel is alive."""

Answer = Literal["step", "continue", "stop"]
WORDS: dict[str, Answer] = {
    "": "step",
    "n": "step",
    "c": "continue",
    "s": "stop",
    "q": "stop",
}
MENU = "[Enter] step  [c] continue  [b] look back  [s] stop: "


class Stopped(KeyboardInterrupt):
    """The user has stopped the cell while stepping."""


class Asks(Protocol):
    """Source of the user's command at each line: the page or the prompt."""

    def ask(self, line: int) -> Answer:
        """Wait for an answer."""

    def done(self) -> None:
        """End the questions."""


class Outlet(Protocol):
    """Carrier of messages to the page: the widget."""

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message to every view there is now."""


class Page:
    """Asks the page: it has the buttons Step, Continue and Stop.

    Messages are `{"type": "step", "state": "probe" | "waiting" | "running", "line",
    "turn"}`; the page answers `{"type": "step", "do": "here" | "step" | "continue" |
    "stop", "turn"}`. Questions are numbered, so a second view or a double click cannot
    answer the next one.
    """

    def __init__(self, outlet: Outlet) -> None:
        self.outlet = outlet
        self.turn = 0
        self._answers: SimpleQueue[tuple[Any, Any]] = SimpleQueue()
        self._here = Event()

    def receive(self, message: Any) -> None:
        """Receive a message of the page, in another thread."""
        if not isinstance(message, Mapping) or message.get("type") != "step":
            return
        word = message.get("do")
        if word == "here":
            self._here.set()
        elif word in get_args(Answer):
            self._answers.put((message.get("turn"), word))

    def probe(self, seconds: float = PROBE_SECONDS) -> bool:
        """True if a page answers while the kernel is busy with this very cell."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.outlet.post({"type": "step", "state": "probe"})
            if self._here.wait(PROBE_EVERY):
                return True
        return False

    def ask(self, line: int) -> Answer:
        """Wait for a button."""
        self.turn += 1
        facts = {"state": "waiting", "line": line, "turn": self.turn}
        turn, word, due = 0, "", 0.0
        while turn != self.turn:
            if time.monotonic() >= due:
                self.outlet.post({"type": "step", **facts})
                due = time.monotonic() + AGAIN
            with suppress(Empty):
                turn, word = self._answers.get(timeout=max(0, due - time.monotonic()))
        return cast("Answer", word)

    def done(self) -> None:
        """Disable the buttons."""
        self.outlet.post({"type": "step", "state": "running"})


class Prompt:
    """Asks at a prompt under the cell.

    Args:
        source: The source whose lines are shown.
        look: Returns the trace so far, as text.
    """

    def __init__(self, source: Source, look: Callable[[], str]) -> None:
        self.lines, self.look = source.text.splitlines(), look

    def ask(self, line: int) -> Answer:
        """Show the line and wait for a word; continue if there is no input."""
        text = self.lines[line - 1].strip() if line <= len(self.lines) else ""
        while True:
            try:
                word = input(f"line {line}: {text}\n{MENU}").strip().lower()
            except (EOFError, NotImplementedError, RuntimeError):
                sys.stdout.write("nobody can be asked here: the cell goes on\n")
                return "continue"
            if word == "b":
                sys.stdout.write(self.look() + "\n")
            elif word[:1] in WORDS:
                return WORDS[word[:1]]

    def done(self) -> None:
        """Do nothing: a prompt has no state."""


class Stepper:
    """Waits at each line: for an answer, for some seconds, or both.

    Args:
        asks: The source of answers, if any.
        pace: Seconds to wait at each line.
    """

    def __init__(self, asks: Asks | None, pace: float = 0.0) -> None:
        self.asks, self.pace = asks, pace

    def wait(self, line: int) -> None:
        """Wait before a line runs.

        Raises:
            Stopped: The answer is to stop.
        """
        __tracebackhide__ = True
        if self.pace > 0:
            time.sleep(self.pace)
        if self.asks is None:
            return
        answer = self.asks.ask(line)
        if answer == "step":
            return
        self.close()
        if answer == "stop":
            raise Stopped(f"stopped at line {line}")

    def close(self) -> None:
        """End the questions."""
        asks, self.asks = self.asks, None
        if asks is not None:
            asks.done()


def page_or_prompt(page: Page | None, prompt: Prompt) -> Asks:
    """Return the page, if it answers; else the prompt."""
    return page if page is not None and page.probe() else prompt
