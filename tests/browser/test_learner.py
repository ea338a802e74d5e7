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
    name, source = learner.start(), learner.source
    places, tasks = positions(source), source.lesson.tasks
    lesson = notebook(name)

    lesson.run_all()
    lesson.wait_for_end(sum(cell.role != "text" for cell in source.cells) - 1)
    first = lesson.cell(places["check", tasks[0]])
    unwritten = say("not_written", language, task=tasks[0])
    expect(first.locator(".jp-OutputArea")).to_contain_text(unwritten)
    expect(first.locator(".jp-OutputArea")).not_to_contain_text("Traceback")
    first.scroll_into_view_if_needed()
    lesson.page.screenshot(path=artefacts / f"learner_{number}_{language}_fails.png")

    asked = ask_for_a_hint(lesson, first)
    hint = hints(source.lesson, tasks[0], language)[0].strip("`")
    expect(asked.locator(".jp-OutputArea")).to_contain_text(hint)
    lesson.page.screenshot(path=artefacts / f"learner_{number}_{language}_hint.png")

    for task in tasks:
        after = task != tasks[0]  # the hint's cell stands in between
        cell = lesson.cell(places["exercise", task] + after)
        write(cell, without_markers(source.exercise(task).text[language]))
        run_again(lesson, cell)

    wrong = wrong_idea(learner, idea)
    exercise = lesson.cell(places["exercise", wrong.task] + 1)
    check = lesson.cell(places["check", wrong.task] + 1)
    write(exercise, wrong.code)
    for _ in range(3):
        run_again(lesson, exercise, check)
    expect(check.locator(".jp-OutputArea")).to_contain_text(wrong.why[language])
    lesson.page.screenshot(path=artefacts / f"learner_{number}_{language}_wrong.png")
    write(exercise, without_markers(source.exercise(wrong.task).text[language]))

    lesson.run_all()
    for task in tasks:
        check = lesson.cell(places["check", task] + (task != tasks[0]))
        right = say("right", language, task=task)
        expect(check.locator(".jp-OutputArea")).to_contain_text(right)
    lesson.wait_for_end(sum(cell.role != "text" for cell in source.cells))
    lesson.page.screenshot(path=artefacts / f"learner_{number}_{language}_solved.png")
    lesson.page.keyboard.press("Control+s")
    lesson.wait_until_saved()

    code, said = learner.command("check", number, "--file", str(lab.folder / name))
    assert code == 0, said
    assert say("lesson_passed", language) in said
    status = learner.command("status", "--lang", language)[1]
    (row,) = (line for line in status.splitlines() if f" {number} " in line)
    assert say("state_passed", language) in row
    assert lesson.errors == []
    assert lesson.requests == []
