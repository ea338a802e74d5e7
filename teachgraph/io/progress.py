"""Download progress: tqdm's bar if tqdm is installed, else a line per tenth."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Protocol

__all__ = ["Progress", "progress"]


class Progress(Protocol):
    """Interface of a progress display; tqdm's bar implements it."""

    def update(self, n: int) -> object:
        """Report `n` more bytes."""

    def close(self) -> object:
        """End the display."""


def progress(name: str, done: int, total: int | None) -> Progress:
    """Start a display with `done` of `total` bytes of `name` already on disk."""
    try:
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        return _Lines(name, done, total)
    bar: Progress = tqdm(
        desc=name, initial=done, total=total, unit="B", unit_scale=True
    )
    return bar


class _Lines:
    """A line on standard error at each tenth, or each megabyte of an unknown total."""

    def __init__(self, name: str, done: int, total: int | None) -> None:
        self.name = name
        self.done = done
        self.total = total
        self.step = max(1, total // 10) if total else 1_000_000
        self.shown = -1
        self.update(0)

    def update(self, n: int) -> None:
        self.done += n
        if self.done // self.step > self.shown:
            self.shown = self.done // self.step
            self._show()

    def close(self) -> None:
        pass

    def _show(self) -> None:
        amount = f"{self.done / 1e6:.1f} MB"
        if self.total:
            amount = f"{100 * self.done // self.total} % of {self.total / 1e6:.1f} MB"
        sys.stderr.write(f"{self.name}: {amount}\n")
        sys.stderr.flush()
