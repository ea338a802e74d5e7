"""What several rooms of `io` ask of their arguments."""

from __future__ import annotations

from teachgraph.errors import DataError

__all__ = ["flag", "positive"]


def flag(name: str, value: object) -> bool:
    """`value`, if it is True or False.

    Raises:
        DataError: It is something else.

    >>> flag("shuffle", "yes")
    Traceback (most recent call last):
    teachgraph.errors.DataError: shuffle should be a boolean value, but got 'yes'
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
    teachgraph.errors.DataError: batch_size should be a positive integer, but got 0
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise DataError(f"{name} should be a positive integer, but got {value!r}")
    return value
