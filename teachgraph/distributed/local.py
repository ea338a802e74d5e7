"""`LocalTransport`: a cluster in the threads of one process, for lessons and tests.

One thread runs at a time. When it has to wait for another, the next one that can go on
does: so a run is the same every time, async training too, and when all wait for each
other that is noticed at once. It is no way to train: nothing runs in parallel.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from contextvars import copy_context
from typing import Any

import numpy as np

from teachgraph.core.observe import observers
from teachgraph.distributed.errors import (
    DeadlockError,
    DistributedError,
    MessageError,
    PeerError,
)
from teachgraph.distributed.record import Recorded, as_process
from teachgraph.distributed.roles import SERVER, TRAINER, Role, role_guard
from teachgraph.distributed.server import Server
from teachgraph.distributed.transport import Array, Rows, bytes_of, transport_guard
from teachgraph.ops.freed_memory import keep_freed_memory
from teachgraph.static.scope import Scope, scope_guard

__all__ = ["LocalCluster", "LocalTransport", "Turns", "run_local"]


class Turns:
    """Lets one member run at a time, the next one in order when it waits.

    Attributes:
        members: All members, in order.
        running: The one whose turn it is.
    """

    def __init__(self, members: Sequence[Role]) -> None:
        self.members, self.running = list(members), members[0]
        self.changed = threading.Condition()
        self.waiting: dict[Role, tuple[Callable[[], bool], str]] = {}
        self.done: set[Role] = set()
        self.failure: Exception | None = None

    def begin(self, me: Role) -> None:
        """Wait for the first turn."""
        with self.changed:
            self.sleep(me)

    def wait(self, me: Role, ready: Callable[[], bool], doing: str) -> None:
        """Let others run until something is ready.

        Raises:
            DeadlockError: All wait.
            PeerError: Another member failed.
        """
        if ready():
            return
        with self.changed:
            self.waiting[me] = ready, doing
            self.hand_over(me)
            self.sleep(me)

    def sleep(self, me: Role) -> None:
        """Wait for a turn, or for the failure of another member."""
        while self.running != me and self.failure is None:
            self.changed.wait()
        if self.failure is not None:
            raise type(self.failure)(str(self.failure))

    def hand_over(self, me: Role) -> None:
        """Give the turn to the next member that can go on."""
        after = self.members.index(me) + 1
        for member in self.members[after:] + self.members[:after]:
            ready, _ = self.waiting.get(member, (always, ""))
            if member not in self.done and ready():
                self.waiting.pop(member, None)
                self.running = member
                self.changed.notify_all()
                return
        if self.waiting:
            self.fail(DeadlockError(f"all wait for each other:\n{self.told()}"))

    def told(self) -> str:
        """List who waits for what, a line for each."""
        lines = [
            f"  {who} waits for {doing}" for who, (_, doing) in self.waiting.items()
        ]
        return "\n".join(lines + [f"  {who} has finished" for who in self.done])

    def finish(self, me: Role, error: BaseException | None) -> None:
        """Leave, for good."""
        with self.changed:
            self.done.add(me)
            if error is not None and self.failure is None:
                self.fail(PeerError(f"{me} died: {type(error).__name__}: {error}"))
            elif self.failure is None:
                self.hand_over(me)

    def fail(self, error: Exception) -> None:
        """End all waits with an error."""
        self.failure = error
        self.changed.notify_all()


def always() -> bool:
    """A member that waits for nothing can always go on."""
    return True


class LocalCluster:
    """State that the threads of one cluster share.

    Args:
        trainers: The number of trainers.
        endpoints: The addresses of the servers.
    """

    def __init__(self, trainers: int, endpoints: Sequence[str] = ()) -> None:
        self.trainers, self.endpoints = trainers, tuple(endpoints)
        servers = [
            Role(SERVER, at, trainers, self.endpoints) for at in range(len(endpoints))
        ]
        self.workers = [
            Role(TRAINER, at, trainers, self.endpoints) for at in range(trainers)
        ]
        self.turns = Turns([*servers, *self.workers])
        self.servers: dict[str, Server] = {}
        self.mailbox: dict[tuple[str, str], list[Array]] = {}
        self.rounds: dict[tuple[str, int], dict[int, Any]] = {}
        self.bytes_sent = 0

    def trainers_done(self) -> bool:
        """True when all trainers have finished."""
        return self.turns.done >= {*self.workers}


class LocalTransport:
    """The transport of one thread of a `LocalCluster`.

    Attributes:
        rank: The number of this trainer.
        world: The number of trainers.
        step: The number of steps whose gradients were sent.
        overlaps: Whether messages may be on their way while the trainer computes.
    """

    overlaps = False

    def __init__(self, cluster: LocalCluster, role: Role) -> None:
        self.cluster, self.role = cluster, role
        self.rank, self.world, self.step = role.index, role.trainers, 0
        self.outbox: dict[str, dict[str, Array | Rows]] = {}
        self.sequence: dict[str, int] = {}
        self.count: dict[str, int] = {}

    def wait(self, ready: Callable[[], bool], doing: str) -> None:
        """Let other threads run until something is ready."""
        self.cluster.turns.wait(self.role, ready, doing)

    def server(self, endpoint: str) -> Server:
        """The server of an address, once it serves.

        Raises:
            MessageError: There is no server of that address.
        """
        cluster = self.cluster
        if endpoint not in cluster.endpoints:
            raise MessageError(f"no server {endpoint!r}: there are {cluster.endpoints}")
        self.wait(lambda: endpoint in cluster.servers, f"server {endpoint} to serve")
        return cluster.servers[endpoint]

    def send(self, endpoint: str, name: str, value: Array | Rows) -> None:
        """Send a gradient to a server, or an array to a trainer's mailbox."""
        message = copied(value)
        self.cluster.bytes_sent += bytes_of(message)
        if endpoint.startswith("trainer:"):
            self.cluster.mailbox.setdefault((endpoint, name), []).append(message)  # type: ignore[arg-type]
        elif (server := self.server(endpoint)).sync:
            self.outbox.setdefault(endpoint, {})[name] = message
        else:
            number = self.sequence.get(endpoint, 0) + 1
            self.sequence[endpoint] = server.push(self.rank, number, {name: message})

    def recv(self, endpoint: str, name: str, rows: Array | None = None) -> Array:
        """Receive a parameter, some of its rows, or an array from the mailbox."""
        if endpoint.startswith("trainer:"):
            return self.from_mailbox(f"trainer:{self.rank}", f"{endpoint}/{name}")
        server = self.server(endpoint)
        if server.sync:
            doing = f"step {self.step} of {endpoint}, to receive {name!r}"
            self.wait(lambda: server.step >= self.step, doing)
        value = server.pull(name, self.step if server.sync else None, rows)
        self.cluster.bytes_sent += value.nbytes
        return value if rows is not None else read_only(value)

    def from_mailbox(self, box: str, name: str) -> Array:
        """The oldest array in a mailbox."""
        arrays = self.cluster.mailbox.setdefault((box, name), [])
        self.wait(lambda: bool(arrays), f"{name!r} in the mailbox of {box}")
        return arrays.pop(0)

    def barrier(self, kind: str, endpoints: Sequence[str]) -> None:
        """End a step's sends ("send") or its receives ("fetch"); or meet ("all")."""
        if kind == "all":
            self.meet("barrier", None)
        elif kind == "send":
            self.step += 1
            for endpoint in endpoints:
                messages = self.outbox.pop(endpoint, {})
                if (server := self.server(endpoint)).sync:
                    server.push(self.rank, self.step, messages)

    def meet(self, what: str, value: Any) -> list[Any]:
        """Put a value down, and take those of all trainers, in their order."""
        number = self.count[what] = self.count.get(what, 0) + 1
        values = self.cluster.rounds.setdefault((what, number), {})
        values[self.rank] = value
        doing = f"{what} {number} of all {self.world} trainers"
        self.wait(lambda: len(values) == self.world, doing)
        return [values[rank] for rank in range(self.world)]

    def all_reduce(self, value: Array, ring: int = 0) -> Array:
        """The sum over all trainers, added in the order of their ranks."""
        self.cluster.bytes_sent += value.nbytes * (self.world - 1)
        values = self.meet(f"all_reduce on ring {ring}", np.array(value))
        return summed(values)

    def broadcast(self, value: Array, root: int = 0, ring: int = 0) -> Array:
        """The value of trainer `root`."""
        values = self.meet(f"broadcast on ring {ring}", np.array(value))
        return np.array(values[root])

    def serve(self, server: Server) -> None:
        """Answer trainers until all have finished: in their threads."""
        self.cluster.servers[server.endpoint] = server
        self.wait(self.cluster.trainers_done, "the trainers to finish")


def copied(value: Array | Rows) -> Array | Rows:
    """A copy, as the sender may write to its own."""
    return value if isinstance(value, Rows) else np.array(value)


def read_only(value: Array) -> Array:
    """A view that nobody can write to: an update makes a new array.

    >>> read_only(np.ones(2)).flags.writeable
    False
    """
    view = value.view()
    view.flags.writeable = False
    return view


def summed(values: Sequence[Array]) -> Array:
    """The sum of arrays of one shape and dtype, in their order.

    Raises:
        MessageError: They are of several.
    """
    kinds = {(value.shape, str(value.dtype)) for value in values}
    if len(kinds) > 1:
        raise MessageError(f"trainers reduce arrays of several kinds: {sorted(kinds)}")
    total = np.array(values[0])
    for value in values[1:]:
        total += value
    return total


def run_local(
    work: Callable[[Role], Any],
    trainers: int = 1,
    pservers: str = "",
) -> list[Any]:
    """Run a function as every trainer and every server, in threads.

    Args:
        work: Called once for each process of the cluster, with its `Role`.
        trainers: The number of trainers.
        pservers: The addresses of the servers, `host:port,host:port`.

    Returns:
        What it returned for the trainers, in their order.

    Raises:
        DistributedError: A thread died, or all wait for each other.

    >>> def work(role):
    ...     return transport().all_reduce(np.array([role.index + 1.0])).item()
    >>> from teachgraph.distributed.transport import bytes_of, transport
    >>> run_local(work, trainers=3)
    [6.0, 6.0, 6.0]
    """
    endpoints = pservers.split(",") if pservers else []
    return run_in(LocalCluster(trainers, endpoints), work)


def run_in(cluster: LocalCluster, work: Callable[[Role], Any]) -> list[Any]:
    """Run a function as every member of a cluster."""
    results: dict[Role, Any] = {}
    errors: list[BaseException] = []

    def body(role: Role) -> None:
        keep_freed_memory()  # in the heap of this thread
        error: BaseException | None = None
        try:
            cluster.turns.begin(role)
            transport: Any = LocalTransport(cluster, role)
            if observers:
                transport = Recorded(transport, role)
            guards = role_guard(role), transport_guard(transport)
            with scope_guard(Scope()), guards[0], guards[1], as_process(role):
                results[role] = work(role)
        except BaseException as caught:
            error = caught
            errors.append(caught)
        finally:
            with suppress(DistributedError):
                cluster.turns.finish(role, error)

    threads = [
        threading.Thread(  # in the caller's context: its mode holds there too
            target=copy_context().run, args=(body, role), name=str(role), daemon=True
        )
        for role in cluster.turns.members
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        failure = cluster.turns.failure or errors[0]
        raise failure from errors[0]
    return [results[role] for role in cluster.workers]
