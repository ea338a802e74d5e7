"""Writing a lesson: begun from the template, looked at on each save, accepted."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import IO

import pytest

from teachgraph.course import author
from teachgraph.course.table import CourseError, find, lessons, root, rows_of

TABLE = root() / "lessons.toml"


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A course of the writer's own: the table, and lesson 08 from the template."""
    folder = tmp_path / "course"
    folder.mkdir()
    shutil.copy(TABLE, folder)
    monkeypatch.setenv("TEACHGRAPH_COURSE", str(folder))
    author.begin("08")
    return folder


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def test_a_new_lesson_runs_and_says_what_it_lacks(course: Path) -> None:
    findings = author.inspect(find("08"))
    assert findings.problems == [
        "2 lines of the learner's, at least 14",
        "1 tasks, at least 2",
        "1 quiz items, at least 3",
    ]
    assert "double: 100% of 10 mutants noticed" in findings.figures
    assert findings.introduces == ["%load_ext", "course.checks.begin"]
    assert "控制流" in find("08").source.read_text("utf-8")


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("lesson.py", "return 2 * x", "return 3 * x", "check double: CheckFailed"),
        ("lesson.py", "return 2 * x", "return 2 x", "double: SyntaxError"),
        ("checks.py", "== x + x", "> -9", "wrong/squares: says 'shows', not 'wrong'"),
        ("checks.py", "== x + x", "> -9", "double: 50% of 10 mutants noticed"),
        ("wrong/squares.py", "2 * x", "3 * x", "the solution has '3 * x' 0 times"),
        ("messages.toml", "`return ... * x`", "`", ""),
    ],
)
def test_what_is_wrong_is_found(
    course: Path, file: str, old: str, new: str, said: str
) -> None:
    lesson = find("08")
    if file == "messages.toml":
        text = (lesson.folder / file).read_text("utf-8")
        last = text.rindex("    { en = ")
        (lesson.folder / file).write_text(f"{text[:last]}]\n", "utf-8")
        said = "double: 2 hints in zh, not 3"
    else:
        edit(lesson.folder / file, old, new)
    problems = author.inspect(lesson).problems
    assert any(said in problem for problem in problems), problems


def test_accepting_changes_the_row_of_the_lesson_and_no_other(course: Path) -> None:
    before = tomllib.loads(TABLE.read_text("utf-8"))["lesson"]
    assert author.accept("08") == ["%load_ext", "course.checks.begin"]
    after = tomllib.loads((course / "lessons.toml").read_text("utf-8"))["lesson"]
    changed = [
        row["folder"] for row, was in zip(after, before, strict=True) if row != was
    ]
    assert changed == ["08_control_flow"]
    rows_of.cache_clear()
    assert author.inspect(find("08")).introduces is None


def test_accepting_again_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table in the repository is as `accept` writes it."""
    shutil.copytree(TABLE.parent, tmp_path / "course")
    monkeypatch.setenv("TEACHGRAPH_COURSE", str(tmp_path / "course"))
    for lesson in lessons():
        if lesson.built:
            author.accept(lesson.number)
    written = tmp_path / "course" / "lessons.toml"
    assert written.read_text("utf-8") == TABLE.read_text("utf-8")


def test_nothing_that_is_there_is_overwritten(course: Path) -> None:
    with pytest.raises(CourseError, match="is there already"):
        author.begin("08")
    with pytest.raises(CourseError, match="no row for a lesson '99'"):
        author.begin("99")


@pytest.mark.slow
def test_a_save_is_looked_at(course: Path) -> None:
    command = [sys.executable, "-m", "teachgraph", "course", "author", "watch", "08"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        assert report(watching.stdout)[-2:][0] == "3 to mend"
        edit(find("08").source, "return 2 * x", "return 3 * x")
        assert any(
            "check double: CheckFailed" in said for said in report(watching.stdout)
        )
        os.kill(watching.pid, signal.SIGINT)
        watching.communicate()
    assert watching.returncode == 1


def report(stream: IO[str]) -> list[str]:
    """The lines of one look, up to its time."""
    lines: list[str] = []
    for line in stream:
        lines.append(line.rstrip())
        if line.endswith(" s\n") and line[0].isdigit():
            break
    return lines
