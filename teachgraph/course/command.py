"""`teachgraph course`: list, start, check, hint, solution, status.

Each action returns its answer twice, as lines for people and as a mapping for `--json`,
and an exit code: 0 done, 1 not right yet (or already there), 2 can't be done.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

from teachgraph.course import progress
from teachgraph.course.files import write_new
from teachgraph.course.grade import Report, grade
from teachgraph.course.notebook import Kind, build
from teachgraph.course.source import Cell, Source, read, without_markers
from teachgraph.course.table import LANGUAGES, CourseError, Language, find, lessons

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_arguments", "run"]


@dataclass(frozen=True)
class Answer:
    """The answer of an action, for people and for programs."""

    lines: list[str]
    data: Mapping[str, Any]
    code: int = 0


def add_arguments(subparsers: Subparsers) -> None:
    """Add `course` and its actions to the command line `subparsers` belongs to."""
    about = "Fifteen lessons, as notebooks that check your own work."
    course = subparsers.add_parser("course", help=about, description=about)
    course.set_defaults(run=run)
    actions = course.add_subparsers(dest="action", required=True, metavar="action")
    add = _Adder(actions)

    add("list", "List the lessons.", language=True)
    start = add("start", "Put a lesson's notebook into a folder.", lesson=True)
    start.add_argument("--folder", type=Path, default=Path(), help="default: this one")
    start.add_argument(
        "--exist-ok", action="store_true", help="succeed if it is there already"
    )
    start.add_argument("--lang", choices=LANGUAGES, default="en", help="en or zh")
    check = add("check", "Grade your notebook in a fresh kernel.", lesson=True)
    check.add_argument("--file", type=Path, help="default: the one you started")
    check.add_argument(
        "--seconds", type=_positive, default=120, help="time limit (default: 120)"
    )
    hint = add("hint", "Show the next hint for an exercise.", lesson=True)
    hint.add_argument("task", nargs="?", help="default: the first not right yet")
    hint.add_argument("--lang", choices=LANGUAGES, help="default: your notebook's")
    solution = add("solution", "Show a lesson's solutions.", lesson=True)
    solution.add_argument("task", nargs="?", help="one exercise only")
    solution.add_argument("--notebook", type=Path, help="write the solved notebook")
    solution.add_argument(
        "--markers", action="store_true", help="with its markers, as nbgrader wants it"
    )
    solution.add_argument("--lang", choices=LANGUAGES, default="en", help="en or zh")
    add("status", "Show what you have started and passed.", language=True)


class _Adder:
    """Adds one action at a time, each with `--json`."""

    def __init__(self, actions: Subparsers) -> None:
        self.actions = actions

    def __call__(
        self, name: str, about: str, *, lesson: bool = False, language: bool = False
    ) -> argparse.ArgumentParser:
        parser = self.actions.add_parser(name, help=about, description=about)
        if lesson:
            parser.add_argument("lesson", help="its number (2 or 02) or its folder")
        if language:
            parser.add_argument(
                "--lang", choices=LANGUAGES, default="en", help="en or zh"
            )
        parser.add_argument("--json", action="store_true", help="print JSON instead")
        return parser


def _positive(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"must be more than 0, not {text}")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Run the action in `args`, print its answer, return the exit code."""
    try:
        answer = ACTIONS[args.action](args)
    except CourseError as error:
        answer = _refusal(str(error))
    except ModuleNotFoundError as error:
        if error.name not in {"jupytext", "nbclient", "nbformat", "platformdirs"}:
            raise
        answer = _refusal(
            f"This needs {error.name}, which is not installed: "
            'pip install "teachgraph[lab]"'
        )
    except OSError as error:
        at = f": {error.filename}" if error.filename else ""
        answer = _refusal(f"{error.strerror or error}{at}")
    if args.json:
        print(json.dumps(answer.data, ensure_ascii=False, indent=2))
    else:
        stream = sys.stderr if answer.code == 2 else sys.stdout
        print("\n".join(answer.lines), file=stream)
    return answer.code


def _refusal(reason: str) -> Answer:
    return Answer([reason], {"error": reason}, code=2)


def _list(args: argparse.Namespace) -> Answer:
    rows = [
        {
            "lesson": lesson.number,
            "name": lesson.name,
            "title": lesson.title[args.lang],
            "writes": lesson.writes[args.lang],
            "seen": lesson.seen[args.lang],
            "ready": lesson.built,
        }
        for lesson in lessons()
    ]
    coming = {"en": "(coming)", "zh": "（即将推出）"}[args.lang]
    lines = [
        f"{row['lesson']}  {row['title']}{'' if row['ready'] else ' ' + coming}"
        for row in rows
    ]
    return Answer(lines, {"lessons": rows})


def _start(args: argparse.Namespace) -> Answer:
    lesson = find(args.lesson)
    suffix = "" if args.lang == "en" else f".{args.lang}"
    path = (args.folder / f"{lesson.name}{suffix}.ipynb").resolve()
    kept = progress.load()
    record = kept.record(lesson.number)
    try:
        write_new(path, build(read(lesson), "learner", args.lang))
        created = True
    except FileExistsError:
        created = False
    if created or not Path(record.notebook).is_file():
        record.notebook, record.language = str(path), args.lang
        kept.save()
    lines = _set_aside(kept)
    if created:
        lines += [
            f"Your notebook: {path}",
            f"Open it with: jupyter lab {quote(str(path))}",
        ]
    else:
        lines += [f"Your notebook is there already: {path}", "Nothing was changed."]
    data = {"lesson": lesson.number, "notebook": str(path), "created": created}
    return Answer(lines, data, code=0 if created or args.exist_ok else 1)


def _check(args: argparse.Namespace) -> Answer:
    lesson = find(args.lesson)
    kept = progress.load()
    record = kept.record(lesson.number)
    path = args.file or (Path(record.notebook) if record.notebook else None)
    if path is None:
        path = Path(f"{lesson.name}.ipynb")
        if not path.is_file():
            raise CourseError(
                f"You have not started lesson {lesson.number} yet: "
                f"teachgraph course start {lesson.number}"
            )
    report = grade(read(lesson), path.resolve(), args.seconds)
    record.tasks, record.passed = report.tasks, report.passed
    record.notebook = record.notebook or str(report.notebook)
    kept.save()
    lines = [*_set_aside(kept), f"{lesson.number} {lesson.title['en']}: {path}"]
    lines += _graded(report, lesson.number)
    data = asdict(report) | {
        "lesson": lesson.number,
        "notebook": str(report.notebook),
        "passed": report.passed,
    }
    return Answer(lines, data, code=0 if report.passed else 1)


def _graded(report: Report, number: str) -> list[str]:
    lines = []
    for verdict in report.verdicts:
        if verdict.passed:
            lines.append(f"  right    {verdict.task}")
            continue
        lines.append(f"  not yet  {verdict.task}: {verdict.message}")
        if verdict.place.cell:
            lines.append(f"           {verdict.place}")
    for trouble in report.troubles:
        lines.append(f"  note     {trouble.message}")
        lines.append(f"           {trouble.place}")
    failing = [task for task, passed in report.tasks.items() if not passed]
    if failing:
        right = len(report.tasks) - len(failing)
        lines.append(f"{right} of {len(report.tasks)} exercises are right.")
        lines.append(f"For a hint: teachgraph course hint {number} {failing[0]}")
    elif report.passed:
        lines.append("The lesson is passed.")
    return lines


def _hint(args: argparse.Namespace) -> Answer:
    source = read(find(args.lesson))
    kept = progress.load()
    record = kept.record(source.lesson.number)
    task = args.task or _unfinished(source, record)
    language = cast(Language, args.lang or record.language)
    hints = source.exercise(task).hints[language]
    shown = min(record.hints.get(task, 0) + 1, len(hints))
    record.hints[task] = shown
    kept.save()
    lines = _set_aside(kept)
    for position, text in enumerate(hints[:shown], start=1):
        lines.append(f"{task}, {position} of {len(hints)}: {text}")
    number = source.lesson.number
    more = "Ask again for the next one."
    if shown == len(hints):
        more = f"That was the last. The solution: teachgraph course solution {number}"
    data = {"lesson": number, "task": task, "hints": hints[:shown], "of": len(hints)}
    return Answer([*lines, more], data)


def _unfinished(source: Source, record: progress.Record) -> str:
    """Return the first exercise that is not right yet, or else the first."""
    names = [cell.task for cell in source.exercises]
    if not names:
        raise CourseError(f"Lesson {source.lesson.number} has no exercise.")
    return next((name for name in names if not record.tasks.get(name)), names[0])


def _solution(args: argparse.Namespace) -> Answer:
    source = read(find(args.lesson))
    cells = source.exercises if args.task is None else (source.exercise(args.task),)
    data: dict[str, Any] = {"lesson": source.lesson.number, "solutions": _solved(cells)}
    if args.notebook is None:
        return Answer("\n\n".join(_solved(cells).values()).splitlines(), data)
    path = args.notebook.resolve()
    try:
        kind: Kind = "instructor" if args.markers else "solution"
        write_new(path, build(source, kind, args.lang))
    except FileExistsError:
        reason = f"There is a file already: {path}. Nothing was changed."
        return Answer([reason], data | {"error": reason}, code=1)
    return Answer([f"The solved notebook: {path}"], data | {"notebook": str(path)})


def _solved(cells: tuple[Cell, ...]) -> dict[str, str]:
    return {cell.task: without_markers(cell.code) for cell in cells}


def _status(args: argparse.Namespace) -> Answer:
    kept = progress.load()
    rows = []
    lines = _set_aside(kept)
    for lesson in lessons():
        record = kept.records.get(lesson.number)
        if record is None or not record.notebook:
            continue
        rows.append({"lesson": lesson.number, **asdict(record)})
        right = f"{sum(record.tasks.values())} of {len(record.tasks)} exercises right"
        state = "passed" if record.passed else right if record.tasks else "started"
        lines.append(f"{lesson.number}  {lesson.title[args.lang]}: {state}")
        lines.append(f"    {record.notebook}")
    if not rows:
        lines.append("Nothing started yet. Begin with: teachgraph course start 00")
    return Answer(lines, {"lessons": rows, "progress": str(kept.path)})


def _set_aside(kept: progress.Progress) -> list[str]:
    if kept.set_aside is None:
        return []
    return [f"The progress file was damaged; it is kept as {kept.set_aside}."]


ACTIONS: Mapping[str, Callable[[argparse.Namespace], Answer]] = {
    "list": _list,
    "start": _start,
    "check": _check,
    "hint": _hint,
    "solution": _solution,
    "status": _status,
}
