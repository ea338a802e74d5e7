"""An error that the learner's code raised, in words, with the lines it came through."""

from __future__ import annotations

import linecache
import re
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from teachgraph.core.errors import TeachgraphError
from teachgraph.course.messages import say, shown
from teachgraph.course.table import Language

__all__ = ["in_lines", "places_of", "quotes_a_line", "without_lines_of", "words_of"]

ANSWERS = "__main__", "mine"
"""Modules whose lines are the learner's."""

QUOTED = "\n  at "
"""Begins the line of the user's that an error of the framework quotes."""

MOST_SHOWN = 4
"""Numbers of an array that a message shows."""

OF_ANY: Any = object.__repr__
"""The repr of an object whose class has none: the class's name, and an address."""


def quotes_a_line(text: str) -> bool:
    """Tell if an error's text quotes the user's line, as those of the framework do."""
    return QUOTED in text


def without_lines_of(file: Path, text: str) -> str:
    r"""An error's text without the line that it quotes, if that is of a file.

    >>> text = "FeedError: no x\n  at c.py:3, in run\n      exe.run()"
    >>> without_lines_of(Path("c.py"), text)
    'FeedError: no x'
    """
    return re.sub(rf"{QUOTED}{re.escape(str(file))}:.*(\n {{6}}.*)?", "", text)


def words_of(error: Exception) -> str:
    """The type of an error and its message; the key of a KeyError by its contents."""
    said = str(error)
    if isinstance(error, KeyError) and len(error.args) == 1:
        said = contents_of(error.args[0])
    return f"{type(error).__name__}{said and ': '}{said}"


def contents_of(value: Any) -> str:
    """The repr of a value; of an object without one, its first plain attributes.

    >>> class Variable:
    ...     def __init__(self):
    ...         self.program, self.name, self.shape = object(), "mul_0", (2, 3)
    >>> contents_of(Variable())
    "Variable(name='mul_0', shape=(2, 3))"
    """
    if type(value).__repr__ is not OF_ANY:
        return repr(value)
    attributes = getattr(value, "__dict__", {})
    plain = [f"{name}={told(it)}" for name, it in attributes.items() if is_plain(it)]
    return f"{type(value).__name__}({', '.join(plain[:2])})"


def is_plain(value: Any) -> bool:
    """Tell if a value is a text, a number, a shape or a few numbers."""
    if isinstance(value, tuple):
        return all(isinstance(one, int) for one in value)
    if isinstance(value, np.ndarray):
        return value.size <= MOST_SHOWN
    return isinstance(value, str | int | float)


def told(value: Any) -> str:
    """The repr of a plain value; arrays as lists."""
    value = shown(value)
    return repr(value.tolist() if isinstance(value, np.ndarray) else value)


def places_of(error: Exception, task: str) -> list[dict[str, Any]]:
    """The lines of the learner's own code in a traceback that tell where it arose.

    The last one of the exercise's own cell, and the very last where that is in another
    cell: that one with the name of its function or class, and with the lesson that
    built it, if it is not of this notebook.
    """
    places: list[dict[str, Any]] = []
    cell = ""
    for frame, line in frames_of(error):
        if frame.f_globals.get("__name__") not in ANSWERS:
            continue
        file = frame.f_code.co_filename
        if not (code := linecache.getline(file, line, frame.f_globals).strip()):
            continue
        function = frame.f_code.co_qualname.partition(".<locals>")[0]
        if function.partition(".")[0] == task:
            cell = file
        place: dict[str, Any] = {"line": line, "code": code}
        if file != cell:
            lesson = re.match(r"<mine: lesson (\w+),", file)
            place |= {"function": function, "lesson": lesson[1] if lesson else ""}
        own = [one for one in places if "function" not in one]
        places = [*own[-1:], place] if file != cell else [place]
    return places


def frames_of(error: BaseException) -> Iterator[tuple[FrameType, int]]:
    """The frames and lines of a traceback, outermost first.

    Where the framework restates its error `from None`, as an op does that names itself,
    those of the error it restates follow.
    """
    yield from traceback.walk_tb(error.__traceback__)
    restated = error.__context__ if error.__suppress_context__ else None
    if isinstance(error, TeachgraphError) and isinstance(restated, TeachgraphError):
        yield from frames_of(restated)


def in_lines(places: Sequence[Mapping[str, Any]], language: Language) -> str:
    """Lines of the learner's code as the end of a sentence, nothing for none."""
    if not places:
        return ""
    said = []
    for place in places:
        kind = "line_of" if "function" in place else "line_here"
        if place.get("lesson"):
            kind = "line_of_lesson"
        said.append(say(kind, language, **place))
    return say("place", language, lines=say("then", language).join(said))
