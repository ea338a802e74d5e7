"""Batches of events from the log to the page, rate-limited and resent on request.

One message per operator would flood the server, so events go out together: at most one
message in 16 ms, 30 a second over time, each under a megabyte. A message that is sent
before the page draws is lost, so until the page is ready the first events are also kept
as widget state (`head`), which every page gets. A page asks for the events it misses.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextvars import copy_context
from threading import Event, RLock, Thread
from time import perf_counter
from typing import Any, Protocol

from teachgraph_widgets.events import AnyEvent, Log
from teachgraph_widgets.log import EventLog, message_of, packed

__all__ = ["Batcher", "Outlet"]

INTERVAL = 0.016
PATIENCE = 0.05
"""Seconds that the timer may be late before the recording thread sends itself."""

PER_SECOND = 30
BURST = 15
MOST_BYTES = 900_000
MOST_EVENTS = 4000
MOST_HEAD = 200_000


class Outlet(Protocol):
    """Carrier of messages and state to a page: the widget."""

    def post(self, message: Mapping[str, Any]) -> None:
        """Send a message to every view there is now."""

    def keep(self, **state: Any) -> None:
        """Set state that every view gets, now or later."""


class Batcher:
    """Sends one log's events, from a timer's thread or from the recording thread.

    The timer gathers a line's events into one message, and shows the events of a long
    statement while it runs. If the timer is late, the recording thread sends.
    """

    def __init__(self, log: EventLog, outlet: Outlet) -> None:
        self.log, self.outlet = log, outlet
        self._lock = RLock()
        self._sent = 0
        self._tokens, self._filled = float(BURST), perf_counter()
        self._ready = False
        self._head, self._head_due, self._head_wait = 0, 0.0, INTERVAL
        self._stop = Event()
        self._timer = Thread(
            target=copy_context().run,
            args=(self._tick,),
            name="teachgraph",
            daemon=True,
        )

    def open(self) -> None:
        """Start sending."""
        self.log.overdue = self.flush
        self.log.due = perf_counter() + PATIENCE
        self._timer.start()

    def close(self) -> Log:
        """Send the remaining events, store the whole log as state, and return it.

        An open page draws the remaining events before the whole log is compressed.
        """
        self.log.due = math.inf
        with self._lock:
            rest = self._send_rest()
            self._stop.set()
            whole = self.log.whole([*self.log.events(0, self._sent), *rest])
            self.outlet.keep(snapshot=packed(whole), head={})
            self._sent = len(self.log)
        return whole

    def _send_rest(self) -> list[AnyEvent]:
        """Send the new events, and return those that were sent."""
        sent: list[AnyEvent] = []
        if not self._ready or self._stop.is_set():
            return sent
        try:
            while self._sent + len(sent) < len(self.log):
                sent += self._post(self._sent + len(sent), len(self.log))
        except Exception as error:  # as long as the page does not get the whole
            self._give_up(error)
        return sent

    def flush(self) -> None:
        """Send the new events if the rate allows it, and set the next due time."""
        # The timer and the recording thread both flush: the user's line must not wait
        # for a message that the other one is sending.
        if not self._lock.acquire(blocking=False):
            return
        try:
            # The timer may have slept through `close`, whose snapshot holds all.
            if not self._stop.is_set():
                self._flush()
        except Exception as error:  # the user's line goes on, the page gets the rest
            self._give_up(error)
        finally:
            self._lock.release()

    def _give_up(self, error: Exception) -> None:
        self.log.due = math.inf
        self._stop.set()
        self.log.leave_out("messages", f"they could not be sent: {message_of(error)}")

    def _flush(self) -> None:
        now = perf_counter()
        self.log.due = now + PATIENCE
        self._tokens = min(BURST, self._tokens + (now - self._filled) * PER_SECOND)
        self._filled = now
        if self._tokens >= 1 and self._sent < len(self.log):
            self._tokens -= 1
            self._sent += len(self._post(self._sent, len(self.log)))
        self._keep_head(now)

    def receive(self, message: Any) -> None:
        """Answer a page that is ready or misses events."""
        kind = message.get("type") if isinstance(message, Mapping) else None
        with self._lock:
            if kind == "ready" and is_count(message.get("next", 0)):
                self._ready = True
                self._resend(message.get("next", 0), self._sent)
            elif kind == "gap" and is_count(message.get("first"), message.get("last")):
                self._resend(message["first"], min(message["last"] + 1, len(self.log)))

    def _resend(self, first: int, last: int) -> None:
        while first < last:
            first += len(self._post(first, last))

    def _post(self, first: int, last: int) -> list[AnyEvent]:
        """Send, and return, as many events from `first` on as one message may hold."""
        end, size = first, 0
        while end < min(last, first + MOST_EVENTS):
            size += self.log.weight(end)
            if size > MOST_BYTES and end > first:
                break
            end += 1
        events = self.log.events(first, end)
        self.outlet.post({"type": "events", "first": first, "events": events})
        return events

    def _keep_head(self, now: float) -> None:
        """Store the first events as state, ever less often, until a page is ready."""
        if self._ready or now < self._head_due or self._head == len(self.log):
            return
        end = self._head
        size = sum(self.log.weight(seq) for seq in range(end))
        while end < len(self.log) and size < MOST_HEAD:
            size += self.log.weight(end)
            end += 1
        if end > self._head:
            # The state is sent as a whole each time: doubling keeps the total linear.
            self._head, self._head_wait = end, 2 * self._head_wait
            self._head_due = now + self._head_wait
            self.outlet.keep(head={"first": 0, "events": self.log.events(0, end)})

    def _tick(self) -> None:
        while not self._stop.wait(INTERVAL):
            self.flush()


def is_count(*values: Any) -> bool:
    """True if all are integers from 0; a page may send anything."""
    return all(type(v) is int and v >= 0 for v in values)
