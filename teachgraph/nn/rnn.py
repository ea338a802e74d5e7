"""Recurrent networks: the same cell, step after step."""

from __future__ import annotations

__all__: list[str] = []
