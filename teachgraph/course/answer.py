"""The answer of an action of `teachgraph course`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Answer"]


@dataclass(frozen=True)
class Answer:
    """The answer of an action, for people and for programs."""

    lines: list[str]
    data: Mapping[str, Any]
    code: int = 0
