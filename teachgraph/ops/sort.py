"""Elements in order along a dimension: all, the first few, one; and where they stood.

Whatever is chosen by place goes back to its place: the gradient of each of these is
`to_places`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph import dtypes
from teachgraph.errors import DTypeError, InvalidValueError
from teachgraph.ops.axes import back_from_lines, lines, one_axis
from teachgraph.ops.gather import to_places
from teachgraph.ops.op import Like, op
from teachgraph.ops.shape import unsqueeze2

__all__ = [
    "arg_max",
    "arg_min",
    "argsort",
    "kthvalue",
    "mode",
    "top_k_v2",
]

INT64 = dtypes.PADDLE_CODES[dtypes.int64]


def order(rows: Any, *, descending: bool) -> Any:
    """Where the elements of each line stand in order; equal ones stay in theirs.

    What is not a number counts as the largest.
    """
    if not descending:
        return np.argsort(rows, axis=0, kind="stable")
    backwards = np.argsort(rows[::-1], axis=0, kind="stable")
    return len(rows) - 1 - backwards[::-1]


@op(outputs=("out", "indices"), needs="an axis that X has")
def argsort(x: Any, *, axis: int = -1, descending: bool = False) -> Any:
    """The elements in order along `axis`, and where they stood."""
    rows = lines(x, axis)
    return chosen(x, axis, order(rows, descending=descending))


def chosen(x: Any, axis: int, places: Any) -> Any:
    """The elements at these places of each line, and the places."""
    values = np.take_along_axis(lines(x, axis), places, 0)
    return tuple(back_from_lines(rows, x.ndim, axis) for rows in (values, places))


@argsort.grad
def argsort_grad(dout: Any, indices: Any, x: Like, *, axis: int) -> Any:
    """Every gradient goes where its element stood."""
    return to_places(dout, x, indices, axis)


@op(outputs=("out", "indices"), needs="1 <= k <= the size along the axis")
def top_k_v2(x: Any, *, k: int = 1, axis: int = -1, largest: bool = True) -> Any:
    """The k largest (or smallest) entries along `axis`, and where they stand."""
    rows = lines(x, axis)
    check_rank(k, len(rows), axis)
    return chosen(x, axis, order(rows, descending=largest)[:k])


def check_rank(k: int, size: int, axis: int) -> None:
    """There must be a k-th element.

    Raises:
        InvalidValueError: There is none.
    """
    if not 1 <= k <= size:
        raise InvalidValueError(f"k = {k}, but axis {axis} has size {size}")


@top_k_v2.grad
def top_k_v2_grad(dout: Any, indices: Any, x: Like, *, axis: int) -> Any:
    """Every gradient goes where its element stood."""
    return to_places(dout, x, indices, axis)


@op(outputs=("out", "indices"), needs="1 <= k <= the size along the axis")
def kthvalue(x: Any, *, k: int = 1, axis: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along `axis`, and where it stands."""
    rows = lines(x, axis)
    check_rank(k, len(rows), axis)
    return one_of_each(x, axis, order(rows, descending=False)[k - 1 : k], keepdim)


def one_of_each(x: Any, axis: int, places: Any, keepdim: bool) -> Any:
    """The element at the one place in each line, and the place."""
    results = chosen(x, axis, places)
    if keepdim or not x.ndim:
        return results
    return tuple(np.squeeze(part, axis) for part in results)


@kthvalue.grad
def kthvalue_grad(dout: Any, indices: Any, x: Like, *, axis: int, keepdim: bool) -> Any:
    """The gradient goes where the element stood."""
    return to_one_of_each(dout, indices, x, axis, keepdim)


def to_one_of_each(dout: Any, indices: Any, x: Any, axis: int, keepdim: bool) -> Any:
    """The gradient of one element of each line, put where that stood."""
    if not keepdim and len(x.shape):
        dout = unsqueeze2(dout, axes=[axis])
        indices = unsqueeze2(indices, axes=[axis])
    return to_places(dout, x, indices, axis)


@op(outputs=("out", "indices"), needs="an element along the axis")
def mode(x: Any, *, axis: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along `axis`, and where it stands last.

    Of several that are equally frequent it is the smallest.
    """
    rows = lines(x, axis)
    places = order(rows, descending=False)
    ordered = np.take_along_axis(rows, places, 0)
    most = np.argmax(run_lengths(ordered), axis=0)[None]
    return one_of_each(x, axis, np.take_along_axis(places, most, 0), keepdim)


def run_lengths(ordered: Any) -> Any:
    """For each element of a line in order, how many equal ones came before it."""
    at = np.arange(len(ordered)).reshape(-1, *[1] * (ordered.ndim - 1))
    begins = np.ones(ordered.shape, bool)
    begins[1:] = ordered[1:] != ordered[:-1]
    return at - np.maximum.accumulate(np.where(begins, at, 0), axis=0)


@mode.grad
def mode_grad(dout: Any, indices: Any, x: Like, *, axis: int, keepdim: bool) -> Any:
    """The gradient goes where the element stood."""
    return to_one_of_each(dout, indices, x, axis, keepdim)


@op(key="argmax", needs="an element to choose, and an axis that X has")
def arg_max(
    x: Any,
    *,
    axis: int = -1,
    keepdims: bool = False,
    flatten: bool = False,
    dtype: int = INT64,
) -> Any:
    """Where the largest element stands; the first of several."""
    along = None if flatten else one_axis(axis, x.ndim)
    along = None if x.ndim == 0 else along
    return np.argmax(x, axis=along, keepdims=keepdims).astype(index_dtype(dtype))


@op(key="argmin", needs="an element to choose, and an axis that X has")
def arg_min(
    x: Any,
    *,
    axis: int = -1,
    keepdims: bool = False,
    flatten: bool = False,
    dtype: int = INT64,
) -> Any:
    """Where the smallest element stands; the first of several."""
    along = None if flatten else one_axis(axis, x.ndim)
    along = None if x.ndim == 0 else along
    return np.argmin(x, axis=along, keepdims=keepdims).astype(index_dtype(dtype))


def index_dtype(code: int) -> np.dtype[Any]:
    """The dtype indices are asked for in.

    Raises:
        DTypeError: It is neither int32 nor int64.
    """
    dtype = dtypes.convert(code)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise DTypeError(f"indices are int32 or int64, not {dtype}")
    return dtype
