"""Actors of a cluster: one for each trainer and server, and one where trainers meet.

Ray restarts an actor that died from its constructor. So the constructor runs the job:
a restarted trainer or server is on its feet again without anybody's help.
"""

from __future__ import annotations

import os
import runpy
import socket
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from io import TextIOBase
from pathlib import Path
from typing import Any, NamedTuple

from teachgraph.distributed.errors import PeerError, StartError, TimeLimitError
from teachgraph.distributed.ray_channels import ChannelServing
from teachgraph.distributed.record import (
    ProcessLog,
    Recorded,
    announce_since,
    as_process,
)
from teachgraph.distributed.roles import Role, role_guard
from teachgraph.ops.freed_memory import keep_freed_memory
from teachgraph.static.scope import Scope, scope_guard

__all__ = ["Job", "Meeting", "Process", "Status"]


def versions() -> str:
    """The versions that must be the same on all machines."""
    from importlib.metadata import version

    python = ".".join(map(str, sys.version_info[:2]))
    others = (f"{name} {version(name)}" for name in ("numpy", "teachgraph", "ray"))
    return ", ".join((f"Python {python}", *others))


@dataclass
class Job:
    """Description of the work of a cluster.

    Attributes:
        name: Names the cluster among others of one Ray.
        target: The path of a script, or a function and its arguments.
        arguments: The script's arguments.
        trainers: The number of trainers.
        endpoints: The addresses of the servers: names, nothing listens there.
        folder: Where servers are saved; machines must share it.
        every: After how many steps.
        limit: Seconds that anybody waits for anything.
        restarts: How often one process may be restarted.
        record: Makes the log of a process, given its role.
        path: Where modules are looked for.
        versions: Those of Python, NumPy and teachgraph, which must be the same.
    """

    name: str
    target: str | tuple[Callable[..., Any], tuple[Any, ...]]
    trainers: int
    endpoints: tuple[str, ...] = ()
    arguments: Sequence[str] = ()
    folder: str = ""
    every: int = 1
    limit: float = 60.0
    restarts: int = 3
    record: Callable[[Role], ProcessLog] | None = None
    path: Sequence[str] = field(default_factory=lambda: list(sys.path))
    versions: str = field(default_factory=versions)

    def roles(self) -> list[Role]:
        """The servers, then the trainers."""
        many = self.trainers, self.endpoints
        servers = [Role("PSERVER", at, *many) for at in range(len(self.endpoints))]
        return servers + [Role("TRAINER", at, *many) for at in range(self.trainers)]

    def actor_name(self, what: Role | str) -> str:
        """The name under which others find an actor."""
        return f"{self.name}/{what}"


class Status(NamedTuple):
    """State of one process, as the launcher asks for it.

    Attributes:
        state: "running", "done" or "failed".
        pid: The number of the process.
        host: The machine's name.
        step: The step it is at.
        lines: What it has printed since it was asked last.
        result: What a function returned.
        error: The error, and where it was raised.
        events: Those recorded since it was asked last.
        clock: The time of its clock, in seconds.
    """

    state: str
    pid: int
    host: str
    step: int
    lines: list[str]
    result: Any = None
    error: str = ""
    events: Sequence[Any] = ()
    clock: float = 0.0


class Lines(TextIOBase):
    """Standard output that is kept line by line, until somebody asks."""

    def __init__(self) -> None:
        self.lines: deque[str] = deque(maxlen=10_000)
        self.rest = ""

    def write(self, text: str) -> int:
        """Keep the lines that are complete."""
        *whole, self.rest = (self.rest + text).split("\n")
        self.lines.extend(whole)
        return len(text)

    def end_line(self) -> None:
        """Keep a last line that has no end."""
        if self.rest:
            self.write("\n")

    def take(self) -> list[str]:
        """The lines since the last time."""
        return [self.lines.popleft() for _ in range(len(self.lines))]


class Process:
    """A trainer or a server. Its methods are called by other processes.

    Args:
        kept: The job; if that is large, a reference to it, in a list, so that Ray does
            not look it up before: it forgets large arguments of a constructor.
        role: Its part in it.

    Raises:
        StartError: Versions differ from those of who started the job.
    """

    def __init__(self, kept: Job | Sequence[Any], role: Role) -> None:
        import ray

        (job,) = [kept] if isinstance(kept, Job) else ray.get(list(kept))
        self.job, self.role, self.restarted = job, role, reconstructed()
        self.began = time.perf_counter()
        self.lines, self.state, self.error, self.result = Lines(), "running", "", None
        self.serving: ChannelServing | None = None
        self.ready = threading.Event()
        self.transport: Any = None
        self.log = None if job.record is None else job.record(role)
        threading.Thread(target=self.run, name=str(role), daemon=True).start()

    def run(self) -> None:
        """Run the job, and keep its result or error."""
        keep_freed_memory()  # in the heap of this thread
        try:
            self.check_versions()
            with self.surroundings():
                self.result = self.work()
            state = "done"
        except BaseException as error:
            self.error = f"{type(error).__name__}: {error}\n{traceback.format_exc()}"
            state = "failed"
        self.lines.end_line()
        self.state = state  # who reads it takes the lines for the last ones

    def check_versions(self) -> None:
        """Refuse to run beside other versions.

        Raises:
            VersionMismatchError: Here are others.
        """
        from teachgraph.distributed.errors import VersionMismatchError

        if (here := versions()) != self.job.versions:
            raise VersionMismatchError(
                f"{self.role} has {here}; who started the job has {self.job.versions}"
            )

    @contextmanager
    def surroundings(self) -> Iterator[None]:
        """Inside, this process has its role, its transport and its own scope."""
        from teachgraph.distributed.ray_transport import RayTransport
        from teachgraph.distributed.transport import transport_guard

        sys.path[:] = list(dict.fromkeys([*self.job.path, *sys.path]))
        os.environ.update(self.role.environ())
        self.transport = RayTransport(self.job, self.role, self)
        transport = self.transport
        if self.log is not None:
            transport = Recorded(transport, self.role)
        guards = role_guard(self.role), transport_guard(transport)
        with redirect_stdout(self.lines), scope_guard(Scope()), guards[0], guards[1]:
            with self.recorded():
                yield
            self.transport.close()

    @contextmanager
    def recorded(self) -> Iterator[None]:
        """Inside, this process is recorded, if the job is."""
        if self.log is None:
            yield
            return
        self.log.begin()
        try:
            with as_process(self.role):
                if not self.role.is_server:
                    self.announce_restart(self.transport.step)
                yield
        finally:
            self.log.end()

    def announce_restart(self, step: int) -> None:
        """Announce that this process is ready, if it was restarted."""
        if self.restarted:
            announce_since(self.began, self.role, step, "restart")

    def work(self) -> Any:
        """Run the script, or call the function."""
        target = self.job.target
        if not isinstance(target, str):
            function, arguments = target
            return function(*arguments)
        sys.argv[:] = [target, *self.job.arguments]
        sys.path.insert(0, str(Path(target).parent))
        try:
            runpy.run_path(target, run_name="__main__")
        except SystemExit as end:
            if end.code not in (None, 0):
                raise StartError(f"{target} ended with exit code {end.code}") from None
        return None

    def serve(self, server: Any) -> None:
        """Let trainers ask this server, until all have finished."""
        self.serving = ChannelServing(
            server,
            Path(self.job.folder),
            every=self.job.every,
            limit=self.job.limit,
            restarted=self.restarted,
        )
        self.announce_restart(self.serving.step_now())
        self.ready.set()
        self.serving.run()

    # Called from elsewhere.

    def status(self) -> Status:
        """The state of the process; lines are told once."""
        step = 0 if self.transport is None else self.transport.step
        if self.serving is not None:
            step = self.serving.step_now()
        return Status(
            self.state,
            os.getpid(),
            socket.gethostname(),
            step,
            self.lines.take(),
            self.result,
            self.error,
            () if self.log is None else self.log.take(),
            time.perf_counter(),
        )

    def ask(self, call: Sequence[Any], messages: Any = None) -> Any:
        """Call a method of the server, once it serves.

        Args:
            call: Its name and arguments.
            messages: Gradients, which come after these.

        Raises:
            TimeLimitError: It does not serve within the limit.
            PeerError: It failed.
        """
        end = time.monotonic() + self.job.limit
        while not self.ready.wait(0.05):
            if self.state == "failed":
                raise PeerError(f"{self.role} died: {self.error.splitlines()[0]}")
            if time.monotonic() > end:
                raise TimeLimitError(
                    f"{self.role} does not serve after {self.job.limit:g} s"
                )
        method, *arguments = call
        arguments += [] if messages is None else [messages]
        return getattr(self.serving, method)(*arguments)


def reconstructed() -> bool:
    """True in an actor that takes the place of one that died."""
    import ray

    return bool(ray.get_runtime_context().was_current_actor_reconstructed)


class Meeting:
    """The place where trainers meet: for sums, for broadcasts, for mail.

    Values are small, or references to what lies in the object store.

    Args:
        world: The number of trainers.
        limit: Seconds that anybody waits.
    """

    def __init__(self, world: int, limit: float) -> None:
        self.world, self.limit = world, limit
        self.changed = threading.Condition()
        self.rounds: dict[tuple[str, int], dict[int, Any]] = {}
        self.left: dict[tuple[str, int], int] = {}
        self.boxes: dict[str, deque[Any]] = {}
        self.failure = ""

    def meet(self, what: str, number: int, rank: int, value: Any) -> list[Any]:
        """Put a value down, and take those of all trainers, in their order.

        Raises:
            TimeLimitError: Others do not come within the limit.
            PeerError: One has died.
        """
        key = what, number
        with self.changed:
            values = self.rounds.setdefault(key, {})
            values[rank] = value
            self.changed.notify_all()
            self.wait(lambda: len(values) == self.world, self.absent(key, values))
            self.left[key] = self.left.get(key, 0) + 1
            if self.left[key] == self.world:  # nobody will ask again
                del self.rounds[key], self.left[key]
            return [values[rank] for rank in range(self.world)]

    def absent(self, key: tuple[str, int], values: dict[int, Any]) -> Callable[[], str]:
        """Build what tells who has not come."""
        what, number = key
        return lambda: (
            f"{what} {number}: trainers "
            f"{[rank for rank in range(self.world) if rank not in values]} did not "
            f"come within {self.limit:g} s"
        )

    def wait(self, ready: Callable[[], bool], late: Callable[[], str]) -> None:
        """Wait until something is ready.

        Raises:
            TimeLimitError: It is not within the limit.
            PeerError: A trainer has died.
        """
        end = time.monotonic() + self.limit
        while not ready():
            if self.failure:
                raise PeerError(self.failure)
            if not self.changed.wait(end - time.monotonic()):
                raise TimeLimitError(late())

    def post(self, box: str, value: Any) -> None:
        """Put a value into a mailbox."""
        with self.changed:
            self.boxes.setdefault(box, deque()).append(value)
            self.changed.notify_all()

    def collect(self, box: str) -> Any:
        """Take the oldest value out of a mailbox.

        Raises:
            TimeLimitError: None comes within the limit.
            PeerError: A trainer has died.
        """
        with self.changed:
            values = self.boxes.setdefault(box, deque())
            late = f"{box}: nothing came within {self.limit:g} s"
            self.wait(lambda: bool(values), lambda: late)
            return values.popleft()

    def fail(self, failure: str) -> None:
        """Tell all who wait, now and later, that a trainer has died."""
        with self.changed:
            self.failure = failure
            self.changed.notify_all()
