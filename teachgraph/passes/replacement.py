"""Replacements of operators: other operators, or a value that exists already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["ExistingValue", "NewOperator", "Replacement"]


class NewOperator(NamedTuple):
    """An operator to insert, by its type, slots and attributes."""

    type: str
    inputs: Mapping[str, Sequence[str]]
    outputs: Mapping[str, Sequence[str]]
    attrs: Mapping[str, Any]


class ExistingValue(NamedTuple):
    """A variable that has the operator's result already."""

    name: str


Replacement = Sequence[NewOperator] | ExistingValue | None
"""The result of a rewrite; None leaves the operators as they are."""
