"""Jobs on Ray: start or join a cluster, place the actors, watch them, end them all."""

from __future__ import annotations

import logging
import os
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from teachgraph.distributed.errors import (
    MissingRayError,
    PeerError,
    StartError,
    TimeLimitError,
    VersionMismatchError,
)
from teachgraph.distributed.ray_calls import ray_module, summary
from teachgraph.distributed.ray_process import Job, Process, Status
from teachgraph.distributed.ray_transport import INLINE, meeting_of
from teachgraph.distributed.roles import Role
from teachgraph.distributed.serving import mark_of

__all__ = ["Cluster", "ray_started", "run_on_ray", "spawn"]

NAMESPACE = "teachgraph"
START_LIMIT = 180
"""Seconds for Ray's own start: on a loaded machine its agent takes long to import."""

SETTINGS = {
    "RAY_raylet_start_wait_time_s": "45",
    "RAY_USAGE_STATS_ENABLED": "0",
}
"""Environment variables of Ray, for those that are not set."""

ATTEMPTS = 3
"""Ray gives its agent 15 s to import. The next attempt finds the files in memory."""

WITHOUT_BYTECODE = "PYTHONDONTWRITEBYTECODE"
"""With this variable Ray's agent compiles all it imports each time it starts."""

TOKEN = Path.home() / ".ray" / "auth_token"
"""Secret that `ray start` asks for if it exists; who joins says so before importing."""

EVERY = 0.1
"""Seconds between two looks at the processes."""

Watch = Callable[["Cluster"], None]
"""Called after each look at the processes."""


@contextmanager
def ray_started(address: str | None = None, **options: Any) -> Iterator[Any]:
    """Start a local Ray, or join one, for as long as the block lasts.

    One that runs in this process already is used, and goes on afterwards.

    Args:
        address: `auto` or `ray://host:port` to join one; None starts one.
        **options: Handed to `ray.init`.

    Raises:
        MissingRayError: Ray is not installed.
        StartError: It did not start; the error names its logs.
    """
    if address is not None and TOKEN.exists():
        os.environ.setdefault("RAY_AUTH_MODE", "token")
    ray = ray_module()
    if ray.is_initialized():
        yield ray
        return
    settings: dict[str, Any] = {"namespace": NAMESPACE, "log_to_driver": False}
    settings |= {"configure_logging": False}
    if address is None:
        settings |= {"include_dashboard": False, "num_cpus": os.cpu_count()}
    start(ray, ATTEMPTS, address=address or "local", **settings, **options)
    try:
        yield ray
    finally:
        ray.shutdown()


def start(ray: Any, attempts: int, **options: Any) -> None:
    """Start Ray or join one, in several attempts.

    Raises:
        VersionMismatchError: The cluster to join has another Ray or Python.
        MissingRayError: Ray's client is not installed, which `ray://` needs.
        StartError: None succeeded; the error names Ray's logs.
    """
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    # Says at each start that others on the network cannot use it, as is right.
    logging.getLogger("ray._private.authentication").setLevel(logging.ERROR)
    without_bytecode = os.environ.pop(WITHOUT_BYTECODE, None)
    try:
        ray.init(**options)
    except Exception as error:
        ray.shutdown()
        if "ersion mismatch" in str(error):
            raise VersionMismatchError(
                f"{error} Install the same versions of Python and Ray on all machines"
            ) from error
        if "ray[client]" in str(error):
            raise MissingRayError(
                "an address with ray:// needs Ray's client: pip install "
                '"teachgraph[distributed]"'
            ) from error
        if attempts == 1:
            raise StartError(
                f"Ray did not start, {ATTEMPTS} times: {type(error).__name__}: {error} "
                f"Its logs are in {logs()}"
            ) from error
        start(ray, attempts - 1, **options)
    finally:
        if without_bytecode is not None:
            os.environ[WITHOUT_BYTECODE] = without_bytecode


def logs() -> Path:
    """The folder of Ray's own logs."""
    return Path(tempfile.gettempdir()) / "ray" / "session_latest" / "logs"


class Cluster:
    """The actors of a job.

    Args:
        ray: Ray, started.
        job: The job.

    Attributes:
        statuses: The last known state of each process.
        deaths: For each process, how often it died.
        records: The events of each process that ran, by its number.
        offsets: How far its clock is ahead of this one, with the seconds that the
            answer took that told so.
    """

    def __init__(self, ray: Any, job: Job) -> None:
        self.ray, self.job = ray, job
        self.statuses: dict[Role, Status] = {}
        self.deaths: dict[Role, int] = {}
        self.pids: dict[Role, int] = {}
        options = {"num_cpus": 0, "namespace": NAMESPACE, "lifetime": None}
        options["scheduling_strategy"] = "SPREAD"  # over the machines of a cluster
        self.meeting = None if job.endpoints else meeting_of(ray, job)
        options["max_restarts"], self.kept = job.restarts, self.stored(job)
        self.actors = {
            role: self.place(Process, role, options, self.kept, role)
            for role in job.roles()
        }
        self.asked: dict[Role, tuple[float, Any]] = {}
        self.records: dict[int, list[Any]] = {}
        self.offsets: dict[int, tuple[float, float]] = {}
        self.began = time.monotonic()

    def stored(self, job: Job) -> Any:
        """Build what a process gets its job from, each time that it is restarted.

        Ray keeps a small argument with the actor itself. A large one lies in the object
        store, for as long as somebody here refers to it.
        """
        small = len(self.ray.cloudpickle.dumps(job)) <= INLINE
        return job if small else [self.ray.put(job)]

    def place(self, kind: Any, what: Any, options: dict[str, Any], *rest: Any) -> Any:
        """Create an actor with threads enough for all who may wait in it."""
        threads = 4 * self.job.trainers + 8
        actor = self.ray.remote(kind)
        name = self.job.actor_name(what)
        return actor.options(name=name, max_concurrency=threads, **options).remote(
            *rest
        )

    def look(self) -> None:
        """Ask all processes for their state; do not wait for who is being restarted.

        Raises:
            StartError: One has not started within the limit.
            PeerError: One failed, or died for good.
        """
        for role, actor in self.actors.items():
            if role not in self.asked:
                self.asked[role] = time.perf_counter(), actor.status.remote()
        waiting = [reference for _, reference in self.asked.values()]
        self.ray.wait(waiting, num_returns=len(waiting), timeout=EVERY)
        for role, (_, reference) in list(self.asked.items()):
            if self.ray.wait([reference], timeout=0)[0]:
                self.note(role, reference)
                del self.asked[role]
        absent = [str(role) for role in self.actors if role not in self.statuses]
        if absent and time.monotonic() - self.began > START_LIMIT:
            raise StartError(
                f"{absent} did not start within {START_LIMIT} s: are there machines "
                f"with room for them? Ray's logs are in {logs()}"
            )

    def note(self, role: Role, reference: Any) -> None:
        """Note the state of a process, and a death.

        Raises:
            PeerError: It died for good, or failed.
        """
        try:
            status = self.ray.get(reference, timeout=EVERY)
        except self.ray.exceptions.ActorUnavailableError:
            return
        except self.ray.exceptions.RayActorError as error:
            raise PeerError(
                f"{role} died at step {self.step_of(role)}, after "
                f"{self.job.restarts} restarts: {summary(error)}"
            ) from None
        if self.pids.setdefault(role, status.pid) != status.pid:
            self.died(role, status)
        self.statuses[role] = status
        self.collect(status, self.asked[role][0])
        if status.state == "failed":
            raise PeerError(
                f"{role} failed at step {status.step}: {status.error}".rstrip()
            )

    def collect(self, status: Status, asked: float) -> None:
        """Take the events of a process, and compare its clock with this one.

        It answered between the question and now: its clock is ahead by the difference
        to the middle. The quickest answer so far tells most exactly.
        """
        now = time.perf_counter()
        offset = now - asked, status.clock - (asked + now) / 2
        self.offsets[status.pid] = min(offset, self.offsets.get(status.pid, offset))
        self.records.setdefault(status.pid, []).extend(status.events)

    def recordings(self) -> list[tuple[list[Any], float]]:
        """List the events of each process, and how far its clock is ahead.

        It may be wrong by half the time that the answer took. Processes of one machine
        have the same clock: where the difference could be zero, it is.
        """
        ahead = {
            pid: offset if abs(offset) > took / 2 else 0.0
            for pid, (took, offset) in self.offsets.items()
        }
        return [(events, ahead[pid]) for pid, events in self.records.items()]

    def died(self, role: Role, status: Status) -> None:
        """Note that a process was restarted; alone, trainers cannot go on from there.

        Raises:
            PeerError: There are no servers that know where training was.
        """
        step = self.step_of(role)
        self.pids[role] = status.pid
        self.deaths[role] = self.deaths.get(role, 0) + 1
        status.lines.insert(0, f"restarted, after it died at step {step}")
        if self.meeting is not None:
            told = f"{role} died at step {step}; without servers nobody knows its state"
            self.meeting.fail.remote(told)
            raise PeerError(told)

    def step_of(self, role: Role) -> int:
        """The step that a process was at last."""
        return self.statuses[role].step if role in self.statuses else 0

    def run(self, watch: Watch) -> None:
        """Look at the processes until all have finished: the servers come last.

        Raises:
            DistributedError: One failed, or died for good.
            TimeLimitError: A server does not finish after the trainers.
        """
        while self.unfinished(self.trainers):
            self.look_with(watch)
        servers = [role for role in self.actors if role.is_server]
        self.dismiss(servers)
        end = time.monotonic() + self.job.limit
        while late := self.unfinished(servers):
            if time.monotonic() > end:
                raise TimeLimitError(
                    f"{late} did not end within {self.job.limit:g} s after the trainers"
                )
            self.look_with(watch)

    def look_with(self, watch: Watch) -> None:
        """Look at the processes, at most so often; show also what one said that failed.

        Raises:
            DistributedError: One failed, or died for good.
        """
        began = time.monotonic()
        try:
            self.look()
        finally:
            watch(self)
        time.sleep(max(0.0, EVERY - (time.monotonic() - began)))

    def dismiss(self, servers: Sequence[Role]) -> None:
        """Tell servers, also restarted ones, that the trainers have finished."""
        for role in servers:
            for trainer in self.trainers:
                self.actors[role].ask.remote(("bye", trainer.index))

    @property
    def trainers(self) -> list[Role]:
        """The trainers, in the order of their numbers."""
        return [role for role in self.actors if not role.is_server]

    def unfinished(self, roles: Sequence[Role]) -> list[str]:
        """Name the processes among these that have not finished."""
        statuses = self.statuses.items()
        done = {role for role, status in statuses if status.state == "done"}
        return [str(role) for role in roles if role not in done]

    def results(self) -> list[Any]:
        """List the results of the function, in the order of the trainers' numbers."""
        return [self.statuses[role].result for role in self.trainers]

    def end(self) -> None:
        """End all actors."""
        for actor in filter(None, (*self.actors.values(), self.meeting)):
            with suppress(Exception):
                self.ray.kill(actor)


def run_on_ray(
    job: Job, *, address: str | None = None, watch: Watch = lambda cluster: None
) -> list[Any]:
    """Run a job, and return what its function returned for each trainer.

    Args:
        job: The job.
        address: The Ray to join; by default one is started here.
        watch: Called after each look at the processes.

    Raises:
        DistributedError: A process failed, or died for good. All others are ended.
    """
    with ray_started(address) as ray, folder_of(job):
        cluster = Cluster(ray, job)
        try:
            cluster.run(watch)
            return cluster.results()
        finally:
            cluster.end()


@contextmanager
def folder_of(job: Job) -> Iterator[None]:
    """Mark the folder of a job's checkpoints; give it one for now if it has none."""
    with tempfile.TemporaryDirectory(prefix="teachgraph-") as folder:
        job.folder = job.folder or folder
        mark = mark_of(Path(job.folder))
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.write_text(job.name, "utf-8")
        yield


def new_name() -> str:
    """A name that no other job has."""
    return f"job-{uuid.uuid4().hex[:8]}"


def spawn(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    nprocs: int = 1,
    *,
    join: bool = True,
    watch: Watch = lambda cluster: None,
    **options: Any,
) -> list[Any]:
    """Call a function in several trainers, each a process of its own.

    Args:
        func: The function.
        args: Its arguments.
        nprocs: The number of trainers.
        join: Accepted for Paddle's sake: this always waits.
        watch: Called after each look at the processes.
        **options: Others of a `Job`, such as `limit` and `restarts`; with `endpoints`
            the function is called in servers of these addresses too.

    Returns:
        What it returned for each trainer.

    Raises:
        DistributedError: A process failed; all others are ended.

    In Paddle this is `paddle.distributed.spawn`.
    """
    by_value(func)
    job = Job(new_name(), (func, tuple(args)), nprocs, **options)
    return run_on_ray(job, watch=watch)


def by_value(function: Callable[..., Any]) -> None:
    """Let a function travel with its module, which other machines may not have."""
    import sys

    module = sys.modules.get(function.__module__)
    if module is not None and not function.__module__.startswith("teachgraph."):
        ray_module().cloudpickle.register_pickle_by_value(module)
