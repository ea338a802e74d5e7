"""The learner's own framework: put together of theirs and ours, and on its own feet."""

from __future__ import annotations

import pytest

from teachgraph.course import mine, progress
from teachgraph.course.judging import ask_here, judge
from teachgraph.course.table import find, lessons
from teachgraph.utils.observe import Observer, watch

OWN = '''\
def arrivals(loss):
    """Mine."""
    raise KeyError("mine")
'''


def keep(**answers: str) -> None:
    with progress.changing() as kept:
        kept.record("02").answers.update(answers)


def test_what_is_imported_is_theirs_once_it_is_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mine.show()
    from teachgraph.course.mine import arrivals

    assert capsys.readouterr().out == "arrivals: ours, until yours pass\n"
    keep(arrivals=OWN)
    mine.show(language="zh")
    from teachgraph.course.mine import arrivals  # noqa: F811

    assert capsys.readouterr().out == "arrivals：你写的\n"
    with pytest.raises(KeyError, match="mine"):
        arrivals(None)


def test_a_lesson_begins_with_what_the_lessons_before_it_build() -> None:
    mine.show(find("02"))
    assert mine.shown[0].names["Op"]
    with pytest.raises(ImportError):
        from teachgraph.course.mine import backward  # noqa: F401
    mine.show(find("03"))
    from teachgraph.course.mine import backward as built

    assert built.__module__ == "mine"


def test_together_they_pass_the_checks_of_every_lesson() -> None:
    names = mine.built_from(mine.parts({}))
    parts = [piece for piece in mine.parts({}) if piece.task]
    assert {"mul_rule", "backward", "no_grad", "adam", "fit_step"} <= {
        piece.task for piece in parts
    }
    for piece in parts:
        if piece.task != "fit_step":  # it trains for seconds; its lesson's test does
            ask = ask_here(names, piece.lesson, piece.task)
            verdict = judge(piece.lesson, piece.task, ask)
            assert verdict.passed, (piece.task, verdict.message("en"))


def test_an_answer_that_needs_another_cell_is_seen_before_it_is_kept() -> None:
    assert mine.strangers(OWN) == []
    code = "def arrivals(loss):\n    return helper(Node, np, len(loss.edges), LIMIT)"
    assert mine.strangers(code) == ["LIMIT", "helper"]


def test_its_lines_are_counted_as_whose_they_are() -> None:
    keep(arrivals=OWN)
    own, given = mine.counted(mine.parts())
    assert own == 3
    assert given > 100
    text = mine.program_text(mine.parts())
    assert text.startswith('"""A deep-learning framework of my own: 3 lines by me, ')
    assert "# backward: ours, until yours pass" in text
    assert "# arrivals: ours" not in text


def test_what_is_printed_ends_with_the_last_lesson_begun() -> None:
    assert mine.so_far(progress.load()) == []
    with progress.changing() as kept:
        kept.record("02").notebooks["en"] = "02_the_tape.ipynb"
    text = mine.program_text(mine.so_far(progress.load()))
    assert "def backward" in text
    assert "def append_backward" not in text
    names: dict[str, object] = {}
    exec(text, names)
    assert callable(names["backward"])


def test_who_has_begun_no_lesson_reads_which_to_begin_with() -> None:
    text = mine.program_text(mine.so_far(progress.load()))
    names: dict[str, object] = {}
    exec(text, names)
    assert "Begin with: teachgraph course start 01" in str(names["__doc__"])


def test_who_starts_in_the_middle_reads_which_parts_are_the_courses() -> None:
    with progress.changing() as kept:
        record = kept.record("10")
        record.notebooks["en"] = "10_passes.ipynb"
        record.answers["arrivals"] = OWN
    text = mine.program_text(mine.so_far(progress.load()))
    names: dict[str, object] = {}
    exec(text, names)
    assert callable(names["append_backward"])
    assert callable(names["dead_code"])
    about = str(names["__doc__"])
    rows = dict(line.split(maxsplit=1) for line in about.splitlines()[3:] if line)
    exercises = [piece for piece in mine.parts({}) if piece.task]
    assert {
        task: number for number, row in rows.items() for task in row.split(", ")
    } == {
        piece.task: piece.lesson.number
        for piece in exercises
        if piece.lesson.place <= find("10").place and piece.task != "arrivals"
    }


def test_it_says_what_it_does_to_those_who_watch() -> None:
    class Notes(Observer):
        seen: list[str]

        def tensor_created(self, thing: object) -> None:
            self.seen.append(type(thing).__module__)

    notes = Notes()
    notes.seen = []
    names = mine.built_from(mine.parts({}))
    with watch(notes):
        names["Tensor"](2.0)
    assert notes.seen == ["mine"]


def test_every_lesson_is_built() -> None:
    assert [one.number for one in lessons() if not one.built] == []
