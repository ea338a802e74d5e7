"""Attention and what is built of it: encoder, decoder, Transformer."""

from __future__ import annotations

__all__: list[str] = []
