"""The running cell and its request, as far as the front end has named them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from IPython.core.getipython import get_ipython

__all__ = ["the_cell", "the_request"]


def the_cell() -> str | None:
    """Return the running cell's id; None from `nbconvert`, which sends none."""
    cell = message().get("metadata", {}).get("cellId")
    return cell if isinstance(cell, str) else None


def the_request() -> str:
    """Return the id of the request to run the cell."""
    return str(message().get("header", {}).get("msg_id", ""))


def message() -> Mapping[str, Any]:
    """Return the message that the kernel answers."""
    parent: Any = getattr(get_ipython(), "get_parent", dict)()
    return parent if isinstance(parent, Mapping) else {}
