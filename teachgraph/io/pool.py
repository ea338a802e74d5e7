"""Worker pool of a DataLoader, the parent's side: tasks out, batches in, in order.

Each worker has its own connection and answers in the order it was asked, so the batch
that is due is always the next one of a known worker, and nothing is sorted. A worker
that dies closes its connection, which the parent notices at once; no lock is shared,
so none can stay locked.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from teachgraph.io.fetch import Fetcher
from teachgraph.io.worker import Job, Kind, WorkerError, work
from teachgraph.planning.whole_steps import Uninterrupted

__all__ = ["Pool", "WorkerTimeoutError"]

START = "fork" if sys.platform == "linux" else "spawn"
"""Fork where it is safe: a forked worker has data sets defined in a notebook and
lambdas, which can't be pickled. macOS's own libraries don't survive a fork, and
Windows has none; there workers are spawned and their data set is pickled."""

TICK = 0.25
"""Seconds between two checks that all workers are alive."""


class WorkerTimeoutError(WorkerError, TimeoutError):
    """A batch took longer than the DataLoader's `timeout`."""


_ours: weakref.WeakSet[Connection] = weakref.WeakSet()
"""The parent's ends of all connections. A forked worker closes its copies: while a
copy is open, the worker at the other end does not learn that the parent is gone."""


class _Forks:
    """A lock around forks: a worker closes its copies of connections by their numbers.

    A connection that another thread closed meanwhile would be none, or another's.
    """

    def __init__(self) -> None:
        self.unlock()

    def unlock(self) -> None:
        """Make the lock anew: in a worker nobody else holds it."""
        self.lock = threading.RLock()


_forks = _Forks()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forks.unlock)


class EpochOverError(WorkerError):
    """A batch was requested of an epoch that a later one has ended."""


class _Member:
    """A worker and the connection to it."""

    def __init__(self, job: Job) -> None:
        with _forks.lock:
            self.start(job)

    def start(self, job: Job) -> None:
        """Start the process. No connection may be opened or closed meanwhile."""
        context = multiprocessing.get_context(START)
        self.connection, theirs = context.Pipe()
        _ours.add(self.connection)
        copied = list(_ours) if START == "fork" else []
        self.process: BaseProcess = context.Process(  # type: ignore[attr-defined]
            target=work,
            args=(theirs, job, copied),
            name=f"DataLoader worker {job.id}",
            daemon=True,
        )
        try:
            with warnings.catch_warnings():
                # A child that runs a data set's code and NumPy's takes no lock that
                # another thread of ours could hold.
                warnings.simplefilter("ignore", DeprecationWarning)
                self.process.start()
        except Exception as error:
            self.connection.close()
            raise WorkerError(
                f"{self.process.name} can't be started: {error}. Where processes are "
                "not forked, the data set and its functions must be defined at the top "
                "level of a module"
            ) from error
        finally:
            theirs.close()

    def died(self) -> WorkerError:
        """Build the error that says how the process ended."""
        code = _exit_code(self.process, 1)
        how = f"killed by signal {-code}" if code and code < 0 else f"exit code {code}"
        return WorkerError(
            f"{self.process.name} (process {self.process.pid}) exited unexpectedly: "
            f"{how}; num_workers=0 shows what its data set does"
        )


def _exit_code(process: BaseProcess, patience: float) -> int | None:
    """Wait for a process to end; None if it still runs.

    A thread that starts a process reaps those of all others. For a moment, until it has
    noted how ours ended, `join` returns and `exitcode` is None all the same.
    """
    deadline = time.monotonic() + patience
    while process.exitcode is None and (left := deadline - time.monotonic()) > 0:
        process.join(left)
    return process.exitcode


def _end(members: list[_Member], owner: int) -> None:
    """Close the connections, then terminate, then kill; nothing in a forked copy.

    Ctrl-C does not stop it, which would leave workers behind; it hurries.
    """
    if os.getpid() != owner:
        return
    with Uninterrupted() as interrupt:
        with _forks.lock:
            for member in members:
                member.connection.close()
        for insist, patience in ((None, 0.5), ("terminate", 1.0), ("kill", 60.0)):
            deadline = time.monotonic() + patience
            for member in members:
                if insist is not None and member.process.is_alive():
                    getattr(member.process, insist)()
            for member in members:
                hurry = interrupt.heard and insist != "kill"
                left = deadline - time.monotonic()
                _exit_code(member.process, 0.0 if hurry else left)
        for member in members:
            member.process.close()
        members.clear()


class Pool:
    """Worker processes that prefetch batches.

    Args:
        fetch: Makes a batch of a task.
        num_workers: The number of processes.
        prefetch_factor: The number of tasks queued at each worker.
        timeout: Seconds to wait for a batch; 0 waits for ever.
        init: Called in each worker with its number before anything else.

    Raises:
        WorkerError: A worker can't be started.

    >>> pool = Pool(Fetcher("abcdef", "".join, 2), num_workers=2)
    >>> list(pool.epoch(iter([[0, 1], [2, 3], [4, 5]]), seed=0))
    ['ab', 'cd', 'ef']
    >>> pool.close()
    """

    def __init__(
        self,
        fetch: Fetcher,
        num_workers: int,
        prefetch_factor: int = 2,
        timeout: float = 0,
        init: Callable[[int], Any] | None = None,
    ) -> None:
        self.prefetch_factor = prefetch_factor
        self.timeout = timeout
        self.number = 0
        self.members: list[_Member] = []
        self.close = weakref.finalize(self, _end, self.members, os.getpid())
        try:
            with Uninterrupted():  # a worker that was started is a member
                for i in range(num_workers):
                    self.members.append(_Member(Job(fetch, init, i, num_workers)))
        except BaseException:
            self.close()
            raise

    def epoch(self, tasks: Iterator[Any], seed: int) -> Iterator[Any]:
        """Yield the batches of the tasks, in their order.

        Raises:
            WorkerError: A worker died.
            EpochOverError: A later epoch has begun.
            WorkerTimeoutError: A batch took too long.
            Exception: An error raised in a worker, with its traceback as a note.
        """
        self.number += 1
        try:
            yield from self._epoch(tasks, seed, self.number)
        except (GeneratorExit, EpochOverError):
            raise
        except BaseException:  # an answer may have been read half
            self.close()
            raise

    def _epoch(self, tasks: Iterator[Any], seed: int, number: int) -> Iterator[Any]:
        for member in self.members:
            self._tell(member, Kind.EPOCH, seed)
        due: deque[_Member] = deque()
        for _ in range(self.prefetch_factor):
            for member in self.members:
                self._assign(member, tasks, due)
        while due:
            member = due.popleft()
            kind, content = self._hear(member, number)
            if kind is Kind.ERROR:
                raise content
            if kind is Kind.BATCH:
                self._assign(member, tasks, due)
                yield content

    def _assign(
        self, member: _Member, tasks: Iterator[Any], due: deque[_Member]
    ) -> None:
        for task in tasks:
            self._tell(member, Kind.TASK, task)
            due.append(member)
            return

    def _tell(self, member: _Member, kind: Kind, content: Any) -> None:
        try:
            member.connection.send((kind, self.number, content))
        except OSError:
            raise member.died() from None

    def _hear(self, member: _Member, number: int) -> tuple[Kind, Any]:
        """Receive the worker's next answer of this epoch; drop earlier ones'."""
        if number != self.number:
            raise EpochOverError(
                "a new epoch of this DataLoader has begun, and with persistent_workers "
                "it ends the one before"
            )
        while True:
            self._wait(member)
            try:
                kind, epoch, content = member.connection.recv()
            except (EOFError, OSError):
                raise member.died() from None
            if epoch == number:
                return kind, content

    def _wait(self, member: _Member) -> None:
        deadline = time.monotonic() + (self.timeout or float("inf"))
        while not member.connection.poll(min(TICK, deadline - time.monotonic())):
            for other in self.members:
                if not other.process.is_alive():
                    raise other.died()
            if time.monotonic() >= deadline:
                raise WorkerTimeoutError(
                    f"{member.process.name} gave no batch within {self.timeout} seconds"
                )
