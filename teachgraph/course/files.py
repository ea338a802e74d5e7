"""Writing the learner's files: whole or not at all, and nothing of theirs is lost."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["write_new", "write_over"]


def write_new(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` as JSON to a `path` where nothing is yet.

    Raises FileExistsError, and leaves what is there as it is, if something is.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(exist_ok=False)
    try:
        write_over(path, content)
    except BaseException:
        path.unlink()
        raise


def write_over(path: Path, content: Mapping[str, Any]) -> None:
    """Write `content` as JSON to `path`, replacing what is there in one step."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=path.parent, suffix=".part", delete=False
    ) as file:
        part = Path(file.name)
        try:
            json.dump(content, file, ensure_ascii=False, indent=1)
            file.write("\n")
            file.close()
            if path.exists():
                shutil.copymode(path, part)
            part.replace(path)
        except BaseException:
            file.close()
            part.unlink(missing_ok=True)
            raise
