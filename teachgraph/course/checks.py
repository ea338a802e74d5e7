"""The one line of a check cell: `check(backward)`.

    from teachgraph.course.checks import begin

    check = begin("02")

A verdict is words instead of a traceback. After three that were no pass, the known
mistake that behaves alike is named; `%hint` gives the next hint of the task in hand.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from teachgraph.course import mine
from teachgraph.course.judging import Verdict, ask_here, judge
from teachgraph.course.messages import hint_lines, hints, say
from teachgraph.course.table import Language, Lesson, find
from teachgraph.course.wrong import alike

__all__ = ["CheckFailed", "Checker", "attempt", "begin"]

T = TypeVar("T")

PATIENCE = 3
"""After so many verdicts that were no pass, a known mistake is named."""


class CheckFailed(AssertionError):
    """A check's verdict. Shown in a notebook it is its message, without a traceback."""

    def __init__(self, reason: str, task: str = "", sentence: str = "") -> None:
        super().__init__(reason)
        self.reason, self.task, self.sentence = reason, task, sentence

    def __str__(self) -> str:
        return f"{self.task}: {self.reason}" if self.task else self.reason

    def _render_traceback_(self) -> list[str]:
        """IPython's hook for an exception that draws itself."""
        return [str(self)]


class Checker:
    """Checks the tasks of a lesson, on the names of the notebook it was made in."""

    def __init__(
        self, lesson: Lesson, language: Language, names: Mapping[str, Any]
    ) -> None:
        self.lesson, self.language, self.names = lesson, language, names
        self.failures: Counter[str] = Counter()
        self.shown: Counter[str] = Counter()
        self.task = ""

    def __call__(self, answer: Callable[..., Any]) -> None:
        """Check an exercise: print that it is right, or raise CheckFailed."""
        self.task = task = getattr(answer, "__name__", str(answer))
        known = self.lesson.tasks
        if task not in known:
            facts = {"number": self.lesson.number, "names": ", ".join(known)}
            raise CheckFailed(self.say("unknown", task=task, **facts))
        ask = ask_here({**self.names, task: answer}, self.lesson, task)
        verdict = judge(self.lesson, task, ask)
        if verdict.passed:
            self.failures.pop(task, None)
            print(verdict.message(self.language))
            return
        self.failures[task] += 1
        raise CheckFailed(self.explained(verdict), task, verdict.sentence)

    def explained(self, verdict: Verdict) -> str:
        """A verdict, and after the third what many do who get it."""
        said = verdict.message(self.language)
        if self.failures[verdict.task] < PATIENCE:
            return said
        if (mistake := alike(verdict, self.names)) is not None:
            why = mistake.why[self.language]
            said = f"{said}\n{self.say('looks_like', why=why)}"
        return f"{said}\n{self.say('more_hints')}"

    def hint(self, task: str = "") -> None:
        """Print the next hint of a task, by default of the last one checked."""
        task = task.strip() or self.task or self.lesson.tasks[0]
        count = len(hints(self.lesson, task, self.language))
        self.shown[task] = shown = min(self.shown[task] + 1, count)
        print(*hint_lines(self.lesson, task, shown, self.language), sep="\n")

    def say(self, sentence: str, **values: Any) -> str:
        """One of the sentences that any lesson says."""
        return say(sentence, self.language, **values)


def begin(number: str, language: Language = "en") -> Checker:
    """Begin a lesson in a notebook: what checks its exercises.

    >>> begin("02").lesson.name
    '02_the_tape'
    """
    names = sys._getframe(1).f_globals
    checker = Checker(find(number), language, names)
    mine.show(checker.lesson, language)
    if (shell := sys.modules.get("IPython")) and (here := shell.get_ipython()):
        here.register_magic_function(checker.hint, magic_name="hint")
    return checker


def attempt(exercise: Callable[..., T], *arguments: Any, otherwise: T) -> T:
    """Call an exercise from a cell that is no check; for an unwritten one print a note.

    >>> def double(x):
    ...     raise NotImplementedError("double")
    >>> attempt(double, 2, otherwise=0)
    double: not written yet. Replace the line \
`raise NotImplementedError("double")` by your own.
    0
    """
    try:
        return exercise(*arguments)
    except NotImplementedError as error:
        language = mine.shown[0].language if mine.shown else "en"
        print(f"{error}: {say('not_written', language, task=error)}")
        return otherwise
