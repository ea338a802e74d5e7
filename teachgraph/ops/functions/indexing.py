"""Picking elements out, and putting them in."""

from __future__ import annotations

__all__: list[str] = []
