"""Worker process of a DataLoader: receives sample numbers, answers with batches.

It has three threads. One receives tasks, so that the parent never blocks in `send`; one
sends the answers, so that the next batch is made while the last one is in transit; the
main one makes the batches. When the parent ends, for any reason, the connection closes,
and the worker exits.
"""

from __future__ import annotations

import enum
import os
import pickle
import random
import signal
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any

import numpy as np

from teachgraph.autograd.observed import detach
from teachgraph.autograd.tensor import Tensor
from teachgraph.core.errors import TeachgraphError
from teachgraph.core.observe import observers
from teachgraph.core.random import seed as seed_teachgraph
from teachgraph.io.fetch import EndOfStream, Fetcher

__all__ = ["Job", "Kind", "WorkerError", "WorkerInfo", "get_worker_info", "work"]

GRACE = 2.0
"""Seconds a worker has to finish its sample after the parent has closed."""


class WorkerError(TeachgraphError, RuntimeError):
    """A worker process of a DataLoader failed."""


class Kind(enum.Enum):
    """Kind of a message."""

    EPOCH = enum.auto()
    TASK = enum.auto()
    BATCH = enum.auto()
    END = enum.auto()
    ERROR = enum.auto()


@dataclass(frozen=True)
class WorkerInfo:
    """Identity of a worker process.

    Attributes:
        id: Its number, from 0.
        num_workers: The number of workers.
        dataset: Its copy of the data set.
        seed: The seed of its random numbers in this epoch.

    >>> WorkerInfo(id=1, num_workers=2, dataset="abc").id
    1
    """

    id: int
    num_workers: int
    dataset: Any
    seed: int = 0


_this: WorkerInfo | None = None


def get_worker_info() -> WorkerInfo | None:
    """Return this process's WorkerInfo; None if it is no worker.

    A stream needs it in `__iter__` to yield only its share; otherwise each worker
    yields the whole stream.

    In Paddle this is `paddle.io.get_worker_info`.

    >>> get_worker_info() is None
    True
    """
    return _this


@dataclass(frozen=True)
class Job:
    """Start parameters of a worker."""

    fetch: Fetcher
    init: Callable[[int], Any] | None
    id: int
    num_workers: int


def work(connection: Connection, job: Job, copied: Sequence[Connection] = ()) -> None:
    """Run a worker: make batches until the parent closes the connection.

    Args:
        connection: The connection to the parent.
        job: The start parameters.
        copied: Copies of the parent's ends of connections, inherited by a fork.
    """
    for observer in observers[:]:  # those of the parent would record here in vain
        detach(observer)
    for end in copied:
        end.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    tasks: SimpleQueue[Any] = SimpleQueue()
    answers: SimpleQueue[bytes] = SimpleQueue()
    for run, queue in ((_receive, tasks), (_send, answers)):
        threading.Thread(target=run, args=(connection, queue), daemon=True).start()
    ready = Worker(job, answers)
    while (message := tasks.get()) is not None:
        ready.answer(*message)


def _receive(connection: Connection, tasks: SimpleQueue[Any]) -> None:
    try:
        while True:
            tasks.put(connection.recv())
    except (EOFError, OSError):
        tasks.put(None)
        # The main thread may be stuck in the data set's code, which nothing interrupts.
        time.sleep(GRACE)
        os._exit(1)


def _send(connection: Connection, answers: SimpleQueue[bytes]) -> None:
    try:
        while True:
            connection.send_bytes(answers.get())
    except OSError:
        return


class Worker:
    """Answers messages; an error is an answer too."""

    def __init__(self, job: Job, answers: SimpleQueue[bytes]) -> None:
        self.job = job
        self.answers = answers
        self.initialised = job.init is None
        self.trouble: Exception | None = None

    def answer(self, kind: Kind, epoch: int, content: Any) -> None:
        """Begin an epoch from the seed `content`, or do the task `content`."""
        if kind is Kind.EPOCH:
            self._begin(content)
            return
        try:
            if self.trouble is not None:
                raise self.trouble
            self._put(Kind.BATCH, epoch, arrays(self.job.fetch(content)))
        except EndOfStream:
            self._put(Kind.END, epoch, None)
        except Exception as error:
            self._put(Kind.ERROR, epoch, _portable(error, self.job.id))

    def _begin(self, seed: int) -> None:
        """Begin an epoch; an error here becomes the answer to the epoch's tasks."""
        try:
            _become(self.job, seed + self.job.id)
            if not self.initialised and self.job.init is not None:
                self.job.init(self.job.id)
            self.initialised = True
            self.job.fetch.start()
            self.trouble = None
        except Exception as error:
            self.trouble = error

    def _put(self, kind: Kind, epoch: int, content: Any) -> None:
        # Pickled in this thread: an error in it belongs to this batch.
        self.answers.put(pickle.dumps((kind, epoch, content), protocol=5))


def arrays(batch: Any) -> Any:
    """Convert the batch's Tensors to arrays, which can be sent between processes.

    >>> from teachgraph import to_tensor
    >>> arrays({"x": [to_tensor([1, 2]), "text"]})
    {'x': [array([1, 2]), 'text']}
    """
    if isinstance(batch, Tensor):
        return batch.numpy()
    if type(batch) is dict:
        return {key: arrays(value) for key, value in batch.items()}
    if type(batch) in {list, tuple}:
        return type(batch)(arrays(value) for value in batch)
    return batch


def _become(job: Job, seed: int) -> None:
    """Set this process's WorkerInfo, and seed every generator that data sets may use.

    Forked workers would otherwise all draw the same numbers.
    """
    global _this  # noqa: PLW0603  a process is one worker or none
    _this = WorkerInfo(job.id, job.num_workers, job.fetch.dataset, seed)
    seed_teachgraph(seed)
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002  other people's data sets use it


def _portable(error: Exception, worker: int) -> Exception:
    """Attach the traceback as a note; replace an error that can't be pickled."""
    text = "".join(traceback.format_exception(error)).rstrip()
    error.add_note(f"raised in DataLoader worker {worker}:\n{text}")
    try:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301  made in this line
        faithful = type(copy) is type(error) and str(copy) == str(error)
    except Exception:
        faithful = False
    if faithful:
        return error
    substitute = WorkerError(f"DataLoader worker {worker} raised an error:\n{text}")
    substitute.add_note(f"its {type(error).__name__} can't be sent between processes")
    return substitute
