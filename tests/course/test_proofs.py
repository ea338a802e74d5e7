"""Each lesson in a real kernel, both languages: solved it passes, unsolved it says so.

The notebooks are judged by nbval, which knows nothing of our checks: a solved check
must print what a pass prints; an unwritten one must raise exactly its friendly message,
and no other cell may raise at all. So a leaked solution fails here.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from teachgraph.course.notebook import Kind, build
from teachgraph.course.source import Source, read
from teachgraph.course.table import LANGUAGES, Language, Lesson, lessons

READY = [lesson for lesson in lessons() if lesson.built]
pytestmark = [pytest.mark.notebook, pytest.mark.slow]


def nbval(path: Path) -> tuple[int, int, str]:
    """How many cells passed and failed under `pytest --nbval-lax`, and what it said."""
    settings = path.parent / "pytest.ini"
    settings.write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(settings), str(path)]
    command += ["-p", "no:cacheprovider", "--nbval-lax", "--nbval-cell-timeout=60"]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", done.stdout)}
    return counts.get("passed", 0), counts.get("failed", 0), done.stdout


def write(folder: Path, notebook: dict) -> Path:
    path = folder / "lesson.ipynb"
    path.write_text(json.dumps(notebook), "utf-8")
    return path


@pytest.mark.parametrize("kind", ["solution", "learner"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("lesson", READY, ids=lambda lesson: lesson.name)
def test_a_lesson_does_what_it_says(
    lesson: Lesson, language: Language, kind: Kind, tmp_path: Path
) -> None:
    source = read(lesson)
    path = write(tmp_path, build(source, kind, language))
    code_cells = sum(cell.role != "text" for cell in source.cells)
    passed, failed, said = nbval(path)
    assert (passed, failed) == (code_cells, 0), said


def test_a_leaked_solution_would_be_caught(sample: Source, tmp_path: Path) -> None:
    handed_out = build(sample, "learner")
    solved = build(sample, "solution")
    handed_out["cells"][3]["source"] = solved["cells"][3]["source"]
    passed, failed, _ = nbval(write(tmp_path, handed_out))
    assert (passed, failed) == (4, 1)


def test_a_check_that_says_nothing_would_be_caught(
    sample: Source, tmp_path: Path
) -> None:
    solved = build(sample, "solution")
    solved["cells"][4]["source"] = "pass"
    passed, failed, _ = nbval(write(tmp_path, solved))
    assert (passed, failed) == (4, 1)
