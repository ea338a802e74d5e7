"""Mark one notebook of a class: what is right, what would be, and why it is not.

A task that fails may fail for the sake of an earlier one. So a notebook with mistakes
runs again, with our solution in the place of each wrong answer as soon as it is
judged: a task that passes then is right, *given* those before it. Whatever stopped a
run is left out of the next one, so that nothing hides the tasks behind it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from teachgraph.course.classroom.dependencies import needed_by
from teachgraph.course.classroom.kernel import Kernel
from teachgraph.course.classroom.marks import Mark, Marked, Outcome
from teachgraph.course.classroom.walls import Limits, Walls
from teachgraph.course.grade import (
    Place,
    Report,
    Verdict,
    language_of,
    make_ready,
    report_of,
)
from teachgraph.course.judging import Ask, Perform, Wrong, read_answer
from teachgraph.course.judging import Verdict as Judged
from teachgraph.course.messages import common, say
from teachgraph.course.notebook import build
from teachgraph.course.plain import encoded
from teachgraph.course.running import Running, marks
from teachgraph.course.source import Source, unpaced, without_markers
from teachgraph.course.table import LANGUAGES, Language

if TYPE_CHECKING:
    from nbformat import NotebookNode

__all__ = ["Rooms", "mark"]

NOTES = 5
"""As many errors of a notebook's other cells are told."""


@dataclass(frozen=True)
class Rooms:
    """Folders: to work in, to be at home in, and the one that nobody may look into."""

    work: Path
    home: Path
    secret: Path


class Forked(Running):
    """A notebook on its way through a forked process.

    Args:
        notebook: Its cells, which get their outputs.
        source: The lesson.
        given: Its code cells as they are handed out.
        instead: Code in the place of cells, by position.
        mend: Put our solution in the place of an answer that was judged wrong.
    """

    def __init__(
        self,
        notebook: NotebookNode,
        source: Source,
        given: list[dict[str, Any]],
        instead: Mapping[int, str],
        *,
        mend: bool,
    ) -> None:
        super().__init__(notebook, source.lesson)
        self.source, self.instead, self.mend = source, instead, mend
        self.language = language_of(notebook)
        self.shows = {
            unpaced(cell["source"])
            for cell in given
            if "long" in cell["metadata"].get("tags", ())
        }
        self.seconds: dict[str, float] = {}
        self.seen: list[str] = []

    def inside(self, rooms: Rooms, limits: Limits) -> None:
        """Run in a process of its own, between walls, until it has ended."""
        walls = Walls(rooms.work, rooms.secret, self.language, limits)
        self.kernel = Kernel(walls, self.lesson, rooms.home)
        try:
            self.all()
        finally:
            self.seen = self.kernel.seen
            self.kernel.close()

    def execute(self, cell: NotebookNode) -> None:
        """Run a cell; one that only trains and shows, as we gave it, is left out."""
        code = self.instead.get(self.run.ended, cell.source)
        tags = cell.metadata.get("tags", ())
        if cell.cell_type != "code" or "skip-execution" in tags or code in self.shows:
            return
        self.perform(code, cell)

    def perform(self, code: str, cell: NotebookNode | None = None) -> None:
        """Run code, as a cell of the notebook or for ourselves."""
        from nbformat.v4 import new_output

        reply = self.kernel.ask(code=code, counted=cell is not None)
        if cell is None:
            return
        answer = reply["answer"]
        self.add_time(str(marks(cell).get("task", "")), reply)
        cell.execution_count = answer["count"]
        if "ename" in answer:
            error = {name: answer[name] for name in ("ename", "evalue", "traceback")}
            cell.outputs.append(new_output("error", **error))

    def asker(self, task: str) -> Ask:
        """A way to ask the process."""

        def ask(perform: Perform, *case: Any) -> Any:
            question = {"task": task, "perform": perform.__name__}
            reply = self.kernel.ask(**question, case=encoded(case))
            self.add_time(task, reply)
            if not isinstance(reply["answer"], dict):
                raise Wrong("silent")
            return read_answer(reply["answer"])

        return ask

    def add_time(self, task: str, reply: Mapping[str, Any]) -> None:
        """Count the time of a reply for a task."""
        self.seconds[task] = self.seconds.get(task, 0.0) + float(reply["seconds"])

    def after(self, verdict: Judged) -> None:
        """Mend a wrong answer, for the tasks behind it."""
        if self.mend and not verdict.passed:
            self.perform(solution(self.source, verdict.task, self.language))


def solution(source: Source, task: str, language: Language = "en") -> str:
    """Our own answer to a task."""
    return without_markers(source.exercise(task).text[language])


def mark(
    source: Source, notebook: NotebookNode, path: Path, rooms: Rooms, limits: Limits
) -> Marked:
    """Mark a notebook.

    Args:
        source: The lesson.
        notebook: As it was handed in.
        path: Its name in messages.
        rooms: The folders that its process has.
        limits: Of each run.
    """
    marking = Marking(source, notebook, path, rooms, limits)
    return marking.marked()


class Marking:
    """One notebook that is marked: its runs, and what comes out of them."""

    def __init__(
        self,
        source: Source,
        notebook: NotebookNode,
        path: Path,
        rooms: Rooms,
        limits: Limits,
    ) -> None:
        self.source, self.path, self.rooms, self.limits = source, path, rooms, limits
        self.language = language_of(notebook)
        self.given = built_cells(source, self.language)
        self.flags = tampered(notebook, self.given)
        self.hints = hints_in(notebook)
        make_ready(notebook, source)
        self.notebook = notebook
        self.instead: dict[int, str] = {}
        self.stops: dict[str, Verdict] = {}
        self.seconds: dict[str, float] = {}

    def marked(self) -> Marked:
        """Run as often as it takes; put the marks together."""
        report, run = self.attempt(mend=False)
        before = after = merged(report)
        wrong = [task for task, verdict in before.items() if not verdict.passed]
        again = len(wrong) > 1
        if run.run.stop:
            again = self.leave_out(run) or any(task not in self.stops for task in wrong)
        for _ in self.notebook.cells if again else ():
            report_after, run = self.attempt(mend=True)
            after = merged(report_after)
            if not run.run.stop or not self.leave_out(run):
                break
        done: list[Mark] = []
        for task in self.source.lesson.tasks:
            if task in before:
                roots = [mark.task for mark in done if mark.outcome == "wrong"]
                done.append(self.mark(task, before[task], after[task], roots))
        notes = [f"{trouble.place}: {trouble.message}" for trouble in report.troubles]
        return Marked(done, notes[:NOTES], self.flags, self.language)

    def attempt(self, *, mend: bool) -> tuple[Report, Forked]:
        """Run the notebook once."""
        notebook = deepcopy(self.notebook)
        run = Forked(notebook, self.source, self.given, self.instead, mend=mend)
        run.inside(self.rooms, self.limits)
        for task, seconds in run.seconds.items():
            self.seconds[task] = max(seconds, self.seconds.get(task, 0.0))
        self.flag(run.seen)
        return report_of(notebook, self.path, run.run), run

    def flag(self, words: list[str]) -> None:
        """Note what a teacher should look at, once."""
        self.flags += [said for said in words if said not in self.flags]

    def leave_out(self, run: Forked) -> bool:
        """Leave out of the next run what has stopped this one; False if it is ours."""
        position = run.run.ended
        cell = self.notebook.cells[position]
        ours = marks(cell)
        task, guilty = str(ours.get("task", "")), [position]
        if ours.get("role") == "check":
            guilty = [
                i for i, one in enumerate(self.notebook.cells) if is_exercise(one, task)
            ]
        if all(one in self.instead for one in guilty):
            return False
        for one in guilty:
            self.instead[one] = self.given_code(self.notebook.cells[one])
        said = say(run.run.stop, self.language, **run.run.values)
        place = Place(position + 1)
        if task:
            self.stops[task] = Verdict(task, False, said, place, "", run.run.stop)
            if run.run.stop == "stopped_time":
                self.seconds[task] = self.limits.seconds
        else:
            self.flag([f"{place}: {said}"])
        return True

    def given_code(self, cell: NotebookNode) -> str:
        """Our own code of a cell: nothing, if it is the learner's own."""
        ours = marks(cell)
        for given in self.given:
            if given["metadata"]["teachgraph"]["name"] == ours.get("name"):
                return without_markers(given["source"])
        return ""

    def mark(
        self,
        task: str,
        first: Verdict,
        then: Verdict,
        roots: list[str],
    ) -> Mark:
        """The mark of a task.

        Args:
            task: Its name.
            first: The verdict on the notebook as it is.
            then: That with ours in the place of wrong answers.
            roots: The tasks before it that are wrong themselves.
        """
        about: dict[str, Any] = {"hints": self.hints.get(task, 0)}
        about["seconds"] = round(self.seconds.get(task, 0.0), 3)
        if first.passed:
            return noted(task, "right", first, about)
        if stop := self.stops.get(task):
            place = first.place if first.place.line else stop.place
            return noted(task, "wrong", replace(stop, place=place), about)
        if not then.passed:
            return noted(task, "wrong", then, about)
        given = self.reasons(task, first, roots)
        if not given:
            return noted(task, "right", then, about)
        said = say("right_given", self.language, names=", ".join(given))
        about["given"] = given
        return noted(task, "given", replace(then, message=said), about)

    def reasons(self, task: str, first: Verdict, roots: list[str]) -> list[str]:
        """The wrong tasks that a task needs; empty if it was hidden by a stop only."""
        quizzes = {cell.task for cell in self.source.exercises if "quiz" in cell.tags}
        wrong = [one for one in roots if one not in quizzes]
        codes = [
            cell.source for cell in self.notebook.cells if cell.cell_type == "code"
        ]
        needed = needed_by(task, codes)
        used = [one for one in wrong if one in needed]
        return used if used or first.sentence == "not_reached" else wrong


def noted(
    task: str, outcome: Outcome, verdict: Verdict, about: Mapping[str, Any]
) -> Mark:
    """A mark with what a verdict says."""
    said, place = verdict.message, verdict.place
    return Mark(
        task, outcome, sentence=verdict.sentence, message=said, place=place, **about
    )


def merged(report: Report) -> dict[str, Verdict]:
    """The verdicts by task: of a check that stands twice the one that failed."""
    verdicts: dict[str, Verdict] = {}
    for verdict in report.verdicts:
        if verdict.task not in verdicts or not verdict.passed:
            verdicts[verdict.task] = verdict
    return verdicts


def is_exercise(cell: NotebookNode, task: str) -> bool:
    """Tell whether a cell is the exercise of a task."""
    ours = marks(cell)
    return ours.get("role") == "exercise" and ours.get("task") == task


def built_cells(source: Source, language: Language) -> list[dict[str, Any]]:
    """The code cells that the notebook of a lesson is handed out with."""
    cells = build(source, "instructor", language)["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def tampered(notebook: NotebookNode, given: list[dict[str, Any]]) -> list[str]:
    """Name the checks that are not as the given cells have them."""
    language, flags = language_of(notebook), []
    for check in given:
        ours = check["metadata"]["teachgraph"]
        if ours["role"] != "check":
            continue
        theirs = [
            one for one in notebook.cells if marks(one).get("name") == ours["name"]
        ]
        sentence = ""
        if not theirs:
            sentence = "check_missing"
        elif (
            any(one.cell_type != "code" for one in theirs)
            or any(one.source.strip() != check["source"].strip() for one in theirs)
            or any("skip-execution" in one.metadata.get("tags", ()) for one in theirs)
        ):
            sentence = "check_altered"
        elif len(theirs) > 1:
            sentence = "check_twice"
        if sentence:
            flags.append(say(sentence, language, task=ours["task"]))
    return flags


def hints_in(notebook: NotebookNode) -> dict[str, int]:
    """By task the number of hints that a notebook shows: what `%hint` has printed."""
    hints: dict[str, int] = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if output.get("output_type") == "stream":
                for language in LANGUAGES:
                    for task, number in hint_lines_in(str(output.text), language):
                        hints[task] = max(number, hints.get(task, 0))
    return hints


def hint_lines_in(text: str, language: Language) -> list[tuple[str, int]]:
    """Task and number of each hint in a text."""
    pattern = re.escape(common()["hint"][language])
    for name, what in (("task", r"(\w+)"), ("position", r"(\d+)"), ("count", r"\d+")):
        pattern = pattern.replace(re.escape(f"{{{name}}}"), what)
    pattern = pattern.replace(re.escape("{text}"), "")
    return [(task, int(number)) for task, number in re.findall(pattern, text)]
