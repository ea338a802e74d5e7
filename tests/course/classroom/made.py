"""A class to grade, made up: solved notebooks, wrong answers, mutants and hostile ones.

`python -m tests.course.classroom.made FOLDER` writes one of forty students.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from teachgraph.course.mutants import mutants
from teachgraph.course.notebook import Kind, build
from teachgraph.course.source import Source, read_once, without_markers
from teachgraph.course.table import Language, Lesson, find
from teachgraph.course.wrong import wrong_answers

LESSONS = ("01", "02", "06")
STUDENTS = 40


def handed_in(
    folder: Path,
    source: Source,
    answers: Mapping[str, str] | None = None,
    *,
    kind: Kind = "solution",
    language: Language = "en",
    first: str = "",
) -> Path:
    """Write a notebook with answers of somebody's own, and maybe a cell before all."""
    notebook = build(source, kind, language)
    for cell in notebook["cells"]:
        ours = cell["metadata"]["teachgraph"]
        if ours["role"] == "exercise" and ours["task"] in (answers or {}):
            cell["source"] = answers[ours["task"]]
    if first:
        notebook["cells"].insert(0, own_cell(first))
    end = "" if language == "en" else f".{language}"
    path = folder / f"{source.lesson.name}{end}.ipynb"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), "utf-8")
    return path


def own_cell(code: str) -> dict[str, Any]:
    """A code cell of the learner's own."""
    return {
        "cell_type": "code",
        "id": f"own-{abs(hash(code)) % 10**8}",
        "metadata": {},
        "source": code,
        "execution_count": None,
        "outputs": [],
    }


def mistakes(lesson: Lesson) -> list[tuple[str, str]]:
    """Tasks with wrong answers to them: the known ones, then mutants."""
    source = read_once(lesson)
    known = [(answer.task, answer.code) for answer in wrong_answers(lesson)]
    for cell in source.exercises:
        code = without_markers(cell.code)
        known += [(cell.task, mutant) for mutant in islice(mutants(code), 30)]
    return known


def write_class(folder: Path, students: int = STUDENTS) -> None:
    """Write a class: each notebook has none to three mistakes, always the same ones."""
    draw = random.Random(0)  # noqa: S311
    for number in range(students):
        for name in LESSONS:
            lesson = find(name)
            answers = dict(draw.sample(mistakes(lesson), draw.choice((0, 1, 1, 2, 3))))
            handed_in(folder / f"student {number:02}", read_once(lesson), answers)


if __name__ == "__main__":
    write_class(Path(sys.argv[1]))
