"""The budgets of a lesson: words, given lines, and what the learner writes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from teachgraph.course.source import Cell, Source
from teachgraph.course.table import LANGUAGES

__all__ = ["Budget", "budgets"]

OWN = {"00": 7}
"""The least that the learner writes, where it is not 14 lines."""


@dataclass(frozen=True)
class Budget:
    """One figure of a lesson, and its bounds.

    >>> Budget("given lines", 41, most=40).kept
    False
    """

    name: str
    figure: int
    least: int = 0
    most: int | None = None

    @property
    def kept(self) -> bool:
        """True if the figure is within its bounds."""
        return self.least <= self.figure and self.figure <= (self.most or self.figure)

    def __str__(self) -> str:
        bounds = f"at least {self.least}" if self.most is None else f"of {self.most}"
        return f"{self.figure} {self.name}, {bounds}"


def budgets(source: Source) -> list[Budget]:
    """The figures of a lesson; a Chinese character counts for half a word."""
    live = [cell for cell in source.cells if cell.role == "live"]
    given = [line for c in live if "mine" not in c.tags for line in lines_of(c)]
    framework = [line for c in live if "mine" in c.tags for line in lines_of(c)]
    own = [line for c in source.exercises for line in c.solution.splitlines()]
    quizzes = [c for c in source.exercises if "quiz" in c.tags]
    rows = []
    for language in LANGUAGES:
        text = " ".join(c.text[language] for c in source.cells if c.role == "text")
        count = len(re.findall(r"[\u4e00-\u9fff]|[^\s\u4e00-\u9fff]+", text))
        most = 900 if language == "en" else 1800
        rows.append(Budget(f"words ({language})", count, most=most))
    written = len(list(filter(str.strip, own)))
    least = OWN.get(source.lesson.number, 14)
    return [
        *rows,
        Budget("given lines", len(given), most=40),
        Budget("given lines of the framework", len(framework), most=50),
        Budget("lines of the learner's", written, least=least),
        Budget("tasks", len(source.exercises) - len(quizzes), least=2),
        Budget("quiz items", len(quizzes), least=3),
    ]


def lines_of(cell: Cell) -> list[str]:
    """The lines of given code that a learner reads."""
    return [line for line in cell.code.splitlines() if line.strip()]
