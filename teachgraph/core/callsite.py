"""Callsites: the line of the user's code behind an operator, an event or an error.

It is that of the innermost frame that does not belong to the framework.
"""

from __future__ import annotations

import contextlib
import linecache
import sys
from collections.abc import Callable
from pathlib import Path, PurePath
from types import FrameType
from typing import NamedTuple

titles_of_files: list[Callable[[str], str | None]] = []
"""Functions that give a file a title: a notebook, of its cells."""

own_files: tuple[str, ...] = (
    f"{Path(__file__).parent}/",
    *(contextlib.__file__, "<teachgraph", "<frozen", "<string>"),
)
"""Beginnings of the file names that belong to the framework."""


def add_own_files(*folders: Path) -> None:
    """Count the files of these folders as the framework's own."""
    global own_files  # noqa: PLW0603  one tuple, which `str.startswith` takes as it is
    own_files += tuple(f"{folder}/" for folder in folders)


class Callsite(NamedTuple):
    """A place in the user's code: file, line (from 1) and function."""

    file: str
    line: int
    function: str

    @property
    def source(self) -> str:
        """The text of the line, or nothing where the source is not to be had."""
        return linecache.getline(self.file, self.line).strip()

    @property
    def cell(self) -> str | None:
        """The title of the file ("cell [7]"), if it is a cell of a notebook."""
        titles = (title(self.file) for title in titles_of_files)
        return next((found for found in titles if found is not None), None)

    @property
    def short(self) -> str:
        """File name and line, or cell and line."""
        if (cell := self.cell) is not None:
            return f"{cell}, line {self.line}"
        return f"{PurePath(self.file).name}:{self.line}"

    def __str__(self) -> str:
        where = self.short if self.cell else f"{self.file}:{self.line}"
        if self.function != "<module>":
            where += f", in {self.function}"
        return f"{where}\n      {self.source}" if self.source else where


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame outside the framework, `depth` callers up or farther."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and frame.f_code.co_filename.startswith(own_files):
        frame = frame.f_back
    return frame


def callsite() -> Callsite | None:
    """The line of the user's code that called the framework."""
    if (frame := user_frame(2)) is None:
        return None
    code = frame.f_code
    return Callsite(code.co_filename, frame.f_lineno, code.co_name)
