"""Prefixes of files' names, to which suffixes such as `.pdparams` are appended."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from teachgraph.core.errors import InvalidValueError

__all__ = ["file_prefix", "with_suffix"]


def file_prefix(
    path: Any, argument: str = "path", *, part: str = "file_prefix"
) -> Path:
    """Require a path whose last part can begin the names of files.

    Args:
        path: The path.
        argument: The name of the argument that it was given as.
        part: Paddle's word for the last part.

    Raises:
        InvalidValueError: It is no path, or has no last part.

    >>> file_prefix("models/first").name
    'first'
    """
    kind = isinstance(path, (str, os.PathLike))
    if kind and Path(path).name and not str(path).endswith(("/", "\\")):
        return Path(path)
    reason = f"its {part} is empty" if kind else "that is no path"
    raise InvalidValueError.here(
        f"The input {argument} MUST be format of dirname/{part}, but received "
        f"{path!r}: {reason}"
    )


def with_suffix(prefix: Path, suffix: str) -> Path:
    """Append a suffix to the prefix.

    >>> with_suffix(Path("model.v2"), ".pdparams").name
    'model.v2.pdparams'
    """
    # Not Path.with_suffix, which would cut "model.v2" at its dot.
    return prefix.with_name(prefix.name + suffix)
