"""Parse the source of a lesson: cells, languages, exercises, solutions.

A lesson is a `lesson.py` in jupytext's percent format. Text comes in pairs, a markdown
cell in English and its twin marked `lang="zh"`; code is shared, but for docstrings:
lines `### 说明 ...` above a cell's code are the Chinese ones, in order. An exercise
is a cell with `task="name"` whose solution stands between `### BEGIN SOLUTION` and
`### END SOLUTION`; the check is a cell tagged `check` with the same task. To the
learner's framework belong exercises that are not tagged `quiz` or `apart`, and given
cells tagged `mine`. A cell tagged `quiet` does not show the value of its last line,
one tagged `long` only trains and shows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from teachgraph.course.table import CourseError, Language, Lesson

__all__ = ["Cell", "Source", "read", "read_once", "stub", "unpaced", "without_markers"]

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
CHINESE = "### 说明 "
UNPAIRED = "text comes in pairs, English then its Chinese twin"
_HAN = r"\u3000-\u303f\u4e00-\u9fff\uff00-\uffef"
_BROKEN = re.compile(rf"(?<=[{_HAN}])\n(?=\**[{_HAN}])")
_DOCSTRING = re.compile(r'""".*?"""', re.DOTALL)
_PACE = re.compile(r"(?<=^%%trace) --pace \S+|(?<=^%%trace) --step")
_BEGIN = re.compile(r'begin\("(\w+)"\)')
_SOLUTION = re.compile(rf"^([ ]*){BEGIN}\n(.*?)^[ ]*{END}$", re.DOTALL | re.MULTILINE)

Role = Literal["text", "live", "exercise", "check"]


@dataclass(frozen=True)
class Cell:
    """One cell of a lesson: its text by language; code differs in docstrings only."""

    role: Role
    text: Mapping[Language, str]
    task: str = ""
    tags: tuple[str, ...] = ()

    @property
    def code(self) -> str:
        """The code of a cell that is not text."""
        return self.text["en"]

    @property
    def solution(self) -> str:
        """The code between the markers of an exercise."""
        return "".join(match[2] for match in _SOLUTION.finditer(self.code))


@dataclass(frozen=True)
class Source:
    """A lesson as its author wrote it."""

    lesson: Lesson
    cells: tuple[Cell, ...]

    @property
    def exercises(self) -> tuple[Cell, ...]:
        """The exercise cells."""
        return tuple(cell for cell in self.cells if cell.role == "exercise")

    @property
    def framework(self) -> tuple[Cell, ...]:
        """The cells that belong to the learner's framework."""
        return tuple(
            cell
            for cell in self.cells
            if "mine" in cell.tags
            or (cell.role == "exercise" and not {"apart", "quiz"} & {*cell.tags})
        )

    @property
    def checks(self) -> tuple[Cell, ...]:
        """The check cells."""
        return tuple(cell for cell in self.cells if cell.role == "check")

    def exercise(self, task: str) -> Cell:
        """Return the exercise called `task`; raise CourseError if there is none."""
        for cell in self.exercises:
            if cell.task == task:
                return cell
        names = ", ".join(cell.task for cell in self.exercises) or "none"
        raise CourseError(
            f"Lesson {self.lesson.number} has no exercise {task!r}; it has: {names}."
        )


def stub(code: str) -> str:
    """Replace each solution in `code` by a NotImplementedError naming its task.

    >>> print(stub('''def double(x):
    ...     ### BEGIN SOLUTION
    ...     return 2 * x
    ...     ### END SOLUTION'''))
    def double(x):
        raise NotImplementedError("double")
    """
    task = _defined_by(code)
    return _SOLUTION.sub(rf'\1raise NotImplementedError("{task}")', code)


def unpaced(code: str) -> str:
    """Leave out the waiting of a traced cell, for a run that nobody watches.

    >>> unpaced("%%trace --pace 0.5 --no-values")
    '%%trace --no-values'
    """
    return _PACE.sub("", code)


def without_markers(code: str) -> str:
    """Remove the lines that mark a solution from `code`."""
    return _SOLUTION.sub(lambda match: match[2].rstrip("\n"), code)


def read(lesson: Lesson) -> Source:
    """Read and verify a lesson's source.

    Raises CourseError, naming the cell, for text without a twin, an exercise whose
    solution isn't closed or whose task isn't the function it defines, and a check
    without an exercise before it.
    """
    return Source(lesson, tuple(_paired(_parsed(lesson.source), lesson)))


read_once = cache(read)
"""`read`, for those who come back to a lesson that nobody edits meanwhile."""


def _parsed(path: Path) -> list[tuple[str, str, dict[str, object]]]:
    """Return (type, text, metadata) of each cell, as jupytext parses them."""
    import jupytext

    notebook = jupytext.reads(path.read_text("utf-8"), fmt="py:percent")
    return [
        (cell.cell_type, cell.source, dict(cell.metadata)) for cell in notebook.cells
    ]


def _paired(
    parsed: list[tuple[str, str, dict[str, object]]], lesson: Lesson
) -> list[Cell]:
    """Join each text with its translation, and find the role of each code cell."""
    cells: list[Cell] = []
    tasks: set[str] = set()
    english: str | None = None
    for kind, text, metadata in parsed:
        chinese = metadata.get("lang") == "zh"
        if chinese != (english is not None):
            raise _wrong(lesson, english or text, UNPAIRED)
        if english is not None:
            cells.append(Cell("text", {"en": english, "zh": _joined(text)}))
            english = None
        elif kind == "markdown":
            english = text
        else:
            cell = _code_cell(text, metadata)
            _verify(cell, tasks, lesson)
            tasks.add(cell.task)
            cells.append(cell)
    if english is not None:
        raise _wrong(lesson, english, UNPAIRED)
    return cells


def _joined(chinese: str) -> str:
    """Join the lines of Chinese text: Markdown would put a space at each line end."""
    return _BROKEN.sub("", chinese)


def _code_cell(text: str, metadata: dict[str, object]) -> Cell:
    tags = metadata.get("tags", [])
    assert isinstance(tags, list)
    role: Role = "live"
    if "check" in tags:
        role = "check"
    elif BEGIN in text or END in text:
        role = "exercise"
    lines = text.splitlines()
    chinese = [line[len(CHINESE) :] for line in lines if line.startswith(CHINESE)]
    code = "\n".join(line for line in lines if not line.startswith(CHINESE)).strip()
    return Cell(
        role=role,
        text={"en": code, "zh": _in_chinese(code, chinese)},
        task=str(metadata.get("task", "")),
        tags=tuple(str(tag) for tag in tags),
    )


def _in_chinese(code: str, docstrings: list[str]) -> str:
    """Code with the docstrings of a Chinese notebook, whose checks speak Chinese."""
    texts = iter(docstrings)
    code = _DOCSTRING.sub(
        lambda english: f'"""{text}"""' if (text := next(texts, "")) else english[0],
        code,
    )
    return _BEGIN.sub(r'begin("\1", "zh")', code)


def _verify(cell: Cell, tasks: set[str], lesson: Lesson) -> None:
    if cell.role == "exercise":
        if stub(cell.code).count(BEGIN) or stub(cell.code).count(END):
            raise _wrong(lesson, cell.code, f"{BEGIN} and {END} don't match")
        if not cell.task or cell.task != _defined_by(cell.code):
            raise _wrong(lesson, cell.code, "its task must be the function it defines")
    elif cell.role == "check" and cell.task not in tasks:
        raise _wrong(lesson, cell.code, "a check comes after the exercise of its task")


def _defined_by(code: str) -> str:
    """Return the function (or class) that an exercise defines around its solution."""
    before = code.split(BEGIN, maxsplit=1)[0]
    names = re.findall(r"^(?:def|class) (\w+)", before, re.MULTILINE)
    return names[-1] if names else ""


def _wrong(lesson: Lesson, text: str, reason: str) -> CourseError:
    first = text.strip().splitlines()[0] if text.strip() else "(empty)"
    return CourseError(f"{lesson.source}, the cell {first!r}: {reason}.")
