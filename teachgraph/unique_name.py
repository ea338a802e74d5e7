"""Names that do not repeat: `fc_0`, `fc_1`, one counter a key, as in Paddle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["generate", "guard", "switch"]


class _Names:
    """The counters in force."""

    def __init__(self) -> None:
        self.used: Counter[str] = Counter()


_names = _Names()


def generate(key: str) -> str:
    """The next name for `key`.

    >>> with guard():
    ...     generate("fc"), generate("fc"), generate("mean")
    ('fc_0', 'fc_1', 'mean_0')
    """
    number = _names.used[key]
    _names.used[key] += 1
    return f"{key}_{number}"


def switch(counters: Counter[str] | None = None) -> Counter[str]:
    """Put other counters in force (by default, fresh ones); returns the old ones."""
    before = _names.used
    _names.used = Counter() if counters is None else counters
    return before


@contextmanager
def guard() -> Iterator[None]:
    """Count from 0 inside the block.

    >>> with guard():
    ...     generate("fc")
    'fc_0'
    """
    before = switch()
    try:
        yield
    finally:
        switch(before)
