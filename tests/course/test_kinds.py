"""Results of a kind that no exercise wants: each is told in the learner's terms."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import teachgraph as paddle
from teachgraph.core import modes
from teachgraph.course.judging import (
    Verdict,
    Wrong,
    array_of,
    ask_here,
    call,
    in_short,
    judge,
)
from teachgraph.course.rehearse import solved
from teachgraph.course.source import read_once
from teachgraph.course.table import LANGUAGES, Lesson, lessons

READY = [lesson for lesson in lessons() if lesson.built]
RESULTS: dict[str, Callable[[], Any]] = {
    "nothing": lambda: None,
    "a text": lambda: "abc",
    "rows of several lengths": lambda: [[1.0, 2.0], [3.0]],
    "numbers and rows": lambda: (1.0, [3.0]),
    "pair of nothing": lambda: (None, None),
    "pair of texts": lambda: ["a", "b"],
    "objects": lambda: np.array([None, "a"], dtype=object),
    "texts": lambda: np.array(["a", "b"]),
    "a generator": lambda: (n for n in range(3)),
    "a dict": lambda: {"a": 1.0},
    "a set": lambda: {1, 2},
    "a Tensor": lambda: paddle.to_tensor([1, 2]),
    "NaN": lambda: float("nan"),
    "square of NaN": lambda: np.full([2, 2], np.nan),
    "dots": lambda: ...,
    "a function": lambda: len,
    "an object": object,
}
WITHIN: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda one: None,
    "a text": lambda one: "abc",
    "rows of several lengths": lambda one: [[1.0], [1.0, 2.0]],
    "a dict": lambda one: {"a": 1},
    "a Tensor": lambda one: paddle.to_tensor([1.0, 2.0]),
    "NaN": lambda one: np.full(one.shape if type(one) is np.ndarray else [], np.nan),
    "dots": lambda one: ...,
}
"""Things in the place of each item of a right result."""


def replaced(result: Any, item: Callable[[Any], Any]) -> Any:
    """A list, tuple or dict with other items; anything else is that itself."""
    if isinstance(result, list | tuple):
        return type(result)(map(item, result))
    if isinstance(result, dict):
        return {key: item(one) for key, one in result.items()}
    return item(result)


def verdict(
    lesson: Lesson, task: str, names: dict[str, Any], change: Callable[[Any], Any]
) -> tuple[Verdict, bool]:
    """The verdict on a right answer whose result is changed, and if it gives one."""
    right, gives = names[task], []

    def answer(*inputs: Any, **options: Any) -> Any:
        result = right(*inputs, **options)
        gives.append(result is not None)
        return change(result)

    asked = {**names, task: answer}
    with modes.using(None):
        told = judge(lesson, task, ask_here(asked, lesson, task))
    return told, any(gives)


@pytest.mark.slow
@pytest.mark.parametrize("lesson", READY, ids=lambda it: it.name)
def test_a_result_of_another_kind_is_told_in_words(lesson: Lesson) -> None:
    """Never by an error that a check of ours came upon."""
    changes: dict[str, Callable[[Any], Any]] = {
        name: lambda result, make=make: make() for name, make in RESULTS.items()
    }
    for name, item in WITHIN.items():
        changes[f"{name} within"] = lambda result, item=item: replaced(result, item)
    with solved(read_once(lesson)) as names:
        for task in lesson.tasks:
            for name, change in changes.items():
                told, gives = verdict(lesson, task, names, change)
                where = task, name, told.message("en")
                assert told.passed != gives, where
                assert told.sentence not in ("strange", "raised"), where
                assert all(told.message(language) for language in LANGUAGES)


@pytest.mark.parametrize(
    ("got", "says"),
    [
        ([[1.0, 2.0], [3.0]], "ragged"),
        ([1.0, [3.0]], "ragged"),
        ("abc", "no_numbers"),
        ([1.0, "a"], "no_numbers"),
        ({"a": 1.0}, "no_numbers"),
        (None, "no_numbers"),
        ([1.0, None], "no_numbers"),
        (1j, "no_numbers"),
        ([1.0, float("nan")], "not_a_number"),
    ],
)
def test_what_is_no_array_of_numbers_is_told(got: Any, says: str) -> None:
    with pytest.raises(Wrong) as wrong:
        array_of(got)
    assert wrong.value.sentence == says
    assert wrong.value.values["got"] == in_short(got)


def test_numbers_are_an_array_however_they_are_written() -> None:
    for got in (2, np.float32(2.0), True, [1, 2], ([1.0], [np.inf]), paddle.ones([3])):
        assert np.array_equal(array_of(got), np.asarray(got))


class Learner:
    """Answers of a learner who writes into what they are given."""

    @staticmethod
    def doubles(x: Any) -> Any:
        x *= 2.0
        return x

    @staticmethod
    def appends(rows: list[int], *more: int) -> list[int]:
        rows += more
        return rows

    @staticmethod
    def notes(table: dict[str, Any]) -> None:
        table["mine"] = object()

    @staticmethod
    def copies(x: Any) -> Any:
        return x + x


def test_an_input_that_is_changed_is_named() -> None:
    for name, inputs, what in [
        ("doubles", [np.ones(2)], "x"),
        ("appends", [[1, 2], 3], "rows"),
        ("notes", [{"a": 1}], "table"),
    ]:
        with pytest.raises(Wrong) as wrong:
            call(Learner, name, *inputs)
        assert (wrong.value.sentence, wrong.value.values) == (
            "changed_input",
            {"what": what},
        )
    nans = np.array([np.nan, 1.0])
    assert np.array_equal(call(Learner, "copies", nans), nans + nans, equal_nan=True)


def spoiled(value: Any) -> bool:
    """Change an array, a list or a dict in place; tell if there was one to change."""
    if isinstance(value, np.ndarray) and value.size and value.dtype.kind in "fiu":
        value += 1
    elif isinstance(value, list) and value:
        value.append(value[-1])
    elif isinstance(value, dict) and value:
        value["of another"] = next(iter(value.values()))
    else:
        return False
    return True


TRAINED = {"digits_network", "recipe", "cures", "predict"}
"""Tasks that are given no array, list or dict, or train for long."""

MAY_CHANGE = {("fit_step", 3), ("py_func", 2)}
"""The state of an optimizer; a shape, which nobody reads again."""


@pytest.mark.slow
@pytest.mark.parametrize("lesson", READY, ids=lambda it: it.name)
def test_who_changes_what_they_are_given_does_not_pass(lesson: Lesson) -> None:
    with solved(read_once(lesson)) as names:
        for task, position in product(lesson.tasks, range(5)):
            right, spoils = names[task], []

            def answer(
                *given: Any,
                right: Any = right,
                position: int = position,
                spoils: list[bool] = spoils,
                **options: Any,
            ) -> Any:
                result = right(*given, **options)
                inputs = [*given, *options.values()]
                spoils.append(position < len(inputs) and spoiled(inputs[position]))
                return result

            asked = {**names, task: answer}
            if task in TRAINED:
                continue
            with modes.using(None):
                told = judge(lesson, task, ask_here(asked, lesson, task))
            if any(spoils) and (task, position) not in MAY_CHANGE:
                assert not told.passed, (task, position)
