"""The built front end: one module and one stylesheet, read when first needed."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

from teachgraph.core.errors import TeachgraphError

__all__ = ["NotBuiltError", "packed", "script", "style"]

STATIC = Path(__file__).with_name("static")


class NotBuiltError(TeachgraphError, FileNotFoundError):
    """The front end has not been built."""


@cache
def script() -> str:
    """Read the built ES module."""
    return read(STATIC / "widget.js")


@cache
def style() -> str:
    """Read the built stylesheet."""
    return read(STATIC / "widget.css")


@cache
def packed() -> bytes:
    """Gzip module and stylesheet as JSON: the same bytes for the same code."""
    text = json.dumps({"script": script(), "style": style()})
    return gzip.compress(text.encode("ascii"), mtime=0)


def read(path: Path) -> str:
    """Read a built file.

    Raises:
        NotBuiltError: The file is missing.
    """
    try:
        return path.read_text("utf-8")
    except FileNotFoundError:
        raise NotBuiltError(
            f"the front end is not built ({path.name} is missing): run `make lab`, or "
            "`npm ci && npm run build` in widgets/; an installed wheel brings it along"
        ) from None
