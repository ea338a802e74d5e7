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
    count = steps(start, end, step, start.dtype)
    first, gap = start.item(), step.astype(start.dtype).item()
    if start.dtype.kind == "f":
        # `np.arange` of floats may give one number more, by rounding.
        return (first + gap * np.arange(count)).astype(start.dtype)
    return np.arange(first, first + count * gap, gap, dtype=start.dtype)


def steps(start: Any, end: Any, step: Any, dtype: np.dtype[Any]) -> int:
    """Count the numbers from start to before end, in arithmetic of the dtype.

    In float32, 0.1 to -7.9 by -4 are two steps, though 0.1 - 2 * 4 is above -7.9 there.

    Raises:
        InvalidValueError: The step is 0, or leads away from the end.

    >>> [steps(*ends, np.dtype("int64")) for ends in ((0, 5, 2), (5, 0, -1), (3, 3, 1))]
    [3, 5, 0]
    """
    first, last, gap = (np.array(value, dtype).item() for value in (start, end, step))
    if gap == 0:
        raise InvalidValueError("a step is not 0")
    if (last - first) * gap < 0:
        raise InvalidValueError(f"a step of {gap} leads from {first} away from {last}")
    if dtype.kind != "f":
        return int(-((first - last) // gap))
    return int(np.ceil(abs((dtype.type(last) - dtype.type(first)) / dtype.type(gap))))


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
    kind = dtypes.of_code(dtype)
    return spaced(start, stop, num, kind).astype(kind)


@op(needs="exponents to start and to stop at, how many, and a base: one number each")
def logspace(
    start: Any, stop: Any, num: Any, base: Any, *, dtype: int = FLOAT32, size: int = -1
) -> Any:
    """`num` powers of the base, their exponents at equal distances."""
    kind = dtypes.of_code(dtype)
    powers = np.power(float(base.astype(kind).item()), spaced(start, stop, num, kind))
    return powers.astype(kind)


def spaced(start: Any, stop: Any, num: Any, dtype: np.dtype[Any]) -> Any:
    """Float64 numbers from start to stop, which are of the dtype, at equal distances.

    As in Paddle the first half is counted from the start, the second from the stop:
    cast to integers, both ends are cut alike.
    """
    count = checked_count(num)
    first, last = (float(end.astype(dtype).item()) for end in (start, stop))
    at = np.arange(count)
    gap = (last - first) / max(count - 1, 1)
    forwards, backwards = first + gap * at, last - gap * (count - 1 - at)
    return np.where(at < max(count // 2, 1), forwards, backwards)


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
    return [((size,), dtypes.of_code(dtype))]


@op
def eye(*, num_rows: int, num_columns: int = -1, dtype: int = FLOAT32) -> Any:
    """Ones on the diagonal, zeros elsewhere; square where `num_columns` is -1."""
    columns = num_rows if num_columns == -1 else num_columns
    return np.eye(num_rows, columns, dtype=dtypes.of_code(dtype))


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
    return np.array(np.tril_indices(rows, offset, cols), dtypes.of_code(dtype))


@op
def triu_indices(*, row: int, col: int, offset: int = 0, dtype: int = INT64) -> Any:
    """Row and column indices of the elements on or above a diagonal."""
    check_sizes(row, col)
    return np.array(np.triu_indices(row, offset, col), dtypes.of_code(dtype))
