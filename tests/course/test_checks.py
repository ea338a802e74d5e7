"""Verdicts of checks in the learner's own kernel."""

from __future__ import annotations

import linecache
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as paddle
from teachgraph.core.errors import ModeError
from teachgraph.course.checks import Checker, CheckFailed, begin
from teachgraph.course.judging import Verdict, Wrong, ask_here, judge, quiz
from teachgraph.course.raised import places_of
from teachgraph.course.source import read, without_markers
from teachgraph.course.table import Language, Lesson, find

NAMES: dict[str, Any] = {}


def answer(code: str, task: str = "double") -> Callable[..., Any]:
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(code, names)
    function: Callable[..., Any] = names[task]
    return function


@pytest.fixture
def check(sample_lesson: Lesson) -> Checker:
    return Checker(sample_lesson, "en", NAMES)


def refusal(check: Checker, code: str, task: str = "double") -> str:
    with pytest.raises(CheckFailed) as verdict:
        check(answer(code, task))
    assert verdict.value._render_traceback_() == [str(verdict.value)]
    return str(verdict.value)


def test_a_pass_is_said_with_what_it_shows(
    check: Checker, capsys: pytest.CaptureFixture[str]
) -> None:
    check(answer("def double(x): return x + x"))
    assert capsys.readouterr().out == "double: right. Adding is enough.\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def double(x): return x * x", "double: -1 doubled is something else."),
        ("def double(x): x + x", "double: it returned nothing. Is a `return` missing?"),
        (
            "def double(x): return y",
            "double: raised NameError: name 'y' is not defined",
        ),
        ("def double(x): return object", "double: it returned an object of type type"),
        ("def double(x): return 'text'", "double: 2 doubled is something else."),
        ("def double(x): return ...", "double: the dots `...` are still there"),
        ("def double(x): return [x, ...]", "double: the dots `...` are still there"),
        ("def double(x): yield 2 * x", "double: it returned a generator, whose items"),
        ("def double(x): return {x}", "double: it returned a set, which has no order"),
        ("def double(x): return abs", "double: it returned a builtin_function_or_me"),
        (
            "import teachgraph\n\ndef double(x): return teachgraph.to_tensor(2 * x)",
            "double: it returned a teachgraph.Tensor, where its numbers are wanted",
        ),
        ("def double(): return 4", "double: raised TypeError"),
        (
            "def double(x): raise NotImplementedError('double')",
            "double: not written yet. Replace the line",
        ),
        ("def double(x): raise NotImplementedError", "double: not written yet."),
        (
            "def double(x): raise NotImplementedError('later')",
            "double: raised NotImplementedError: later",
        ),
    ],
)
def test_a_verdict_is_words(check: Checker, code: str, said: str) -> None:
    assert refusal(check, code).startswith(said)


@pytest.mark.parametrize(
    ("right", "answers"),
    [
        (3, [3, 3.0, np.int64(3)]),
        (0.001, [0.001, 0.00099999, np.float32(0.001)]),
        (0.25**4, [1 / 256, 0.0039]),
        (8.0, [8, np.sqrt(64.0)]),
        ([4, 7], [[4, 7], (4, 7), np.array([4, 7])]),
        ("relu", ["relu"]),
    ],
)
def test_an_answer_is_right_in_each_way_of_writing_it(
    right: Any, answers: list[Any]
) -> None:
    for one in answers:
        quiz(lambda perform, task, one=one: one, "task", right)


@pytest.mark.parametrize(
    ("right", "answer", "said"),
    [
        (1, True, "is_number"),
        (1.0, True, "is_number"),
        (1.0, float("nan"), "is_number"),
        (1, {"a": 1}, "is_number"),
        (216, 217, "wrong"),
        (0.001, 0.0011, "wrong"),
        ([4, 7], [7, 4], "wrong"),
        ([4, 7], 4, "is_list"),
        (3, [3], "is_number"),
        (3, np.ones([2, 2]), "is_number"),
        ("relu", 3, "is_text"),
        ("relu", "tanh", "wrong"),
        (3, "3", "a_text"),
        ([4, 7], "[4, 7]", "a_text"),
        (6, "return k", "is_number"),
        (8.0, np.array([8.0, 8.0]), "is_number"),
    ],
)
def test_an_answer_that_is_nearly_right_is_wrong(
    right: Any, answer: Any, said: str
) -> None:
    with pytest.raises(Wrong) as verdict:
        quiz(lambda perform, task: answer, "task", right)
    assert verdict.value.sentence == said


def test_the_notebooks_language_is_that_of_its_verdicts(sample_lesson: Lesson) -> None:
    check = Checker(sample_lesson, "zh", NAMES)
    assert refusal(check, "def double(x): return x") == "double: 2 的两倍不是这个数。"
    assert refusal(check, "def double(x): pass").startswith("double: 它什么也没有返回")


def test_an_answer_of_another_name_is_no_exercise(check: Checker) -> None:
    said = refusal(check, "def triple(x): return 3 * x", "triple")
    assert said == "lesson 00 has no exercise 'triple'; it has: double, halve"


def test_after_three_failures_a_known_mistake_is_named(check: Checker) -> None:
    squares = "def double(x): return x ** 2"
    for _ in range(2):
        assert "looks like" not in refusal(check, squares)
    said = refusal(check, squares)
    assert "This looks like a mistake that many make: Squares instead" in said
    assert said.endswith("For a hint, run `%hint` in a cell of its own.")


def test_a_mistake_that_nobody_knows_is_not_named(check: Checker) -> None:
    for _ in range(4):
        said = refusal(check, "def double(x): return 2 if x == 2 else 7")
    assert "looks like" not in said
    assert "%hint" in said


def test_a_mistake_like_several_known_ones_is_not_named(
    sample_lesson: Lesson, tmp_path: Path
) -> None:
    shutil.copytree(sample_lesson.folder.parent, tmp_path / "course")
    lesson = find("00", tmp_path / "course")
    squares = lesson.folder / "wrong" / "squares.py"
    shutil.copy(squares, squares.with_stem("squares_again"))
    check = Checker(lesson, "en", NAMES)
    for _ in range(4):
        said = refusal(check, "def double(x): return x ** 2")
    assert "looks like" not in said


def test_hints_come_one_at_a_time(
    check: Checker, capsys: pytest.CaptureFixture[str]
) -> None:
    check.hint("double")
    assert capsys.readouterr().out == "double, hint 1 of 2: What is x plus x?\n"
    check.hint("double")
    last = capsys.readouterr().out.splitlines()
    assert last[1:] == [
        "double, hint 2 of 2: `x + x`",
        "That was the last one. The solution: teachgraph course solution 00 double",
    ]


def test_a_task_that_calls_one_that_is_missing_says_which(check: Checker) -> None:
    for _ in range(3):
        said = refusal(check, "def double(x): raise NotImplementedError('halve')")
    assert "it needs halve, which is not right yet: mend that first." in said
    assert "looks like" not in said


def test_an_interrupt_is_not_a_verdict(check: Checker) -> None:
    with pytest.raises(KeyboardInterrupt):
        check(answer("def double(x): raise KeyboardInterrupt"))


class Everything:
    """An object that is equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None

    def __array__(self, *args: Any) -> Any:
        raise AssertionError("nobody asks it")


def test_an_object_equal_to_everything_is_no_answer(check: Checker) -> None:
    for answer_of in (Everything, lambda: [Everything()]):

        def double(x: float, made: Any = answer_of) -> Any:
            return made()

        with pytest.raises(CheckFailed, match="of type Everything"):
            check(double)


CHEATS = {
    "calls_ours": "leaves = {e for e in arrivals(loss) if isinstance(e, Tensor)}\n"
    "    import teachgraph as tg\n"
    "    x = tg.to_tensor(2.0, stop_gradient=False)\n"
    "    y = (x * x * 3.0) * (x * x + 1.0)\n"
    "    y.backward()\n"
    "    return {leaf: x.grad.numpy() for leaf in leaves}",
    "constant": "nodes = [e for e in arrivals(loss)]\n"
    "    for node in nodes: node.saved = None\n"
    "    return {e: np.float64(108.0) for e in nodes if isinstance(e, Tensor)}",
    "one_leaf": "found = right(loss, retain_graph)\n"
    "    leaf = sorted(found, key=lambda t: t.data.size)[0]\n"
    "    return {leaf: found[leaf]}",
    "scalar_seed": "found = right(loss, retain_graph)\n"
    "    return {leaf: dx / loss.data.size for leaf, dx in found.items()}",
    "floats": "return {leaf: dx.item() if dx.size == 1 else dx\n"
    "            for leaf, dx in right(loss, retain_graph).items()}",
}
"""Bodies of `backward` that an older check let pass, or might."""


@pytest.mark.parametrize("cheat", [name for name in CHEATS if name != "floats"])
@pytest.mark.parametrize("language", ["en"])
def test_no_cheat_passes_for_backward(cheat: str, language: Language) -> None:
    names = of_lesson("02")
    names["right"] = names["backward"]
    exec(f"def backward(loss, retain_graph=False):\n    {CHEATS[cheat]}", names)
    with pytest.raises(CheckFailed):
        Checker(find("02"), language, names)(names["backward"])


def of_lesson(number: str) -> dict[str, Any]:
    """The names of a solved notebook, without what it only shows."""
    from teachgraph.course import mine

    lesson = find(number)
    names = dict(mine.built_from(mine.parts({}, before=lesson)))
    for cell in read(lesson).framework:
        exec(without_markers(cell.code), names)
    return names


def test_beginning_a_lesson_uses_the_names_around_it(sample_course: None) -> None:
    checker = begin("00")
    assert checker.names is globals()
    assert checker.lesson.title["en"] == "Doubling"


def test_a_message_holds_no_address_which_every_run_would_change() -> None:
    values = {"got": f"no number: {object()}"}
    verdict = Verdict(find("00"), "steps", False, "strange", values)
    assert "no number: <object object>" in verdict.message("en")


def test_a_message_shows_numbers_as_float32_holds_them(sample_lesson: Lesson) -> None:
    got = np.float32([-0.12, 1 / 3])
    verdict = Verdict(sample_lesson, "double", False, "twice", {"x": float(got[0])})
    assert verdict.message("en") == "-0.12 doubled is something else."
    verdict = Verdict(sample_lesson, "double", False, "twice", {"x": got.tolist()})
    assert verdict.message("en") == "[-0.12, 0.3333333] doubled is something else."


def cell(code: str, names: dict[str, Any], file: str) -> None:
    """Run code as a cell of a notebook, whose lines can be quoted."""
    linecache.cache[file] = (len(code), None, code.splitlines(keepends=True), file)
    exec(compile(code, file, "exec"), names)


def told(answer: str, given: str = "", *, file: str = "<given>") -> str:
    """The verdict on `double` in a notebook, after another cell."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cell(given, names, file)
    cell(answer, names, "<answer>")
    lesson = find("00", Path(__file__).parent / "sample")
    ask = ask_here(names, lesson, "double")
    return judge(lesson, "double", ask).message("en")


GIVEN = "TABLE = {}\n\ndef look_up(x):\n    return TABLE[x]\n"


def test_an_error_in_the_exercise_is_told_with_its_line() -> None:
    said = told("def double(x):\n    return {}[x]\n")
    assert said == "raised KeyError: 2 (line 2 of the cell: `return {}[x]`)"


def test_an_error_in_another_cell_is_told_with_its_function_and_both_lines() -> None:
    said = told("def double(x):\n    return look_up(x)\n", GIVEN)
    assert said == (
        "raised KeyError: 2 (line 2 of the cell: `return look_up(x)`; "
        "there, line 4 of the cell with `look_up`: `return TABLE[x]`)"
    )
    other = told("double = look_up\n", GIVEN)
    assert other == (
        "raised KeyError: 2 (line 4 of the cell with `look_up`: `return TABLE[x]`)"
    )


def test_an_error_in_what_a_lesson_before_built_names_that_lesson() -> None:
    file = "<mine: lesson 02, backward>"
    said = told("def double(x):\n    return look_up(x)\n", GIVEN, file=file)
    assert "; there, line 4 of the cell with `look_up`, in lesson 02: `" in said


def test_the_exercise_is_the_last_cell_that_the_error_came_through() -> None:
    """Its own inner function, called by another cell, is not another cell."""
    given = "def apply(f, x):\n    return f(x)\n"
    answer = "def double(x):\n    return apply(lambda x: x[0], x)\n"
    said = told(answer, given)
    assert said.endswith("(line 2 of the cell: `return apply(lambda x: x[0], x)`)")


LOOP = """
import teachgraph as paddle

def double(x):
    def step(n):
        if n > 2:
            return [n - 1]
        return [n - 2]

    with paddle.static.program_guard(paddle.static.Program()):
        n = paddle.static.data("n", [1])
        return paddle.static.nn.while_loop(lambda n: n > 1, step, [n])
"""


def test_the_line_of_an_error_that_the_framework_restates_is_where_it_arose() -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    cell(LOOP, names, "<loop>")
    paddle.enable_static()
    try:
        with pytest.raises(ModeError) as raised:
            names["double"](1.0)
    finally:
        paddle.disable_static()
    places = places_of(raised.value, "double")
    assert places == [{"line": 6, "code": "if n > 2:"}]


def test_a_key_that_is_an_object_of_the_learner_is_told_by_what_it_holds() -> None:
    answer = (
        "class Leaf:\n    def __init__(self, x):\n        self.up = object()\n"
        "        self.name, self.x = 'leaf', x\n\n"
        "def double(x):\n    return {}[Leaf(x)]\n"
    )
    assert told(answer).startswith("raised KeyError: Leaf(name='leaf', x=2) (line 7 ")


def test_a_tensor_in_the_place_of_the_learners_own_is_told_apart() -> None:
    names = of_lesson("03")
    names["detach"] = lambda x: paddle.to_tensor(x.data)
    names["detach"].__name__ = "detach"
    with pytest.raises(CheckFailed, match=re.escape("not teachgraph.Tensor.")):
        Checker(find("03"), "en", names)(names["detach"])
