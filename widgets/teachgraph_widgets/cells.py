"""Which cell runs, as far as whoever asked for it has said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from IPython.core.getipython import get_ipython

__all__ = ["the_cell", "the_request"]


def the_cell() -> str | None:
    """The cell that runs: a notebook in a window says which, `nbconvert` does not."""
    found = message().get("metadata", {}).get("cellId")
    return found if isinstance(found, str) else None


def the_request() -> str:
    """The number of the request to run it."""
    return str(message().get("header", {}).get("msg_id", ""))


def message() -> Mapping[str, Any]:
    """The message that the kernel answers."""
    parent: Any = getattr(get_ipython(), "get_parent", dict)()
    return parent if isinstance(parent, Mapping) else {}
