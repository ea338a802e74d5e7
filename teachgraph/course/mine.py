"""The learner's own framework: `from teachgraph.course.mine import backward`.

What the lessons let a learner build, in their order: the cells tagged `mine`, and the
exercises. Of each exercise that `teachgraph course check` has found right it is the
learner's own code, of the others ours; importing says which. NumPy is all it needs, so
that `teachgraph course mine` can print it as one file that runs on its own.
"""

from __future__ import annotations

import builtins
import linecache
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dis import get_instructions
from functools import cache
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from teachgraph.core.observe import announce
from teachgraph.course import progress
from teachgraph.course.messages import say
from teachgraph.course.source import read_once, without_markers
from teachgraph.course.table import Language, Lesson, lessons

__all__ = [
    "Part",
    "built_from",
    "counted",
    "parts",
    "program_text",
    "show",
    "so_far",
    "strangers",
]


NOBODY = """
def announce(event, *facts):
    pass
"""
"""Outside of a notebook nobody watches."""


@dataclass(frozen=True)
class Part:
    """A piece of the framework: given by a lesson, or an exercise."""

    lesson: Lesson
    task: str
    code: str
    own: bool = False


def parts(
    answers: Mapping[str, str] | None = None, before: Lesson | None = None
) -> list[Part]:
    """The pieces, in order of the lessons.

    Args:
        answers: The learner's code by task; by default what they have passed.
        before: Only what the lessons before this one build.
    """
    if answers is None:
        answers = progress.load().answers()
    return [
        Part(lesson, cell.task, answers[cell.task], own=True)
        if cell.task in answers
        else Part(lesson, cell.task, without_markers(cell.code))
        for lesson in lessons()
        if lesson.built and (before is None or lesson.place < before.place)
        for cell in read_once(lesson).framework
    ]


def so_far(kept: progress.Progress) -> list[Part]:
    """The pieces up to the last lesson that the learner has begun."""
    begun = {number for number, record in kept.records.items() if record.notebooks}
    last = max((one.place for one in lessons() if one.number in begun), default=-1)
    return [piece for piece in parts(kept.answers()) if piece.lesson.place <= last]


def built_from(pieces: Iterable[Part], name: str = "mine") -> dict[str, Any]:
    """The names that the pieces define, run one after the other."""
    module = ModuleType(name)
    module.__dict__.update(np=np, announce=announce)
    for piece in pieces:
        label = piece.task or f"given {piece.code[:20]!r}"
        file = f"<mine: lesson {piece.lesson.number}, {label}>"
        lines = piece.code.splitlines(keepends=True)
        linecache.cache[file] = (len(piece.code), None, lines, file)
        exec(compile(piece.code, file, "exec"), module.__dict__)
    return module.__dict__


def program_text(pieces: Iterable[Part], language: Language = "en") -> str:
    """The framework as one file, which runs on its own.

    It begins with what is not the learner's yet: whoever starts in the middle has the
    course's answers of the lessons before.
    """
    pieces = list(pieces)
    own, given = counted(pieces)
    title = say("program_title", language, own=own, given=given)
    about = "\n".join([title, *missing(pieces, language)])
    text = f'"""{about}"""\n\nimport numpy as np\n\n{NOBODY}'
    number = ""
    for piece in pieces:
        if piece.lesson.number != number:
            number = piece.lesson.number
            text += f"\n\n# {number} {piece.lesson.title[language]}\n"
        if piece.task and not piece.own:
            text += f"\n\n# {say('ours', language, names=piece.task)}"
        text += f"\n\n{piece.code}\n"
    return text


def missing(pieces: Sequence[Part], language: Language = "en") -> list[str]:
    """The exercises that are not the learner's yet, a line for each lesson.

    Of no pieces it is the lesson to begin with.
    """
    by_lesson: dict[str, list[str]] = {}
    if not pieces:
        first = parts({})[0].lesson.number
        return ["", say("framework_empty", language, number=first), ""]
    for piece in pieces:
        if piece.task and not piece.own:
            by_lesson.setdefault(piece.lesson.number, []).append(piece.task)
    rows = [f"    {number} {', '.join(tasks)}" for number, tasks in by_lesson.items()]
    return ["", say("program_missing", language), *rows, ""] if rows else []


def counted(pieces: Iterable[Part]) -> tuple[int, int]:
    """Count the lines that are the learner's own, and the others; blank ones apart."""
    lines = {True: 0, False: 0}
    for piece in pieces:
        lines[piece.own] += sum(bool(line.strip()) for line in piece.code.splitlines())
    return lines[True], lines[False]


@cache
def names_of_all() -> frozenset[str]:
    """The names that the lessons define, all together."""
    return frozenset(built_from(parts({})))


def strangers(code: str) -> list[str]:
    """The names that code reads from around it, and that no lesson gives it."""
    known = {*vars(builtins), *names_of_all()}
    read_names: set[str] = set()
    codes = [compile(code, "<answer>", "exec")]
    for one in codes:
        codes += [inner for inner in one.co_consts if isinstance(inner, CodeType)]
        for step in get_instructions(one):
            if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                read_names.add(step.argval)
            elif step.opname in ("STORE_NAME", "STORE_GLOBAL"):
                known.add(step.argval)
    return sorted(read_names - known)


@dataclass
class Shown:
    """The framework that is imported from: what stands when a lesson begins."""

    pieces: list[Part]
    names: dict[str, Any]
    language: Language


shown: list[Shown] = []


def show(before: Lesson | None = None, language: Language = "en") -> Shown:
    """Build the framework anew: as it is when a lesson begins, or all of it."""
    pieces = parts(before=before)
    shown[:] = [Shown(pieces, built_from(pieces), language)]
    return shown[0]


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    now = shown[0] if shown else show()
    if name not in now.names:
        raise AttributeError(f"no lesson so far builds {name!r}")
    for piece in now.pieces:
        if piece.task == name:
            sentence = "yours" if piece.own else "ours"
            print(say(sentence, now.language, names=name))
    return now.names[name]
