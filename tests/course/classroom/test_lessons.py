"""The real lessons in a class: each answer is judged as where it comes from says."""

from __future__ import annotations

from pathlib import Path

import pytest

from teachgraph.course.classroom.grading import grade_class
from teachgraph.course.source import read_once
from teachgraph.course.table import LANGUAGES, lessons
from teachgraph.course.wrong import wrong_answers
from tests.course.classroom.made import handed_in

pytestmark = [pytest.mark.notebook, pytest.mark.slow, pytest.mark.full]

READY = [lesson for lesson in lessons() if lesson.built]


def test_all_solutions_are_right_and_no_hand_out_is(tmp_path: Path) -> None:
    for lesson in READY:
        source = read_once(lesson)
        for language in LANGUAGES:
            handed_in(tmp_path / language, source, language=language)
        handed_in(tmp_path / "unwritten", source, kind="learner")
    rows = grade_class(tmp_path, at_once=2)
    assert len(rows) == 3 * len(READY)
    for row in rows:
        marks = {(mark.task, mark.outcome, mark.sentence) for mark in row.marked.marks}
        judged = ("wrong", "not_written")
        if row.student != "unwritten":
            judged = ("right", "shows")
        assert marks == {(task, *judged) for task in row.lesson.tasks}, row.student
        assert row.marked.flags == row.marked.notes == []


def test_known_wrong_answers_get_the_sentence_they_name(tmp_path: Path) -> None:
    expected = {}
    for lesson in READY:
        for answer in wrong_answers(lesson):
            student = f"{lesson.number} {answer.name}"
            expected[student] = (answer.task, answer.says)
            handed_in(tmp_path / student, read_once(lesson), {answer.task: answer.code})
    found = {}
    for row in grade_class(tmp_path, at_once=2):
        for mark in row.marked.marks:
            if expected[row.student][0] == mark.task:
                found[row.student] = (mark.task, mark.sentence)
    assert found == expected
