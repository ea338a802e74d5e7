"""The learner's side of a judge in another process: runs cases, sends back plain data.

An answer carries the nonce of its question. What comes back otherwise, printed or
displayed by the notebook itself, is no answer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

from teachgraph.course.judging import Ask, Wrong, performed, read_answer
from teachgraph.course.plain import encoded
from teachgraph.course.table import Lesson, find

__all__ = ["ANSWER", "ask_there", "question", "serve"]

ANSWER = "application/vnd.teachgraph.answer+json"
"""The type under which an answer is displayed."""

Execute = Callable[[str], list[Any]]
"""Runs code in a kernel; returns what is displayed, by type."""


def question(
    lesson: Lesson, task: str, perform: str, case: tuple[Any, ...], nonce: str
) -> str:
    """The code that makes a kernel answer."""
    asked = [str(lesson.folder), task, perform, encoded(case), nonce]
    text = json.dumps(json.dumps(asked))
    module = "__import__('teachgraph.course.serving', fromlist=['serve'])"
    return f"{module}.serve({text});"


def serve(text: str) -> None:
    """Answer a question, in the kernel that has the learner's names."""
    from IPython import get_ipython
    from IPython.display import display

    folder, task, perform, case, nonce = json.loads(text)
    answer = performed(get_ipython().user_ns, at(folder), task, perform, case)
    display({ANSWER: {"nonce": nonce, **answer}}, raw=True)


def at(folder: str) -> Lesson:
    """The lesson in a folder."""
    path = Path(folder)
    return find(path.name, path.parent)


def ask_there(execute: Execute, lesson: Lesson, task: str) -> Ask:
    """A way to ask code that lives in another process."""

    def ask(perform: Callable[..., Any], *case: Any) -> Any:
        nonce = uuid4().hex
        shown = execute(question(lesson, task, perform.__name__, case, nonce))
        for answer in shown:
            if isinstance(answer, dict) and answer.get("nonce") == nonce:
                return read_answer(answer)
        raise Wrong("silent")

    return ask
