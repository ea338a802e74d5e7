"""Packing buffers into one stretch of memory, those needed at once side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Span", "pack_spans"]

Numbers = np.ndarray[Any, np.dtype[np.int64]]


class Span(NamedTuple):
    """A number of bytes needed from one step to another, both included."""

    size: int
    start: int
    end: int


def pack_spans(spans: Sequence[Span]) -> list[int]:
    """An offset for each span.

    The largest one is placed first. Each goes into the smallest gap that it fits into
    among those that are needed at the same time as it, or else after all of them.

    >>> pack_spans([Span(8, 0, 1), Span(4, 1, 2), Span(8, 2, 3)])
    [0, 8, 0]
    """
    sizes, starts, ends = (np.array(column, "int64") for column in columns(spans))
    offsets = np.zeros(len(spans), "int64")
    # The largest first: small ones then fit into the gaps between them.
    order = np.lexsort((starts, -sizes))
    for position, which in enumerate(order):
        others = order[:position]
        meet = (starts[others] <= ends[which]) & (ends[others] >= starts[which])
        others = others[meet]
        offsets[which] = best_gap(offsets[others], sizes[others], int(sizes[which]))
    return [int(offset) for offset in offsets]


def columns(spans: Sequence[Span]) -> tuple[list[int], list[int], list[int]]:
    """The sizes, the starts and the ends."""
    sizes = [span.size for span in spans]
    return sizes, [span.start for span in spans], [span.end for span in spans]


def best_gap(offsets: Numbers, sizes: Numbers, size: int) -> int:
    """The beginning of the smallest gap between these that is large enough."""
    order = np.argsort(offsets, kind="stable")
    begins = offsets[order]
    # Spans may overlap: one that begins earlier may end later.
    ends = np.maximum.accumulate(begins + sizes[order])
    after = np.concatenate([[0], ends])[: len(begins) + 1]
    gaps = begins - after[:-1]
    fitting = np.flatnonzero(gaps >= size)
    if not len(fitting):
        return int(after[-1])
    return int(after[fitting[np.argmin(gaps[fitting])]])
