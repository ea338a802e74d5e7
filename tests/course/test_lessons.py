"""Duties of a lesson: to be short, in order, and to refuse wrong answers."""

from __future__ import annotations

import ast
import builtins
import collections
import re

import pytest

import teachgraph as tg
from teachgraph import fluid
from teachgraph.course.budgets import budgets
from teachgraph.course.checks import CheckFailed
from teachgraph.course.introduced import introduced
from teachgraph.course.judging import ask_here, judge
from teachgraph.course.messages import hints
from teachgraph.course.mutants import LEAST, score
from teachgraph.course.rehearse import rehearse, solved
from teachgraph.course.source import read_once
from teachgraph.course.table import (
    LANGUAGES,
    CourseError,
    Lesson,
    find,
    lessons,
)
from teachgraph.course.wrong import alike, wrong_answer, wrong_answers
from tests.effort import FULL

READY = [lesson for lesson in lessons() if lesson.built]
TRAINED = {"predict"}
"""Tasks whose checks train a model for each mutant: `make full` counts those."""

every_lesson = pytest.mark.parametrize("lesson", READY, ids=lambda it: it.name)


def test_the_table_lists_seventeen_lessons_and_two_checkpoints_in_order() -> None:
    numbers = [f"{n:02}" for n in range(17)]
    numbers.insert(5, "C1")
    numbers.insert(13, "C2")
    assert [lesson.number for lesson in lessons()] == numbers
    assert {"00", "01", "02", "03", "04", "C1"} <= {lesson.number for lesson in READY}


def test_every_title_is_in_both_languages() -> None:
    for lesson in lessons():
        for words in (lesson.title, lesson.writes, lesson.seen):
            assert set(words) == {"en", "zh"}
            assert all(words.values())


def test_no_other_task_has_the_name_of_a_part_of_the_framework() -> None:
    """A learner's answers are kept by the name of the task."""
    tasks = collections.Counter(task for lesson in READY for task in lesson.tasks)
    parts = {cell.task for lesson in READY for cell in read_once(lesson).framework}
    assert [task for task in sorted(parts - {""}) if tasks[task] > 1] == []


def test_a_lesson_to_come_is_told_from_one_that_never_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Lesson, "built", property(lambda self: self.number != "16"))
        with pytest.raises(CourseError, match=r"16.*still to come"):
            find("16")
    with pytest.raises(
        CourseError, match=r"no lesson '17'; the lessons are 00, 01, .*C1"
    ):
        find("17")
    assert find("2") == find("02") == find("02_the_tape")
    assert find("02") == find("learn/02_the_tape.ipynb") == find("02_the_tape.zh.ipynb")


@every_lesson
def test_a_lesson_keeps_its_budgets(lesson: Lesson) -> None:
    missed = [str(budget) for budget in budgets(read_once(lesson)) if not budget.kept]
    assert missed == []


@every_lesson
def test_the_table_of_tasks_is_that_of_the_exercises(lesson: Lesson) -> None:
    assert lesson.tasks == [cell.task for cell in read_once(lesson).exercises]


@every_lesson
def test_no_english_sentence_stands_in_a_chinese_notebook(lesson: Lesson) -> None:
    for cell in read_once(lesson).cells:
        code = cell.text["zh"]
        if cell.role != "text":
            for docstring in re.findall(r'(?<!f)"""([^"]*)"""', code):
                assert re.search(r"[\u4e00-\u9fff]", docstring), docstring
            assert not re.findall(r"^ *# [A-Z].*", code, re.MULTILINE)


@every_lesson
def test_every_sentence_is_in_both_languages(lesson: Lesson) -> None:
    for rows in lesson.sentences.values():
        for name, sentence in rows.items():
            for one in sentence if name == "hints" else [sentence]:
                assert set(one) == {"en", "zh"}
            if name != "hints":  # those are said as they stand
                values = [re.findall(r"(?<!{){(\w+)", sentence[k]) for k in sentence]
                assert sorted(values[0]) == sorted(values[1]), sentence


@every_lesson
@pytest.mark.slow
def test_the_checks_notice_small_mistakes_and_known_ones(lesson: Lesson) -> None:
    """Every wrong answer gets its sentence, and nine of ten mutants are noticed."""
    source = read_once(lesson)
    with solved(source) as names:
        for answer in wrong_answers(lesson):
            ask = ask_here(answer.names(names), lesson, answer.task)
            verdict = judge(lesson, answer.task, ask)
            assert (answer.name, verdict.sentence) == (answer.name, answer.says)
            for language in LANGUAGES:
                assert verdict.message(language)
        scores = [
            score(source, cell.task, names)
            for cell in source.exercises
            if not {"quiz", "choice"} & {*cell.tags}
            and (FULL or cell.task not in TRAINED)
        ]
    for one in scores:
        print(f"{lesson.number} {one.task}: {one.share:.0%} of {one.count} noticed")
    assert [one.task for one in scores if one.share < LEAST] == []


@every_lesson
def test_a_check_comes_right_after_its_exercise(lesson: Lesson) -> None:
    cells = read_once(lesson).cells
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        if cell.role == "exercise":
            assert following is not None
            assert (following.role, following.task) == ("check", cell.task)


@every_lesson
def test_the_parts_of_a_lesson_come_in_order(lesson: Lesson) -> None:
    text = "\n".join(cell.text["en"] for cell in read_once(lesson).cells)
    parts = [
        "## Watch it happen",
        "## Predict",
        "## Build it",
        "## Break it",
        "## In Paddle this is",
        "## What next",
    ]
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


@every_lesson
def test_the_chinese_is_chinese(lesson: Lesson) -> None:
    for cell in read_once(lesson).cells:
        if cell.role == "text":
            assert not any("\u4e00" <= char <= "\u9fff" for char in cell.text["en"])
            assert any("\u4e00" <= char <= "\u9fff" for char in cell.text["zh"])


@every_lesson
def test_every_exercise_has_three_hints_and_two_wrong_answers(lesson: Lesson) -> None:
    answers = collections.Counter(answer.task for answer in wrong_answers(lesson))
    for exercise in read_once(lesson).exercises:
        for language in LANGUAGES:
            all_hints = hints(lesson, exercise.task, language)
            assert len(all_hints) == 3
            for hint in all_hints:
                code = hint.replace(", ...}", "}")
                assert "\n" not in hint or ast.parse(code), "code can be run"
                assert "{{" not in hint
        assert answers[exercise.task] >= 2, exercise.task


@every_lesson
def test_the_solution_passes_and_no_other_cell_complains(lesson: Lesson) -> None:
    """And no number is printed to digits that nobody reads, but in programs."""
    played = rehearse(read_once(lesson), long=False)  # test_proofs.py runs all of it
    printed = "\n".join(cell.output for cell in played)
    lines = [line for line in printed.splitlines() if "op_role" not in line]
    assert [line for line in lines if re.search(r"\d\.\d{9}", line)] == []
    assert [cell for cell in played if cell.error] == []
    for cell in played:
        if cell.role == "check":
            assert cell.output.startswith(f"{cell.task}: right. ")


def test_a_wrong_answer_in_a_notebook_is_refused_in_words() -> None:
    lesson = find("02")
    (answer,) = (one for one in wrong_answers(lesson) if one.name == "overwrites")
    played = rehearse(read_once(lesson), {answer.task: answer.code})
    (verdict,) = (
        cell.error for cell in played if (cell.role, cell.task) == ("check", "backward")
    )
    assert isinstance(verdict, CheckFailed)
    assert verdict.sentence == answer.says
    assert "d loss / d x is 108, not 30.0" in str(verdict)


def test_what_an_exercise_calls_is_blamed_first() -> None:
    (wrong,) = (one for one in wrong_answers(find("05")) if one.name == "one_size")
    answers = {wrong.task: wrong.code}
    blamed = verdict_on("append", answers)
    assert blamed.sentence == "mend_first"
    assert "infer_shape" in str(blamed)
    unwritten = "def append(*_):\n    raise NotImplementedError('append')\n"
    assert (
        verdict_on("append", answers | {"append": unwritten}).sentence == "not_written"
    )


@every_lesson
def test_a_check_needs_the_exercises_that_its_solution_calls(lesson: Lesson) -> None:
    """So that nobody's right work is called wrong for the sake of another's."""
    written = [cell for cell in read_once(lesson).cells if cell.role == "exercise"]
    defined = {
        node.name: cell.task
        for cell in written
        for node in ast.parse(cell.code).body
        if isinstance(node, ast.FunctionDef)
    }
    checks = ast.parse((lesson.folder / "checks.py").read_text("utf-8")).body
    needed = {
        check.name: {
            argument.id
            for call in check.decorator_list
            if isinstance(call, ast.Call)
            for argument in call.args
            if isinstance(argument, ast.Name)
        }
        for check in checks
        if isinstance(check, ast.FunctionDef)
    }
    for cell in written:
        called = {
            defined[node.id]
            for node in ast.walk(ast.parse(cell.code))
            if isinstance(node, ast.Name) and node.id in defined
        }
        assert called - {cell.task} <= needed.get(cell.task, set()), cell.task


def test_a_text_in_the_place_of_a_number_is_told() -> None:
    answer = {"after_two_passes": "def after_two_passes():\n    return '216'\n"}
    told = verdict_on("after_two_passes", answer, "02")
    assert told.sentence == "a_text"
    assert "return 216 without the quotation marks" in str(told)


@pytest.mark.parametrize(("number", "task"), [("08", "unwind"), ("15", "layer_drop")])
def test_a_known_mistake_is_recognised_by_its_words(number: str, task: str) -> None:
    """Figures in them may be arrays."""
    lesson = find(number)
    known = [answer for answer in wrong_answers(lesson) if answer.task == task]
    with solved(read_once(lesson)) as names:
        for answer in known:
            verdict = judge(lesson, task, ask_here(answer.names(names), lesson, task))
            assert alike(verdict, names) in (answer, None)


def test_what_fits_every_wrong_answer_is_like_none() -> None:
    lesson = find("06")
    one = next(a for a in wrong_answers(lesson) if a.says == "wrong")
    with solved(read_once(lesson)) as names:
        ask = ask_here(one.names(names), lesson, one.task)
        verdict = judge(lesson, one.task, ask)
        assert (verdict.sentence, verdict.values) == ("wrong", {})
        assert alike(verdict, names) is None


def verdict_on(task: str, answers: dict[str, str], number: str = "05") -> CheckFailed:
    """Return the verdict of a task's cell of a lesson with some answers changed."""
    played = rehearse(read_once(find(number)), answers, long=False)
    (verdict,) = (
        cell.error for cell in played if (cell.role, cell.task) == ("check", task)
    )
    assert isinstance(verdict, CheckFailed)
    return verdict


def test_a_rehearsal_leaves_no_trace_of_itself() -> None:
    before = len(fluid.default_main_program().global_block().ops)
    for _ in range(2):
        rehearse(read_once(find("00")))
    assert len(fluid.default_main_program().global_block().ops) == before
    assert tg.in_dynamic_mode()


def test_a_wrong_answer_of_its_own_is_told_before_that_of_another_task() -> None:
    """The loss of lesson 15 does not call `to_go`; only the games that try it do."""
    wrong = {one.name: one for one in wrong_answers(find("15"))}
    gradient, rewards = wrong["baseline_with_gradient"], wrong["back_to_front"]
    answers = {gradient.task: gradient.code, rewards.task: rewards.code}
    told = verdict_on(gradient.task, answers, "15")
    assert told.sentence == gradient.says


def test_a_wrong_answer_that_is_not_there_is_refused() -> None:
    with pytest.raises(CourseError, match="no wrong answer called 'unheard_of'"):
        wrong_answer("02", "unheard_of", {})


@every_lesson
def test_a_lesson_says_what_it_introduces(lesson: Lesson) -> None:
    assert list(lesson.introduces) == introduced(lesson)
    assert not {*lesson.introduces} & set(dir(builtins))
