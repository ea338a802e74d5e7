"""Argument checks shared by the modules of `io`."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.random import generator as the_generator
from teachgraph.errors import DataError

__all__ = ["drawing", "flag", "positive"]


def drawing(generator: Any = None) -> np.random.Generator:
    """Resolve a `generator` argument: None is the global one, an integer is a seed.

    Raises:
        DataError: The argument is something else.

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
    """Return `value` if it is True or False.

    Raises:
        DataError: The value is something else.

    >>> flag("shuffle", "yes")
    Traceback (most recent call last):
    teachgraph.errors.DataError: shuffle should be a boolean value, but got 'yes'
    """
    if not isinstance(value, bool):
        raise DataError(f"{name} should be a boolean value, but got {value!r}")
    return value


def positive(name: str, value: object) -> int:
    """Return `value` if it is an integer of at least 1.

    Raises:
        DataError: The value is something else.

    >>> positive("batch_size", 0)
    Traceback (most recent call last):
    teachgraph.errors.DataError: batch_size should be a positive integer, but got 0
    """
    # True is an int to Python.
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise DataError(f"{name} should be a positive integer, but got {value!r}")
    return value
