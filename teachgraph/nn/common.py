"""Dropout, embedding, resizing and other small layers."""

from __future__ import annotations

__all__: list[str] = []
