"""What several rooms of `io` ask of their arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DataError
from teachgraph.core.random import generator as the_generator

__all__ = ["drawing", "flag", "positive"]


def drawing(generator: Any = None) -> np.random.Generator:
    """What to draw from: the one generator, or a given one, or one of a given seed.

    Raises:
        DataError: It is something else.

    >>> bool(drawing(7).random() == drawing(7).random())
    True
    """
    if generator is None:
        return the_generator()
    if isinstance(generator, np.random.Generator):
        return generator
    if isinstance(generator, int | np.integer) and generator >= 0:
        return np.random.default_rng(int(generator))
    raise DataError(
        "generator should be None, a seed from 0 on or a numpy.random.Generator, but "
        f"got {generator!r}"
    )


def flag(name: str, value: object) -> bool:
    """`value`, if it is True or False.

    Raises:
        DataError: It is something else.

    >>> flag("shuffle", "yes")
    Traceback (most recent call last):
    teachgraph.core.errors.DataError: shuffle should be a boolean value, but got 'yes'
    """
    if not isinstance(value, bool):
        raise DataError(f"{name} should be a boolean value, but got {value!r}")
    return value


def positive(name: str, value: object) -> int:
    """`value`, if it is a whole number from 1 on.

    Raises:
        DataError: It is something else.

    >>> positive("batch_size", 0)
    Traceback (most recent call last):
    teachgraph.core.errors.DataError: batch_size should be a positive integer, but got 0
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise DataError(f"{name} should be a positive integer, but got {value!r}")
    return value
