"""Attention: a mean weighted by likeness."""

from __future__ import annotations

__all__: list[str] = []
