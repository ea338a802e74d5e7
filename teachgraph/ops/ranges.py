"""Ranges, linspace, logspace, identity matrices, indices of triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Like, op

__all__ = ["eye", "linspace", "logspace", "range_", "tril_indices", "triu_indices"]

FLOAT32 = dtypes.PADDLE_CODES[dtypes.float32]
INT64 = dtypes.PADDLE_CODES[dtypes.int64]


@op(type="range", needs="a start, an end and a step: one number each")
def range_(start: Any, end: Any, step: Any, *, size: int = -1) -> Any:
    """start, start + step, start + 2 step, ... up to before `end`.

    `size` is the length as known when a program is built.
    """
    if step.item() == 0:
        raise InvalidValueError("a step is not 0")
    return np.arange(start.item(), end.item(), step.item(), dtype=start.dtype)


@range_.infers
def infer_range(start: Like, end: Like, step: Like, *, size: int) -> Any:
    """A vector of the known length, or -1."""
    check_single(start, end, step)
    return [((size,), start.dtype)]


def check_single(*numbers: Any) -> None:
    """Require tensors of one element.

    Raises:
        InvalidValueError: One has another number of elements.
    """
    for number in numbers:
        if np.prod(number.shape) != 1:
            raise InvalidValueError(f"{list(number.shape)} is not one number")


@op(needs="a start and a stop, and how many: one number each")
def linspace(
    start: Any, stop: Any, num: Any, *, dtype: int = FLOAT32, size: int = -1
) -> Any:
    """`num` numbers from start to stop, both included, at equal distances."""
    count = checked_count(num)
    kind = dtypes.convert(dtype)
    return np.linspace(start.item(), stop.item(), count, dtype=kind)


@op(needs="exponents to start and to stop at, how many, and a base: one number each")
def logspace(
    start: Any, stop: Any, num: Any, base: Any, *, dtype: int = FLOAT32, size: int = -1
) -> Any:
    """`num` powers of the base, their exponents at equal distances."""
    ends, count = (start.item(), stop.item()), checked_count(num)
    return np.logspace(*ends, count, base=base.item(), dtype=dtypes.convert(dtype))


def checked_count(num: Any) -> int:
    """Require a count of at least one.

    Raises:
        InvalidValueError: The count is less.
    """
    count = num.item()
    if count != int(count) or count < 1:
        raise InvalidValueError(f"num is 1 or more, got {count}")
    return int(count)


@linspace.infers
@logspace.infers
def infer_space(*numbers: Like, dtype: int, size: int) -> Any:
    """A vector of the known length, or -1."""
    check_single(*numbers)
    return [((size,), dtypes.convert(dtype))]


@op
def eye(*, num_rows: int, num_columns: int = -1, dtype: int = FLOAT32) -> Any:
    """Ones on the diagonal, zeros elsewhere; square where `num_columns` is -1."""
    columns = num_rows if num_columns == -1 else num_columns
    return np.eye(num_rows, columns, dtype=dtypes.convert(dtype))


def check_sizes(*sizes: int) -> None:
    """Require non-negative integers.

    Raises:
        ShapeError: A size is not.
    """
    if any(n != int(n) or n < 0 for n in sizes):
        raise ShapeError(f"a size is 0 or more, got {list(sizes)}")


@op
def tril_indices(*, rows: int, cols: int, offset: int = 0, dtype: int = INT64) -> Any:
    """Row and column indices of the elements on or below a diagonal."""
    check_sizes(rows, cols)
    return np.array(np.tril_indices(rows, offset, cols), dtypes.convert(dtype))


@op
def triu_indices(*, row: int, col: int, offset: int = 0, dtype: int = INT64) -> Any:
    """Row and column indices of the elements on or above a diagonal."""
    check_sizes(row, col)
    return np.array(np.triu_indices(row, offset, col), dtypes.convert(dtype))
