"""What a rewrite puts in place of operators: others, or a value there is already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Same", "Step"]


class Step(NamedTuple):
    """An operator to be put in."""

    type: str
    inputs: Mapping[str, Sequence[str]]
    outputs: Mapping[str, Sequence[str]]
    attrs: Mapping[str, Any]


class Same(NamedTuple):
    """The result is the value of this variable: the operator is not needed."""

    name: str
