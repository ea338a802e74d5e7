"""Known wrong answers of learners, with the sentence each must get from the checks.

Each is a file in the lesson's `wrong` folder that replaces one exercise cell. The first
line of its docstring says what is wrong, `zh:` says so in Chinese, `task:` names the
exercise and `says:` the sentence. The rest is the answer, or what it has instead of
some text of the solution: `INSTEAD = {"a + b": "a - b"}`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from teachgraph.course.judging import Verdict, ask_here, judge
from teachgraph.course.source import read_once, without_markers
from teachgraph.course.table import CourseError, Language, Lesson, find

__all__ = ["WrongAnswer", "alike", "wrong_answer", "wrong_answers"]


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer; `code` replaces the exercise's cell."""

    path: Path
    task: str
    why: Mapping[Language, str]
    says: str
    code: str

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return self.path.stem

    def names(self, around: Mapping[str, Any]) -> dict[str, Any]:
        """The names of a notebook that has this answer in the place of its own."""
        names = dict(around)
        exec(compile(self.code, str(self.path), "exec"), names)
        return names


def wrong_answers(lesson: Lesson) -> list[WrongAnswer]:
    """The wrong answers of a lesson, by name."""
    return [_read(path, lesson) for path in sorted(lesson.folder.glob("wrong/*.py"))]


def wrong_answer(lesson: str, name: str, around: Mapping[str, Any]) -> ModuleType:
    """A wrong answer, to run and watch it: the lesson's "break it".

    Args:
        lesson: The lesson's number.
        name: The answer's name.
        around: The names of the notebook, which the answer may use.

    Raises:
        CourseError: The lesson has none of that name.
    """
    for answer in wrong_answers(find(lesson)):
        if answer.name == name:
            module = ModuleType(f"wrong_{name}")
            module.__dict__.update(answer.names(around))
            return module
    raise CourseError(f"Lesson {lesson} has no wrong answer called {name!r}.")


def alike(verdict: Verdict, around: Mapping[str, Any]) -> WrongAnswer | None:
    """The known wrong answer of which the checks say the same, if there is only one.

    What "wrong" says without a figure or a name fits every wrong answer.
    """
    if verdict.sentence == "wrong" and not verdict.values:
        return None

    def words(answer: WrongAnswer) -> str:
        ask = ask_here(answer.names(around), verdict.lesson, verdict.task)
        return judge(verdict.lesson, verdict.task, ask).message("en")

    told, kind = verdict.message("en"), (verdict.task, verdict.sentence)
    known = [a for a in wrong_answers(verdict.lesson) if (a.task, a.says) == kind]
    same = [answer for answer in known if words(answer) == told]
    return same[0] if len(same) == 1 else None


def _read(path: Path, lesson: Lesson) -> WrongAnswer:
    code = path.read_text("utf-8")
    text = ast.get_docstring(ast.parse(code)) or ""
    fields = dict(re.findall(r"^(task|says|zh): (.+)$", text, re.MULTILINE))
    if len(fields) < 3:
        raise CourseError(f"{path}: its docstring needs `zh:`, `task:` and `says:`.")
    why: Mapping[Language, str] = {"en": text.splitlines()[0], "zh": fields["zh"]}
    if (changes := _changes(code)) is not None:
        code = _changed(lesson, fields["task"], changes, path)
    return WrongAnswer(path, fields["task"], why, fields["says"], code)


def _changes(code: str) -> dict[str, str] | None:
    """The value of `INSTEAD`, None where the whole answer is written out."""
    for node in ast.parse(code).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "INSTEAD":
            changes: dict[str, str] = ast.literal_eval(node.value)
            return changes
    return None


def _changed(lesson: Lesson, task: str, changes: Mapping[str, str], path: Path) -> str:
    """The solution of a task with some of its text replaced."""
    code = without_markers(read_once(lesson).exercise(task).code)
    for old, new in changes.items():
        if code.count(old) != 1:
            raise CourseError(
                f"{path}: the solution has {old!r} {code.count(old)} times."
            )
        code = code.replace(old, new)
    return code
