"""A lesson's one source: what is read from it, and which mistakes are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from teachgraph.course.source import Source, read, read_once, stub, without_markers
from teachgraph.course.table import CourseError, Lesson, lessons


def lesson_with(folder: Path, text: str) -> Lesson:
    (folder / "lesson.py").write_text(text, "utf-8")
    names = {"en": "Broken", "zh": "坏的"}
    return Lesson("00", folder, 0, names, names, names, ())


def test_the_sample_has_its_cells_in_order(sample: Source) -> None:
    assert [cell.role for cell in sample.cells] == [
        "text",
        "live",
        "text",
        "exercise",
        "check",
        "exercise",
        "check",
    ]
    assert sample.cells[0].text == {"en": "# Doubling", "zh": "# 加倍"}


def test_a_docstring_is_in_the_language_of_its_notebook(sample: Source) -> None:
    double = sample.exercise("double")
    assert '"""Twice x."""' in double.text["en"]
    assert '"""x 的两倍。"""' in double.text["zh"]
    assert "说明" not in double.text["en"] + double.text["zh"]


@pytest.mark.parametrize("lesson", lessons(), ids=lambda lesson: lesson.number)
def test_each_exercise_says_in_chinese_what_it_asks_for(lesson: Lesson) -> None:
    for cell in read_once(lesson).exercises:
        docstring = cell.text["zh"].split('"""')[1]
        assert re.search("[\u4e00-\u9fff]", docstring), cell.task


def test_a_chinese_notebook_says_so_where_it_begins(sample: Source) -> None:
    begun = sample.cells[1].text
    assert 'begin("00")' in begun["en"]
    assert 'begin("00", "zh")' in begun["zh"]


def test_a_stub_keeps_all_but_the_solution(sample: Source) -> None:
    assert stub(sample.exercise("double").code) == (
        'def double(x):\n    """Twice x."""\n    raise NotImplementedError("double")'
    )


def test_a_solution_loses_only_its_markers(sample: Source) -> None:
    assert without_markers(sample.exercise("double").code) == (
        'def double(x):\n    """Twice x."""\n    twice = x + x\n    return twice'
    )


def test_chinese_lines_are_joined_without_a_space(tmp_path: Path) -> None:
    text = (
        "# %% [markdown]\n# Two\n# lines\n\n"
        '# %% [markdown] lang="zh"\n'
        "# 先走一步，\n# 再走**一步**。\n# *然后*停下 `x`\n# 为止\n#\n# - 一\n# - 二\n"
    )
    (cell,) = read(lesson_with(tmp_path, text)).cells
    assert cell.text["en"] == "Two\nlines"
    assert cell.text["zh"] == (
        "先走一步，再走**一步**。*然后*停下 `x`\n为止\n\n- 一\n- 二"
    )


EXERCISE = '# %% task="f"\ndef f():\n    ### BEGIN SOLUTION\n    return 1\n'
SOLVED = EXERCISE + "    ### END SOLUTION\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("# %% [markdown]\n# Alone\n", "'Alone'.*pairs"),
        ('# %% [markdown] lang="zh"\n# 单独\n', "'单独'.*pairs"),
        ("# %% [markdown]\n# One\n\n# %% [markdown]\n# Two\n", "'One'.*pairs"),
        ("# %% [markdown]\n# One\n\n# %%\nx = 1\n", "'One'.*pairs"),
        (EXERCISE, "don't match"),
        (SOLVED.replace('"f"', '"g"'), "the function it defines"),
        (SOLVED.replace('# %% task="f"', "# %%"), "the function it defines"),
        ('# %% tags=["check"] task="f"\nf()\n', "after the exercise of its task"),
    ],
)
def test_a_mistake_in_a_source_is_named(tmp_path: Path, text: str, reason: str) -> None:
    with pytest.raises(CourseError, match=reason):
        read(lesson_with(tmp_path, text))


def test_an_unknown_exercise_is_refused_with_the_known_ones(sample: Source) -> None:
    with pytest.raises(CourseError, match="it has: double, halve"):
        sample.exercise("triple")
