"""The learner's process: a shell behind walls that runs cells and answers the judge.

The judge has forked it and speaks to it through a socket, a line of JSON each way. The
shell draws and traces nothing.
"""

from __future__ import annotations

import gc
import io
import json
import os
import random
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from teachgraph.autograd.random_state import seed
from teachgraph.course.beside import draw
from teachgraph.course.classroom.walls import Walls
from teachgraph.course.judging import performed
from teachgraph.course.table import Lesson

__all__ = ["become_learner", "the_shell", "untraced"]

CHANNEL = 3
"""The one file that is open in the learner's process beside the standard ones."""

SEED = 0
_TRACE = re.compile(r"\A%%trace\b", re.MULTILINE)


class Silent(DisplayPublisher):
    """Pictures go nowhere: nobody looks."""

    def publish(self, *_: Any, **__: Any) -> None:
        """Drop it."""


class Unshown(DisplayHook):
    """The value of a last line is kept as `_`, and not shown."""

    def __call__(self, result: Any = None) -> None:
        """Keep it."""
        if result is not None:
            update: Callable[[Any], None] = self.update_user_ns
            update(result)


class Shell(InteractiveShell):
    """A shell that keeps the traceback of the last cell."""

    seen: tuple[str, ...] = ()

    def _showtraceback(self, etype: Any, evalue: Any, stb: list[str]) -> None:
        self.seen = tuple(map(str, stb))


def untraced(code: str) -> str:
    r"""Code with tracing off: the magic becomes a comment, so that lines keep numbers.

    >>> untraced("%%trace --pace 0.5\nx = 1")
    '# %%trace --pace 0.5\nx = 1'
    """
    return _TRACE.sub("# %%trace", code)


def become_learner(
    channel: socket.socket, printed: int, walls: Walls, lesson: Lesson, home: Path
) -> None:
    """Turn a freshly forked process into a learner's, until the judge ends it.

    Args:
        channel: To the judge.
        printed: The file that takes what is printed.
        walls: Put up around it.
        lesson: Whose questions are answered.
        home: The home folder it has.
    """
    os.setsid()
    isolate_files(channel.fileno(), printed)
    settle(walls.folder, home)
    shell = the_shell()
    walls.put_up()
    serve(shell, walls, lesson)


def isolate_files(channel: int, printed: int) -> None:
    """Close every file but the channel, and let all that is printed go to one."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    moved = os.dup(channel), os.dup(printed)
    for old, new in ((nothing, 0), (moved[1], 1), (moved[1], 2), (moved[0], CHANNEL)):
        os.dup2(old, new, inheritable=new != CHANNEL)
    os.closerange(CHANNEL + 1, 65536)
    os.register_at_fork(after_in_child=leave_channel)
    sys.stdin = io.TextIOWrapper(io.FileIO(0, "r"), "utf-8")
    for name, file in (("stdout", 1), ("stderr", 2)):
        raw = io.BufferedWriter(io.FileIO(file, "w", closefd=False))
        stream = io.TextIOWrapper(raw, "utf-8", "backslashreplace")
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def leave_channel() -> None:
    """Keep a process that the learner's forks away from the judge."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, CHANNEL)


def settle(folder: Path, home: Path) -> None:
    """Give it a home of its own, the folder to work in, and the same chances always."""
    for name in ("HOME", "TEACHGRAPH_HOME", "IPYTHONDIR", "MPLCONFIGDIR", "TMPDIR"):
        os.environ[name] = str(home)
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        os.environ[name] = str(home)
    os.environ["MPLBACKEND"] = "Agg"
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    random.seed(SEED)
    np.random.seed(SEED)  # noqa: NPY002 - the learner's own code may draw from it
    seed(SEED)
    draw(False)
    gc.freeze()


@cache
def the_shell() -> Shell:
    """The shell of this process, which writes no history and draws nothing.

    It is made before the first fork, so that each learner's process has it at once.
    """
    quiet = Config()
    quiet.HistoryManager.enabled = False
    quiet.InteractiveShell.colors = "nocolor"
    shell = Shell.instance(
        config=quiet, display_pub_class=Silent, displayhook_class=Unshown
    )
    assert isinstance(shell, Shell)
    return shell


def serve(shell: Shell, walls: Walls, lesson: Lesson) -> None:
    """Run cells and answer questions until the judge hangs up."""
    me, channel = os.getpid(), socket.socket(fileno=CHANNEL)
    lines: Iterable[bytes] = channel.makefile("rb")
    for line in lines:
        asked = json.loads(line)
        before = time.process_time()
        if "code" in asked:
            answer = run_cell(shell, asked["code"], counted=asked["counted"])
        else:
            answer = answered(shell, lesson, asked)
        if os.getpid() != me:  # a fork that has come to the end of its cell
            os._exit(0)
        reply = {
            "nonce": asked["nonce"],
            "seconds": time.process_time() - before,
            "seen": walls.seen,
            "answer": answer,
        }
        sys.stdout.flush()
        sys.stderr.flush()
        channel.sendall(json.dumps(reply).encode() + b"\n")


def run_cell(shell: Shell, code: str, *, counted: bool) -> dict[str, Any]:
    """Run a cell: its number, and its error as a kernel tells it."""
    shell.seen, number = (), shell.execution_count
    run: Callable[..., Any] = shell.run_cell
    result = run(untraced(code), store_history=counted)
    error = result.error_before_exec or result.error_in_exec
    if error is None:
        return {"count": number}
    return {
        "count": number,
        "ename": type(error).__name__,
        "evalue": str(error),
        "traceback": list(shell.seen),
    }


def answered(shell: Shell, lesson: Lesson, asked: dict[str, Any]) -> Any:
    """Answer a question: data, or None where the learner's code leaves by force."""
    task, perform, case = asked["task"], asked["perform"], asked["case"]
    try:
        return performed(shell.user_ns, lesson, task, perform, case)
    except BaseException:  # SystemExit and its like
        return None
