"""Processes whose parent has ended: who adopts them, and how they are ended.

Linux gives an orphan to its nearest ancestor that asked for it, whatever its session
and its environment; elsewhere the first process of the system gets it, and it is lost.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from psutil import Process

__all__ = ["adopt_orphans", "end_processes", "orphans_ended"]

SET_CHILD_SUBREAPER = 36
"""The number of `prctl` by which a process adopts orphans, or adopts them no more."""
PATIENCE = 10.0
"""Seconds after which what cannot be ended is left alone: it may be another user's."""


def adopt_orphans(*, adopt: bool = True) -> None:
    """Become the parent of whatever the processes that this one starts leave behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, int(adopt), 0, 0, 0)


def end_processes(alive: Callable[[], list[Process]]) -> None:
    """End all processes of a family, also what is started meanwhile."""
    from psutil import Error, TimeoutExpired

    deadline = time.monotonic() + PATIENCE
    while (family := alive()) and time.monotonic() < deadline:
        for order in (signal.SIGSTOP, signal.SIGKILL):  # who is stopped starts no more
            for process in family:
                with suppress(Error, OSError):
                    process.send_signal(order)
        for process in family:
            with suppress(Error, TimeoutExpired):
                process.wait(0.0)
        time.sleep(0.005)


@contextmanager
def orphans_ended() -> Iterator[None]:
    """A block at whose end all ends that its processes have left behind, on Linux.

    Processes that the block starts have to be in a session of their own: none of theirs
    can come back to this one's, where other threads may start what is not to end.
    """
    from psutil import Error, Process

    def orphans() -> list[Process]:
        processes = []
        for child in us.children():
            with suppress(Error, OSError):
                if child not in before and os.getsid(child.pid) != os.getsid(0):
                    processes += [child, *child.children(recursive=True)]
        return processes

    us = Process()
    before = us.children()
    adopt_orphans()
    try:
        yield
    finally:
        if sys.platform == "linux":
            end_processes(orphans)
        adopt_orphans(adopt=False)
