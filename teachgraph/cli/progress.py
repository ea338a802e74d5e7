"""A bar on the terminal, on standard error; nothing where no terminal is."""

from __future__ import annotations

import sys
import time

__all__ = ["Bar"]

WIDTH = 30
EVERY = 0.1
"""Seconds between two looks of it."""


class Bar:
    """How far something is.

    Args:
        name: What is going on.
        total: How many steps it has.
    """

    def __init__(self, name: str, total: int) -> None:
        self.name, self.total, self.done = name, total, 0
        self.on, self.shown = sys.stderr.isatty(), 0.0

    def update(self, count: int = 1) -> None:
        """So many more steps are done."""
        self.done += count
        if self.on and time.monotonic() - self.shown > EVERY:
            self.shown = time.monotonic()
            filled = WIDTH * self.done // max(self.total, 1)
            bar = "#" * filled + "." * (WIDTH - filled)
            sys.stderr.write(f"\r{self.name} [{bar}] {self.done}/{self.total}")
            sys.stderr.flush()

    def close(self) -> None:
        """Leave the line empty again."""
        if self.on:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
