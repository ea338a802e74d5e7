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
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, NoReturn, cast

import numpy as np

from teachgraph.distributed.errors import (
    DistributedError,
    MessageError,
    MissingRayError,
    NoTransportError,
    PeerError,
    TimeLimitError,
)
from teachgraph.distributed.local import copied, summed
from teachgraph.distributed.ray_channels import (
    HEADER,
    Channels,
    Circle,
    channel_to,
    here,
    room_for,
)
from teachgraph.distributed.roles import Role
from teachgraph.distributed.serving import Greeting, Reply
from teachgraph.distributed.transport import Array, Rows, bytes_of

__all__ = ["INLINE", "RayTransport", "connect", "ray_module"]

INLINE = 100_000
"""Bytes up to which Ray itself sends a value in the message."""

PAUSE = 0.2
"""Seconds between two attempts to reach a server that is being restarted."""


def ray_module() -> Any:
    """Ray.

    Raises:
        MissingRayError: It is not installed.
    """
    try:
        import ray
    except ImportError as error:
        raise MissingRayError(
            'Ray is not installed: pip install "teachgraph[distributed]"'
        ) from error
    return ray


def connect(role: Role) -> NoReturn:
    """Refuse a process that Ray has not started.

    Raises:
        NoTransportError: Always.
    """
    raise NoTransportError(
        f"{role} of {role.trainers} was not started by `teachgraph launch` or `spawn`, "
        "which connect the processes they start"
    )


class Link:
    """A trainer's line to one server.

    Attributes:
        number: The number of the last message to it.
        log: Messages by number, as long as the server might forget them: references to
            the object store, small ones themselves.
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
        self.request: Any = None
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
        self.actors: dict[str, Any] = {}
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
            greeting = self.patiently(endpoint, self.ask(endpoint, "hello", self.rank))
            lives = 1 + self.job.restarts
            self.links[endpoint] = Link(endpoint, greeting, openings=lives)
        return self.links[endpoint]

    def ask(self, endpoint: str, *call: Any, messages: Any = None) -> Callable[[], Any]:
        """Build a request: calling it sends it, and returns what to wait for.

        Ray packs and unpacks each argument by itself: the small ones come as one.
        """
        name = self.job.actor_name(f"server {endpoint}")

        def request() -> Any:
            if name not in self.actors:  # it stays the same when it is restarted
                self.actors[name] = self.ray.get_actor(name, namespace="teachgraph")
            return self.actors[name].ask.remote(call, messages)

        return request

    def patiently(
        self, endpoint: str, request: Callable[[], Any], first: Any = None
    ) -> Any:
        """The answer to a request, sent again while the server is being restarted.

        Raises:
            PeerError: The server died, and is not back within the limit.
            TimeLimitError: The answer does not come within the limit.
            DistributedError: The server refused, or the object store is full.
        """
        errors, end = self.ray.exceptions, time.monotonic() + self.job.limit
        # No actor of that name, yet; or it died before what it refers to was read.
        gone = (errors.RayActorError, errors.ObjectLostError, ValueError)
        while True:
            try:
                reference = request() if first is None else first
                left = end - time.monotonic() + 5.0  # servers have limits of their own
                return self.ray.get(reference, timeout=max(left, 0.1))
            except errors.RayTaskError as error:
                raise self.cause_of(error) from None
            except errors.GetTimeoutError:
                self.late(endpoint)
            except full(errors) as error:
                raise self.store_full(error) from None
            except gone as error:
                if time.monotonic() > end:
                    raise self.lost(endpoint, error) from None
            first = None
            time.sleep(PAUSE)

    def cause_of(self, error: Any) -> Exception:
        """The error that the other process raised."""
        cause = error.cause
        if isinstance(cause, DistributedError):
            return cause
        return PeerError(f"{self.role}, step {self.step}: {error}")

    def late(self, endpoint: str) -> NoReturn:
        """Raise the error for an answer that does not come."""
        raise TimeLimitError(
            f"{self.role}, step {self.step}: server {endpoint} did not answer within "
            f"{self.job.limit:g} s"
        )

    def lost(self, endpoint: str, error: Exception) -> PeerError:
        """The error for a server that died and is not back."""
        return PeerError(
            f"{self.role}, step {self.step}: server {endpoint} died and was not back "
            f"within {self.job.limit:g} s: {summary(error)}"
        )

    def store_full(self, error: Exception) -> DistributedError:
        """The error for a full object store."""
        return DistributedError(
            f"{self.role}, step {self.step}: Ray's object store is full: start Ray "
            f"with a larger object_store_memory, or free the disk. {error}"
        )

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
        again = self.exchange(link, number)
        request = self.exchange_in_channels(link, number) if in_channel else again
        try:
            link.request = again, number, request()
        except (self.ray.exceptions.RayError, ValueError):
            link.request = again, number, None  # asked for again when it is needed
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

    def exchange(self, link: Link, number: int) -> Callable[[], Any]:
        """Build the request of one message."""
        call = "exchange", self.rank, number, list(link.wanted)
        return self.ask(link.endpoint, *call, messages=link.log[number])

    def exchange_in_channels(self, link: Link, number: int) -> Callable[[], Any]:
        """Build the request of a message that is in a channel."""
        call = "exchange_in_channels", self.rank, number, list(link.wanted)
        return self.ask(link.endpoint, *call)

    def open_channels(self, link: Link, values: dict[str, Array]) -> None:
        """Open channels to a server, for messages like the last and such answers."""
        link.openings -= 1
        server = self.actors[self.job.actor_name(f"server {link.endpoint}")]
        try:
            out = channel_to(server, room=link.room)
        except Exception:  # whatever an experimental interface raises
            link.openings = 0
            return
        call = "open_channels", self.rank, out, here(), list(values)
        back = self.patiently(link.endpoint, self.ask(link.endpoint, *call))
        if back is None:
            link.openings = 0
        else:
            link.channels = Channels(out, back, link.room)

    def settle(self, link: Link) -> None:
        """Wait for the answer to the last message; send again what the server lacks."""
        if link.request is None:
            return
        request, number, first = link.request
        link.request = None
        reply: Reply | None = self.patiently(link.endpoint, request, first)
        reply = link.unpacked(reply, number)
        if reply is None:
            reply = cast("Reply", self.patiently(link.endpoint, request))
        link.read = first, reply
        while reply.behind is not None:
            for missing in range(reply.behind + 1, number + 1):
                again = self.exchange(link, missing)
                reply = self.patiently(link.endpoint, again)
                if reply.behind is not None:
                    break
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
        self.settle(link)
        if rows is None and name in link.values:
            return np.array(link.values[name])
        if rows is None:
            link.wanted[name] = None
        step = self.step if link.sync else None
        value = self.patiently(endpoint, self.ask(endpoint, "pull", name, step, rows))
        self.bytes_received += bytes_of(value)
        return np.array(value)

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
            self.settle(link)
            self.patiently(link.endpoint, self.ask(link.endpoint, "bye", self.rank))

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
            raise self.cause_of(error) from None
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
            raise self.store_full(error) from None

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


def summary(error: Exception) -> str:
    """The first line of an error of Ray's, and of a traceback also the last.

    >>> error = RuntimeError(chr(10).join(["Died in its creation task.", "E: no x"]))
    >>> summary(error)
    'Died in its creation task: E: no x'
    """
    lines = str(error).strip().splitlines() or [type(error).__name__]
    told = [lines[0].rstrip(".")] if "creation task" in lines[0] else []
    return ": ".join([*told, lines[-1].strip() if told else lines[0]])


def full(errors: Any) -> tuple[type[Exception], ...]:
    """Ray's errors for a full store: it puts what has no room on the disk at first."""
    return errors.ObjectStoreFullError, errors.OutOfDiskError


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
