"""`teachgraph course`, as people and programs call it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from teachgraph.cli import main
from teachgraph.course.source import read, without_markers
from teachgraph.course.table import find, root
from teachgraph.course.welcome import course_map


@dataclass
class Said:
    """What a command printed, and its exit code."""

    stdout: str
    stderr: str
    code: int


Run = Callable[..., Said]


@pytest.fixture
def work(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a home of its own."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def teachgraph(work: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, in this process."""

    def run(*arguments: str) -> Said:
        try:
            code = main(["course", *arguments])
        except SystemExit as leave:
            code = int(leave.code or 0)
        said = capsys.readouterr()
        return Said(said.out, said.err, code)

    return run


@pytest.fixture
def real_teachgraph(work: Path) -> Run:
    """The command as a shell runs it."""

    def run(*arguments: str) -> Said:
        command = [sys.executable, "-m", "teachgraph", "course", *arguments]
        done = subprocess.run(command, text=True, capture_output=True, check=False)
        return Said(done.stdout, done.stderr, done.returncode)

    return run


def solve(path: Path, lesson: str) -> None:
    """Write the solutions into a learner's notebook, as a learner would."""
    source = read(find(lesson))
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        ours = cell.metadata.teachgraph
        if ours.role == "exercise":
            cell.source = without_markers(source.exercise(ours.task).code)
    nbformat.write(notebook, path)


def test_list_has_every_lesson_and_marks_those_to_come(
    teachgraph: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = teachgraph("list").stdout.splitlines()
    assert len(lines) == 19
    assert lines[0] == "00  Four lines"
    assert lines[18] == "16  A small language model"
    rows = json.loads(teachgraph("list", "--json", "--lang", "zh").stdout)["lessons"]
    assert rows[2]["title"] == "磁带"
    assert rows[2]["ready"]
    assert rows[18]["ready"]
    (tmp_path / "lessons.toml").write_bytes((root() / "lessons.toml").read_bytes())
    monkeypatch.setenv("TEACHGRAPH_COURSE", str(tmp_path))
    planned = teachgraph("list").stdout.splitlines()
    assert planned[18] == "16  A small language model (coming)"


def test_start_never_overwrites(teachgraph: Run, work: Path) -> None:
    first = teachgraph("start", "02")
    path = work / "02_the_tape.ipynb"
    assert first.code == 0
    assert str(path) in first.stdout
    path.write_text("an hour of work")
    again = teachgraph("start", "2")
    assert again.code == 1
    assert f"there already: {path}" in again.stdout
    assert path.read_text() == "an hour of work"
    assert teachgraph("start", "2", "--exist-ok").code == 0
    assert path.read_text() == "an hour of work"


def test_start_says_where_progress_is_kept_and_how_to_begin_anew(
    teachgraph: Run, home: Path
) -> None:
    said = (
        f"Your progress is kept in {home / 'progress.json'} (to begin anew, delete it)."
    )
    assert teachgraph("start", "02").stdout.splitlines()[-1] == said
    assert teachgraph("start", "02").stdout.splitlines()[-1] == said
    assert "保存在" in teachgraph("start", "02", "--lang", "zh").stdout
    shown = " ".join(teachgraph("start", "--help").stdout.split())
    assert "progress.json in the user's data folder" in shown
    assert "To begin anew, delete or rename that file" in shown
    (home / "progress.json").unlink()
    assert "◐" not in teachgraph("status").stdout


def test_start_in_chinese_into_a_new_folder(
    teachgraph: Run, work: Path, home: Path
) -> None:
    done = teachgraph("start", "00", "--lang", "zh", "--folder", "课程", "--json")
    data = json.loads(done.stdout)
    path = work / "课程" / "00_four_lines.zh.ipynb"
    assert data == {
        "lesson": "00",
        "notebook": str(path),
        "created": True,
        "progress": str(home / "progress.json"),
    }
    assert nbformat.read(path, as_version=4).cells[0].source.startswith("# 四行代码")


@pytest.mark.notebook
@pytest.mark.slow
def test_a_learner_goes_through_a_lesson(real_teachgraph: Run, work: Path) -> None:
    real_teachgraph("start", "02")
    unwritten = real_teachgraph("check", "02")
    assert unwritten.code == 1
    assert "not yet  arrivals: not written yet" in unwritten.stdout
    assert "line 1: `def arrivals(loss):`" in unwritten.stdout
    assert "0 of 6 exercises are right." in unwritten.stdout
    assert "◐ 02  The tape: 0 of 6 right" in real_teachgraph("status").stdout

    solve(work / "02_the_tape.ipynb", "02")
    passed = real_teachgraph("check", "02", "--json")
    report = json.loads(passed.stdout)
    assert passed.code == 0
    assert report["passed"]
    assert [verdict["task"] for verdict in report["verdicts"]] == [
        "runs_of_a_rule",
        "arrivals",
        "arrive_at_x",
        "backward",
        "accumulate",
        "after_two_passes",
    ]
    assert report["troubles"] == []
    assert report["kept"] == ["arrivals", "backward", "accumulate"]
    status = real_teachgraph("status").stdout
    assert "● 02  The tape: passed" in status
    assert "Your framework: " in status
    program = real_teachgraph("mine", "--file", "framework.py")
    assert program.code == 0
    assert runs_on_its_own(work / "framework.py")


def runs_on_its_own(path: Path) -> bool:
    """Tell whether the printed framework differentiates, with nothing but NumPy."""
    text = path.read_text("utf-8")
    imported = re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
    trial = (
        "x = Tensor(2.0, stop_gradient=False)\n"
        "y = x * x\n"
        "print(backward((y * 3.0) * (y + 1.0))[x])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", f"{text}\n{trial}"],
        capture_output=True,
        text=True,
        check=True,
    )
    library = {"numpy", "collections", "contextlib"}
    return set(imported) <= library and done.stdout == "108.0\n"


def test_hints_come_one_at_a_time(teachgraph: Run) -> None:
    first = teachgraph("hint", "02", "arrivals").stdout
    assert first.startswith("arrivals, hint 1 of 3: ")
    assert "Ask again" in first
    second = json.loads(teachgraph("hint", "02", "arrivals", "--json").stdout)
    assert (len(second["hints"]), second["of"]) == (2, 3)
    assert "That was the last" in teachgraph("hint", "02", "arrivals").stdout
    chinese = teachgraph("hint", "02", "backward", "--lang", "zh").stdout
    assert chinese.startswith("backward，第 1 条提示，共 3 条：用字典")


def test_the_solution_can_be_read_and_written(teachgraph: Run, work: Path) -> None:
    shown = teachgraph("solution", "02", "backward").stdout
    assert shown.startswith("def backward(loss, ")
    assert "SOLUTION" not in shown
    assert teachgraph("solution", "02", "--notebook", "solved.ipynb").code == 0
    assert nbformat.read(work / "solved.ipynb", as_version=4).cells
    assert teachgraph("solution", "02", "--notebook", "solved.ipynb").code == 1
    teachgraph("solution", "02", "--notebook", "nbgrader.ipynb", "--markers")
    assert "### BEGIN SOLUTION" in (work / "nbgrader.ipynb").read_text("utf-8")
    assert "### BEGIN SOLUTION" not in (work / "solved.ipynb").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["start", "99"], "There is no lesson '99'; the lessons are 00, 01, "),
        (["check", "02"], "not started lesson 02 yet: teachgraph course start 02"),
        (["check", "02", "--file", "gone.ipynb"], "There is no notebook at"),
        (["hint", "02", "nothing"], "it has: runs_of_a_rule, arrivals,"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(
    teachgraph: Run, arguments: list[str], reason: str
) -> None:
    refused = teachgraph(*arguments)
    assert refused.code == 2
    assert reason in refused.stderr
    assert "Traceback" not in refused.stderr
    as_data = teachgraph(*arguments, "--json")
    assert as_data.code == 2
    assert reason in json.loads(as_data.stdout)["error"]


@pytest.mark.parametrize("seconds", ["0", "-3", "soon", "nan", "inf"])
def test_a_time_limit_is_a_positive_number(teachgraph: Run, seconds: str) -> None:
    refused = teachgraph("check", "02", "--seconds", seconds)
    assert refused.code == 2
    assert "--seconds" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_notebook_at_a_path_is_the_one_that_is_checked(
    teachgraph: Run, work: Path
) -> None:
    teachgraph("start", "02")
    other = work / "other" / "02_the_tape.ipynb"
    other.parent.mkdir()
    other.write_text("no notebook", "utf-8")
    assert str(other) in teachgraph("check", str(other)).stderr


def test_a_damaged_progress_file_is_set_aside(teachgraph: Run, home: Path) -> None:
    home.mkdir()
    (home / "progress.json").write_text("{")
    status = teachgraph("status")
    assert status.code == 0
    assert "The progress file was damaged; it is kept as" in status.stdout
    assert (home / "progress.damaged-1.json").read_text() == "{"


def test_every_action_explains_itself(teachgraph: Run) -> None:
    overview = teachgraph("--help").stdout
    for action in (
        "list",
        "start",
        "check",
        "hint",
        "solution",
        "status",
        "mine",
        "welcome",
    ):
        assert action in overview
        page = teachgraph(action, "--help")
        assert page.code == 0
        assert "--json" in page.stdout


def test_each_language_has_a_notebook_of_its_own(teachgraph: Run, work: Path) -> None:
    teachgraph("start", "02")
    teachgraph("start", "02", "--lang", "zh")
    chinese = teachgraph("check", "02", "--lang", "zh", "--seconds", "0.001")
    assert str(work / "02_the_tape.zh.ipynb") in chinese.stdout
    english = teachgraph("check", "02", "--lang", "en", "--seconds", "0.001")
    assert str(work / "02_the_tape.ipynb") in english.stdout


def test_the_start_page_leaves_a_changed_notebook_of_the_gallery_alone(
    teachgraph: Run, work: Path
) -> None:
    teachgraph("welcome")
    (work / "Welcome.ipynb").unlink()
    changed = work / "gallery" / "digits_lenet.ipynb"
    changed.write_text("mine")
    assert teachgraph("welcome").code == 0
    assert changed.read_text() == "mine"
    assert (work / "Welcome.ipynb").is_file()


def test_the_start_page_draws_the_map_and_a_picture(
    teachgraph: Run, work: Path
) -> None:
    for language in ("en", "zh"):
        folder = work / language
        done = teachgraph("welcome", "--folder", str(folder), "--lang", language)
        assert done.code == 0
        page = nbformat.read(folder / "Welcome.ipynb", as_version=4)
        nbformat.validate(page)
        assert page.cells[2].source.startswith("%%trace")
        assert "course_map(" in page.cells[4].source
        links = re.findall(r"\]\((\S+)\)", page.cells[5].source)
        assert set(links) == {
            f"gallery/{path.name}" for path in (folder / "gallery").iterdir()
        }
        for link in links:
            nbformat.validate(nbformat.read(folder / link, as_version=4))
    teachgraph("start", "00", "--folder", ".")
    drawn = course_map()._repr_mimebundle_()
    assert "◐ 00  Four lines: started" in drawn["text/plain"]
    assert '<a href="00_four_lines.ipynb">Four lines</a>' in drawn["text/html"]
