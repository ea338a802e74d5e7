"""The three notebooks that are built from one source."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import get_args

import nbformat
import pytest

from teachgraph.course.files import write_new
from teachgraph.course.notebook import Kind, build
from teachgraph.course.source import Source, read
from teachgraph.course.table import LANGUAGES, Language, Lesson, lessons

KINDS: tuple[Kind, ...] = get_args(Kind)
KEYWORDS = {")", "continue", "else:", "finally:", "try:"}
"""Lines that say nothing of a solution."""

READY = [lesson for lesson in lessons() if lesson.built]


@pytest.mark.parametrize("lesson", READY, ids=lambda lesson: lesson.name)
def test_no_line_ends_inside_a_chinese_sentence(lesson: Lesson) -> None:
    cells = build(read(lesson), "learner", "zh")["cells"]
    texts = [c["source"] for c in cells if c["cell_type"] == "markdown"]
    assert any("，" in text for text in texts)
    for text in texts:
        assert not re.search("[\u3000-\u9fff，。：；]\n[\u4e00-\u9fff]", text)


def code_of(notebook: dict) -> list[str]:
    return [c["source"] for c in notebook["cells"] if c["cell_type"] == "code"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_built_notebook_is_a_valid_one(
    sample: Source, kind: Kind, language: Language
) -> None:
    notebook = nbformat.from_dict(build(sample, kind, language))
    nbformat.validate(notebook)


@pytest.mark.parametrize("kind", KINDS)
def test_building_twice_gives_the_same_bytes(sample: Source, kind: Kind) -> None:
    again = read(sample.lesson)
    assert json.dumps(build(sample, kind)) == json.dumps(build(again, kind))


def test_languages_differ_in_text_and_docstrings_only(sample: Source) -> None:
    english, chinese = (build(sample, "learner", language) for language in LANGUAGES)
    for one, other in zip(code_of(english), code_of(chinese), strict=True):
        texts = r'"""[^"]*"""|, "zh"'
        assert re.sub(texts, "", one) == re.sub(texts, "", other)
    ids = [[cell["id"] for cell in book["cells"]] for book in (english, chinese)]
    assert ids[0] == ids[1]
    assert len(set(ids[0])) == len(ids[0])
    texts = [
        [cell["source"] for cell in book["cells"] if cell["cell_type"] == "markdown"]
        for book in (english, chinese)
    ]
    assert texts == [["# Doubling", "Write it."], ["# 加倍", "请写出来。"]]


def test_a_quiet_cell_hides_what_its_last_line_returns(sample: Source) -> None:
    quiet = replace(sample.cells[1], tags=("quiet",))
    cells = (sample.cells[0], quiet, *sample.cells[2:])
    notebook = build(replace(sample, cells=cells), "learner")
    assert notebook["cells"][1]["source"] == quiet.code + ";"


@pytest.mark.parametrize("lesson", READY, ids=lambda lesson: lesson.name)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_a_solution_is_handed_out(
    lesson: Lesson, language: Language
) -> None:
    source = read(lesson)
    handed_out = "\n".join(
        cell["source"] for cell in build(source, "learner", language)["cells"]
    )
    lines = {line.strip() for line in handed_out.splitlines()}
    for exercise in source.exercises:
        solution = [line.strip() for line in exercise.solution.splitlines()]
        assert solution, exercise.task
        assert not lines & set(filter(None, solution)) - KEYWORDS
    assert "SOLUTION" not in handed_out


def test_the_instructor_gets_the_solutions_with_their_markers(sample: Source) -> None:
    cells = {cell["id"]: cell for cell in build(sample, "instructor")["cells"]}
    assert "    ### BEGIN SOLUTION\n    return x / 2\n" in cells["halve"]["source"]
    assert cells["check-halve"]["outputs"] == []


def test_nbgrader_finds_an_answer_and_a_locked_test(sample: Source) -> None:
    cells = {cell["id"]: cell for cell in build(sample, "instructor")["cells"]}
    answer = cells["double"]["metadata"]["nbgrader"]
    test = cells["check-double"]["metadata"]["nbgrader"]
    assert (answer["solution"], answer["grade"], answer["locked"]) == (1, 0, 0)
    assert (test["solution"], test["grade"], test["locked"]) == (0, 1, 1)
    assert test["points"] == 1
    assert answer["grade_id"] != test["grade_id"]


def test_a_notebook_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mine.ipynb"
    path.write_text("an hour of work")
    with pytest.raises(FileExistsError):
        write_new(path, {"cells": []})
    assert path.read_text() == "an hour of work"
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        write_new(tmp_path / "new.ipynb", {"cells": object()})
    assert list(tmp_path.iterdir()) == []
