"""Known wrong answers of learners, with the message each must get from the checks.

Each is a file in the lesson's `wrong` folder that replaces one exercise cell. Its
docstring says why it is wrong, then `task:` names the exercise and `says:` a part of
the message.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from teachgraph.course.table import CourseError, Lesson, find

__all__ = ["WrongAnswer", "wrong_answer", "wrong_answers"]


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer; `code` replaces the exercise's cell."""

    path: Path
    task: str
    why: str
    says: str
    code: str

    @property
    def name(self) -> str:
        """The file's name without its suffix."""
        return self.path.stem


def wrong_answers(lesson: Lesson) -> list[WrongAnswer]:
    """Return the wrong answers of a lesson, by name."""
    return [_read(path) for path in sorted(lesson.folder.glob("wrong/*.py"))]


def wrong_answer(lesson: str, name: str) -> ModuleType:
    """Import a wrong answer, to run and watch it: the lesson's "break it".

    Raises CourseError if the lesson has none of that name.
    """
    for answer in wrong_answers(find(lesson)):
        if answer.name == name:
            spec = spec_from_file_location(f"wrong_{name}", answer.path)
            assert spec is not None
            assert spec.loader is not None
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise CourseError(f"Lesson {lesson} has no wrong answer called {name!r}.")


def _read(path: Path) -> WrongAnswer:
    code = path.read_text("utf-8")
    text = ast.get_docstring(ast.parse(code)) or ""
    task = re.search(r"^task: (.+)$", text, re.MULTILINE)
    says = re.search(r"^says: (.+)$", text, re.MULTILINE)
    if task is None or says is None:
        raise CourseError(f"{path}: its docstring needs the lines `task:` and `says:`.")
    return WrongAnswer(path, task[1], text.splitlines()[0], says[1], code)
