"""Embedding lookup: a row of a table for each index."""

from __future__ import annotations

from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.ops import embedding as tables

__all__ = [
    "embedding",
]


def embedding(
    x: Any,
    weight: Any,
    padding_idx: int | None = None,
    sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Look up row x of a table, for each index in x.

    Args:
        x: Integers of any shape, 0 <= x < V.
        weight: The table [V, D].
        padding_idx: An index whose result is zeros and whose row gets no gradient;
            counted from the end if negative.
        sparse: Accepted for Paddle's sake; gradients are dense.
        name: Accepted for Paddle's sake.

    Returns:
        [*x.shape, D].

    Raises:
        OutOfRangeError: An index is out of range.
        DTypeError: x does not hold integers.
        InvalidValueError: There is no row `padding_idx`.

    In Paddle this is `paddle.nn.functional.embedding`.

    >>> import numpy as np
    >>> table = np.array([[0.0, 0.5], [1.0, 1.5]])
    >>> embedding(np.array([1, 0, 1]), table)
    array([[1. , 1.5],
           [0. , 0.5],
           [1. , 1.5]])
    """
    row = padding_row(padding_idx, weight.shape[0])
    return tables.lookup_table_v2(weight, x, padding_idx=row)


def padding_row(padding_idx: int | None, rows: int) -> int:
    """Resolve `padding_idx` to Paddle's attribute: non-negative, -1 for none.

    Raises:
        InvalidValueError: There is no such row.

    >>> padding_row(None, 10), padding_row(-1, 10)
    (-1, 9)
    """
    if padding_idx is None:
        return -1
    if not -rows <= padding_idx < rows:
        raise InvalidValueError.here(
            f"padding_idx must be within [-{rows}, {rows}), got {padding_idx}"
        )
    return padding_idx % rows
