"""Which line of the user's code is to blame.

Every operator of a program, every event and every error names the user's own line:
the innermost frame that does not belong to the framework.
"""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from types import FrameType
from typing import NamedTuple

__all__ = ["Callsite", "callsite", "user_frame"]

_PACKAGE = str(Path(__file__).parent) + "/"
_HOUSES = (_PACKAGE, "<teachgraph", "<frozen", "<string>")


class Callsite(NamedTuple):
    """A place in the user's code: file, line (from 1) and function."""

    file: str
    line: int
    function: str

    @property
    def source(self) -> str:
        """The text of the line, or nothing where the source is not to be had."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}"
        if self.function != "<module>":
            where += f", in {self.function}"
        return f"{where}\n      {self.source}" if self.source else where


def ours(filename: str) -> bool:
    """Whether a code object of this file name belongs to the framework."""
    return filename.startswith(_HOUSES)


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame outside the framework, `depth` callers up or farther."""
    frame: FrameType | None = sys._getframe(depth)
    while frame is not None and ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def callsite() -> Callsite | None:
    """Where the user's code called the framework.

    >>> callsite().line
    1
    """
    frame = user_frame(2)
    if frame is None:
        return None
    code = frame.f_code
    return Callsite(code.co_filename, frame.f_lineno, code.co_name)
