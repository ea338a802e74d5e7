"""`teachgraph course release`, `collect` and `grade`: for those who teach a class."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Protocol

from teachgraph.course.answer import Answer
from teachgraph.course.messages import say
from teachgraph.course.table import Language, Lesson, find, in_order, lessons
from teachgraph.io.files import written_whole

__all__ = ["ACTIONS", "add_arguments"]


class Add(Protocol):
    """Adds an action to the command."""

    def __call__(
        self, name: str, about: str, *, lesson: bool = False, language: bool = False
    ) -> argparse.ArgumentParser:
        """Its parser, with `--json`."""


def add_arguments(add: Add) -> None:
    """Add the actions."""
    release = add("release", "Write the notebooks for a class.", language=True)
    release.add_argument("folder", type=Path, help="where they go")
    release.add_argument(
        "--lessons", default="", help="such as 01,02 (default: all there are)"
    )
    release.add_argument(
        "--nbgrader", action="store_true", help="as nbgrader's sources, with its config"
    )
    collect = add("collect", "Collect what a class handed in.", language=True)
    collect.add_argument("folder", type=Path, help="gets a folder for each student")
    collect.add_argument(
        "sources",
        type=Path,
        nargs="+",
        help="a folder or a zip with a folder, a zip or a notebook for each student",
    )
    grade = add("grade", "Grade a class.", language=True)
    grade.add_argument(
        "folder", type=Path, help="has a folder or a zip for each student"
    )
    grade.add_argument(
        "--lessons", default="", help="such as 01,02 (default: those handed in)"
    )
    grade.add_argument(
        "--jobs",
        type=counting,
        default=processors(),
        help="notebooks at a time (default: one for each processor)",
    )
    grade.add_argument(
        "--csv", type=Path, nargs="?", const="marks.csv", help="write a table"
    )
    grade.add_argument(
        "--html", type=Path, nargs="?", const="marks.html", help="write a report"
    )
    grade.add_argument(
        "--seconds",
        type=counting,
        default=30,
        help="processor time of a run of a notebook (default: 30)",
    )
    grade.add_argument(
        "--megabytes", type=counting, default=2048, help="its memory (default: 2048)"
    )


def chosen(text: str) -> list[Lesson]:
    """The lessons that a list of numbers names, in the course's order.

    >>> [lesson.name for lesson in chosen("00,2")]
    ['00_four_lines', '02_the_tape']
    """
    return in_order({find(name.strip()) for name in text.split(",") if name.strip()})


def counting(text: str) -> int:
    """A whole number that is more than 0."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be more than 0, not {text}")
    return number


def processors() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _release(args: argparse.Namespace) -> Answer:
    from teachgraph.course.classroom.release import release

    ready = chosen(args.lessons) or [lesson for lesson in lessons() if lesson.built]
    written, kept = release(
        args.folder.resolve(), ready, args.lang, nbgrader=args.nbgrader
    )
    lines = [say("written", args.lang, path=path) for path in written]
    lines += [say("was_there", args.lang, path=path) for path in kept]
    data = {"written": [*map(str, written)], "kept": [*map(str, kept)]}
    return Answer(lines, data, code=0 if written or not kept else 1)


def _collect(args: argparse.Namespace) -> Answer:
    from teachgraph.course.classroom.collect import collect
    from teachgraph.course.classroom.report import plain

    done = collect(args.sources, args.folder)
    lines = [
        say("collected", args.lang, student=plain(student), count=len(files))
        for student, files in done.students.items()
    ]
    lines += [say("was_there", args.lang, path=plain(path)) for path in done.kept]
    lines += [plain(sentence) for sentence in done.unreadable]
    failed = done.kept or done.unreadable
    return Answer(lines, asdict(done), code=1 if failed else 0)


def _grade(args: argparse.Namespace) -> Answer:
    tqdm = import_module("tqdm").tqdm

    from teachgraph.course.classroom.grading import grade_class
    from teachgraph.course.classroom.report import as_csv, as_html, as_lines
    from teachgraph.course.classroom.walls import Limits

    limits = Limits(seconds=args.seconds, megabytes=args.megabytes)
    with tqdm(desc=str(args.folder), unit="notebook", disable=None, leave=False) as bar:

        def heard(done: int, count: int) -> None:
            bar.total = count
            bar.update(done - bar.n)

        rows = grade_class(args.folder, chosen(args.lessons), args.jobs, limits, heard)
    lines = as_lines(rows, args.lang)
    if args.csv is not None:
        lines.append(write(args.csv, "\ufeff" + as_csv(rows), args.lang))
    if args.html is not None:
        lines.append(write(args.html, as_html(rows, args.lang), args.lang))
    data = [
        {"student": row.student, "lesson": row.lesson.number, **asdict(row.marked)}
        for row in rows
    ]
    return Answer(lines, {"marks": data})


def write(path: Path, text: str, language: Language) -> str:
    """Write a report; return the sentence that says so."""
    with written_whole(path.resolve()) as file:
        file.write(text.encode("utf-8", "replace"))
    return say("written", language, path=path)


ACTIONS: Mapping[str, Callable[[argparse.Namespace], Answer]] = {
    "release": _release,
    "collect": _collect,
    "grade": _grade,
}
