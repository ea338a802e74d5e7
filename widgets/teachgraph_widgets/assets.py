"""The built front end: one module, one stylesheet, and the charts, loaded if opened."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

from teachgraph.core.errors import TeachgraphError

__all__ = ["NotBuiltError", "charts", "packed", "script", "style"]

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
def charts() -> str:
    """Read the script of the views with charts: it sets `teachgraph_charts`."""
    return read(STATIC / "charts.js")


@cache
def packed() -> bytes:
    """Gzip the front end as JSON: the same bytes for the same code.

    The charts are the text of a module that exports what it sets. They follow the
    script: gzip finds again what is alike in both if it is near.
    """
    module = charts() + "export{teachgraph_charts}"
    text = json.dumps({"script": script(), "charts": module, "style": style()})
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
