"""A learner's whole way through a lesson in JupyterLab, from the stub to the tick."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from teachgraph.course.messages import hints, say
from teachgraph.course.source import Source, read, without_markers
from teachgraph.course.table import Language, find
from teachgraph.course.wrong import WrongAnswer, wrong_answers
from tests.browser.lab import Lab
from tests.browser.watched import Notebook

Open = Callable[[str], Notebook]
PATHS = [
    pytest.param("05", "zh", "loses_the_batch", id="05-zh"),
    pytest.param("00", "en", "no_relu", id="00-en", marks=pytest.mark.full),
    pytest.param("02", "en", "overwrites", id="02-en", marks=pytest.mark.full),
]


class Learner:
    """Someone at a notebook, who also types commands."""

    def __init__(self, lab: Lab, number: str, language: Language) -> None:
        self.lab, self.source = lab, read(find(number))
        self.number, self.language = number, language

    def command(self, *words: str) -> tuple[int, str]:
        """Run `teachgraph course ...`: its exit code and what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", "teachgraph", "course", *words],
            capture_output=True,
            text=True,
            check=False,
            env=os.environ | {"TEACHGRAPH_HOME": str(self.lab.home / "teachgraph")},
        )
        return done.returncode, done.stdout + done.stderr

    def start(self) -> str:
        """Get the lesson's notebook: its name."""
        folder = str(self.lab.folder)
        where = ["--folder", folder, "--lang", self.language, "--exist-ok"]
        code, said = self.command("start", self.number, *where)
        assert code == 0, said
        end = ".zh.ipynb" if self.language == "zh" else ".ipynb"
        return self.source.lesson.name + end


def positions(source: Source) -> dict[tuple[str, str], int]:
    """The number of each exercise's cell, and of its check, among the code cells."""
    cells = [cell for cell in source.cells if cell.role != "text"]
    return {(cell.role, cell.task): i for i, cell in enumerate(cells) if cell.task}


def write(cell: Locator, code: str) -> None:
    """Replace what stands in a cell."""
    editor = cell.locator(".cm-content")
    editor.click()
    editor.press("Control+a")
    editor.page.keyboard.insert_text(code)


def wrong_idea(learner: Learner, name: str) -> WrongAnswer:
    """A known wrong answer of the lesson, by its name."""
    (answer,) = (
        one for one in wrong_answers(learner.source.lesson) if one.name == name
    )
    return answer


def ask_for_a_hint(lesson: Notebook, cell: Locator) -> Locator:
    """Run a check once more, and `%hint` in a new cell below it: that cell."""
    cell.locator(".jp-InputPrompt").click()
    lesson.page.keyboard.press("Control+Enter")
    lesson.page.keyboard.press("b")
    lesson.page.keyboard.press("Enter")
    lesson.page.keyboard.insert_text("%hint")
    lesson.page.keyboard.press("Control+Enter")
    return lesson.page.locator(".jp-CodeCell.jp-mod-selected")


def run_again(lesson: Notebook, *cells: Locator) -> None:
    """Run some cells once more, one after the other."""
    for cell in cells:
        cell.locator(".jp-InputPrompt").click()
        lesson.page.keyboard.press("Control+Enter")


class Way:
    """A learner's way through a notebook in JupyterLab.

    Attributes:
        hinted: 1 once the cell of a hint stands below the first check.
    """

    def __init__(self, learner: Learner, lesson: Notebook, artefacts: Path) -> None:
        self.learner, self.lesson, self.artefacts = learner, lesson, artefacts
        self.source, self.language = learner.source, learner.language
        self.places, self.tasks = positions(self.source), self.source.lesson.tasks
        self.code_cells = sum(cell.role != "text" for cell in self.source.cells)
        self.hinted = 0

    def cell(self, role: str, task: str) -> Locator:
        """The cell of an exercise or of its check."""
        below = self.hinted if task != self.tasks[0] else 0
        return self.lesson.cell(self.places[role, task] + below)

    def said(self, task: str) -> Locator:
        """The output of a check."""
        return self.cell("check", task).locator(".jp-OutputArea")

    def look(self, name: str) -> None:
        """Keep a picture of the page."""
        file = f"learner_{self.learner.number}_{self.language}_{name}.png"
        self.lesson.page.screenshot(path=self.artefacts / file)

    def run_all(self) -> None:
        """Run all cells, to the last."""
        self.lesson.run_all()
        self.lesson.wait_for_end(self.code_cells - 1 + self.hinted)

    def fail(self) -> None:
        """Run what is not written: the checks say so, in words."""
        self.run_all()
        said = self.said(self.tasks[0])
        unwritten = say("not_written", self.language, task=self.tasks[0])
        expect(said).to_contain_text(unwritten)
        expect(said).not_to_contain_text("Traceback")
        said.scroll_into_view_if_needed()
        self.look("fails")

    def ask(self) -> None:
        """Ask for a hint to the first task."""
        asked = ask_for_a_hint(self.lesson, self.cell("check", self.tasks[0]))
        hint = hints(self.source.lesson, self.tasks[0], self.language)[0].strip("`")
        expect(asked.locator(".jp-OutputArea")).to_contain_text(hint)
        self.hinted = 1
        self.look("hint")

    def solve(self, task: str) -> None:
        """Write the solution of a task, and run its cell."""
        cell = self.cell("exercise", task)
        write(cell, without_markers(self.source.exercise(task).text[self.language]))
        run_again(self.lesson, cell)

    def err(self, wrong: WrongAnswer) -> None:
        """Try a known wrong answer three times: the third time it is named."""
        exercise = self.cell("exercise", wrong.task)
        write(exercise, wrong.code)
        for _ in range(3):
            run_again(self.lesson, exercise, self.cell("check", wrong.task))
        expect(self.said(wrong.task)).to_contain_text(wrong.why[self.language])
        self.look("wrong")

    def pass_all(self) -> None:
        """Run all that is solved: every check says that it is right; save."""
        self.run_all()
        for task in self.tasks:
            right = say("right", self.language, task=task)
            expect(self.said(task)).to_contain_text(right)
        self.look("solved")
        self.lesson.page.keyboard.press("Control+s")
        self.lesson.wait_until_saved()


@pytest.mark.parametrize(("number", "language", "idea"), PATHS)
def test_open_run_fail_hint_solve_check_status(
    lab: Lab,
    notebook: Open,
    artefacts: Path,
    number: str,
    language: Language,
    idea: str,
) -> None:
    learner = Learner(lab, number, language)
    name = learner.start()
    lesson = notebook(name)
    way = Way(learner, lesson, artefacts)
    way.fail()
    way.ask()
    for task in way.tasks:
        way.solve(task)
    wrong = wrong_idea(learner, idea)
    way.err(wrong)
    way.solve(wrong.task)
    way.pass_all()

    code, said = learner.command("check", number, "--file", str(lab.folder / name))
    assert code == 0, said
    assert say("lesson_passed", language) in said
    status = learner.command("status", "--lang", language)[1]
    (row,) = (line for line in status.splitlines() if f" {number} " in line)
    assert say("state_passed", language) in row
    assert lesson.errors == []
    assert lesson.requests == []
