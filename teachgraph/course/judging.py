"""Judging a task: a lesson's `checks.py` asks for behaviour and compares plain data.

A check is a function of the task's name. It hands cases to the learner's code through
`ask`, which runs a function of `checks.py` where that code lives, on the learner's
names, and brings back what it returns as plain data; `expect` states a fact about it.

    def double(ask):
        for n in (2, -1, 7):
            expect(ask(call, "double", n) == 2 * n, "twice", n=n)

So the judge need not be in the learner's process, whose names are anybody's.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, wraps
from importlib.util import module_from_spec, spec_from_file_location
from inspect import signature
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from teachgraph.core.errors import TeachgraphError
from teachgraph.course import mine
from teachgraph.course.kinds import in_short, kind_of, not_plain
from teachgraph.course.messages import say, say_of, shown
from teachgraph.course.plain import NotPlain, decoded, encoded
from teachgraph.course.raised import (
    in_lines,
    places_of,
    quotes_a_line,
    without_lines_of,
    words_of,
)
from teachgraph.course.table import Language, Lesson

__all__ = [
    "Verdict",
    "Wrong",
    "array_of",
    "ask_here",
    "call",
    "close",
    "expect",
    "in_short",
    "judge",
    "kind_of",
    "lines_at_most",
    "needs",
    "performed",
    "quiz",
    "untouched",
    "without_addresses",
]

Perform = Callable[..., Any]
Ask = Callable[..., Any]
Check = Callable[[Ask], None]


class Wrong(Exception):  # a verdict, and no error of ours
    """A task is not right: the id of the sentence that says so, and what it names."""

    def __init__(self, sentence: str, **values: Any) -> None:
        super().__init__(sentence)
        self.sentence, self.values = sentence, values


def expect(holds: object, sentence: str, **values: Any) -> None:
    """Raise Wrong with a sentence unless something holds.

    >>> expect(1 + 1 == 2, "arithmetic")
    """
    if not holds:
        raise Wrong(sentence, **values)


def needs(*others: Check) -> Callable[[Check], Check]:
    """Decorate the check of a task that calls others: blame those if they are wrong.

    @needs(double)
    def quadruple(ask):
        ...
    """

    def decorate(check: Check) -> Check:
        @wraps(check)
        def checked(ask: Ask) -> None:
            try:
                check(ask)
            except Wrong as wrong:
                if wrong.sentence not in ("not_written", "not_there"):
                    for other in others:
                        blame(other, ask)
                raise

        return checked

    return decorate


def blame(check: Check, ask: Ask) -> None:
    """Raise Wrong if a check finds something: its task has to be mended first."""
    try:
        check(ask)
    except Wrong as wrong:
        raise Wrong("mend_first", first=check.__name__) from wrong


def call(mine: Any, name: str, *inputs: Any, **attributes: Any) -> Any:
    """Call a function of the learner's by its name: what most cases come to.

    Raises:
        Wrong: It changed an input.
    """
    function = getattr(mine, name)
    before = copied(inputs)
    result = function(*inputs, **attributes)
    for position, (one, was) in enumerate(zip(inputs, before, strict=True)):
        if not unchanged(one, was):
            names = [*signature(function).parameters]
            raise Wrong("changed_input", what=names[min(position, len(names) - 1)])
    return result


@contextmanager
def untouched(**given: Any) -> Iterator[None]:
    """Raise Wrong if what a learner's function is given is changed meanwhile.

    >>> with untouched(rows=(rows := [1, 2])):
    ...     rows.pop()
    Traceback (most recent call last):
    teachgraph.course.judging.Wrong: changed_input
    """
    before = copied(given)
    yield
    for name, one in given.items():
        expect(unchanged(one, before[name]), "changed_input", what=name)


def copied(value: Any) -> Any:
    """Lists, dicts and arrays of their own; what is in them, as it is."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    return type(value)(map(copied, value)) if type(value) in (list, tuple) else value


def unchanged(one: Any, was: Any) -> bool:
    """Compare a value with its copy: objects by identity; NaN is equal to NaN.

    >>> unchanged([1, np.array([np.nan])], [1, np.array([np.nan])]), unchanged([1], [2])
    (True, False)
    """
    if isinstance(one, np.ndarray):
        return one.shape == was.shape and np.array_equal(one, was, equal_nan=True)
    if isinstance(one, dict):
        return [*one] == [*was] and all(unchanged(one[key], was[key]) for key in one)
    if type(one) in (list, tuple) and type(was) is type(one):
        pairs = zip(one, was, strict=False)
        return len(one) == len(was) and all(unchanged(*pair) for pair in pairs)
    return one is was or (isinstance(one, int | float | str) and bool(one == was))


def quiz(ask: Ask, task: str, right: Any, **mistakes: Any) -> None:
    """Compare the answer to a question, after the mistakes that have a sentence.

    >>> quiz(lambda perform, task: 4, "sum_of_twos", 4, forgets_one=2)
    """
    answer = ask(call, task)
    quoted = not isinstance(right, str) and is_quoted(answer)
    expect(not quoted, "a_text", got=answer)
    for sentence, mistake in mistakes.items():
        expect(not agrees(answer, mistake), sentence)
    if not agrees(answer, right):
        expect(is_alike(answer, right), KINDS[type(right)], got=in_short(answer))
        raise Wrong("wrong")


KINDS = {int: "is_number", float: "is_number", str: "is_text", list: "is_list"}
"""Sentences that say of which kind the answer to a question is."""


def is_alike(answer: Any, right: Any) -> bool:
    """Tell if an answer is of the kind of the right one: a number, a text or a list.

    >>> is_alike(np.array(3), 2), is_alike([3], 2), is_alike(float("nan"), 2)
    (True, False, False)
    """
    answer = without_arrays(answer)
    if isinstance(right, int | float):
        number = isinstance(answer, int | float) and not isinstance(answer, bool)
        return number and bool(np.isfinite(answer))
    return isinstance(answer, (list, tuple) if isinstance(right, list) else type(right))


def without_arrays(answer: Any) -> Any:
    """An array as numbers and lists."""
    return answer.tolist() if isinstance(answer, np.ndarray | np.generic) else answer


def is_quoted(answer: Any) -> bool:
    """Return True for a text that would be a number or a list without its quotes.

    >>> is_quoted("216"), is_quoted("line six"), is_quoted(216)
    (True, False, False)
    """
    if isinstance(answer, str):
        with suppress(SyntaxError, ValueError):
            return isinstance(ast.literal_eval(answer.strip()), (int, float, list))
    return False


def agrees(answer: Any, right: Any) -> bool:
    """Compare an answer with a number, a text or a list; fractions may be rounded.

    >>> agrees(2.3026, 2.3), agrees((4, 7), [4, 7]), agrees(True, 1)
    (True, True, False)
    """
    answer = without_arrays(answer)
    if isinstance(answer, bool) and not isinstance(right, bool):
        return False
    if isinstance(right, list) and isinstance(answer, tuple):
        answer = list(answer)
    if isinstance(right, float) and isinstance(answer, int | float):
        return bool(np.isclose(answer, right, rtol=2e-3))
    return bool(answer == right)


def array_of(got: Any) -> np.ndarray[Any, Any]:
    """The numbers that a learner's function returned, as an array.

    Raises:
        Wrong: They are no numbers, NaN, or rows of different lengths.

    >>> array_of([[1.0, 2.0], (3.0, 4.0)]).shape
    (2, 2)
    >>> array_of([[1.0, 2.0], [3.0]])
    Traceback (most recent call last):
    teachgraph.course.judging.Wrong: ragged
    """
    try:
        array = np.asarray(got)
    except ValueError:  # where an array is made of lists of several lengths
        raise Wrong("ragged", got=in_short(got)) from None
    except TeachgraphError:  # a variable of a program has no value yet
        raise Wrong("no_numbers", got=in_short(got)) from None
    expect(array.dtype.kind in "biuf", "no_numbers", got=in_short(got))
    expect(not np.isnan(array).any(), "not_a_number", got=in_short(got))
    return array


def close(got: Any, wanted: Any, **tolerance: Any) -> bool:
    """Compare arrays in shape and, nearly, in values; lists of such, item by item.

    Args:
        got: The learner's, which may be anything.
        wanted: The right one.
        **tolerance: `rtol`, `atol` and `equal_nan` of `np.allclose`.

    >>> close([np.ones(2), 3.0], [np.ones(2), 3.0]), close(np.ones([1, 2]), np.ones(2))
    (True, False)
    >>> close(0.999, 1.0, atol=0.01), close("one", 1.0), close([1.0, None], [1.0, 2.0])
    (True, False, False)
    """
    if isinstance(got, (list, tuple)) and isinstance(wanted, (list, tuple)):
        pairs = zip(got, wanted, strict=False)
        return len(got) == len(wanted) and all(close(*p, **tolerance) for p in pairs)
    try:
        same = np.shape(got) == np.shape(wanted)
        return bool(same and np.allclose(got, wanted, **tolerance))
    except (TypeError, ValueError):  # it holds no numbers, or its rows differ
        return False


@contextmanager
def lines_at_most(most: int) -> Iterator[None]:
    """Raise Wrong("endless") when the functions called inside run more lines.

    >>> def forever():
    ...     while True:
    ...         pass
    >>> with lines_at_most(1000):
    ...     forever()
    Traceback (most recent call last):
    teachgraph.course.judging.Wrong: endless
    """
    left, before = most, sys.gettrace()

    def count(frame: object, event: str, value: object) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise Wrong("endless")
        return count

    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)


@dataclass(frozen=True)
class Verdict:
    """The verdict on one task: a sentence's id, and what it names."""

    lesson: Lesson
    task: str
    passed: bool
    sentence: str = "right"
    values: Mapping[str, Any] = field(default_factory=dict)

    def message(self, language: Language) -> str:
        """The verdict in words."""
        values = {"task": self.task, **shown(self.values)}
        quoted = quotes_a_line(str(values.get("error", "")))
        values["place"] = in_lines([] if quoted else values.get("place", []), language)
        said = say_of(self.lesson, self.task, self.sentence, language, **values)
        said = without_addresses(said)
        if self.passed:
            return say("right", language, task=self.task) + f" {said}"
        return said


def without_addresses(text: str) -> str:
    """A text without the addresses of objects: the same words on every run.

    >>> without_addresses("TypeError: <object object at 0x7f0e5d5ac0> is no number")
    'TypeError: <object object> is no number'
    """
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)


def judge(lesson: Lesson, task: str, ask: Ask) -> Verdict:
    """Check a task.

    Args:
        lesson: The lesson that has it.
        task: Its name.
        ask: Runs a function of `checks.py` on the learner's names.
    """
    got = ""

    def asked(perform: Perform, *case: Any) -> Any:
        nonlocal got
        answer = ask(perform, *case)
        got = f" ({in_short(answer)})" if perform is call else ""
        return answer

    try:
        getattr(checks_of(lesson.checks), task)(asked)
    except Wrong as wrong:
        return Verdict(lesson, task, False, wrong.sentence, wrong.values)
    except Exception:  # the answer is of a kind that the check cannot compare
        return Verdict(lesson, task, False, "strange", {"got": got})
    return Verdict(lesson, task, True, "shows")


@cache
def checks_of(path: Path) -> ModuleType:
    """The checks of a lesson."""
    spec = spec_from_file_location(f"checks_of_{path.parent.name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Names:
    """A namespace as an object: `mine.backward` is what the learner calls that.

    What a notebook has not imported is that of the learner's framework so far.
    """

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.__names = names

    def __getattr__(self, name: str) -> Any:
        for names in (self.__names, *(one.names for one in mine.shown)):
            if name in names:
                return names[name]
        raise NameError(f"name {name!r} is not defined", name=name)


def performed(
    names: Mapping[str, Any], lesson: Lesson, task: str, perform: str, case: Any
) -> Any:
    """Run a function of `checks.py` on the learner's names: its result as JSON."""
    checks = checks_of(lesson.checks)  # which need not import the `call` of a quiz
    function = call if perform == call.__name__ else getattr(checks, perform)
    try:
        return {"result": encoded(function(Names(names), *decoded(case)))}
    except Wrong as wrong:
        return {"wrong": wrong.sentence, "values": wrong.values}
    except NotPlain as other:
        sentence, got = not_plain(other.value)
        return {"wrong": sentence, "values": {"got": got}}
    except Exception as error:  # the learner's own, whatever it is
        sentence, values = in_words(error, task, lesson)
        return {"wrong": sentence, "values": values}


def read_answer(answer: Any) -> Any:
    """The result of `performed`.

    Raises:
        Wrong: There is none.
    """
    if "wrong" in answer:
        raise Wrong(answer["wrong"], **answer["values"])
    result = decoded(answer["result"])
    if result is None:
        raise Wrong("nothing")
    return result


def ask_here(names: Mapping[str, Any], lesson: Lesson, task: str) -> Ask:
    """A way to ask code that lives in this process."""

    def ask(perform: Perform, *case: Any) -> Any:
        data = encoded(case)
        return read_answer(performed(names, lesson, task, perform.__name__, data))

    return ask


def in_words(error: Exception, task: str, lesson: Lesson) -> tuple[str, dict[str, Any]]:
    """The sentence for an exception of the learner's code, and what it names."""
    # nbgrader's own stubs name no task.
    if isinstance(error, NotImplementedError) and error.args in {(task,), ()}:
        return "not_written", {"task": task}
    if isinstance(error, NotImplementedError) and error.args[0] in lesson.tasks:
        return "mend_first", {"first": error.args[0]}
    if isinstance(error, NameError) and error.name == task:
        return "not_there", {"task": task}
    place = places_of(error, task)
    if isinstance(error, RecursionError) and place:
        return "recursion", {"place": place}
    said = without_lines_of(lesson.checks, words_of(error))
    return "raised", {"error": said, "place": place}
