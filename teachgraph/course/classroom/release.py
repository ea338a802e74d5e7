"""Release lessons to a class: the notebooks of learners, or nbgrader's sources."""

from __future__ import annotations

import shutil
from pathlib import Path

from teachgraph.course.files import write_new
from teachgraph.course.notebook import Kind, build
from teachgraph.course.source import read
from teachgraph.course.table import Language, Lesson, shipped

__all__ = ["release"]

CONFIG = "nbgrader_config.py"


def release(
    folder: Path, chosen: list[Lesson], language: Language, *, nbgrader: bool = False
) -> tuple[list[Path], list[Path]]:
    """Write the notebooks of some lessons into a folder; nothing is overwritten.

    Args:
        folder: Made if it is not there.
        chosen: The lessons.
        language: The notebooks'.
        nbgrader: Write what `nbgrader generate_assignment` takes: solved notebooks with
            markers, an assignment each, and its configuration.

    Returns:
        The files that were written, and those that were there and stayed.
    """
    written: list[Path] = []
    kept: list[Path] = []
    end = "" if language == "en" else f".{language}"
    for lesson in chosen:
        path = folder / f"{lesson.name}{end}.ipynb"
        if nbgrader:
            path = folder / "source" / lesson.name / path.name
        kind: Kind = "instructor" if nbgrader else "learner"
        try:
            write_new(path, build(read(lesson), kind, language))
            written.append(path)
        except FileExistsError:
            kept.append(path)
    config = folder / CONFIG
    if nbgrader and config.exists():
        kept.append(config)
    elif nbgrader:
        shutil.copyfile(shipped() / CONFIG, config)
        written.append(config)
    return written, kept
