"""One generator for everything random, seeded in one place."""

from __future__ import annotations

import numpy as np

__all__ = ["generator", "seed"]


class _Source:
    """Holds the generator, so that nobody keeps a stale one."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng()


_source = _Source()


def seed(value: int) -> np.random.Generator:
    """Start the random numbers anew from `value`, as `paddle.seed` does.

    >>> first = seed(7).normal()
    >>> first == seed(7).normal()
    True
    """
    _source.generator = np.random.default_rng(value)
    return _source.generator


def generator() -> np.random.Generator:
    """The one generator. Ask for it each time; do not keep it.

    >>> _ = seed(0)
    >>> 0.0 <= generator().random() < 1.0
    True
    """
    return _source.generator
