"""nbgrader, in an environment of its own, takes our assignments as they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from teachgraph.course.classroom.release import release
from teachgraph.course.source import Source, read, without_markers
from teachgraph.course.table import find
from tests.course.conftest import SAMPLE

pytestmark = [pytest.mark.notebook, pytest.mark.slow]

PYTHON = Path(__file__).parents[3] / ".cache" / "nbgrader" / "bin" / "python"
SCRIPT = Path(__file__).parent / "in_nbgrader.py"


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Variables that make `python3` a kernel of this environment."""
    if not PYTHON.exists():
        pytest.skip("nbgrader is not installed: make .cache/nbgrader/.packages")
    kernel = tmp_path / "jupyter" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "teachgraph", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    path = f"{PYTHON.parent}{os.pathsep}{os.environ['PATH']}"  # it runs alembic
    return {**os.environ, "JUPYTER_PATH": str(tmp_path / "jupyter"), "PATH": path}


def nbgrader(
    folder: Path,
    source: Source,
    environment: dict[str, str],
    answers: dict[str, dict[str, str]],
) -> dict[str, dict[str, float]]:
    """The points that nbgrader gives for answers, by student."""
    command = [str(PYTHON), str(SCRIPT), str(folder), source.lesson.name]
    command.append(json.dumps(answers))
    run = partial(subprocess.run, text=True, capture_output=True, check=False)
    done = run(command, env=environment, cwd=folder)
    assert done.returncode == 0, done.stderr[-4000:]
    points: dict[str, dict[str, float]] = json.loads(done.stdout)
    return points


def answers_but(source: Source, wrong: str) -> dict[str, str]:
    """Our solutions to all tasks but one."""
    return {
        cell.task: without_markers(cell.code)
        for cell in source.exercises
        if cell.task != wrong
    }


@pytest.mark.parametrize(
    ("course", "number", "students"),
    [
        (SAMPLE, "00", {"eve": "halve"}),
        pytest.param(
            None, "02", {"ada": "", "eve": "accumulate"}, marks=pytest.mark.full
        ),
    ],
)
def test_nbgrader_takes_an_assignment_unchanged(
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    course: Path | None,
    number: str,
    students: dict[str, str],
) -> None:
    if course is not None:
        monkeypatch.setenv("TEACHGRAPH_COURSE", str(course))
        environment["TEACHGRAPH_COURSE"] = str(course)
    source = read(find(number))
    name, folder = source.lesson.name, tmp_path / "class"
    release(folder, [source.lesson], "en", nbgrader=True)
    answers = {one: answers_but(source, wrong) for one, wrong in students.items()}
    points = nbgrader(folder, source, environment, answers)
    assert points == {
        student: {f"check-{task}": float(task != wrong) for task in source.lesson.tasks}
        for student, wrong in students.items()
    }
    released = (folder / "release" / name / f"{name}.ipynb").read_text("utf-8")
    assert released.count("raise NotImplementedError()") == len(source.exercises)
    assert "SOLUTION" not in released
    page = folder / "feedback" / "eve" / name / f"{name}.html"
    assert "not written yet" in page.read_text("utf-8")
