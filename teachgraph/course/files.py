"""Write the learner's files atomically, and never over a file of theirs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from teachgraph.io.files import written_whole

__all__ = ["write_new", "write_over"]


def write_new(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` as JSON to a new file.

    Raises FileExistsError if there is a file, which stays as it is.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Claims the name: a test and a later write could race with another process.
    path.touch(exist_ok=False)
    try:
        write_over(path, content)
    except BaseException:
        path.unlink()
        raise


def write_over(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` as JSON to `path`, replacing what is there in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, ensure_ascii=False, indent=1) + "\n"
    with written_whole(path) as file:
        file.write(text.encode("utf-8"))
