"""Sorting, top-k, k-th value, mode, argmax and argmin along a dimension.

Each selects elements by index; the gradient is a scatter to these indices, `to_places`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.core.op import Like, op
from teachgraph.ops.axes import back_from_lines, lines, one_axis
from teachgraph.ops.gather import to_places
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
    """Compute stable sorting indices of each line; NaN counts as the largest."""
    if not descending:
        return np.argsort(rows, axis=0, kind="stable")
    # Reversed before and after: equal elements keep their order, which a plain
    # reversal of the ascending order would turn round.
    backwards = np.argsort(rows[::-1], axis=0, kind="stable")
    return len(rows) - 1 - backwards[::-1]


@op(outputs=("out", "indices"), needs="an axis that X has")
def argsort(x: Any, *, axis: int = -1, descending: bool = False) -> Any:
    """The sorted elements along `axis`, and their indices."""
    rows = lines(x, axis)
    return gather_sorted(x, axis, order(rows, descending=descending))


def gather_sorted(x: Any, axis: int, places: Any) -> Any:
    """Gather the elements at indices of each line; return them with the indices."""
    values = np.take_along_axis(lines(x, axis), places, 0)
    return tuple(back_from_lines(rows, x.ndim, axis) for rows in (values, places))


@argsort.grad
def argsort_grad(dout: Any, indices: Any, x: Like, *, axis: int) -> Any:
    """dx = zeros with dout added at the indices."""
    return to_places(dout, x, indices, axis)


@op(outputs=("out", "indices"), needs="1 <= k <= the size along the axis")
def top_k_v2(x: Any, *, k: int = 1, axis: int = -1, largest: bool = True) -> Any:
    """The k largest (or smallest) elements along `axis`, and their indices."""
    rows = lines(x, axis)
    check_rank(k, len(rows), axis)
    # A full stable sort: `partition` would choose among equal elements at will.
    return gather_sorted(x, axis, order(rows, descending=largest)[:k])


def check_rank(k: int, size: int, axis: int) -> None:
    """Require a k-th element.

    Raises:
        InvalidValueError: There is none.
    """
    if not 1 <= k <= size:
        raise InvalidValueError(f"k = {k}, but axis {axis} has size {size}")


@top_k_v2.grad
def top_k_v2_grad(dout: Any, indices: Any, x: Like, *, axis: int) -> Any:
    """dx = zeros with dout added at the indices."""
    return to_places(dout, x, indices, axis)


@op(outputs=("out", "indices"), needs="1 <= k <= the size along the axis")
def kthvalue(x: Any, *, k: int = 1, axis: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along `axis`, and its index."""
    rows = lines(x, axis)
    check_rank(k, len(rows), axis)
    return one_of_each(x, axis, order(rows, descending=False)[k - 1 : k], keepdim)


def one_of_each(x: Any, axis: int, places: Any, keepdim: bool) -> Any:
    """Gather one element of each line; return it with its index."""
    results = gather_sorted(x, axis, places)
    if keepdim or not x.ndim:
        return results
    return tuple(np.squeeze(part, axis) for part in results)


@kthvalue.grad
def kthvalue_grad(dout: Any, indices: Any, x: Like, *, axis: int, keepdim: bool) -> Any:
    """dx = zeros with dout at the index."""
    return to_one_of_each(dout, indices, x, axis, keepdim)


def to_one_of_each(dout: Any, indices: Any, x: Any, axis: int, keepdim: bool) -> Any:
    """Scatter the gradient of one element of each line to its index."""
    if not keepdim and len(x.shape):
        dout = unsqueeze2(dout, axes=[axis])
        indices = unsqueeze2(indices, axes=[axis])
    return to_places(dout, x, indices, axis)


@op(outputs=("out", "indices"), needs="an element along the axis")
def mode(x: Any, *, axis: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along `axis`, and the index of its last occurrence.

    Of equally frequent ones it is the smallest.
    """
    rows = lines(x, axis)
    places = order(rows, descending=False)
    ordered = np.take_along_axis(rows, places, 0)
    # `argmax` takes the first of several: the smallest value, as the lines are sorted.
    most = np.argmax(run_lengths(ordered), axis=0)[None]
    return one_of_each(x, axis, np.take_along_axis(places, most, 0), keepdim)


def run_lengths(ordered: Any) -> Any:
    """Count for each element of a sorted line the equal ones before it."""
    at = np.arange(len(ordered)).reshape(-1, *[1] * (ordered.ndim - 1))
    begins = np.ones(ordered.shape, bool)
    # NaN differs from itself, so each NaN is a run of its own.
    begins[1:] = ordered[1:] != ordered[:-1]
    return at - np.maximum.accumulate(np.where(begins, at, 0), axis=0)


@mode.grad
def mode_grad(dout: Any, indices: Any, x: Like, *, axis: int, keepdim: bool) -> Any:
    """dx = zeros with dout at the index."""
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
    """Index of the largest element; of the first if there are several."""
    along = None if flatten else one_axis(axis, x.ndim)
    # A scalar has axis 0 or -1 in Paddle; NumPy knows none.
    along = None if x.ndim == 0 else along
    return x.argmax(along, keepdims=keepdims).astype(index_dtype(dtype))


@op(key="argmin", needs="an element to choose, and an axis that X has")
def arg_min(
    x: Any,
    *,
    axis: int = -1,
    keepdims: bool = False,
    flatten: bool = False,
    dtype: int = INT64,
) -> Any:
    """Index of the smallest element; of the first if there are several."""
    along = None if flatten else one_axis(axis, x.ndim)
    along = None if x.ndim == 0 else along
    return x.argmin(along, keepdims=keepdims).astype(index_dtype(dtype))


def index_dtype(code: int) -> np.dtype[Any]:
    """Resolve the dtype of indices.

    Raises:
        DTypeError: It is neither int32 nor int64.
    """
    dtype = dtypes.of_code(code)
    if dtype not in (dtypes.int32, dtypes.int64):
        raise DTypeError(f"indices are int32 or int64, not {dtype}")
    return dtype
