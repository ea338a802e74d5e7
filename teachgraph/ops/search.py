"""Which elements there are, which of them are wanted, and where a value belongs."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from teachgraph import dtypes
from teachgraph.errors import DTypeError, ShapeError
from teachgraph.ops.axes import axes, lines
from teachgraph.ops.op import Like, op
from teachgraph.ops.shape import reduce_to
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
    """The elements of `x` where `mask` is true, in a row."""
    x, mask = np.broadcast_arrays(x, checked(mask))
    return x[mask]


def checked(mask: Any) -> Any:
    """The mask, if it is one.

    Raises:
        DTypeError: It is not of bool.
    """
    if mask.dtype.kind != "b":
        raise DTypeError(f"a mask is of bool, not of {mask.dtype}")
    return mask


@masked_select.grad(of=("x",))
def masked_select_grad(dy: Any, x: Like, mask: Any) -> Any:
    """Every gradient goes where its element was taken from."""
    return reduce_to(unmask(dy, x, mask), x)


@masked_select.infers
def infer_masked_select(x: Like, mask: Like) -> Any:
    """As many as the mask selects."""
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
    """Only what stands where the mask is true counts."""
    return masked_select(dout, mask)


@unmask.infers
def infer_unmask(x: Like, y: Like, mask: Like) -> Any:
    """The shape that Y and the mask broadcast to."""
    return [(np.broadcast_shapes(y.shape, checked(mask).shape), x.dtype)]


@op(needs="a dimension for an index to run along")
def where_index(condition: Any) -> Any:
    """The index of each element that is not 0: one a row, a column for each axis."""
    check_rank(condition)
    return np.argwhere(condition)


def check_rank(x: Any) -> None:
    """A scalar has no index.

    Raises:
        ShapeError: It is one.
    """
    if not x.shape:
        raise ShapeError("a scalar has no index")


@where_index.infers
def infer_where_index(condition: Like) -> Any:
    """As many rows as there are such elements."""
    check_rank(condition)
    return [((UNKNOWN, condition.ndim), dtypes.int64)]


def one_or_none(axis: Sequence[int], ndim: int) -> int | None:
    """The axis of an attribute that is a list of one, or empty: then all are meant."""
    chosen = axes(axis, ndim, reduce_all=False)
    return None if chosen is None else chosen[0]


@op(outputs=("out", "indices", "index", "counts"), needs="an axis that X has")
def unique(x: Any, *, axis: Sequence[int] = (), dtype: int = INT64) -> Any:
    """The different elements (or parts along `axis`), in order.

    Beside them for each one where it stands first (`indices`), for each element which
    one it is (`index`), and how often each occurs (`counts`).
    """
    results = np.unique(
        x,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=one_or_none(axis, x.ndim),
    )
    places = [part.reshape(-1).astype(index_dtype(dtype)) for part in results[1:]]
    return (results[0], *places)


@unique.infers
def infer_unique(x: Like, *, axis: Sequence[int], dtype: int) -> Any:
    """As many as are different."""
    out, inverse = shapes_of_unique(x, axis)
    places = index_dtype(dtype)
    return [(out, x.dtype), ((UNKNOWN,), places), (inverse, places), ((-1,), places)]


def shapes_of_unique(x: Like, axis: Sequence[int]) -> Any:
    """The shape of the different elements, and of which one each element is."""
    along = one_or_none(axis, x.ndim)
    if along is None:
        return (UNKNOWN,), (prod(x.shape),)
    shape = tuple(UNKNOWN if i == along else n for i, n in enumerate(x.shape))
    return shape, (x.shape[along],)


@op(outputs=("out", "index", "counts"), needs="an axis that X has")
def unique_consecutive(x: Any, *, axis: Sequence[int] = (), dtype: int = INT64) -> Any:
    """The elements (or parts along `axis`) without those equal to the one before.

    Beside them for each element which one it belongs to (`index`), and how many belong
    to each (`counts`).
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
    """As many as begin anew."""
    out, index = shapes_of_unique(x, axis)
    places = index_dtype(dtype)
    return [(out, x.dtype), (index, places), ((UNKNOWN,), places)]


@op(needs="a sorted row to search in, or one for each row of values, of one dtype")
def searchsorted(
    sorted_sequence: Any, values: Any, *, out_int32: bool = False, right: bool = False
) -> Any:
    """Where each value would stand in the sorted sequence: before its equals.

    With `right` it is after them. A sequence of several dimensions has a sorted row for
    each row of values.
    """
    check_rows(sorted_sequence, values)
    side = "right" if right else "left"
    out = np.empty(values.shape, np.int32 if out_int32 else np.int64)
    if sorted_sequence.ndim == 1:
        out[...] = find(sorted_sequence, values, side)
        return out
    for place in np.ndindex(values.shape[:-1]):
        out[place] = find(sorted_sequence[place], values[place], side)
    return out


def check_rows(ordered: Any, values: Any) -> None:
    """There must be a sorted row for each row of values.

    Raises:
        ShapeError: There is not.
        DTypeError: They are not of one dtype.
    """
    if ordered.dtype != values.dtype:
        raise DTypeError(f"{values.dtype} is not {ordered.dtype}")
    if ordered.ndim != 1 and ordered.shape[:-1] != values.shape[:-1]:
        raise ShapeError(
            f"rows of shape {list(ordered.shape)} for values of {list(values.shape)}"
        )
    if ordered.ndim == 0 or (ordered.ndim > 1 and values.ndim != ordered.ndim):
        raise ShapeError("a sequence has a dimension, and values have as many")
