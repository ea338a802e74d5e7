"""Comparisons and logic."""

from __future__ import annotations

from teachgraph.ops import elementwise

__all__ = [
    "equal",
    "greater_than",
    "less_than",
]

equal = elementwise.equal
less_than = elementwise.less_than
greater_than = elementwise.greater_than
