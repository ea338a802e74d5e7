"""The table of lessons, in order, with the names that each one introduces.

It is read from `lessons.toml`, which lies beside the lessons. Everything that lists
lessons (the command, the tests, the documentation) derives from it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

from teachgraph.core.errors import TeachgraphError

__all__ = [
    "LANGUAGES",
    "CourseError",
    "Language",
    "Lesson",
    "find",
    "in_order",
    "lessons",
    "root",
    "shipped",
]

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = ("en", "zh")


class CourseError(TeachgraphError):
    """An action of the course that can't be done; the message says what to do."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """One row of the table.

    `place` is its position. `title`, `writes` (what the learner writes) and `seen`
    (what the widget shows) are by language; `introduces` names what the lessons after
    this one may use.
    """

    number: str
    folder: Path
    place: int
    title: Mapping[str, str]
    writes: Mapping[str, str]
    seen: Mapping[str, str]
    introduces: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder's name, which is also the notebook's: `02_the_tape`."""
        return self.folder.name

    @property
    def source(self) -> Path:
        """The lesson's one source."""
        return self.folder / "lesson.py"

    @cached_property
    def sentences(self) -> Mapping[str, Any]:
        """The sentences that its checks and hints say, by task."""
        path = self.folder / "messages.toml"
        return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}

    @property
    def checks(self) -> Path:
        """The checks of its tasks."""
        return self.folder / "checks.py"

    @property
    def tasks(self) -> list[str]:
        """The names of its exercises, in order."""
        return list(self.sentences)

    @property
    def built(self) -> bool:
        """True if the lesson exists yet."""
        return self.source.is_file()


def root() -> Path:
    """The folder of the lessons: in the wheel, or the checkout's `course`.

    An author's own course is where `TEACHGRAPH_COURSE` says.
    """
    own = os.environ.get("TEACHGRAPH_COURSE")
    return Path(own) if own else shipped()


def shipped() -> Path:
    """The folder of the lessons that come with the framework."""
    packaged = Path(__file__).parent / "lessons"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "course"


def lessons(folder: Path | None = None) -> tuple[Lesson, ...]:
    """Return all lessons of the table in `folder` (default: the course's), in order.

    >>> [lesson.title["en"] for lesson in lessons()[:3]]
    ['Four lines', 'An op', 'The tape']
    """
    return rows_of(folder or root())


@cache
def rows_of(folder: Path) -> tuple[Lesson, ...]:
    """The lessons of the table in a folder."""
    table = folder / "lessons.toml"
    if not table.is_file():
        raise CourseError(f"The lessons are not where they should be: {table}.")
    rows = tomllib.loads(table.read_text("utf-8"))["lesson"]
    return tuple(
        Lesson(
            number=row["folder"][:2],
            folder=folder / row["folder"],
            place=place,
            title=row["title"],
            writes=row["writes"],
            seen=row["seen"],
            introduces=tuple(row.get("introduces", ())),
        )
        for place, row in enumerate(rows)
    )


def in_order(chosen: Iterable[Lesson]) -> list[Lesson]:
    """Sort lessons as the table has them."""
    return sorted(chosen, key=lambda lesson: lesson.place)


def find(name: str, folder: Path | None = None) -> Lesson:
    """Find a lesson by its number (`2` or `02`), its folder or its notebook.

    Raises CourseError if there is none, or if it is still to come.
    """
    table = lessons(folder)
    name = Path(name).name.removesuffix(".ipynb").removesuffix(".zh")
    for lesson in table:
        if name.upper().zfill(2) == lesson.number or name == lesson.name:
            if not lesson.built:
                raise CourseError(
                    f"Lesson {lesson.number} ({lesson.title['en']}) is still to come."
                )
            return lesson
    numbers = ", ".join(lesson.number for lesson in table)
    raise CourseError(f"There is no lesson {name!r}; the lessons are {numbers}.")
