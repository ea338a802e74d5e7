"""Blocked evaluation of elementwise functions, so that blocks stay in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

__all__ = ["LONG", "blocks", "in_parts"]

LONG = 500_000
"""Arrays with fewer elements are evaluated at once."""

PART = 16_384
"""Elements per block: a block and its temporaries fit into a processor's cache."""


def blocks(size: int) -> Iterator[slice]:
    """Yield the blocks of an array of `size` elements.

    >>> [part.stop - part.start for part in blocks(40_000)]
    [16384, 16384, 7232]
    """
    for start in range(0, size, PART):
        yield slice(start, min(start + PART, size))


def in_parts(function: Callable[..., Any], *x: Any) -> Any:
    """Evaluate an elementwise function of arrays of one shape and dtype, in blocks.

    >>> in_parts(np.add, np.ones((2, 2)), np.eye(2)).tolist()
    [[2.0, 1.0], [1.0, 2.0]]
    """
    out = np.empty(x[0].shape, x[0].dtype)
    flat, results = [value.reshape(-1) for value in x], out.reshape(-1)
    for part in blocks(out.size):
        results[part] = function(*(value[part] for value in flat))
    return out
