"""Running a learner's notebook in a fresh kernel, judged from outside where checks are.

Cells run in order, until the end or until the time is up. Where a check stands, its
cell does not run: cases go to what the kernel has by then, and answers come back.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from teachgraph.course.judging import Verdict, judge
from teachgraph.course.serving import ANSWER, ask_there
from teachgraph.course.table import CourseError, Lesson

if TYPE_CHECKING:
    from nbclient import NotebookClient
    from nbformat import NotebookNode

__all__ = ["Run", "first_line", "marks", "run_cells"]

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
    """The run is over before its end."""


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
    running = Running(notebook, lesson, path, seconds)
    with running.kernel(), suppress(Stopped):
        running.all()
    return running.run


class Running:
    """One notebook on its way through a kernel."""

    def __init__(
        self, notebook: NotebookNode, lesson: Lesson, path: Path, seconds: float
    ) -> None:
        self.notebook, self.lesson, self.path = notebook, lesson, path
        self.seconds, self.deadline = seconds, time.monotonic() + seconds
        self.run = Run()
        self.replies: list[str] = []
        self.client = self.new_client()

    def new_client(self) -> NotebookClient:
        """Return the client that speaks to the kernel."""
        from nbclient import NotebookClient

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
        with marked_processes() as environment, ExitStack() as stack:
            try:
                kernel = self.client.setup_kernel(
                    stdout=DEVNULL, stderr=DEVNULL, env=environment
                )
                stack.enter_context(kernel)
            except Exception as error:
                raise CourseError(
                    f"The kernel that checks {self.path.name} can't be started: "
                    f"{first_line(error)}"
                ) from error
            yield

    def all(self) -> None:
        """Run every cell, and judge where a check stands."""
        for position, cell in enumerate(self.notebook.cells):
            self.run.ended = position
            ours = marks(cell)
            task = ours.get("task")
            if ours.get("role") == "check" and task in self.lesson.tasks:
                ask = ask_there(self.answers, self.lesson, task)
                self.run.judged[position] = judge(self.lesson, task, ask)
            else:
                self.execute(cell)
        self.run.ended = len(self.notebook.cells)

    def execute(self, cell: NotebookNode) -> None:
        """Run a cell where the run has come to.

        Raises:
            Stopped: The kernel died, or the time is up.
        """
        from nbclient.exceptions import DeadKernelError

        try:
            self.client.execute_cell(cell, self.run.ended)
        except DeadKernelError:
            self.run.stop = "died"
            raise Stopped from None
        if self.replies and self.replies[-1] == "TimeUp":
            self.run.stop, self.run.values = "up", {"seconds": self.seconds}
            raise Stopped

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


@contextmanager
def marked_processes() -> Iterator[dict[str, str]]:
    """The environment for a kernel, all of whose processes end with the block.

    A kernel's own end takes its group along, but not what a cell started in a session
    of its own: that is known by its environment.
    """
    from psutil import Error, process_iter

    mark = uuid4().hex
    try:
        yield {**os.environ, MARK: mark}
    finally:
        for process in process_iter():
            with suppress(Error, OSError):
                if process.environ().get(MARK) == mark:
                    process.kill()


def marks(cell: NotebookNode) -> dict[str, Any]:
    """Our metadata of a cell, empty if the cell is the learner's own."""
    ours = cell.metadata.get("teachgraph", {})
    return dict(ours) if isinstance(ours, dict) else {}


def first_line(error: Exception) -> str:
    """The first line of what an error says, or its type."""
    return (str(error).splitlines() or [type(error).__name__])[0]
