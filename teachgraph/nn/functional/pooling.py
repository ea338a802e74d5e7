"""Pooling: one number for each window."""

from __future__ import annotations

__all__: list[str] = []
