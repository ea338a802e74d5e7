"""Sentences of the course by id, in both languages.

A lesson's own stand in its `messages.toml`, task by task; what any check can say, in
this folder's. Numbers and names are filled in where a sentence has braces.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.course.table import CourseError, Language, Lesson

__all__ = ["common", "hint_lines", "hints", "say", "say_of", "shown"]


@cache
def common() -> Mapping[str, Any]:
    """The sentences that any lesson says, and the command.

    >>> sorted(common()["not_written"])
    ['en', 'zh']
    """
    path = Path(__file__).parent / "messages.toml"
    return tomllib.loads(path.read_text("utf-8"))


def say(sentence: str, language: Language, /, **values: Any) -> str:
    """A sentence that any lesson says, and the command.

    >>> say("score", "en", right=2, count=3)
    '2 of 3 exercises are right.'
    """
    return str(common()[sentence][language]).format_map(values)


def say_of(
    lesson: Lesson, task: str, sentence: str, language: Language, /, **values: Any
) -> str:
    """A sentence about a task: its own of that id, else what any lesson says.

    Raises:
        CourseError: There is none.
    """
    own = lesson.sentences.get(task, {}).get(sentence)
    translations = own or common().get(sentence)
    if translations is None:
        raise CourseError(f"{task}: there is no sentence {sentence!r}")
    return str(translations[language]).format_map(values).strip()


def hints(lesson: Lesson, task: str, language: Language) -> list[str]:
    """The hints to a task, first to last; the last one is a skeleton."""
    rows = lesson.sentences.get(task, {}).get("hints", ())
    return [str(row[language]).strip() for row in rows]


def hint_lines(lesson: Lesson, task: str, shown: int, language: Language) -> list[str]:
    """The first hints to a task; after the last one, where the solution is."""
    rows = hints(lesson, task, language)
    count, lines = len(rows), []
    for position, row in enumerate(rows[:shown], start=1):
        text = f"\n{row}" if "\n" in row else row  # code begins in its own column
        where = {"position": position, "count": count}
        lines.append(say("hint", language, task=task, **where, text=text))
    if shown == len(rows):
        lines.append(say("last_hint", language, number=lesson.number, task=task))
    return lines


def shown(value: Any) -> Any:
    """A value for a message: floats in it have the seven digits that a float32 holds.

    >>> shown({"got": float(np.float32(-0.12)), "n": [1, 0.1 + 0.2]})
    {'got': -0.12, 'n': [1, 0.3]}
    """
    if isinstance(value, Mapping):
        return {name: shown(held) for name, held in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(shown, value))
    if isinstance(value, float | np.floating):
        return float(f"{value:.7g}")
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.vectorize(shown, [float])(value) if value.size else value
    return value
