"""Argmax, sorting, top-k, unique, nonzero, and searching in sorted sequences."""

from __future__ import annotations

from typing import Any

from teachgraph.core import dtypes
from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Traced
from teachgraph.ops import search
from teachgraph.ops import sort as sorting
from teachgraph.ops.error_message import explain
from teachgraph.ops.slicing import slice_

__all__ = [
    "argmax",
    "argmin",
    "argsort",
    "bucketize",
    "kthvalue",
    "masked_select",
    "mode",
    "nonzero",
    "searchsorted",
    "sort",
    "topk",
    "unique",
    "unique_consecutive",
]


def without_gradient(value: Any) -> Any:
    """Mark a result as constant: no gradient flows to it."""
    if isinstance(value, Traced):
        value.stop_gradient = True
    return value


def arg_attrs(axis: int | None, keepdim: bool, dtype: Any) -> dict[str, Any]:
    """Build Paddle's attributes of argmax and argmin."""
    return {
        "axis": 0 if axis is None else axis,
        "keepdims": keepdim,
        "flatten": axis is None,
        "dtype": dtypes.PADDLE_CODES[dtypes.convert(dtype)],
    }


def argmax(
    x: Any,
    axis: int | None = None,
    keepdim: bool = False,
    dtype: Any = "int64",
    name: Any = None,
) -> Any:
    """Index of the largest element along `axis`, or in the flattened `x`.

    >>> import numpy as np
    >>> argmax(np.array([[1.0, 5.0], [7.0, 3.0]]), axis=1)
    array([1, 0])
    """
    return without_gradient(sorting.arg_max(x, **arg_attrs(axis, keepdim, dtype)))


def argmin(
    x: Any,
    axis: int | None = None,
    keepdim: bool = False,
    dtype: Any = "int64",
    name: Any = None,
) -> Any:
    """Index of the smallest element along `axis`, or in the flattened `x`."""
    return without_gradient(sorting.arg_min(x, **arg_attrs(axis, keepdim, dtype)))


def sort(
    x: Any,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    name: Any = None,
) -> Any:
    """Sort along `axis`; NaN counts as the largest.

    >>> import numpy as np
    >>> sort(np.array([2.0, 3.0, 1.0]), descending=True)
    array([3., 2., 1.])
    """
    return sorting.argsort(x, axis=axis, descending=descending)[0]


def argsort(
    x: Any,
    axis: int = -1,
    descending: bool = False,
    stable: bool = True,
    name: Any = None,
) -> Any:
    """Indices that sort `x`; always stable.

    >>> import numpy as np
    >>> argsort(np.array([2.0, 1.0, 2.0]), descending=True)
    array([0, 2, 1])
    """
    ordered, places = sorting.argsort(x, axis=axis, descending=descending)
    without_gradient(ordered)
    return without_gradient(places)


def topk(
    x: Any,
    k: int,
    axis: int | None = None,
    largest: bool = True,
    sorted: bool = True,
    name: Any = None,
) -> Any:
    """The k largest (or smallest) elements along `axis`, and their indices.

    They are always in order, regardless of `sorted`.

    Raises:
        InvalidValueError: There are fewer than k.

    >>> import numpy as np
    >>> topk(np.array([2.0, 3.0, 1.0]), 2)
    (array([3., 2.]), array([1, 0]))
    """
    axis = -1 if axis is None else axis
    best, places = sorting.top_k_v2(x, k=k, axis=axis, largest=largest)
    return best, without_gradient(places)


def kthvalue(
    x: Any, k: int, axis: int | None = None, keepdim: bool = False, name: Any = None
) -> Any:
    """The k-th smallest element along `axis`, and its index.

    >>> import numpy as np
    >>> kthvalue(np.array([[2.0, 3.0, 1.0], [9.0, 7.0, 8.0]]), 2)
    (array([2., 8.]), array([0, 2]))
    """
    axis = -1 if axis is None else axis
    value, place = sorting.kthvalue(x, k=k, axis=axis, keepdim=keepdim)
    return value, without_gradient(place)


def mode(x: Any, axis: int = -1, keepdim: bool = False, name: Any = None) -> Any:
    """The most frequent element along `axis`, and the index of its last occurrence.

    Of equally frequent ones it is the smallest.

    >>> import numpy as np
    >>> [part.tolist() for part in mode(np.array([2.0, 3.0, 3.0, 2.0, 1.0]))]
    [2.0, 3]
    """
    return sorting.mode(x, axis=axis, keepdim=keepdim)


def unique(
    x: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    name: Any = None,
) -> Any:
    """The unique elements, or slices along `axis`, sorted.

    Args:
        x: The elements.
        return_index: Also return the index of each one's first occurrence.
        return_inverse: Also return, for each element of x, its index in the result.
        return_counts: Also return the count of each one.
        axis: The axis of the slices to compare; None for the flattened elements.
        dtype: The dtype of indices and counts.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> unique(np.array([3.0, 1.0, 3.0]), return_counts=True)
    (array([1., 3.]), array([1, 2]))
    """
    out, *more = map(without_gradient, search.unique(x, **unique_attrs(axis, dtype)))
    return requested_results(out, more, [return_index, return_inverse, return_counts])


def unique_consecutive(
    x: Any,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    dtype: Any = "int64",
    name: Any = None,
) -> Any:
    """The elements, or slices along `axis`, without consecutive duplicates.

    >>> import numpy as np
    >>> unique_consecutive(np.array([3, 3, 1, 3]), return_counts=True)
    (array([3, 1, 3]), array([2, 1, 1]))
    """
    results = search.unique_consecutive(x, **unique_attrs(axis, dtype))
    out, *more = map(without_gradient, results)
    return requested_results(out, more, [return_inverse, return_counts])


def unique_attrs(axis: int | None, dtype: Any) -> dict[str, Any]:
    """Build Paddle's attributes of `unique`."""
    code = dtypes.PADDLE_CODES[dtypes.convert(dtype)]
    return {"axis": [] if axis is None else [axis], "dtype": code}


def requested_results(out: Any, more: list[Any], wanted: list[bool]) -> Any:
    """Return the result alone, or with the requested further ones."""
    kept = [part for part, want in zip(more, wanted, strict=True) if want]
    return (out, *kept) if kept else out


def nonzero(x: Any, as_tuple: bool = False) -> Any:
    """The indices of the elements that are not 0: one per row [N, ndim].

    With `as_tuple` there is a column [N, 1] for each dimension, as in Paddle 2.6.

    >>> import numpy as np
    >>> nonzero(np.array([[1.0, 0.0], [0.0, 2.0]]))
    array([[0, 0],
           [1, 1]])
    """
    indices = search.where_index(x)
    if not as_tuple:
        return indices
    return tuple(
        slice_(indices, axes=[1], starts=[axis], ends=[axis + 1])
        for axis in range(len(x.shape))
    )


def masked_select(x: Any, mask: Any, name: Any = None) -> Any:
    """The elements of `x` where `mask` is true, as a vector; both broadcast.

    >>> import numpy as np
    >>> masked_select(np.array([1.0, 2.0, 3.0]), np.array([True, False, True]))
    array([1., 3.])
    """
    return search.masked_select(x, mask)


def searchsorted(
    sorted_sequence: Any,
    values: Any,
    out_int32: bool = False,
    right: bool = False,
    name: Any = None,
) -> Any:
    """Insertion indices of values in a sorted sequence, before equal elements.

    Args:
        sorted_sequence: A sorted row [N], or rows [..., N] for the rows of `values`.
        values: The values to insert [..., M].
        out_int32: Return int32 instead of int64.
        right: Insert after equal elements.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> searchsorted(np.array([1.0, 3.0, 5.0]), np.array([0.0, 3.0, 6.0]))
    array([0, 1, 3])
    """
    attrs = {"out_int32": out_int32, "right": right}
    return search.searchsorted(sorted_sequence, values, **attrs)


def bucketize(
    x: Any,
    sorted_sequence: Any,
    out_int32: bool = False,
    right: bool = False,
    name: Any = None,
) -> Any:
    """Indices of the buckets, between sorted boundaries, of the elements of `x`.

    >>> import numpy as np
    >>> bucketize(np.array([[0.0, 4.0], [2.0, 9.0]]), np.array([1.0, 3.0, 5.0]))
    array([[0, 2],
           [1, 3]])
    """
    if len(sorted_sequence.shape) != 1:
        reason = ShapeError("the boundaries are a row")
        inputs = [sorted_sequence, x]
        names = ["SortedSequence", "Values"]
        raise explain("searchsorted", names, inputs, {}, reason)
    return searchsorted(sorted_sequence, x, out_int32, right)
