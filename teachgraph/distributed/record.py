"""Records of messages: who sends what to whom, and who waits how long for it.

A `Recorded` transport stands before another one and notes each of its calls. Times are
those of the process; a launcher that asks for them knows how far each clock is from its
own, and puts all records on one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from teachgraph.distributed.transport import Array, Rows, Transport, bytes_of

__all__ = ["Message", "Recorded", "shifted"]


class Message(NamedTuple):
    """One call of a transport.

    Attributes:
        who: The process that makes it.
        step: The step it is at.
        what: "send", "recv", "barrier", "all_reduce", "broadcast" or "serve".
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


class Recorded:
    """A transport whose calls are noted.

    Args:
        inner: The transport that does the work.
        who: The process.
        messages: Where calls are noted.
    """

    def __init__(self, inner: Transport, who: Any, messages: list[Message]) -> None:
        self.inner, self.who, self.messages = inner, str(who), messages

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    @contextmanager
    def noted(self, what: str, peer: str, name: str) -> Iterator[list[Any]]:
        """Note what happens inside; the value goes into the list that is given."""
        begin, value = time.perf_counter(), list[Any]()
        yield value
        size = bytes_of(value[0]) if value else 0
        times = begin, time.perf_counter()
        step = self.inner.step
        self.messages.append(Message(self.who, step, what, peer, name, size, *times))

    def send(self, endpoint: str, name: str, value: Array | Rows) -> None:
        """Send a gradient to a server, or an array to a trainer's mailbox."""
        with self.noted("send", endpoint, name) as sent:
            sent.append(value)
            self.inner.send(endpoint, name, value)

    def recv(self, endpoint: str, name: str, rows: Array | None = None) -> Array:
        """Receive a parameter, some of its rows, or an array from the mailbox."""
        with self.noted("recv", endpoint, name) as received:
            received.append(self.inner.recv(endpoint, name, rows))
        value: Array = received[0]
        return value

    def barrier(self, kind: str, endpoints: Sequence[str]) -> None:
        """End a step's sends ("send") or its receives ("fetch"); or meet ("all")."""
        with self.noted("barrier", "", kind):
            self.inner.barrier(kind, endpoints)

    def all_reduce(self, value: Array, ring: int = 0) -> Array:
        """The sum over all trainers, added in the order of their ranks."""
        with self.noted("all_reduce", "", f"ring {ring}") as sums:
            sums.append(self.inner.all_reduce(value, ring))
        return sums[0]  # type: ignore[no-any-return]

    def broadcast(self, value: Array, root: int = 0, ring: int = 0) -> Array:
        """The value of trainer `root`."""
        with self.noted("broadcast", f"trainer:{root}", f"ring {ring}") as values:
            values.append(self.inner.broadcast(value, root, ring))
        return values[0]  # type: ignore[no-any-return]

    def serve(self, server: Any) -> None:
        """Answer trainers until all have finished."""
        with self.noted("serve", "", server.endpoint):
            self.inner.serve(server)


def shifted(messages: Sequence[Message], offset: float) -> list[Message]:
    """The messages in another clock, which is behind by `offset` seconds.

    >>> one = Message("trainer 0", 1, "send", "a:1", "w@GRAD", 8, 10.5, 11.0)
    >>> shifted([one], offset=10.0)[0][-2:]
    (0.5, 1.0)
    """
    return [m._replace(begin=m.begin - offset, end=m.end - offset) for m in messages]
