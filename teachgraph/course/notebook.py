"""Build three notebooks of one source: for the learner, solved, and for instructors.

The learner's has stubs for solutions, and its checks are saved with the message for an
unwritten exercise; the solved one's checks are saved with the text of a pass. Both
carry the tags with which `pytest --nbval-lax` verifies these outputs. The instructor's
keeps the markers, so `nbgrader` takes it as an assignment's source.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Literal

from teachgraph.course.checks import CheckFailed
from teachgraph.course.judging import Verdict
from teachgraph.course.source import Cell, Source, stub, without_markers
from teachgraph.course.table import Language

__all__ = ["Kind", "Notebook", "build"]

CJK = "[\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]"
BROKEN = re.compile(f"(?<={CJK})\n(?={CJK})")
"""An end of a line inside a Chinese sentence: Markdown would draw a space there."""

Kind = Literal["learner", "solution", "instructor"]
Notebook = dict[str, Any]
"""A notebook as nbformat stores it: plain JSON."""
KERNEL = {
    "kernelspec": {
        "display_name": "Python 3 (ipykernel)",
        "language": "python",
        "name": "python3",
    },
    "language_info": {"name": "python"},
}


def build(source: Source, kind: Kind, language: Language = "en") -> Notebook:
    """Build the notebook of a lesson; the same source always gives the same bytes."""
    names = _names(source)
    cells = [
        _cell(source, cell, name, position, kind, language)
        for position, (cell, name) in enumerate(zip(source.cells, names, strict=True))
    ]
    about = {"lesson": source.lesson.number, "language": language}
    return whole(cells, {"teachgraph": about})


def whole(
    cells: list[dict[str, Any]], metadata: dict[str, Any] | None = None
) -> Notebook:
    """A notebook of these cells."""
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": KERNEL | (metadata or {}),
        "cells": cells,
    }


def _names(source: Source) -> list[str]:
    """Return a name for each cell, the same in every language and at every build."""
    seen: Counter[str] = Counter()
    names = []
    for cell in source.cells:
        stem = {"exercise": cell.task, "check": f"check-{cell.task}"}.get(
            cell.role, cell.role
        )
        seen[stem] += 1
        counted = seen[stem] > 1 or stem == cell.role
        names.append(f"{stem}-{seen[stem]}" if counted else stem)
    return names


def _cell(
    source: Source,
    cell: Cell,
    name: str,
    position: int,
    kind: Kind,
    language: Language,
) -> dict[str, Any]:
    built: dict[str, Any] = {
        "cell_type": "markdown" if cell.role == "text" else "code",
        "id": name.replace("_", "-"),
        "metadata": {"teachgraph": {"role": cell.role, "name": name}},
        "source": cell.text[language],
    }
    metadata = built["metadata"]
    if cell.role == "text":
        built["source"] = BROKEN.sub("", built["source"])
    else:
        built |= {"execution_count": None, "outputs": []}
        if cell.tags:
            metadata["tags"] = list(cell.tags)
        if "quiet" in cell.tags:
            built["source"] += ";"
    if cell.role == "exercise":
        metadata["teachgraph"]["task"] = cell.task
        metadata["nbgrader"] = _nbgrader(name, solution=True)
        if kind != "instructor":
            change = stub if kind == "learner" else without_markers
            built["source"] = change(cell.text[language])
    if cell.role == "check":
        metadata["teachgraph"]["task"] = cell.task
        metadata["nbgrader"] = _nbgrader(name, solution=False)
        metadata |= {"editable": False, "deletable": False}
        if kind != "instructor":
            verdict = Verdict(source.lesson, cell.task, True, "shows")
            if kind == "learner":
                verdict = Verdict(
                    source.lesson, cell.task, False, "not_written", {"task": cell.task}
                )
            _save_verdict(built, verdict, language, position)
    return built


def _nbgrader(name: str, *, solution: bool) -> dict[str, Any]:
    """Return nbgrader's metadata of a cell (its schema, version 3)."""
    marks: dict[str, Any] = {
        "schema_version": 3,
        "grade_id": name,
        "solution": solution,
        "grade": not solution,
        "locked": not solution,
        "task": False,
    }
    return marks if solution else marks | {"points": 1}


def _save_verdict(
    built: dict[str, Any], verdict: Verdict, language: Language, position: int
) -> None:
    """Store the expected output of a check, which nbval compares with the real one.

    nbval takes a cell without an execution count for one that never ran, and would
    compare nothing.
    """
    tags = ["check", "nbval-check-output"]
    said = verdict.message(language)
    output: dict[str, Any] = {"output_type": "stream", "name": "stdout"}
    output["text"] = said + "\n"
    if not verdict.passed:
        failed = CheckFailed(said, verdict.task)
        tags.append("raises-exception")
        output = {
            "output_type": "error",
            "ename": CheckFailed.__name__,
            "evalue": str(failed),
            "traceback": [str(failed)],
        }
    built["metadata"]["tags"] = tags
    built |= {"execution_count": position, "outputs": [output]}
