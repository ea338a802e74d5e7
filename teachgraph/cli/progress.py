"""Progress bar on standard error, shown if that is a terminal."""

from __future__ import annotations

import sys
import time

__all__ = ["Bar"]

WIDTH = 30
EVERY = 0.1
"""The least seconds between two updates."""


class Bar:
    """A progress bar.

    Args:
        name: The name of the task.
        total: The number of steps.
    """

    def __init__(self, name: str, total: int) -> None:
        self.name, self.total, self.done = name, total, 0
        self.on, self.shown = sys.stderr.isatty(), 0.0

    def update(self, count: int = 1) -> None:
        """Count more steps as done."""
        self.done += count
        if self.on and time.monotonic() - self.shown > EVERY:
            self.shown = time.monotonic()
            filled = WIDTH * self.done // max(self.total, 1)
            bar = "#" * filled + "." * (WIDTH - filled)
            sys.stderr.write(f"\r{self.name} [{bar}] {self.done}/{self.total}")
            sys.stderr.flush()

    def close(self) -> None:
        """Clear the line."""
        if self.on:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
