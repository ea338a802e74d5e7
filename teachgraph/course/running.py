"""Running a learner's notebook in a fresh kernel, judged from outside where checks are.

Cells run in order, until the end or until the time is up. Where a check stands, its
cell does not run: cases go to what the kernel has by then, and answers come back.
"""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from teachgraph.course.judging import Ask, Verdict, judge
from teachgraph.course.orphans import orphans_ended
from teachgraph.course.serving import ANSWER, ask_there
from teachgraph.course.table import CourseError, Lesson

if TYPE_CHECKING:
    from nbclient import NotebookClient
    from nbformat import NotebookNode

__all__ = [
    "Run",
    "Running",
    "Stopped",
    "checked_by",
    "first_line",
    "marks",
    "run_cells",
]

MARK = "TEACHGRAPH_CHECK"
"""The variable of the environment that marks the processes of a check."""


@dataclass
class Run:
    """The result of a run.

    Attributes:
        ended: How many cells ended.
        asked: The last cell that ran for the judge.
        stop: The sentence about what stopped the next one, and its `values`.
        judged: The verdicts, by the position of their check.
    """

    ended: int = 0
    asked: NotebookNode | None = None
    stop: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    judged: dict[int, Verdict] = field(default_factory=dict)


class Stopped(BaseException):  # no check may take it for an error
    """A run is over before its end: the sentence that says why, and its values."""

    def __init__(self, sentence: str, **values: Any) -> None:
        super().__init__(sentence)
        self.sentence, self.values = sentence, values


def run_cells(
    notebook: NotebookNode, lesson: Lesson, path: Path, seconds: float
) -> Run:
    """Run a notebook in a kernel of its own, and judge its exercises.

    Args:
        notebook: Its cells, which get their outputs.
        lesson: The lesson whose checks count.
        path: Its file, in whose folder it runs.
        seconds: For how long.

    Raises:
        CourseError: The kernel can't be started.
    """
    running = InKernel(notebook, lesson, path, seconds)
    with running.kernel():
        running.all()
    return running.run


class Running(ABC):
    """One notebook on its way: its cells in order, judged where its checks stand."""

    def __init__(self, notebook: NotebookNode, lesson: Lesson) -> None:
        self.notebook, self.lesson = notebook, lesson
        self.run = Run()

    def all(self) -> None:
        """Run every cell, and judge where a check stands, until something stops it."""
        try:
            for position, cell in enumerate(self.notebook.cells):
                self.run.ended = position
                if task := checked_by(cell, self.lesson):
                    verdict = judge(self.lesson, task, self.asker(task))
                    self.run.judged[position] = verdict
                    self.after(verdict)
                else:
                    self.execute(cell)
            self.run.ended = len(self.notebook.cells)
        except Stopped as stopped:
            self.run.stop, self.run.values = stopped.sentence, stopped.values

    @abstractmethod
    def execute(self, cell: NotebookNode) -> None:
        """Run a cell where the run has come to; raise Stopped if it does not end."""

    @abstractmethod
    def asker(self, task: str) -> Ask:
        """A way to ask the learner's code about a task."""

    def after(self, verdict: Verdict) -> None:
        """Hear of a verdict; a run may go on otherwise for it."""
        return


class InKernel(Running):
    """A notebook on its way through a kernel."""

    def __init__(
        self, notebook: NotebookNode, lesson: Lesson, path: Path, seconds: float
    ) -> None:
        super().__init__(notebook, lesson)
        self.path = path
        self.seconds, self.deadline = seconds, time.monotonic() + seconds
        self.replies: list[str] = []
        self.client = self.new_client()

    def new_client(self) -> NotebookClient:
        """Return the client that speaks to the kernel."""
        try:
            from nbclient import NotebookClient
        except ImportError as error:
            if error.name == "nbclient":  # it is not installed
                raise
            raise self.no_kernel(error) from error

        client = NotebookClient(
            self.notebook,
            kernel_name="python3",
            allow_errors=True,
            timeout_func=lambda _: max(1, round(self.deadline - time.monotonic())),
            interrupt_on_timeout=True,
            error_on_timeout={"ename": "TimeUp"},
            on_cell_executed=lambda execute_reply, **_: self.replies.append(
                execute_reply["content"].get("ename", "")
            ),
            shutdown_kernel="immediate",
            resources={"metadata": {"path": str(self.path.resolve().parent)}},
        )
        client.log.setLevel("CRITICAL")
        return client

    @contextmanager
    def kernel(self) -> Iterator[None]:
        """A kernel that lasts as long as the block, with all that it starts."""
        mark = uuid4().hex
        with ExitStack() as stack:
            stack.enter_context(orphans_ended())
            stack.callback(end_marked, mark)
            try:
                kernel = self.client.setup_kernel(
                    stdout=DEVNULL, stderr=DEVNULL, env={**os.environ, MARK: mark}
                )
                stack.enter_context(kernel)
            except Exception as error:
                raise self.no_kernel(error) from error
            stack.callback(end_marked, mark, children=True)
            yield

    def no_kernel(self, error: Exception) -> CourseError:
        """The error of a kernel that does not start, for a reason."""
        return CourseError(
            f"The kernel that checks {self.path.name} can't be started: "
            f"{first_line(error)}"
        )

    def asker(self, task: str) -> Ask:
        """A way to ask the kernel."""
        return ask_there(self.answers, self.lesson, task)

    def execute(self, cell: NotebookNode) -> None:
        """Run a cell where the run has come to.

        Raises:
            Stopped: The kernel died, or the time is up.
        """
        from nbclient.exceptions import DeadKernelError

        try:
            self.client.execute_cell(cell, self.run.ended)
        except DeadKernelError:
            raise Stopped("died") from None
        if self.replies and self.replies[-1] == "TimeUp":
            raise Stopped("up", seconds=self.seconds)

    def answers(self, code: str) -> list[Any]:
        """Run a question of the judge; return what the kernel displays as answers."""
        from nbformat.v4 import new_code_cell

        cells, position = self.notebook.cells, self.run.ended
        check, self.run.asked = cells[position], new_code_cell(code)
        try:
            self.execute(self.run.asked)
        finally:  # the client puts what it runs into the notebook
            cells[position] = check
        return [output.get("data", {}).get(ANSWER) for output in self.run.asked.outputs]


def end_marked(mark: str, *, children: bool = False) -> None:
    """End the processes that have a mark in their environment, or all their children.

    A kernel's own end takes its group along, but not what a cell started in a session
    of its own: that is known by the environment it inherits. One that was started with
    another environment is known by its parent, as long as that lives; afterwards it is
    an orphan, which only Linux shows.
    """
    from psutil import Error, process_iter

    for process in process_iter():
        with suppress(Error, OSError):
            if process.environ().get(MARK) == mark:
                for one in process.children(recursive=True) if children else [process]:
                    one.kill()


def marks(cell: NotebookNode) -> dict[str, Any]:
    """Our metadata of a cell, empty if the cell is the learner's own."""
    ours = cell.metadata.get("teachgraph", {})
    return dict(ours) if isinstance(ours, dict) else {}


def checked_by(cell: NotebookNode, lesson: Lesson) -> str:
    """The task of a lesson that a cell checks, or nothing."""
    ours = marks(cell)
    task = ours.get("task")
    return task if ours.get("role") == "check" and task in lesson.tasks else ""


def first_line(error: Exception) -> str:
    """The first line of what an error says, or its type."""
    return (str(error).splitlines() or [type(error).__name__])[0]
