"""The fork server: imports once, then forks a judge a notebook, some at a time.

It is started by `grading`, which writes it one line of JSON, the jobs, and reads one
line a job. A judge that dies has no mark, the others go on. When the one who started
it is gone, everything ends: it sees that nobody holds its input any more.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import sys
import tempfile
import traceback
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from teachgraph.course import mine
from teachgraph.course.classroom.kernel import end_descendants
from teachgraph.course.classroom.learner import the_shell
from teachgraph.course.classroom.marking import Rooms, mark
from teachgraph.course.classroom.marks import Marked
from teachgraph.course.classroom.submissions import Submission, notebooks
from teachgraph.course.classroom.walls import Limits
from teachgraph.course.grade import language_of, read_notebook
from teachgraph.course.judging import checks_of
from teachgraph.course.messages import say
from teachgraph.course.orphans import adopt_orphans
from teachgraph.course.source import read_once
from teachgraph.course.table import CourseError, find

__all__ = ["main", "perform"]


PRELOADED = ("matplotlib.pyplot", "nbformat", "teachgraph_widgets")
"""Packages that notebooks import, beside what this module does."""


@dataclass(frozen=True)
class Job:
    """One notebook to mark: a student's, of a lesson."""

    student: str
    path: str
    lesson: str


def main() -> None:
    """Serve: jobs in, marks out."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    order = json.loads(sys.stdin.buffer.readline())
    folder = Path(tempfile.mkdtemp(prefix="teachgraph-class-"))
    adopt_orphans()
    try:
        os.environ["IPYTHONDIR"] = str(folder / "ipython")
        preload([job["lesson"] for job in order["jobs"]])
        Server(order, folder).serve()
    finally:
        end_descendants()
        shutil.rmtree(folder, ignore_errors=True)


def preload(numbers: list[str]) -> None:
    """Import and read what every judge and every learner needs."""
    for name in PRELOADED:
        import_module(name)
    the_shell()
    for number in set(numbers):
        lesson = find(number)
        mine.built_from(mine.parts({}, before=lesson))
        read_once(lesson)
        checks_of(lesson.checks)


class Server:
    """The judges that run now, and the jobs that wait.

    Args:
        order: The jobs, how many at a time, the limits, and the folder of the class.
        folder: Room for all of them.
    """

    def __init__(self, order: dict[str, Any], folder: Path) -> None:
        self.jobs = [Job(**job) for job in order["jobs"]]
        self.limits = Limits(**order["limits"])
        self.secret, self.folder = Path(order["secret"]), folder
        self.room = order["at_once"]
        self.selector = selectors.DefaultSelector()
        self.said: dict[int, bytes] = {}

    def serve(self) -> None:
        """Mark every notebook, unless nobody waits for the marks any more."""
        waiting = list(enumerate(self.jobs))[::-1]
        self.selector.register(sys.stdin.buffer, selectors.EVENT_READ)
        while waiting or self.said:
            while waiting and len(self.said) < self.room:
                self.fork(*waiting.pop())
            for key, _ in self.selector.select():
                if key.data is None:
                    return
                self.hear(key.fd, key.data)

    def fork(self, position: int, job: Job) -> None:
        """Fork the judge of a job."""
        read, write = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(read)
            self.judge(write, position, job)
        os.close(write)
        self.said[read] = b""
        self.selector.register(read, selectors.EVENT_READ, (position, pid))

    def judge(self, write: int, position: int, job: Job) -> None:
        """Mark one notebook and end."""
        try:
            adopt_orphans()
            marked = perform(job, self.folder / str(position), self.secret, self.limits)
            data = memoryview(json.dumps(asdict(marked)).encode())
            while data:
                data = data[os.write(write, data) :]
        except Exception:  # a mistake of ours, which no learner should pay for
            traceback.print_exc()
        finally:
            end_descendants()
            os._exit(0)

    def hear(self, file: int, whose: tuple[int, int]) -> None:
        """Take what a judge says; at its end pass it on."""
        if part := os.read(file, 1 << 16):
            self.said[file] += part
            return
        position, pid = whose
        os.waitpid(pid, 0)
        self.selector.unregister(file)
        os.close(file)
        shutil.rmtree(self.folder / str(position), ignore_errors=True)
        said = self.said.pop(file)
        marked = json.loads(said) if said else asdict(broken())
        line = json.dumps({"job": position, "marked": marked})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def broken() -> Marked:
    """The marks of a notebook whose judge has died."""
    return Marked(flags=[say("judge_died", "en")])


def perform(job: Job, folder: Path, secret: Path, limits: Limits) -> Marked:
    """Mark the notebook of a job, in a folder of its own."""
    rooms = Rooms(folder / "work", folder / "home", secret)
    rooms.home.mkdir(parents=True)
    try:
        Submission(job.student, Path(job.path)).unpack(rooms.work)
        paths = notebooks(rooms.work)[job.lesson]
        notebook = read_notebook(paths[0])
        rooms = Rooms(paths[0].parent, rooms.home, secret)
        source = read_once(find(job.lesson))
        marked = mark(source, notebook, Path(paths[0].name), rooms, limits)
    except CourseError as error:
        return Marked(flags=[str(error).replace(f"{folder}/work/", "")])
    for other in paths[1:]:
        words = say("another_notebook", language_of(notebook), name=other.name)
        marked.flags.append(words)
    return marked


if __name__ == "__main__":
    main()
