"""The start page: a live picture, the course with what is passed, and the gallery."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from teachgraph.course import mine, progress
from teachgraph.course.gallery import cases
from teachgraph.course.messages import say
from teachgraph.course.notebook import whole
from teachgraph.course.table import Language, Lesson, lessons

__all__ = ["GALLERY", "Map", "Stop", "course_map", "notebook"]

MARKS = {"passed": "●", "started": "◐", "open": "○", "coming": "·"}
"""Signs on the map, by the state of a lesson."""


@dataclass(frozen=True)
class Stop:
    """A lesson on the map.

    Attributes:
        lesson: The lesson.
        state: "passed", "started", "open" or "coming".
        words: The state in words.
        notebook: The learner's file, empty if there is none.
    """

    lesson: Lesson
    state: str
    words: str
    notebook: str


def stop(lesson: Lesson, record: progress.Record, language: Language) -> Stop:
    """Put a lesson on the map."""
    right, count = sum(record.tasks.values()), len(record.tasks)
    state, words = "open", ""
    if not lesson.built:
        state, words = "coming", say("coming", language)
    elif record.passed:
        state, words = "passed", say("state_passed", language)
    elif record.tasks:
        state = "started"
        words = say("state_score", language, right=right, count=count)
    elif record.notebooks:
        state, words = "started", say("state_started", language)
    return Stop(lesson, state, words, record.notebooks.get(language, ""))


@dataclass(frozen=True)
class Map:
    """The lessons in order, as text in a terminal and as a table in a notebook."""

    stops: list[Stop]
    language: Language
    own: int
    given: int

    def lines(self) -> list[str]:
        """The map as text."""
        lines = []
        for one in self.stops:
            line = f"{MARKS[one.state]} {one.lesson.number}  "
            line += one.lesson.title[self.language]
            lines.append(f"{line}: {one.words}" if one.words else line)
        if not any(one.state in ("passed", "started") for one in self.stops):
            lines.append(say("nothing_started", self.language))
        if self.own:
            facts = {"own": self.own, "given": self.given}
            lines.append(say("framework", self.language, **facts))
        return lines

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": "\n".join(self.lines()), "text/html": self.table()}

    def table(self) -> str:
        """The map as HTML: a row for each lesson, with a link to what is begun."""
        rows = []
        for one in self.stops:
            title = html.escape(one.lesson.title[self.language])
            if one.notebook and Path(one.notebook).parent == Path.cwd():
                file = html.escape(Path(one.notebook).name, quote=True)
                title = f'<a href="{file}">{title}</a>'
            cells = [
                MARKS[one.state],
                one.lesson.number,
                title,
                html.escape(one.words),
                html.escape(one.lesson.writes[self.language].replace("`", "")),
            ]
            inner = "".join(
                f'<td style="text-align: left">{cell}</td>' for cell in cells
            )
            rows.append(f"<tr>{inner}</tr>")
        framework = ""
        if self.own:
            facts = {"own": self.own, "given": self.given}
            framework = (
                f"<p>{html.escape(say('framework', self.language, **facts))}</p>"
            )
        return f"<table>{''.join(rows)}</table>{framework}"


def course_map(language: Language = "en") -> Map:
    """The map of the course, with what the learner has passed.

    >>> course_map().lines()[0].split()[1]
    '00'
    """
    kept = progress.load()
    stops = [
        stop(lesson, kept.records.get(lesson.number, progress.Record()), language)
        for lesson in lessons()
    ]
    own, given = mine.counted(mine.so_far(kept))
    return Map(stops, language, own, given)


GALLERY = "gallery"
"""The folder of the gallery's notebooks, beside the start page."""

PICTURE = """\
%%trace
x = tg.to_tensor([1.0, 2.0], stop_gradient=False)
y = x * x
loss = (y + x).sum()
loss.backward()"""
IMPORT = "from teachgraph.course.welcome import course_map"


def gallery(language: Language) -> str:
    """The cases of the gallery as Markdown: a link to each, and what it needs."""
    rows = [f"- [{case.title}]({GALLERY}/{case.file})" for case in cases()]
    return "\n".join([say("welcome_gallery", language).strip(), "", *rows])


def notebook(language: Language = "en") -> dict[str, Any]:
    """The start page as a notebook."""
    quoted = "" if language == "en" else f'"{language}"'
    sources = [
        ("markdown", say("welcome", language)),
        ("code", "%load_ext teachgraph\nimport teachgraph as tg"),
        ("code", PICTURE),
        ("markdown", say("welcome_map", language)),
        ("code", f"{IMPORT}\n\ncourse_map({quoted})"),
        ("markdown", gallery(language)),
    ]
    cells = []
    for position, (kind, source) in enumerate(sources):
        cell: dict[str, Any] = {"cell_type": kind, "id": f"welcome-{position}"}
        cell |= {"metadata": {}, "source": source.strip()}
        if kind == "code":
            cell |= {"execution_count": None, "outputs": []}
        cells.append(cell)
    return whole(cells)
