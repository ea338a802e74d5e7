"""What a traceback shows of an error while a function is traced: the user's own lines.

Between two of them stand the helpers that decide branches and loops. Set the
environment's `TRANSLATOR_DISABLE_NEW_ERROR` to 1, as in Paddle, and they are shown too.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType

__all__ = ["of_user"]

HERE = str(Path(__file__).parent)


def of_user(traceback: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of conversion."""
    if os.environ.get("TRANSLATOR_DISABLE_NEW_ERROR", "0") == "1":
        return traceback
    entries: list[TracebackType] = []
    while traceback is not None:
        if not traceback.tb_frame.f_code.co_filename.startswith(HERE):
            entries.append(traceback)
        traceback = traceback.tb_next
    shown = None
    for one in reversed(entries):
        shown = TracebackType(shown, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return shown
