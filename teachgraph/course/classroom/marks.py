"""Marks as plain data: of a task, of a notebook, of a student in a lesson."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from teachgraph.course.grade import Place
from teachgraph.course.table import Language, Lesson

__all__ = ["Mark", "Marked", "Outcome", "Row", "read_marked"]

Outcome = Literal["right", "given", "wrong"]


@dataclass
class Mark:
    """The mark of one task.

    Attributes:
        task: Its name.
        outcome: Right, right given other tasks, or wrong.
        given: The tasks that are wrong, and with which it would be right.
        sentence: The id of the message.
        message: What there is to say.
        place: The learner's line.
        hints: The number of hints read, as far as the submission shows it.
        seconds: The time of the processor.
    """

    task: str
    outcome: Outcome
    given: list[str] = field(default_factory=list)
    sentence: str = ""
    message: str = ""
    place: Place = field(default_factory=Place)
    hints: int = 0
    seconds: float = 0.0


@dataclass
class Marked:
    """The marks of one notebook.

    Attributes:
        marks: By task, in the lesson's order.
        notes: Errors of cells that are no exercise.
        flags: What a teacher should look at: checks that were changed, and attempts at
            what is not allowed.
        language: The notebook's.
    """

    marks: list[Mark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    language: Language = "en"


@dataclass(frozen=True)
class Row:
    """The marks of one student in one lesson."""

    student: str
    lesson: Lesson
    marked: Marked


def read_marked(data: Mapping[str, Any]) -> Marked:
    """The marks that `dataclasses.asdict` has made plain data of."""
    marks = [Mark(**{**row, "place": Place(**row["place"])}) for row in data["marks"]]
    return Marked(**{**data, "marks": marks})
