"""Grade a class: every submission of a folder, with the same marks on every run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from teachgraph.course.classroom.marks import Marked, Row, read_marked
from teachgraph.course.classroom.submissions import (
    Submission,
    Unreadable,
    notebooks,
    submissions,
)
from teachgraph.course.classroom.walls import Limits
from teachgraph.course.messages import say
from teachgraph.course.table import CourseError, Lesson, find, in_order

__all__ = ["grade_class"]

Heard = Callable[[int, int], None]
"""Hears how many notebooks are graded, and of how many."""


def grade_class(
    folder: Path,
    chosen: list[Lesson] | None = None,
    at_once: int = 1,
    limits: Limits | None = None,
    heard: Heard = lambda done, count: None,
) -> list[Row]:
    """Grade the submissions in a folder, which stays as it is.

    Args:
        folder: It has a folder or a zip for each student.
        chosen: The lessons; by default those that somebody has handed in.
        at_once: So many notebooks are graded at a time.
        limits: Of each run of a notebook.
        heard: Called after each notebook.

    Returns:
        A row for each student and lesson, by student, then in the course's order.

    Raises:
        CourseError: There is nothing to grade, or this system cannot fork.
    """
    if not hasattr(os, "fork"):
        raise CourseError("Grading a class needs Linux or macOS; on Windows use WSL.")
    handed_in = [contents(one) for one in submissions(folder.resolve())]
    chosen = chosen or in_order(
        find(number) for number in set().union(*(one.numbers for one in handed_in))
    )
    if not chosen:
        raise CourseError(f"No submission in {folder} has a notebook of a lesson.")
    jobs = [
        (one.submission, lesson)
        for one in handed_in
        for lesson in chosen
        if lesson.number in one.numbers
    ]
    order = {
        "jobs": [
            {"student": one.student, "path": str(one.path), "lesson": lesson.number}
            for one, lesson in jobs
        ],
        "at_once": at_once,
        "limits": asdict(limits or Limits()),
        "secret": str(folder.resolve()),
    }
    marked: dict[tuple[str, str], Marked] = {}
    with server(order) as lines:
        for line in lines:
            answer = json.loads(line)
            one, lesson = jobs[answer["job"]]
            marked[one.student, lesson.number] = read_marked(answer["marked"])
            heard(len(marked), len(jobs))
    if len(marked) < len(jobs):
        raise CourseError("Grading was cut short: its server has ended.")
    return [
        Row(student, lesson, marked.get((student, lesson.number)) or one.absent())
        for one in handed_in
        for student in [one.submission.student]
        for lesson in chosen
    ]


@dataclass(frozen=True)
class Contents:
    """A submission that was looked into.

    Attributes:
        submission: A student's folder or zip.
        numbers: The lessons it has a notebook of.
        unreadable: Why it cannot be unpacked, empty if it can.
    """

    submission: Submission
    numbers: frozenset[str]
    unreadable: str = ""

    def absent(self) -> Marked:
        """The marks of a lesson that it has no notebook of, with the reason."""
        return Marked(flags=[self.unreadable or say("not_handed_in", "en")])


def contents(one: Submission) -> Contents:
    """Look into a submission; a zip is unpacked for it."""
    if one.path.is_dir():
        return Contents(one, frozenset(notebooks(one.path)))
    with tempfile.TemporaryDirectory(prefix="teachgraph-class-") as room:
        files = Path(room, "files")
        try:
            one.unpack(files)
        except Unreadable as error:
            return Contents(one, frozenset(), str(error))
        return Contents(one, frozenset(notebooks(files)))


@contextmanager
def server(order: dict[str, Any]) -> Iterator[Iterator[bytes]]:
    """A fork server at work: the lines that it says. It ends with the block.

    One seed for hashes and one thread for arithmetic make every run the same. Its
    input stays open as long as somebody waits for what it says.
    """
    command = [sys.executable, "-P", "-m", "teachgraph.course.classroom.server"]
    alike = {"PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **alike, "MPLBACKEND": "Agg"},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.flush()
        yield process.stdout
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        process.wait()
