"""Normalisation: mean 0 and variance 1, over one choice of axes or another."""

from __future__ import annotations

__all__: list[str] = []
