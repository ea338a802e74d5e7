"""Tracebacks of errors while a function is traced: only the user's own lines.

The frames of the helpers that run branches and loops are removed. Set the environment
variable `TRANSLATOR_DISABLE_NEW_ERROR` to 1, as in Paddle, to see them too.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

__all__ = ["of_user"]

HERE = str(Path(__file__).parent)


def of_user(traceback: TracebackType | None) -> TracebackType | None:
    """Remove the frames of this package from a traceback."""
    if os.environ.get("TRANSLATOR_DISABLE_NEW_ERROR", "0") == "1":
        return traceback
    entries: list[TracebackType] = []
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(HERE):
            entries.append(traceback)
        traceback = traceback.tb_next
    # `tb_next` points from the outermost frame inwards: rebuild from the innermost.
    shown = None
    for one in reversed(entries):
        shown = TracebackType(shown, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return shown
