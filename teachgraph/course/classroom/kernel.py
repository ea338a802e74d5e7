"""The judge's side of a learner's process: forks it, asks it, watches it, ends it.

Time is the processor's and not the clock's, so that a busy machine changes no mark.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from psutil import STATUS_DISK_SLEEP, STATUS_RUNNING, STATUS_ZOMBIE, Error, Process

from teachgraph.course.classroom.learner import become_learner
from teachgraph.course.classroom.walls import MEGABYTE, Walls
from teachgraph.course.orphans import end_processes
from teachgraph.course.running import Stopped
from teachgraph.course.table import Lesson

__all__ = ["Kernel", "end_descendants"]

TICK = 0.1
"""Seconds between two looks at a process that does not answer."""
LOOK = 1.0
"""Seconds between two looks at all its processes."""
IDLE = 0.02
"""A process that uses less of each second is asleep."""
HELD = 256 * MEGABYTE
"""Room for the memory of a kernel before a cell runs: its own limit is beside that."""


class Kernel:
    """One learner's process.

    Args:
        walls: The walls around it.
        lesson: The lesson whose questions it answers.
        home: The home folder it has.
    """

    def __init__(self, walls: Walls, lesson: Lesson, home: Path) -> None:
        self.limits = walls.limits
        self.channel, theirs = socket.socketpair()
        self.prints, printing = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if not self.pid:
            try:
                become_learner(theirs, printing, walls, lesson, home)
            finally:
                os._exit(70)
        theirs.close()
        os.close(printing)
        self.channel.setblocking(False)
        self.read = b""
        self.printed = 0
        self.ended: int | None = None
        self.asleep = self.spent = 0.0
        self.looked = self.looked_at_all = time.monotonic()
        self.seen: list[str] = []

    def ask(self, **question: Any) -> dict[str, Any]:
        """Ask for something and wait for the reply.

        Raises:
            Stopped: The process has ended, or had to be.
        """
        nonce = uuid4().hex
        data = json.dumps({**question, "nonce": nonce}).encode() + b"\n"
        self.looked = self.looked_at_all = time.monotonic()
        while True:
            data = self.exchange(data)
            while b"\n" in self.read:
                line, self.read = self.read.split(b"\n", 1)
                reply = read_reply(line)
                if reply.get("nonce") == nonce:
                    self.seen = [str(words) for words in reply["seen"]]
                    return reply

    def exchange(self, data: bytes) -> bytes:
        """Send and receive what can be now; return what is still to be sent."""
        files = [self.channel.fileno(), self.prints]
        ready, writable, _ = select.select(files, files[:1] if data else (), (), TICK)
        if writable:
            with suppress(BlockingIOError, BrokenPipeError):
                data = data[self.channel.send(data) :]
        if self.prints in ready:
            self.count(len(os.read(self.prints, 65536)))
        if files[0] in ready:
            received = self.receive()
            if not received:
                raise self.death()
            self.read += received
            self.count(len(received), len(self.read))
        elif self.gone():
            raise self.death()
        self.look()
        return data

    def receive(self) -> bytes:
        """Receive what is there, nothing at the end."""
        try:
            return self.channel.recv(65536)
        except ConnectionError:
            return b""

    def count(self, size: int, answer: int = 0) -> None:
        """Count what was printed, and the size of an answer."""
        if not answer:
            self.printed += size
        if max(self.printed, answer) > self.limits.printed:
            most = self.limits.printed / MEGABYTE
            raise Stopped("stopped_printing", megabytes=most)

    def look(self) -> None:
        """Look at the time that it has used, and from time to time at all the rest."""
        now = time.monotonic()
        if now - self.looked < TICK:
            return
        self.looked = now
        with suppress(Error):
            self.expect_time(sum(Process(self.pid).cpu_times()[:4]))
        if now - self.looked_at_all < LOOK:
            return
        passed, self.looked_at_all = min(now - self.looked_at_all, 2 * LOOK), now
        self.look_at_all(passed)

    def look_at_all(self, passed: float) -> None:
        """Look at all its processes: their time, memory and number."""
        limits, spent, memory, busy = self.limits, 0.0, 0, False
        family = descendants()
        for process in family:
            with suppress(Error):
                spent += sum(process.cpu_times()[:4])
                memory += process.memory_full_info().uss  # what a fork shares once
                busy |= process.status() in (STATUS_RUNNING, STATUS_DISK_SLEEP)
        self.expect_time(spent)
        if len(family) > limits.processes:
            raise Stopped("stopped_processes", count=limits.processes)
        if memory > HELD + limits.megabytes * MEGABYTE:
            raise Stopped("stopped_memory", megabytes=limits.megabytes)
        if not busy and spent - self.spent < IDLE * passed:
            self.asleep += passed
        self.spent = spent
        if self.asleep > limits.asleep:
            raise Stopped("stopped_asleep", seconds=limits.asleep)

    def expect_time(self, spent: float) -> None:
        """Raise Stopped when the time of the processor is up."""
        if spent > self.limits.seconds:
            raise Stopped("stopped_time", seconds=self.limits.seconds)

    def gone(self) -> bool:
        """Tell whether the process has ended."""
        if self.ended is None:
            with suppress(ChildProcessError):
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.ended = status
        return self.ended is not None

    def death(self) -> Stopped:
        """The reason for an end that nobody ordered."""
        deadline = time.monotonic() + 5
        while not self.gone() and time.monotonic() < deadline:
            time.sleep(0.01)
        status = self.ended or 0
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            return Stopped("stopped_time", seconds=self.limits.seconds)
        return Stopped("died")

    def close(self) -> None:
        """End it and all that it has started."""
        end_descendants()
        self.channel.close()
        os.close(self.prints)


def read_reply(line: bytes) -> dict[str, Any]:
    """A reply, empty if the line is none."""
    try:
        reply = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    whole = isinstance(reply, dict) and {"answer", "seconds", "seen"} <= set(reply)
    return reply if whole else {}


def descendants() -> list[Process]:
    """All processes that come from this one and still run."""
    alive = []
    for process in Process().children(recursive=True):
        with suppress(Error):
            if process.status() != STATUS_ZOMBIE:
                alive.append(process)
    return alive


def end_descendants() -> None:
    """End all that comes from this process, also what is started meanwhile."""
    end_processes(descendants)
    reap()


def reap() -> None:
    """Take leave of children that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
