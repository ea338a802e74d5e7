"""`teachgraph course`: list, start, check, hint, solution, grade, mine, author ...

Each action returns its answer twice, as lines for people and as a mapping for `--json`,
and an exit code: 0 done, 1 not right yet (or already there), 2 can't be done.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, cast

from teachgraph.course import mine, progress
from teachgraph.course.answer import Answer
from teachgraph.course.classroom import command as classroom
from teachgraph.course.files import write_new
from teachgraph.course.gallery import cases
from teachgraph.course.grade import Place, Report, grade
from teachgraph.course.messages import hint_lines, hints, say
from teachgraph.course.notebook import Kind, build
from teachgraph.course.source import Source, read, without_markers
from teachgraph.course.table import (
    LANGUAGES,
    CourseError,
    Language,
    Lesson,
    find,
    lessons,
)
from teachgraph.course.welcome import GALLERY, course_map, notebook
from teachgraph.io.files import written_whole

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_arguments", "run"]

START = """Put a lesson's notebook into a folder. Your progress through all lessons (the
exercises that passed, your framework, hints read) is kept once for each user, in
progress.json in the user's data folder, or in the folder that TEACHGRAPH_HOME names;
`start` says where. To begin anew, delete or rename that file, or set TEACHGRAPH_HOME to
another folder; to have a lesson's notebook anew, move the old one or use --folder."""

NEEDED = {
    *("IPython", "filelock", "jinja2", "jupytext", "matplotlib", "nbclient"),
    *("nbformat", "platformdirs", "psutil", "tqdm"),
}
"""Packages that the extra `lab` brings."""


def add_arguments(subparsers: Subparsers) -> None:
    """Add `course` and its actions to the command line `subparsers` belongs to."""
    about = "Lessons as notebooks, in which you build a framework of your own."
    course = subparsers.add_parser("course", help=about, description=about)
    course.set_defaults(run=run)
    actions = course.add_subparsers(dest="action", required=True, metavar="action")
    add = Adder(actions)

    add("list", "List the lessons.", language=True)
    start = add("start", "Put a lesson's notebook into a folder.", lesson=True)
    start.description = START
    start.add_argument("--folder", type=Path, default=Path(), help="default: this one")
    start.add_argument(
        "--exist-ok", action="store_true", help="succeed if it is there already"
    )
    start.add_argument("--lang", choices=LANGUAGES, default="en", help="en or zh")
    check = add("check", "Grade your notebook in a fresh kernel.", lesson=True)
    check.add_argument("--file", type=Path, help="default: the one you started")
    check.add_argument("--lang", choices=LANGUAGES, help="default: your last one")
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
    add("status", "Show the way through the course, and where you are.", language=True)
    welcome = add("welcome", "Write the start page and the gallery.", language=True)
    welcome.add_argument("--folder", type=Path, default=Path(), help="default: here")
    mine = add("mine", "Print your own framework as one file.", language=True)
    mine.add_argument("--file", type=Path, help="write it there instead")
    classroom.add_arguments(add)
    about = "For writers: begin a lesson, look at it on each save, accept its names."
    author = actions.add_parser("author", help=about, description=about)
    add = Adder(author.add_subparsers(dest="step", required=True, metavar="step"))
    add("new", "Write the folder of a lesson of the table.", lesson=True)
    watch = add("watch", "Try all of a lesson whenever it is saved.", lesson=True)
    watch.add_argument("--once", action="store_true", help="look at it once only")
    add("accept", "Write into the table what a lesson introduces.", lesson=True)


class Adder:
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
        if error.name not in NEEDED:
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
    coming = say("coming", args.lang)
    lines = [
        f"{row['lesson']}  {row['title']}{'' if row['ready'] else ' ' + coming}"
        for row in rows
    ]
    return Answer(lines, {"lessons": rows})


def _start(args: argparse.Namespace) -> Answer:
    lesson, language = find(args.lesson), cast(Language, args.lang)
    path = (args.folder / _file_name(lesson, language)).resolve()
    created = _written(path, build(read(lesson), "learner", language))
    with progress.changing() as kept:
        record = kept.record(lesson.number)
        known = record.notebooks.get(language, "")
        if created or not Path(known).is_file():
            record.notebooks[language] = str(path)
        record.language = language
    lines = _set_aside(kept, language)
    if created:
        lines.append(say("notebook_made", language, path=path))
        lines.append(say("open_it", language, path=quote(str(path))))
    else:
        lines.append(say("notebook_there", language, path=path))
        lines.append(say("nothing_changed", language))
    lines.append(say("progress_kept", language, path=kept.path))
    data = {"lesson": lesson.number, "notebook": str(path), "created": created}
    data["progress"] = str(kept.path)
    return Answer(lines, data, code=0 if created or args.exist_ok else 1)


def _file_name(lesson: Lesson, language: Language) -> str:
    """The name of a lesson's notebook in a language."""
    return f"{lesson.name}{'' if language == 'en' else '.' + language}.ipynb"


def _check(args: argparse.Namespace) -> Answer:
    lesson = find(args.lesson)
    argument = Path(args.lesson)
    named = argument if argument.suffix == ".ipynb" and argument.is_file() else None
    path = args.file or named or _started(lesson, progress.load(), args.lang)
    source = read(lesson)
    report = grade(source, path.resolve(), args.seconds)
    with progress.changing() as kept:
        record = kept.record(lesson.number)
        record.tasks, record.passed = report.tasks, report.passed
        record.language = report.language
        record.notebooks.setdefault(report.language, str(report.notebook))
        kept_now, needing = _keep(source, report, record)
    language = report.language
    title = lesson.title[language]
    lines = [*_set_aside(kept, language), f"{lesson.number} {title}: {path}"]
    lines += _graded(report, lesson.number)
    for task, names in needing.items():
        lines.append(say("not_kept", language, task=task, names=", ".join(names)))
    if kept_now:
        lines.append(say("kept", language, names=", ".join(kept_now)))
    data = asdict(report) | {
        "lesson": lesson.number,
        "notebook": str(report.notebook),
        "passed": report.passed,
        "kept": kept_now,
    }
    return Answer(lines, data, code=0 if report.passed else 1)


def _started(lesson: Lesson, kept: progress.Progress, wanted: str | None) -> Path:
    """The learner's notebook of a lesson, in a language or the last one used."""
    record = kept.record(lesson.number)
    language = cast(Language, wanted or record.language)
    if file := record.notebooks.get(language):
        return Path(file)
    path = Path(_file_name(lesson, language))
    if not path.is_file():
        raise CourseError(say("not_started", language, number=lesson.number))
    return path


def _keep(
    source: Source, report: Report, record: progress.Record
) -> tuple[list[str], dict[str, list[str]]]:
    """Keep what is right for the learner's framework: its names, and what needs more.

    An answer that uses a name of another cell of the notebook would not run in the
    framework; it is named, with those names.
    """
    framework = {cell.task for cell in source.framework}
    needing: dict[str, list[str]] = {}
    kept_now = []
    for verdict in report.verdicts:
        if verdict.passed and verdict.task in framework:
            if names := mine.strangers(verdict.code):
                needing[verdict.task] = names
            else:
                record.answers[verdict.task] = verdict.code
                kept_now.append(verdict.task)
    return kept_now, needing


def _graded(report: Report, number: str) -> list[str]:
    lines, language = [], report.language
    for verdict in report.verdicts:
        facts = {"task": verdict.task, "message": verdict.message}
        if verdict.passed:
            lines.append(say("verdict_right", language, **facts))
            continue
        lines.append(say("verdict_not_yet", language, **facts))
        if verdict.place.cell:
            lines.append(_at(verdict.place, language))
    for trouble in report.troubles:
        lines.append(say("note", language, message=trouble.message))
        lines.append(_at(trouble.place, language))
    failing = [task for task, passed in report.tasks.items() if not passed]
    if failing:
        right = len(report.tasks) - len(failing)
        lines.append(say("score", language, right=right, count=len(report.tasks)))
        lines.append(say("hint_command", language, number=number, task=failing[0]))
    elif report.passed:
        lines.append(say("lesson_passed", language))
    return lines


def _at(place: Place, language: Language) -> str:
    """A place in the notebook, in words."""
    line = ""
    if place.line:
        line = say("at_line", language, line=place.line, code=place.code)
    return say("at", language, cell=place.cell, line=line)


def _hint(args: argparse.Namespace) -> Answer:
    source = read(find(args.lesson))
    number = source.lesson.number
    with progress.changing() as kept:
        record = kept.record(number)
        language = cast(Language, args.lang or record.language)
        task = args.task or _unfinished(source, record, language)
        rows = hints(source.lesson, source.exercise(task).task, language)
        shown = min(record.hints.get(task, 0) + 1, len(rows))
        record.hints[task] = shown
    lines = _set_aside(kept, language)
    lines += hint_lines(source.lesson, task, shown, language)
    if shown < len(rows):
        lines.append(say("ask_again", language))
    data = {"lesson": number, "task": task, "hints": rows[:shown], "of": len(rows)}
    return Answer(lines, data)


def _unfinished(source: Source, record: progress.Record, language: Language) -> str:
    """The first exercise that is not right yet, or else the first."""
    names = [cell.task for cell in source.exercises]
    if not names:
        raise CourseError(say("no_exercise", language, number=source.lesson.number))
    return next((name for name in names if not record.tasks.get(name)), names[0])


def _solution(args: argparse.Namespace) -> Answer:
    source = read(find(args.lesson))
    cells = source.exercises if args.task is None else (source.exercise(args.task),)
    solved = {cell.task: without_markers(cell.text[args.lang]) for cell in cells}
    data: dict[str, Any] = {"lesson": source.lesson.number, "solutions": solved}
    if args.notebook is None:
        return Answer("\n\n".join(solved.values()).splitlines(), data)
    path = args.notebook.resolve()
    try:
        kind: Kind = "instructor" if args.markers else "solution"
        write_new(path, build(source, kind, args.lang))
    except FileExistsError:
        reason = say("file_there", args.lang, path=path)
        return Answer([reason], data | {"error": reason}, code=1)
    lines = [say("solved", args.lang, path=path)]
    return Answer(lines, data | {"notebook": str(path)})


def _status(args: argparse.Namespace) -> Answer:
    kept = progress.load()
    language = cast(Language, args.lang)
    overview = course_map(language)
    rows = [
        {"lesson": number, **asdict(record)}
        for number, record in kept.records.items()
        if record.notebooks
    ]
    data = {"lessons": rows, "progress": str(kept.path)}
    lines = [*_set_aside(kept, language), *overview.lines()]
    return Answer(lines, {**data, "own": overview.own, "given": overview.given})


def _welcome(args: argparse.Namespace) -> Answer:
    path = (args.folder / "Welcome.ipynb").resolve()
    created = _written(path, notebook(args.lang))
    for case in cases():
        file = path.parent / GALLERY / case.file
        if not file.exists():  # converting one takes a while
            _written(file, case.notebook())
    sentence = "welcome_made" if created else "notebook_there"
    data = {"notebook": str(path), "created": created}
    return Answer([say(sentence, args.lang, path=path)], data)


def _written(path: Path, content: Mapping[str, Any]) -> bool:
    """Write a new file; return False if there was one, which stays."""
    try:
        write_new(path, content)
    except FileExistsError:
        return False
    return True


def _mine(args: argparse.Namespace) -> Answer:
    pieces = mine.so_far(progress.load())
    text = mine.program_text(pieces, args.lang)
    own, given = mine.counted(pieces)
    data = {"own": own, "given": given, "program": text}
    if args.file is None:
        return Answer(text.splitlines(), data)
    path = args.file.resolve()
    with written_whole(path) as file:
        file.write(text.encode("utf-8"))
    lines = [say("framework", args.lang, own=own, given=given), str(path)]
    return Answer(lines, data | {"file": str(path)})


def _author(args: argparse.Namespace) -> Answer:
    from teachgraph.course import author

    if args.step == "new":
        folder = author.begin(args.lesson)
        return Answer([str(folder)], {"folder": str(folder)})
    if args.step == "accept":
        names = author.accept(args.lesson)
        return Answer(["introduces: " + ", ".join(names)], {"introduces": names})
    told: list[str] = []

    def tell(lines: list[str]) -> None:
        told[:] = lines
        if not args.json and not args.once:
            print("\n".join(lines), flush=True)

    good = author.watch(args.lesson, tell, once=args.once or args.json)
    return Answer(told if args.once else [], {"lines": told}, code=0 if good else 1)


def _set_aside(kept: progress.Progress, language: Language) -> list[str]:
    if kept.set_aside is None:
        return []
    return [say("set_aside", language, path=kept.set_aside)]


ACTIONS: Mapping[str, Callable[[argparse.Namespace], Answer]] = {
    "list": _list,
    "start": _start,
    "check": _check,
    "hint": _hint,
    "solution": _solution,
    "status": _status,
    "author": _author,
    "mine": _mine,
    "welcome": _welcome,
    **classroom.ACTIONS,
}
