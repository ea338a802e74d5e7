"""Callsites: the line of the user's code behind an operator, an event or an error.

It is that of the innermost frame that does not belong to the framework.
"""

from __future__ import annotations

import contextlib
import linecache
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from teachgraph.core.extend import HookPoint

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
    def short(self) -> str:
        """File name and line, or cell and line."""
        return position.call(self.file, self.line).rpartition("/")[2]

    def __str__(self) -> str:
        where = position.call(self.file, self.line)
        if self.function != "<module>":
            where += f", in {self.function}"
        return f"{where}\n      {self.source}" if self.source else where


position: HookPoint[Callable[[str, int], str]]
position = HookPoint(lambda file, line: f"{file}:{line}")
"""Says where a line is; a notebook says in which cell: `position(file, line)`."""


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
