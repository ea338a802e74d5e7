"""Reports of a graded class: a table for programs, a page for people.

The page is one file that loads nothing. Names and messages are somebody else's text
and are drawn as such; in the table none of them begins a formula.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from teachgraph.course.classroom.marks import Mark, Row
from teachgraph.course.messages import common, say
from teachgraph.course.table import Language, Lesson, in_order

__all__ = ["as_csv", "as_html", "as_lines", "plain"]

COLUMNS = (
    *("student", "lesson", "task", "verdict", "given", "hints", "message"),
    *("cell", "line", "flags", "seconds"),
)
SIGNS = {"right": "✓", "given": "◐", "wrong": "✗", "none": "–"}
"""A sign for each outcome, beside its colour."""

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Spreadsheets take text that begins so for a formula."""


def plain(text: str) -> str:
    r"""Text without characters that steer: line ends, terminal codes, directions.

    >>> plain("a\x1b[2J\u202eb")
    'a�[2J�b'
    """
    return "".join("\N{REPLACEMENT CHARACTER}" if steers(one) else one for one in text)


def parts(text: str) -> list[tuple[str, bool]]:
    """Text in parts, those between backticks marked as code.

    >>> parts("use `sum` here")
    [('use ', False), ('sum', True), (' here', False)]
    """
    pieces = "\n".join(map(plain, text.split("\n"))).split("`")
    if len(pieces) % 2 == 0:  # one is left open
        return [("`".join(pieces), False)]
    return [(piece, index % 2 == 1) for index, piece in enumerate(pieces)]


def roots_first(marks: list[Mark]) -> list[Mark]:
    """Marks with what is wrong first, then what would be right but for that."""
    return sorted(
        marks, key=lambda mark: ("wrong", "given", "right").index(mark.outcome)
    )


def steers(one: str) -> bool:
    """Tell whether a character is drawn otherwise than as itself."""
    return unicodedata.category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def as_csv(rows: list[Row], *, seconds: bool = True) -> str:
    """A line for each task and student; without `seconds` the same on every run."""
    columns = COLUMNS if seconds else COLUMNS[:-1]
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(columns)
    for row in rows:
        flags = "; ".join(row.marked.flags)
        nothing = Mark("", "wrong")
        for mark in row.marked.marks or [nothing]:
            line = {
                "student": row.student,
                "lesson": row.lesson.number,
                "task": mark.task,
                "verdict": "none" if mark is nothing else mark.outcome,
                "given": " ".join(mark.given),
                "hints": mark.hints,
                "message": mark.message,
                "cell": mark.place.cell or "",
                "line": mark.place.line or "",
                "flags": flags,
                "seconds": f"{mark.seconds:.2f}",
            }
            writer.writerow([harmless(line[column]) for column in columns])
    return file.getvalue()


def harmless(value: object) -> object:
    """A value that no spreadsheet computes."""
    if not isinstance(value, str):
        return value
    text = "\n".join(plain(line) for line in value.split("\n"))
    return f"'{text}" if value.startswith(FORMULA) else text


@dataclass
class Way:
    """A way to fail a task: its message, and who does."""

    message: str
    students: list[str] = field(default_factory=list)


@dataclass
class Task:
    """A task of a lesson as a class has done it."""

    name: str
    right: int = 0
    given: int = 0
    wrong: int = 0
    ways: list[Way] = field(default_factory=list)

    @property
    def count(self) -> int:
        """The number of those who have handed it in."""
        return self.right + self.given + self.wrong


def tasks_of(lesson: Lesson, rows: list[Row]) -> list[Task]:
    """The tasks of a lesson, with the ways to fail each, the most frequent first."""
    tasks = {name: Task(name) for name in lesson.tasks}
    ways: dict[str, dict[str, Way]] = defaultdict(dict)
    for row in rows:
        for mark in row.marked.marks if row.lesson is lesson else ():
            task = tasks[mark.task]
            setattr(task, mark.outcome, getattr(task, mark.outcome) + 1)
            if mark.outcome == "wrong":
                way = ways[mark.task].setdefault(mark.sentence, Way(mark.message))
                way.students.append(row.student)
    for name, by_sentence in ways.items():
        tasks[name].ways = sorted(
            by_sentence.values(), key=lambda way: (-len(way.students), way.message)
        )
    return list(tasks.values())


def lessons_of(rows: list[Row]) -> list[Lesson]:
    """The lessons that were graded, in the course's order."""
    return in_order({row.lesson for row in rows})


def as_lines(rows: list[Row], language: Language) -> list[str]:
    """A class in a terminal: a line for each student, then the tasks that fail most."""
    by_student: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_student[row.student].append(row)
    lines = []
    for student, theirs in by_student.items():
        scores = "  ".join(f"{row.lesson.number} {score(row)}" for row in theirs)
        lines.append(f"{plain(student)}: {scores}")
        lines += [f"    ! {plain(flag)}" for row in theirs for flag in row.marked.flags]
    for lesson in lessons_of(rows):
        lines.append(f"{lesson.number} {lesson.title[language]}")
        for task in tasks_of(lesson, rows):
            lines.append(f"    {task.name}: {task.right + task.given}/{task.count}")
            lines += [
                f"        {len(way.students)} x {plain(way.message)}"
                for way in task.ways[:3]
            ]
    return lines


def score(row: Row) -> str:
    """The tasks that are right, of all: `4/6`; a dash if none was handed in."""
    marks = row.marked.marks
    if not marks:
        return SIGNS["none"]
    return f"{sum(mark.outcome != 'wrong' for mark in marks)}/{len(marks)}"


def as_html(rows: list[Row], language: Language) -> str:
    """A class as a page of its own: all at a glance, by task, by student."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(plain=plain, parts=parts, roots_first=roots_first)
    students = sorted({row.student for row in rows})
    words = {
        name.removeprefix("report_"): say(name, language)
        for name in common()
        if name.startswith("report_")
    }
    return environment.get_template("report.html").render(
        language=language,
        words=words,
        signs=SIGNS,
        students=[(name, list(of_student(name, rows))) for name in students],
        lessons=[
            {
                "number": lesson.number,
                "title": lesson.title[language],
                "tasks": tasks_of(lesson, rows),
                "rows": list(glance(lesson, rows, students)),
            }
            for lesson in lessons_of(rows)
        ],
    )


def of_student(student: str, rows: list[Row]) -> Iterator[Row]:
    """The rows of a student."""
    return (row for row in rows if row.student == student)


def glance(
    lesson: Lesson, rows: list[Row], students: list[str]
) -> Iterator[dict[str, Any]]:
    """For each student the marks in a lesson, task by task, None without one."""
    by_student = {row.student: row for row in rows if row.lesson is lesson}
    for student in students:
        row = by_student[student]
        marks = {mark.task: mark for mark in row.marked.marks}
        yield {
            "student": student,
            "marks": [marks.get(name) for name in lesson.tasks],
            "flags": row.marked.flags,
        }
