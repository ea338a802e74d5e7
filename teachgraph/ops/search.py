"""Masked selection, nonzero indices, unique, and search in sorted sequences."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import axes, reduce_to
from teachgraph.ops.axes import lines
from teachgraph.ops.sort import INT64, index_dtype

__all__ = [
    "masked_select",
    "searchsorted",
    "unique",
    "unique_consecutive",
    "unmask",
    "where_index",
]

UNKNOWN = -1

find: Any = np.searchsorted


@op(outputs=("y",), needs="a bool mask, and shapes that broadcast")
def masked_select(x: Any, mask: Any) -> Any:
    """The elements of `x` where `mask` is true, as a vector."""
    x, mask = np.broadcast_arrays(x, checked(mask))
    return x[mask]


def checked(mask: Any) -> Any:
    """Require a bool mask.

    Raises:
        DTypeError: The mask has another dtype.
    """
    if mask.dtype.kind != "b":
        raise DTypeError(f"a mask is of bool, not of {mask.dtype}")
    return mask


@masked_select.grad(of=("x",))
def masked_select_grad(dy: Any, x: Like, mask: Any) -> Any:
    """dx = zeros with dout where the mask is true."""
    return reduce_to(unmask(dy, x, mask), x)


@masked_select.infers
def infer_masked_select(x: Like, mask: Like) -> Any:
    """A vector of unknown size (-1)."""
    np.broadcast_shapes(x.shape, checked(mask).shape)
    return [((UNKNOWN,), x.dtype)]


@op(needs="a number for each true element of the mask")
def unmask(x: Any, y: Any, mask: Any) -> Any:
    """Zeros in the shape `y` and `mask` broadcast to, with `x` where `mask` is true."""
    shape = np.broadcast_shapes(y.shape, mask.shape)
    out = np.zeros(shape, x.dtype)
    out[np.broadcast_to(checked(mask), shape)] = x
    return out


@unmask.grad(of=("x",))
def unmask_grad(dout: Any, mask: Any) -> Any:
    """dx = the elements of dout where the mask is true."""
    return masked_select(dout, mask)


@unmask.infers
def infer_unmask(x: Like, y: Like, mask: Like) -> Any:
    """The shape that Y and the mask broadcast to."""
    return [(np.broadcast_shapes(y.shape, checked(mask).shape), x.dtype)]


@op(needs="a dimension for an index to run along")
def where_index(condition: Any) -> Any:
    """Indices of the elements that are not 0: a row for each, a column per axis."""
    check_rank(condition)
    return np.argwhere(condition)


def check_rank(x: Any) -> None:
    """Refuse a scalar, which has no index.

    Raises:
        ShapeError: x is a scalar.
    """
    if not x.shape:
        raise ShapeError("a scalar has no index")


@where_index.infers
def infer_where_index(condition: Like) -> Any:
    """An unknown number of rows (-1)."""
    check_rank(condition)
    return [((UNKNOWN, condition.ndim), dtypes.int64)]


def one_or_none(axis: Sequence[int], ndim: int) -> int | None:
    """Resolve an attribute with one axis; an empty list is None, for all axes."""
    chosen = axes(axis, ndim, reduce_all=False)
    return None if chosen is None else chosen[0]


@op(outputs=("out", "indices", "index", "counts"), needs="an axis that X has")
def unique(x: Any, *, axis: Sequence[int] = (), dtype: int = INT64) -> Any:
    """The unique elements (or slices along `axis`), sorted.

    Further outputs: the index of each one's first occurrence (`indices`), for each
    element its index in the result (`index`), and the count of each (`counts`).
    """
    results = np.unique(
        x,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=one_or_none(axis, x.ndim),
    )
    # NumPy 2 gives the inverse x's shape; Paddle's is flat.
    places = [part.reshape(-1).astype(index_dtype(dtype)) for part in results[1:]]
    return (results[0], *places)


@unique.infers
def infer_unique(x: Like, *, axis: Sequence[int], dtype: int) -> Any:
    """An unknown number of elements (-1)."""
    out, inverse = shapes_of_unique(x, axis)
    places = index_dtype(dtype)
    return [(out, x.dtype), ((UNKNOWN,), places), (inverse, places), ((-1,), places)]


def shapes_of_unique(x: Like, axis: Sequence[int]) -> Any:
    """Shapes of the unique elements, and of the inverse indices."""
    along = one_or_none(axis, x.ndim)
    if along is None:
        return (UNKNOWN,), (prod(x.shape),)
    shape = tuple(UNKNOWN if i == along else n for i, n in enumerate(x.shape))
    return shape, (x.shape[along],)


@op(outputs=("out", "index", "counts"), needs="an axis that X has")
def unique_consecutive(x: Any, *, axis: Sequence[int] = (), dtype: int = INT64) -> Any:
    """The elements (or slices along `axis`) without consecutive duplicates.

    Further outputs: for each element its index in the result (`index`), and the length
    of each run (`counts`).
    """
    along = one_or_none(axis, x.ndim)
    x, along = (x.reshape(-1), 0) if along is None else (x, along)
    rows = lines(x, along)
    begins = np.ones(len(rows), bool)
    begins[1:] = (rows[1:] != rows[:-1]).any(axis=tuple(range(1, rows.ndim)))
    index = np.cumsum(begins) - 1
    places = index_dtype(dtype)
    counts = np.bincount(index).astype(places)
    return np.compress(begins, x, along), index.astype(places), counts


@unique_consecutive.infers
def infer_unique_consecutive(x: Like, *, axis: Sequence[int], dtype: int) -> Any:
    """An unknown number of elements (-1)."""
    out, index = shapes_of_unique(x, axis)
    places = index_dtype(dtype)
    return [(out, x.dtype), (index, places), ((UNKNOWN,), places)]


@op(needs="a sorted row to search in, or one for each row of values")
def searchsorted(
    sorted_sequence: Any, values: Any, *, out_int32: bool = False, right: bool = False
) -> Any:
    """Insertion indices of values in a sorted sequence, before equal elements.

    With `right` after them. A sequence of several dimensions has a sorted row for each
    row of values.
    """
    check_rows(sorted_sequence, values)
    # A common dtype first: NumPy would convert the whole sequence again for each row.
    both = np.result_type(sorted_sequence, values)
    sorted_sequence, values = sorted_sequence.astype(both), values.astype(both)
    side = "right" if right else "left"
    out = np.empty(values.shape, np.int32 if out_int32 else np.int64)
    if sorted_sequence.ndim == 1:
        out[...] = find(sorted_sequence, values, side)
        return out
    for place in np.ndindex(values.shape[:-1]):
        out[place] = find(sorted_sequence[place], values[place], side)
    return out


def check_rows(ordered: Any, values: Any) -> None:
    """Require a sorted row for each row of values.

    Raises:
        ShapeError: The leading sizes differ.
    """
    if ordered.ndim != 1 and ordered.shape[:-1] != values.shape[:-1]:
        raise ShapeError(
            f"rows of shape {list(ordered.shape)} for values of {list(values.shape)}"
        )
    if ordered.ndim == 0 or (ordered.ndim > 1 and values.ndim != ordered.ndim):
        raise ShapeError("a sequence has a dimension, and values have as many")
