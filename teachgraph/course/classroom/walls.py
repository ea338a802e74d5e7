"""Walls around a notebook that is graded: files, programs, the network, resources.

Two walls stand one behind the other. An audit hook refuses in words, at the learner's
own line; behind it `landlock` refuses whatever gets around Python. Both are for good:
no process leaves them, nor does any that it starts.
"""

from __future__ import annotations

import os
import resource
import site
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from teachgraph.course.classroom import landlock
from teachgraph.course.messages import say
from teachgraph.course.table import Language, root

__all__ = ["Limits", "Walls"]

MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """The resources of one run of a notebook.

    Attributes:
        seconds: Processor time of all its processes.
        megabytes: Memory, beyond that of the framework itself.
        printed: Bytes that it prints, or answers with.
        written: Bytes of one file.
        asleep: Seconds in which nothing of it runs: it waits for what never comes.
        processes: The number of its processes at any time.
    """

    seconds: float = 30.0
    megabytes: int = 2048
    printed: int = 4 * MEGABYTE
    written: int = 64 * MEGABYTE
    asleep: float = 60.0
    processes: int = 16


MOST_SEEN = 20

READABLE = ("/usr", "/lib", "/lib64", "/bin", "/etc", "/proc", "/dev", "/sys", "/opt")
"""Folders of the system, in which Python and its libraries look around."""

CHANGING = {
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.truncate", "os.link"),
    *("os.symlink", "os.chmod", "os.chown", "os.utime", "os.setxattr", "os.mkfifo"),
}
STARTING = {
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"),
    *("pty.spawn", "os.forkpty"),
}
OUTSIDE = {
    *("ctypes.dlopen", "ctypes.dlsym"),
    *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"),
    *("socket.getaddrinfo", "socket.gethostbyname"),
}
SIGNALLING = {"os.kill", "os.killpg"}
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass
class Walls:
    """The walls of one notebook; `seen` says what ran against them.

    Attributes:
        folder: Below it everything may be read and written.
        secret: Below it nothing may be read: it holds what others have handed in.
        language: In which is refused.
        limits: Of resources.
    """

    folder: Path
    secret: Path
    language: Language
    limits: Limits
    seen: list[str] = field(default_factory=list)

    def put_up(self) -> None:
        """Shut this process in."""
        self.folder, self.secret = self.folder.resolve(), self.secret.resolve()
        self.limit_resources()
        landlock.enclose(readable(), [self.folder, Path(os.devnull)])
        forked = say("forked", self.language)
        os.register_at_fork(after_in_parent=lambda: self.note(forked))
        sys.addaudithook(Hook(self))

    def limit_resources(self) -> None:
        """Limit memory, files and, as a last resort, the processor's time."""
        limits = self.limits
        memory = in_use() + limits.megabytes * MEGABYTE
        lower(resource.RLIMIT_AS, memory)
        lower(resource.RLIMIT_CPU, int(limits.seconds) + 5)
        lower(resource.RLIMIT_FSIZE, limits.written)
        lower(resource.RLIMIT_NOFILE, 256)
        lower(resource.RLIMIT_CORE, 0)

    def refuse(self, sentence: str, what: object) -> None:
        """Note what was tried; raise PermissionError."""
        words = say(sentence, self.language, what=shown(what))
        self.note(words)
        raise PermissionError(words)

    def note(self, words: str) -> None:
        """Note what a teacher should know, once."""
        if words not in self.seen and len(self.seen) < MOST_SEEN:
            self.seen.append(words)


class Hook:
    """The audit hook: raises PermissionError at the learner's line."""

    def __init__(self, walls: Walls) -> None:
        self.refuse, self.me = walls.refuse, os.getpid()
        self.own, self.secret = Below([walls.folder]), Below([walls.secret])
        # Python may look for modules in a folder in which the secret one lies.
        secret = walls.secret
        beside = [p for p in readable() if not secret.is_relative_to(p.resolve())]
        self.needed = Below([walls.folder, *beside])

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Look at what Python is about to do."""
        if event == "open":
            self.opened(arguments[0], arguments[2])
        elif event in CHANGING:
            self.changed(arguments)
        elif event in STARTING:
            self.refuse("refused_start", arguments[0])
        elif event in OUTSIDE or (event in SIGNALLING and arguments[0] != self.me):
            self.refuse("refused_outside", event)

    def opened(self, path: object, flags: int) -> None:
        """Refuse to write outside, and to read what others have handed in."""
        if isinstance(path, int):
            return
        if flags & WRITING and path not in self.own:
            self.refuse("refused_write", path)
        if path in self.secret and path not in self.needed:
            self.refuse("refused_read", path)

    def changed(self, paths: tuple[Any, ...]) -> None:
        """Refuse to change the folders outside."""
        for path in paths:
            if isinstance(path, str | bytes) and path not in self.own:
                self.refuse("refused_write", path)


class Below:
    """All paths below some folders, and the file that swallows everything."""

    def __init__(self, folders: list[Path]) -> None:
        self.starts = tuple(f"{folder.resolve()}{os.sep}" for folder in folders)
        self.absolute = os.path.realpath  # a notebook may put its own in that place

    def __contains__(self, path: object) -> bool:
        """Tell whether a path, once links are followed, is below one of them."""
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        name = self.absolute(os.fsdecode(path))
        return name == os.devnull or f"{name}{os.sep}".startswith(self.starts)


def shown(path: object) -> str:
    """A path or a command as text, cut where it is endless."""
    text = os.fsdecode(path) if isinstance(path, bytes) else str(path)
    return text if len(text) <= 100 else f"{text[:97]}..."


def readable() -> list[Path]:
    """The folders that Python, its packages and the lessons lie in."""
    here = Path(__file__).parents[3]
    places = [*READABLE, sys.prefix, sys.base_prefix, *sys.path, site.getuserbase()]
    return [*(Path(place) for place in places if place), here / "teachgraph", root()]


def lower(kind: int, most: int) -> None:
    """Lower a limit of this process, which it cannot raise again."""
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    with suppress(ValueError, OSError):  # macOS knows no limit of memory
        resource.setrlimit(kind, (most, most))


def in_use() -> int:
    """The bytes of memory that this process has mapped."""
    from psutil import Process

    return int(Process().memory_info().vms)
