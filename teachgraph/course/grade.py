"""Grade a learner's notebook: their cells in a fresh kernel, our checks outside of it.

Everything runs as the learner wrote it, in order, until the end or until the time is
up, but for the check cells: where one stands, this process hands cases to what the
kernel has by then and judges what comes back. So no cell of the notebook, edited,
deleted or clever, has a say in a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from teachgraph.course.judging import Verdict as Judged
from teachgraph.course.judging import without_addresses
from teachgraph.course.messages import say
from teachgraph.course.notebook import build
from teachgraph.course.running import Run, first_line, marks, run_cells
from teachgraph.course.source import Source, unpaced
from teachgraph.course.table import CourseError, Language

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = [
    "Place",
    "Report",
    "Trouble",
    "Verdict",
    "grade",
    "language_of",
    "make_ready",
    "read_notebook",
    "report_of",
]

_IN_CELL = re.compile(r"Cell In\[(\d+)\], line (\d+)")
_KERNEL_FILE = re.compile(r" \([^()]*, line \d+\)$")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Place:
    """A line of the learner's notebook; cells and lines count from 1, 0: unknown."""

    cell: int = 0
    line: int = 0
    code: str = ""

    def __str__(self) -> str:
        line = f", line {self.line}: `{self.code}`" if self.line else ""
        return f"cell {self.cell}{line}"


@dataclass(frozen=True)
class Verdict:
    """The verdict on one exercise, with the learner's line it is about, and code.

    `sentence` is the id of the message, the same in every language.
    """

    task: str
    passed: bool
    message: str
    place: Place
    code: str = ""
    sentence: str = ""


@dataclass(frozen=True)
class Trouble:
    """An error of a cell that is no check, or its time-out."""

    message: str
    place: Place


@dataclass
class Report:
    """The outcome of grading one notebook."""

    notebook: Path
    language: Language = "en"
    verdicts: list[Verdict] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """True if every check passed; a lesson without exercises passes if it runs."""
        if self.verdicts:
            return all(verdict.passed for verdict in self.verdicts)
        return not self.troubles

    @property
    def tasks(self) -> dict[str, bool]:
        """For each task, True if all its checks passed."""
        tasks: dict[str, bool] = {}
        for verdict in self.verdicts:
            tasks[verdict.task] = tasks.get(verdict.task, True) and verdict.passed
        return tasks


def grade(source: Source, path: Path, seconds: float = 120) -> Report:
    """Run the notebook in `path` and judge its exercises.

    The whole run may take `seconds`; the cell that is running then is interrupted and
    the exercises after it are reported as not reached.

    Raises:
        CourseError: The file is no notebook, or one of another lesson, or its kernel
            can't be started.
    """
    notebook = read_notebook(path)
    number = source.lesson.number
    ours = notebook.metadata.get("teachgraph")
    other = ours.get("lesson", number) if isinstance(ours, dict) else number
    if other != number:
        facts = {"path": path, "other": other, "number": number}
        raise CourseError(say("other_lesson", language_of(notebook), **facts))
    make_ready(notebook, source)
    return report_of(notebook, path, run_cells(notebook, source.lesson, path, seconds))


def make_ready(notebook: NotebookNode, source: Source) -> None:
    """Forget what `notebook` showed, leave out its waiting, and restore its checks."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.source = unpaced(cell.source)
    restore_checks(notebook, source)


def read_notebook(path: Path) -> NotebookNode:
    """Read the notebook in `path`; raise CourseError if there is none."""
    import nbformat

    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except FileNotFoundError:
        raise CourseError(f"There is no notebook at {path}.") from None
    except Exception as error:
        reason = first_line(error)
        raise CourseError(f"{path} can't be read as a notebook: {reason}") from error
    return notebook


def restore_checks(notebook: NotebookNode, source: Source) -> None:
    """Replace the checks of `notebook`; insert a missing one behind its exercise."""
    from nbformat import from_dict

    for check in build(source, "instructor")["cells"]:
        ours = check["metadata"]["teachgraph"]
        if ours["role"] != "check":
            continue
        theirs = [i for i, cell in enumerate(notebook.cells) if _is(cell, ours["name"])]
        for position in theirs:
            notebook.cells[position] = from_dict(check)
        if not theirs:
            exercise = [
                i for i, cell in enumerate(notebook.cells) if _is(cell, ours["task"])
            ]
            behind = exercise[-1] + 1 if exercise else len(notebook.cells)
            notebook.cells.insert(behind, from_dict(check))


def report_of(notebook: NotebookNode, path: Path, run: Run) -> Report:
    """Put the outcome of a run into words."""
    language = language_of(notebook)
    report = Report(path, language=language)
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        ours = marks(cell)
        message, place = _error(notebook, cell)
        sentence = ""
        if index == run.ended:
            sentence, message = run.stop, say(run.stop, language, **run.values)
        elif index > run.ended:
            sentence = "not_reached"
            message = say(sentence, language, cell=run.ended + 1)
        if ours.get("role") == "check" and "task" in ours:
            judged = run.judged.get(index)
            if index == run.ended and run.asked is not None:
                place = _error(notebook, run.asked)[1]
            verdict = _verdict(notebook, ours["task"], judged, message, place, language)
            report.verdicts.append(
                replace(verdict, sentence=verdict.sentence or sentence)
            )
        elif message and index <= run.ended:
            report.troubles.append(Trouble(message, place or Place(index + 1)))
    return report


def _verdict(
    notebook: NotebookNode,
    task: str,
    judged: Judged | None,
    message: str,
    place: Place | None,
    language: Language,
) -> Verdict:
    """The verdict on one exercise: the root cause first, and where it is."""
    place, code = place or _definition(notebook, task), ""
    for cell in notebook.cells:
        if _is(cell, task):
            code = str(cell.source)
            trouble, line = _error(notebook, cell)
            if trouble and judged is not None and not judged.passed:
                said = say("cell_failed", language, error=trouble)
                return Verdict(task, False, said, line or place, code, "cell_failed")
    if judged is None:
        return Verdict(task, False, message, place)
    values = dict(judged.values)
    if lines := values.get("place"):
        line = _line(notebook, lines[0]["line"], lines[0]["code"])
        if line is not None:  # it stands beside the message
            place, values["place"] = line, lines if lines[1:] else []
        judged = replace(judged, values=values)
    said = judged.message(language)
    return Verdict(task, judged.passed, said, place, code, judged.sentence)


def language_of(notebook: NotebookNode) -> Language:
    """The language that a notebook was built in."""
    ours = notebook.metadata.get("teachgraph", {})
    return "zh" if isinstance(ours, dict) and ours.get("language") == "zh" else "en"


def _error(notebook: NotebookNode, cell: NotebookNode) -> tuple[str, Place | None]:
    """The error of a cell in words, and the learner's line, if known."""
    errors = [output for output in cell.outputs if output.output_type == "error"]
    if not errors:
        return "", None
    error = errors[-1]
    trace = _COLOUR.sub("", "\n".join(error.traceback))
    place = None
    for count, line in _IN_CELL.findall(trace):
        place = _counted(notebook, int(count), int(line))
    words = _KERNEL_FILE.sub("", error.evalue)
    return without_addresses(f"{error.ename}: {words}"), place


def _lines(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, Place]]:
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            for number, code in enumerate(cell.source.splitlines()):
                yield cell, Place(index + 1, number + 1, code.strip())


def _counted(notebook: NotebookNode, count: int, line: int) -> Place | None:
    """Return line `line` of the cell that ran as number `count`."""
    for cell, place in _lines(notebook):
        if cell.execution_count == count and place.line == line:
            return place
    return None


def _line(notebook: NotebookNode, line: int, code: str) -> Place | None:
    """Return the line that reads `code` and has the number `line` in its cell."""
    for _, place in _lines(notebook):
        if (place.line, place.code) == (line, code):
            return place
    return None


def _definition(notebook: NotebookNode, task: str) -> Place:
    """Return the line that defines `task`."""
    for cell, place in _lines(notebook):
        line = cell.source.splitlines()[place.line - 1]  # no method of that name
        if line.startswith((f"def {task}(", f"class {task}")):
            return place
    return Place()


def _is(cell: NotebookNode, name: str) -> bool:
    return cell.cell_type == "code" and marks(cell).get("name") == name
