"""A row of a table for each number."""

from __future__ import annotations

__all__: list[str] = []
