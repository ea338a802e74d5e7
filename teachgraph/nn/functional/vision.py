"""Images and their windows: resizing, unfolding, shuffling."""

from __future__ import annotations

__all__: list[str] = []
