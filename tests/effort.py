"""The share that is tried of what is tried at random.

`make full` sets `FULL`; `make test` tries the first quarter of the same, always the
same ones where a test is derandomized. `make torture` sets `TORTURE`:
thousands of kills, interrupts and mutated files, in ten minutes.
"""

from __future__ import annotations

import os

FULL = "FULL" in os.environ
TORTURE = "TORTURE" in os.environ


def examples(count: int) -> int:
    """The number of examples that are tried where `make full` tries `count`."""
    return count if FULL else max(count // 4, 10)
