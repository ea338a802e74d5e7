"""Freed memory that stays with the process, in huge pages, for the next large array."""

from __future__ import annotations

from contextlib import suppress
from threading import local

import numpy as np

__all__ = ["keep_freed_memory"]

LARGEST = (32 << 20) - (64 << 10)
"""Bytes of the largest array whose release changes the allocator's limits, nearly."""

KEPT = 4
"""Number of arrays of that size whose memory a heap keeps when they are freed."""

ends = local()
"""Of each thread the array at the end of its heap."""


def keep_freed_memory() -> None:
    """Let the C library keep up to 192 MB of freed memory instead of returning it.

    A training step frees its large arrays and asks for as many in the next one. Memory
    that went back to the system in between is handed out again page by page, and each
    page costs a fault: a quarter of the time of a step of large convolutions, or of an
    LSTM's. glibc returns what is free at the end of its heap beyond twice the largest
    block that was freed so far, 32 MB at most (M_MMAP_THRESHOLD in mallopt(3)). So one
    block of nearly that size, of which no page is ever touched, raises the limit to its
    maximum. Other C libraries are not affected.

    The heap grows by more such blocks, and one that is never freed ends it: the 128 MB
    before that stay, besides 64 MB at the end of what comes later. NumPy asks the
    system for huge pages there (MADV_HUGEPAGE in madvise(2)), as it does for each array
    of 4 MB or more, and that holds for whatever lies there later. A processor keeps the
    addresses of some 2,000 pages, fewer than a step has of 4 KB: with those of 2 MB a
    LeNet's takes a tenth less, an LSTM's and a ResNet18's a twentieth.

    All this holds for the heap of the calling thread: each has its own.
    """
    with suppress(MemoryError):  # of addresses, where they are limited
        np.empty(LARGEST, np.uint8)
        if not hasattr(ends, "block"):
            *_, ends.block = [np.empty(LARGEST, np.uint8) for _ in range(KEPT + 1)]
