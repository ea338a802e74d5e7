"""`RayTransport`: between processes and machines, by Ray's actors and object store.

In sync mode a step is one request to each server: all gradients go, and the parameters
come back in the answer when the step is applied. Requests go to all servers at once.
Ray moves what is large through its object store, all gradients of a request as one
object, all parameters of an answer as another; between a trainer and a server on one
machine both are channels, which each step uses again.

Each request carries the number of its step, and what it carries is kept until the
server has saved that step. So whatever is lost, a request or its answer or the
server itself, is asked for again, and nothing is applied twice.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, cast

import numpy as np

from teachgraph.distributed.errors import (
    MessageError,
    NoTransportError,
    PeerError,
)
from teachgraph.distributed.local import copied, summed
from teachgraph.distributed.ray_calls import LOST, Call, Calls, full, ray_module
from teachgraph.distributed.ray_channels import (
    HEADER,
    Channels,
    Circle,
    channel_to,
    here,
    room_for,
)
from teachgraph.distributed.roles import Role
from teachgraph.distributed.server import BehindError
from teachgraph.distributed.serving import Greeting, Reply
from teachgraph.distributed.transport import Array, Rows, bytes_of

__all__ = ["INLINE", "RayTransport", "connect", "meeting_of"]

INLINE = 100_000
"""Bytes up to which Ray itself sends a value in the message."""

PATIENCE = 2.0
"""Seconds without an answer after which other servers are asked where they are."""


def connect(role: Role) -> NoReturn:
    """Refuse a process that Ray has not started.

    Raises:
        NoTransportError: Always.
    """
    raise NoTransportError(
        f"{role} of {role.trainers} was not started by `teachgraph launch` or `spawn`, "
        "which connect the processes they start"
    )


class Sent(NamedTuple):
    """A message that is not answered yet.

    Attributes:
        number: Its number.
        call: The call that takes it.
        reference: That to the answer; None if the call could not be sent.
        end: The time by which the answer must come.
    """

    number: int
    call: Call
    reference: Any
    end: float


class Link:
    """A trainer's line to one server.

    Attributes:
        number: The number of the last message to it.
        log: Messages by number, as long as the server might forget them: references to
            the object store, small ones themselves.
        sent: The one that is not answered yet.
        wanted: Names of the parameters that come with each answer.
        values: Parameters of the present step, by name.
        read: The answer that they come from. Ray frees its memory when it is let go,
            which takes a while: so not before the next request is on its way.
        room: What the last message takes in a channel.
        channels: Those to a server on this machine, once they are open.
        openings: How often they may still be opened: Ray keeps the memory of all that
            were open, as long as one of their ends lives.
    """

    def __init__(self, endpoint: str, greeting: Greeting, openings: int) -> None:
        self.endpoint, self.sync = endpoint, greeting.sync
        self.number = greeting.saved
        self.log: dict[int, Any] = {}
        self.wanted: dict[str, None] = {}
        self.values: dict[str, Array] = {}
        self.outbox: dict[str, Array | Rows] = {}
        self.sent: Sent | None = None
        self.read: Any = None
        self.room = 0
        self.channels: Channels | None = None
        self.openings = openings if self.sync else 0

    def take(self, reply: Reply) -> None:
        """Take over an answer; forget what the server will not."""
        self.values = dict(reply.values)
        for number in [n for n in self.log if n <= reply.saved]:
            del self.log[number]

    def unpacked(self, reply: Reply | None, number: int) -> Reply | None:
        """An answer with the values that are in a channel; None if they are lost."""
        if self.channels is None:
            return reply
        if reply is not None and reply.values is None:
            if (values := self.channels.read(number)) is not None:
                return reply._replace(values=values)
            reply = None
        self.channels = None  # the server does not use them, or is another one
        return reply


class InCircle(NamedTuple):
    """Says that a trainer has written its part to the channels of the circle."""

    rank: int


class RayTransport:
    """The transport of one process of a job on Ray.

    Attributes:
        rank: The number of this trainer.
        world: The number of trainers.
        step: The number of steps whose gradients were sent; after a restart, where the
            servers are.
        bytes_sent, bytes_received: Payload, without what Ray adds.
    """

    overlaps = True

    def __init__(self, job: Any, role: Role, process: Any) -> None:
        self.job, self.role, self.process = job, role, process
        self.rank, self.world = role.index, role.trainers
        self.ray = ray_module()
        self.links: dict[str, Link] = {}
        self.calls = Calls(job, role, lambda: self.step)
        self.count: dict[str, int] = {}
        self.bytes_sent = self.bytes_received = 0
        self.step, self._meeting = 0, None
        self.circle: Circle | None = None
        self.may_share = self.world > 1
        if not role.is_server:
            links = [self.link(endpoint) for endpoint in job.endpoints]
            self.step = min((link.number for link in links), default=0)
            for link in links:  # who has applied more takes the rest for repetitions
                link.number = self.step

    # Servers.

    def link(self, endpoint: str) -> Link:
        """The line to a server.

        Raises:
            MessageError: There is no such server.
        """
        if endpoint not in self.job.endpoints:
            raise MessageError(
                f"no server {endpoint!r}: there are {self.job.endpoints}"
            )
        if endpoint not in self.links:
            greeting = self.calls.answer(Call(endpoint, ("hello", self.rank)))
            lives = 1 + self.job.restarts
            self.links[endpoint] = Link(endpoint, greeting, openings=lives)
        return self.links[endpoint]

    def send(self, endpoint: str, name: str, value: Array | Rows) -> None:
        """Put a gradient into the next message to a server, or mail to a trainer."""
        if endpoint.startswith("trainer:"):
            assert not isinstance(value, Rows)
            box = f"{endpoint}/{name}"
            self.wait(self.meeting().post.remote(box, self.packed(value)), box)
        else:
            self.bytes_sent += bytes_of(value)
            self.link(endpoint).outbox[name] = value

    def barrier(self, kind: str, endpoints: Sequence[str]) -> None:
        """End a step's sends ("send") or its receives ("fetch"); or meet ("all")."""
        if kind == "all":
            self.meet("barrier", None)
        elif kind == "send":
            self.step += 1
            for link in map(self.link, endpoints):
                if link.sync:
                    link.number = self.step
                self.post(link)
        else:
            for link in map(self.link, endpoints):
                link.values = {}

    def post(self, link: Link) -> None:
        """Send a message on its way."""
        if not link.sync:
            if not link.outbox:
                return
            link.number += 1
        messages, link.outbox = link.outbox, {}
        number, link.room = link.number, room_for(messages)
        in_channel = link.channels is not None and link.channels.write(number, messages)
        if not in_channel:
            link.channels = None
        link.log[number] = self.kept(messages, in_channel)
        call = self.exchange(link, number)
        if in_channel:
            call = self.exchange_in_channels(call)
        link.sent = Sent(number, call, self.calls.sent(call), self.calls.end())
        link.values, link.read = {}, None

    def kept(self, messages: dict[str, Array | Rows], here: bool) -> Any:
        """A copy of messages that can be sent again: a reference if they are large.

        The copy in the object store is the only one; Ray brings the receiver what a
        reference among the arguments of a call refers to. What went through a channel
        is kept here: it is hardly ever sent again.
        """
        if not here and sum(map(bytes_of, messages.values())) > INLINE:
            return self.put(messages)
        return {name: copied(value) for name, value in messages.items()}

    def exchange(self, link: Link, number: int) -> Call:
        """Build the call of one message."""
        what = "exchange", self.rank, number, list(link.wanted)
        return Call(link.endpoint, what, link.log[number])

    def exchange_in_channels(self, call: Call) -> Call:
        """Build the same call for a message that is in a channel."""
        what = "exchange_in_channels", *call.what[1:]
        return call._replace(what=what, messages=None)

    def send_again(self, link: Link, number: int, end: float | None = None) -> None:
        """Send a message that a server lacks, or the answer to which is lost.

        Raises:
            MessageError: It is not kept: the server had saved it.
        """
        if number not in link.log:
            raise MessageError(
                f"{self.role}: server {link.endpoint} lacks step {number}, which it "
                "had saved: did somebody change the folder of its checkpoints?"
            )
        call = self.exchange(link, number)
        end = self.calls.end() if end is None else end
        link.sent = Sent(number, call, self.calls.sent(call), end)

    def open_channels(self, link: Link, values: dict[str, Array]) -> None:
        """Open channels to a server, for messages like the last and such answers."""
        link.openings -= 1
        try:
            out = channel_to(self.calls.actor(link.endpoint), room=link.room)
        except Exception:  # whatever an experimental interface raises
            link.openings = 0
            return
        what = "open_channels", self.rank, out, here(), list(values)
        back = self.calls.answer(Call(link.endpoint, what))
        if back is None:
            link.openings = 0
        else:
            link.channels = Channels(out, back, link.room)

    def settle(self) -> None:
        """Take the answers of all servers, in the order in which they come.

        A server that comes back may lack what it had answered already, and trainers
        that wait for other servers send that again too: else they could wait for each
        other, each for a step that the other has yet to repeat.
        """
        links = self.links.values()
        while waiting := [link for link in links if link.sent is not None]:
            link = self.first_answered(waiting)
            if link is not None:
                self.take(link)
                continue
            for other in links:
                if other.sent is None:
                    self.catch_up(other)

    def first_answered(self, waiting: Sequence[Link]) -> Link | None:
        """The first of some links that has its answer; None if none has it soon."""
        if len(self.links) == 1:
            return waiting[0]
        pairs = [(link.sent, link) for link in waiting if link.sent is not None]
        links = {sent.reference: link for sent, link in pairs}
        if None in links:
            return links[None]
        due, link = min(pairs, key=lambda pair: pair[0].end)
        if time.monotonic() > due.end:
            return link
        return links.get(self.calls.first([*links], PATIENCE))

    def catch_up(self, link: Link) -> None:
        """Ask a server where it is, and send what it lacks."""
        at = self.calls.answer(Call(link.endpoint, ("last", self.rank)))
        if at < link.number:
            self.send_again(link, at + 1)

    def take(self, link: Link) -> None:
        """Take an answer; send again what the server lacks."""
        number, call, reference, end = cast("Sent", link.sent)
        answer = self.calls.attempt(call, reference, end)
        if answer is LOST:
            self.send_again(link, number, end)
            return
        reply = link.unpacked(answer, number)
        if reply is None:
            self.send_again(link, number)
        elif reply.behind is not None:
            self.send_again(link, reply.behind + 1)
        elif number < link.number:
            self.send_again(link, number + 1)
        else:
            link.sent, link.read = None, (reference, reply)
            self.keep(link, reply)

    def keep(self, link: Link, reply: Reply) -> None:
        """Keep the parameters of an answer; if they are large, open channels."""
        size = sum(map(bytes_of, reply.values.values()))
        self.bytes_received += size
        if link.openings and link.channels is None and min(size, link.room) > INLINE:
            self.open_channels(link, reply.values)
        link.take(reply)

    def recv(self, endpoint: str, name: str, rows: Array | None = None) -> Array:
        """Receive a parameter, some of its rows, or an array from the mailbox."""
        if endpoint.startswith("trainer:"):
            box = f"trainer:{self.rank}/{endpoint}/{name}"
            return self.unpacked(self.wait(self.meeting().collect.remote(box), box))
        link = self.link(endpoint)
        if not link.sync and link.outbox:
            self.post_all()
        self.settle()
        if rows is None and name in link.values:
            return np.array(link.values[name])
        if rows is None:
            link.wanted[name] = None
        step = self.step if link.sync else None
        value = self.ask(link, "pull", name, step, rows)
        self.bytes_received += bytes_of(value)
        return np.array(value)

    def ask(self, link: Link, *what: Any) -> Any:
        """The answer of a server that has all that was sent to it."""
        while True:
            try:
                return self.calls.answer(Call(link.endpoint, what))
            except BehindError as error:
                self.send_again(link, error.at + 1)
                self.settle()

    def post_all(self) -> None:
        """In async mode, send all messages of a step on their way."""
        self.step += 1
        for link in self.links.values():
            self.post(link)

    def serve(self, server: Any) -> None:
        """Answer trainers until all have finished."""
        self.process.serve(server)

    def close(self) -> None:
        """Tell the servers that this trainer has finished."""
        if self.role.is_server:
            return
        for link in self.links.values():
            if link.outbox:
                self.post(link)
        self.settle()
        for link in self.links.values():
            self.ask(link, "bye", self.rank, link.number)

    # Trainers.

    def meeting(self) -> Any:
        """The actor where trainers meet."""
        if self._meeting is None:
            self._meeting = meeting_of(self.ray, self.job)
        return self._meeting

    def wait(self, reference: Any, what: str) -> Any:
        """The answer of the meeting place.

        Raises:
            DistributedError: It does not come within the limit, or a trainer died.
        """
        errors = self.ray.exceptions
        try:
            return self.ray.get(reference, timeout=self.job.limit + 5.0)
        except errors.RayTaskError as error:
            raise self.calls.cause_of(error) from None
        except errors.RayError as error:
            raise PeerError(
                f"{self.role}, {what}: {type(error).__name__}: {error}"
            ) from None

    def packed(self, value: Array) -> Any:
        """A copy of a value for a message: itself if small, else a reference to it."""
        self.bytes_sent += value.nbytes
        return [self.put(value)] if value.nbytes > INLINE else np.array(value)

    def put(self, value: Any) -> Any:
        """Put a value into the object store; return the reference to it.

        Raises:
            DistributedError: It is full.
        """
        try:
            return self.ray.put(value)
        except full(self.ray.exceptions) as error:
            raise self.calls.store_full(error) from None

    def unpacked(self, value: Any) -> Array:
        """The value of a message."""
        return np.array(*self.fetched([value]))

    def fetched(self, parts: Sequence[Any]) -> list[Array]:
        """The values of messages, read-only; those in the object store at once."""
        stored = [part[0] for part in parts if isinstance(part, list)]
        loaded = iter(self.ray.get(stored, timeout=self.job.limit) if stored else ())
        values = [next(loaded) if isinstance(part, list) else part for part in parts]
        for place, part in enumerate(values):
            if isinstance(part, InCircle) and self.circle is not None:
                values[place] = self.circle.read(part.rank, self.job.limit)
        self.bytes_received += sum(value.nbytes for value in values)
        return values

    def meet(self, what: str, value: Any) -> list[Any]:
        """Put a value down, and take those of all trainers, in their order."""
        number = self.count[what] = self.count.get(what, 0) + 1
        rest = number, self.rank, value
        return list(self.wait(self.meeting().meet.remote(what, *rest), what))

    def all_reduce(self, value: Array, ring: int = 0) -> Array:
        """The sum over all trainers, added in the order of their ranks."""
        if self.may_share and value.nbytes > INLINE:
            self.open_circle(value.nbytes)
        parts = self.meet(f"all_reduce on ring {ring}", self.shared(value))
        others = [part for rank, part in enumerate(parts) if rank != self.rank]
        values = self.fetched(others)
        values.insert(self.rank, value)
        return summed(values)

    def open_circle(self, room: int) -> None:
        """Open channels among the trainers, if all are on one machine; try it once."""
        self.may_share = False
        everyone = self.meet("machines", here())
        actors, machines = zip(*everyone, strict=True)
        if len({*machines}) > 1:
            return
        try:
            others = (a for rank, a in enumerate(actors) if rank != self.rank)
            out = channel_to(*others, room=HEADER + room)
        except Exception:  # whatever an experimental interface raises
            out = None
        channels = self.meet("channels", out)
        if None not in channels:
            parts = {r: c for r, c in enumerate(channels) if r != self.rank}
            self.circle = Circle(out, parts, room)

    def shared(self, value: Array) -> Any:
        """A part of a sum for the meeting: where it lies, or as it is `packed`."""
        circle = self.circle if value.nbytes > INLINE else None
        if circle is None or not circle.write(value):
            return self.packed(value)
        self.bytes_sent += value.nbytes
        return InCircle(self.rank)

    def broadcast(self, value: Array, root: int = 0, ring: int = 0) -> Array:
        """The value of trainer `root`."""
        mine = self.packed(value) if self.rank == root else None
        return self.unpacked(self.meet(f"broadcast on ring {ring}", mine)[root])


def meeting_of(ray: Any, job: Any) -> Any:
    """The actor where the trainers of a job meet, created for who asks first."""
    from teachgraph.distributed.ray_process import Meeting

    return (
        ray.remote(Meeting)
        .options(
            name=job.actor_name("meeting"),
            namespace="teachgraph",
            get_if_exists=True,
            max_concurrency=4 * job.trainers + 8,
            num_cpus=0,
        )
        .remote(job.trainers, job.limit)
    )
