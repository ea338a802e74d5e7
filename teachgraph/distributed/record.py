"""Announcement of messages: who sends what to whom, and who waits how long for it.

A `Recorded` transport stands before another one and announces each of its calls to
whoever watches (`utils.observe`). Times are those of the process's own clock; a
launcher that asks for them knows how far that is from its own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from teachgraph.core.observe import announce, observers
from teachgraph.distributed.transport import Array, Rows, Transport, bytes_of

__all__ = [
    "Message",
    "ProcessLog",
    "Recorded",
    "announce_since",
    "announced",
    "as_process",
]


class Message(NamedTuple):
    """One call of a transport, or one thing that a server did.

    Attributes:
        who: The process that makes it.
        step: The step it is at.
        what: "send", "recv", "barrier", "all_reduce", "broadcast", "serve"; of a server
            "update" and "save"; "restart" of one that died.
        peer: Whom it speaks to; empty for all.
        name: The variable, or the kind of barrier.
        nbytes: The size of the value.
        begin: When the call began, in seconds.
        end: When it was over; in between the process waits.
    """

    who: str
    step: int
    what: str
    peer: str
    name: str
    nbytes: int
    begin: float
    end: float


class ProcessLog(Protocol):
    """Log of one process, made from its role, for a launcher that merges them."""

    def begin(self) -> None:
        """Start to record."""

    def end(self) -> None:
        """Stop to record."""

    def take(self) -> list[Any]:
        """The events since the last time, with times of `time.perf_counter`."""


@contextmanager
def announced(
    who: object, step: int, what: str, peer: str = "", name: str = ""
) -> Iterator[list[Any]]:
    """Announce what happens inside; the value goes into the list that is given."""
    begin, value = time.perf_counter(), list[Any]()
    yield value
    size = bytes_of(value[0]) if value else 0
    announce_since(begin, who, step, what, peer, name, size)


def announce_since(begin: float, who: object, step: int, what: str, *rest: Any) -> None:
    """Announce what began at a time and is over now; `rest` is peer, name and size."""
    if observers:
        peer, name, size = rest or ("", "", 0)
        times = begin, time.perf_counter()
        announce("message", Message(str(who), step, what, peer, name, size, *times))


@contextmanager
def as_process(role: object) -> Iterator[None]:
    """Announce that this thread is a process of a cluster, inside the `with` block."""
    if observers:
        announce("process_begin", role)
    try:
        yield
    finally:
        if observers:
            announce("process_end", role)


class Recorded:
    """A transport whose calls are announced.

    Args:
        inner: The transport that does the work.
        who: The process.
    """

    def __init__(self, inner: Transport, who: object) -> None:
        self.inner, self.who = inner, str(who)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def announced(self, what: str, peer: str, name: str) -> Any:
        """Announce what happens inside a `with` block."""
        return announced(self.who, self.inner.step, what, peer, name)

    def send(self, endpoint: str, name: str, value: Array | Rows) -> None:
        """Send a gradient to a server, or an array to a trainer's mailbox."""
        with self.announced("send", endpoint, name) as sent:
            sent.append(value)
            self.inner.send(endpoint, name, value)

    def recv(self, endpoint: str, name: str, rows: Array | None = None) -> Array:
        """Receive a parameter, some of its rows, or an array from the mailbox."""
        with self.announced("recv", endpoint, name) as received:
            received.append(self.inner.recv(endpoint, name, rows))
        value: Array = received[0]
        return value

    def barrier(self, kind: str, endpoints: Sequence[str]) -> None:
        """End a step's sends ("send") or its receives ("fetch"); or meet ("all")."""
        with self.announced("barrier", "", kind):
            self.inner.barrier(kind, endpoints)

    def all_reduce(self, value: Array, ring: int = 0) -> Array:
        """The sum over all trainers, added in the order of their ranks."""
        with self.announced("all_reduce", "", f"ring {ring}") as sums:
            sums.append(self.inner.all_reduce(value, ring))
        return sums[0]  # type: ignore[no-any-return]

    def broadcast(self, value: Array, root: int = 0, ring: int = 0) -> Array:
        """The value of trainer `root`."""
        with self.announced("broadcast", f"trainer:{root}", f"ring {ring}") as values:
            values.append(self.inner.broadcast(value, root, ring))
        return values[0]  # type: ignore[no-any-return]

    def serve(self, server: Any) -> None:
        """Answer trainers until all have finished."""
        with self.announced("serve", "", server.endpoint):
            self.inner.serve(server)
