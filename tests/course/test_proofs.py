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
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from teachgraph.course.notebook import Kind, build
from teachgraph.course.source import Source, read
from teachgraph.course.table import LANGUAGES, Lesson, lessons

READY = [lesson for lesson in lessons() if lesson.built]
pytestmark = [pytest.mark.notebook, pytest.mark.slow]


def nbval(folder: Path) -> tuple[int, int, str]:
    """Count the cells that pass and fail under `pytest --nbval-lax`; with its words."""
    settings = folder / "pytest.ini"
    settings.write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "-c", str(settings), str(folder)]
    command += ["-p", "no:cacheprovider", "--nbval-lax", "--nbval-cell-timeout=60"]
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    counts = {word: int(n) for n, word in re.findall(r"(\d+) (\w+)", done.stdout)}
    return counts.get("passed", 0), counts.get("failed", 0), done.stdout


def write(folder: Path, notebook: dict[str, Any], name: str = "lesson") -> None:
    (folder / f"{name}.ipynb").write_text(json.dumps(notebook), "utf-8")


KINDS: tuple[Kind, ...] = ("solution", "learner")
EACH = [*zip(KINDS, LANGUAGES, strict=True)]
ALL = [*product(KINDS, LANGUAGES)]

# An early lesson and a late one; `test_lessons.py` rehearses all without a kernel.
QUICK = {"02", "C2"}


@pytest.mark.parametrize(
    ("lesson", "books"),
    [
        *[pytest.param(one, EACH, id=one.name) for one in READY if one.number in QUICK],
        *[
            pytest.param(one, ALL, id=f"{one.name}-all", marks=pytest.mark.full)
            for one in READY
        ],
    ],
)
def test_solved_it_passes_and_unsolved_it_says_so(
    lesson: Lesson, books: list[tuple[Kind, str]], tmp_path: Path
) -> None:
    """Each kind and language of a few lessons; every pair of all in `make full`."""
    source = read(lesson)
    for kind, language in books:
        write(tmp_path, build(source, kind, language), f"{kind}-{language}")
    code_cells = sum(cell.role != "text" for cell in source.cells)
    passed, failed, said = nbval(tmp_path)
    assert (passed, failed) == (len(books) * code_cells, 0), said


def test_a_leaked_solution_would_be_caught(sample: Source, tmp_path: Path) -> None:
    handed_out = build(sample, "learner")
    solved = build(sample, "solution")
    handed_out["cells"][3]["source"] = solved["cells"][3]["source"]
    write(tmp_path, handed_out)
    passed, failed, _ = nbval(tmp_path)
    assert (passed, failed) == (4, 1)


def test_a_check_that_says_nothing_would_be_caught(
    sample: Source, tmp_path: Path
) -> None:
    solved = build(sample, "solution")
    solved["cells"][4]["source"] = "pass"
    write(tmp_path, solved)
    passed, failed, _ = nbval(tmp_path)
    assert (passed, failed) == (4, 1)
