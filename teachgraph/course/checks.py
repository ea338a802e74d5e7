"""Check cells of lessons: a verdict in words instead of a traceback.

    with checking("backward"):
        expect(x.grad == 2.0, "two paths lead to x, and both belong in its gradient")

Inside `checking`, an exercise nobody has written yet, an exception in the learner's
code and an expectation that doesn't hold all become one friendly `CheckFailed`.
"""

from __future__ import annotations

import linecache
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["CheckFailed", "attempt", "checking", "expect", "not_written", "passed"]

T = TypeVar("T")


class CheckFailed(AssertionError):
    """A check's verdict. Shown in a notebook it is its message, without a traceback."""

    def __init__(self, reason: str, task: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.task = task

    def __str__(self) -> str:
        return f"{self.task}: {self.reason}" if self.task else self.reason

    def _render_traceback_(self) -> list[str]:
        """IPython's hook for an exception that draws itself."""
        return [str(self)]


def expect(holds: object, reason: str) -> None:
    """Raise CheckFailed with `reason` unless `holds` is true.

    >>> expect(1 + 1 == 2, "arithmetic")
    >>> expect([], "an empty list is not an answer")
    Traceback (most recent call last):
    teachgraph.course.checks.CheckFailed: an empty list is not an answer
    """
    if not holds:
        raise CheckFailed(reason)


@contextmanager
def checking(task: str) -> Iterator[None]:
    """Check the exercise `task`: print that it passed, or raise CheckFailed.

    >>> def double(x):
    ...     raise NotImplementedError("double")
    >>> with checking("double"):
    ...     expect(double(2) == 4, "2 doubled is 4")
    Traceback (most recent call last):
    teachgraph.course.checks.CheckFailed: double: not written yet. Replace the line \
`raise NotImplementedError("double")` by your own.
    """
    try:
        yield
    except CheckFailed as verdict:
        raise CheckFailed(verdict.reason, task) from None
    except Exception as error:
        raise CheckFailed(_in_words(error, task), task) from error
    print(passed(task))


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
        print(f"{error}: {not_written(str(error))}")
        return otherwise


def passed(task: str) -> str:
    """Return the text that a passing check of `task` prints."""
    return f"{task}: right."


def not_written(task: str) -> str:
    """Return the message of a check whose `task` is still the stub."""
    return (
        f'not written yet. Replace the line `raise NotImplementedError("{task}")` '
        "by your own."
    )


def _in_words(error: Exception, task: str) -> str:
    # nbgrader's own stubs name no task.
    if isinstance(error, NotImplementedError) and error.args in {(task,), ()}:
        return not_written(task)
    if isinstance(error, NameError) and error.name == task:
        return f"there is no `{task}` yet. Run the exercise's cell first."
    detail = f": {error}" if str(error) else ""
    return f"raised {type(error).__name__}{detail}{_where(error)}"


def _where(error: Exception) -> str:
    """Return the last line of the learner's own code in the traceback of `error`."""
    last = None
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_globals.get("__name__") == "__main__":
            last = frame.f_code.co_filename, line, frame.f_globals
    if last is None:
        return ""
    filename, number, namespace = last
    text = linecache.getline(filename, number, namespace).strip()
    return f" (line {number} of the cell: `{text}`)" if text else ""
