"""Convolutions, and what undoes them."""

from __future__ import annotations

__all__: list[str] = []
