"""Slicing, gathering and scattering."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from teachgraph.core import dtypes
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Traced
from teachgraph.core.ops import fill_constant
from teachgraph.ops import gather as reading
from teachgraph.ops import scatter as writing
from teachgraph.ops import slicing
from teachgraph.ops.error_message import explain
from teachgraph.ops.functions.manipulation import (
    expand,
    flatten,
    positive_axis,
    unsqueeze,
)
from teachgraph.ops.indexing import as_indices, set_item

__all__ = [
    "crop",
    "gather",
    "gather_nd",
    "index_add",
    "index_fill",
    "index_put",
    "index_sample",
    "index_select",
    "put_along_axis",
    "scatter",
    "scatter_nd",
    "scatter_nd_add",
    "slice",
    "strided_slice",
    "take",
    "take_along_axis",
]

Numbers = Sequence[int]


def slice(input: Any, axes: Numbers, starts: Numbers, ends: Numbers) -> Any:
    """The part from starts to ends along `axes`.

    >>> import numpy as np
    >>> slice(np.arange(5), [0], [1], [-1])
    array([1, 2, 3])
    """
    return slicing.slice_(input, axes=list(axes), starts=list(starts), ends=list(ends))


def strided_slice(
    x: Any,
    axes: Numbers,
    starts: Numbers,
    ends: Numbers,
    strides: Numbers,
    name: Any = None,
) -> Any:
    """Every stride-th element from starts to ends, backwards where it is negative.

    Backwards, an end of -1 is before the first element, as in Paddle.

    >>> import numpy as np
    >>> strided_slice(np.arange(5), [0], [4], [-1], [-2])
    array([4, 2, 0])
    """
    return slicing.strided_slice(
        x, axes=list(axes), starts=list(starts), ends=list(ends), strides=list(strides)
    )


def crop(
    x: Any,
    shape: Numbers | None = None,
    offsets: Numbers | None = None,
    name: Any = None,
) -> Any:
    """The part of this shape that begins at `offsets`.

    Args:
        x: The tensor to crop.
        shape: The sizes; -1 extends from the offset to the end. By default those of x.
        offsets: By default zeros.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The part is not inside of `x`.

    >>> import numpy as np
    >>> crop(np.arange(12).reshape(3, 4), [2, -1], [0, 3])
    array([[3],
           [7]])
    """
    begin = [0] * len(x.shape) if offsets is None else list(offsets)
    sizes = list(x.shape) if shape is None else list(shape)
    return slicing.crop_tensor(x, shape=sizes, offsets=begin)


def gather(x: Any, index: Any, axis: int | None = None, name: Any = None) -> Any:
    """The slices of `x` at `index` along `axis` (by default the first).

    Args:
        x: The tensor to read.
        index: Integers [n], or a 0-D one; from 0, as in Paddle.
        axis: The dimension.
        name: Accepted for Paddle's sake.

    Raises:
        OutOfRangeError: An index is negative or past the end.

    In Paddle this is `paddle.gather`.

    >>> import numpy as np
    >>> gather(np.array([[1, 2], [3, 4]]), np.array([1, 1, 0]))
    array([[3, 4],
           [3, 4],
           [1, 2]])
    """
    return reading.gather(x, index, axis=axis or 0)


def gather_nd(x: Any, index: Any, name: Any = None) -> Any:
    """out[i] = x[index[i, 0], index[i, 1], ...].

    Args:
        x: [d_0, ..., d_n].
        index: Integers [..., k], each row the first k coordinates of an element or
            slice.
        name: Accepted for Paddle's sake.

    Raises:
        OutOfRangeError: A coordinate is negative or past the end.

    In Paddle this is `paddle.gather_nd`.

    >>> import numpy as np
    >>> gather_nd(np.array([[1, 2], [3, 4]]), np.array([[1, 0], [0, 1]]))
    array([3, 2])
    """
    return reading.gather_nd(x, index)


def scatter(
    x: Any, index: Any, updates: Any, overwrite: bool = True, name: Any = None
) -> Any:
    """A copy of `x` whose rows at `index` are the updates.

    Args:
        x: [d_0, ...].
        index: Integers [n].
        updates: [n, ...].
        overwrite: A row with several updates gets the last one, not their sum.
        name: Accepted for Paddle's sake.

    Raises:
        OutOfRangeError: An index is past the end.
        ShapeError: The updates do not fit.

    In Paddle this is `paddle.scatter`.

    >>> import numpy as np
    >>> scatter(np.zeros(3), np.array([2, 0]), np.array([5.0, 6.0]))
    array([6., 0., 5.])
    """
    return writing.scatter(x, updates, index, overwrite=overwrite)


def scatter_nd_add(x: Any, index: Any, updates: Any, name: Any = None) -> Any:
    """A copy of `x` with updates[i] added to x[index[i, 0], index[i, 1], ...].

    >>> import numpy as np
    >>> scatter_nd_add(np.zeros(3), np.array([[1], [1]]), np.array([5.0, 6.0]))
    array([ 0., 11.,  0.])
    """
    return reading.scatter_nd_add(x, updates, index)


def scatter_nd(index: Any, updates: Any, shape: Numbers, name: Any = None) -> Any:
    """Zeros of a shape with updates[i] added at index[i].

    >>> import numpy as np
    >>> scatter_nd(np.array([[1], [1]]), np.array([5.0, 6.0]), [3]).tolist()
    [0.0, 11.0, 0.0]
    """
    code = dtypes.PADDLE_CODES[dtypes.convert(updates.dtype)]
    zeros = fill_constant(shape=list(shape), value=0.0, dtype=code)
    return scatter_nd_add(zeros, index, updates)


def index_select(x: Any, index: Any, axis: int = 0, name: Any = None) -> Any:
    """The slices of `x` at `index` along `axis`.

    >>> import numpy as np
    >>> index_select(np.array([[1, 2], [3, 4]]), np.array([1, 1]), axis=1)
    array([[2, 2],
           [4, 4]])
    """
    return reading.index_select(x, index, dim=axis)


def index_sample(x: Any, index: Any) -> Any:
    """out[i, j] = x[i, index[i, j]]: some elements of each row.

    >>> import numpy as np
    >>> index_sample(np.array([[1, 2], [3, 4]]), np.array([[0], [1]]))
    array([[1],
           [4]])
    """
    return reading.index_sample(x, index)


def index_add(x: Any, index: Any, axis: int, value: Any, name: Any = None) -> Any:
    """A copy of `x` with a value added to each slice at `index`.

    >>> import numpy as np
    >>> index_add(np.zeros((2, 2)), np.array([1, 1]), 0, np.ones((2, 2)))
    array([[0., 0.],
           [2., 2.]])
    """
    return reading.index_add(x, value, index, axis=axis)


def index_put(
    x: Any,
    indices: Sequence[Any],
    value: Any,
    accumulate: bool = False,
    name: Any = None,
) -> Any:
    """A copy of `x` with x[indices] = value, or += if `accumulate`.

    Args:
        x: The tensor to copy.
        indices: Integers for the first dimensions, which broadcast, or masks.
        value: Broadcasts to x[indices].
        accumulate: Add the value, also several times to a repeated index.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> index_put(np.zeros(3), [np.array([0, 0])], np.array(1.0), accumulate=True)
    array([2., 0., 0.])
    """
    arrays = as_indices(x, indices)
    return writing.index_put(x, value, *arrays, accumulate=accumulate)


def index_fill(x: Any, index: Any, axis: int, value: Any, name: Any = None) -> Any:
    """A copy of `x` whose slices at `index` along `axis` are filled with a value.

    >>> import numpy as np
    >>> index_fill(np.zeros((2, 2)), np.array([1]), 1, 7.0)
    array([[0., 7.],
           [0., 7.]])
    """
    before = [builtins.slice(None)] * positive_axis(x, axis)
    return set_item(x, (*before, index), value)


def take_along_axis(arr: Any, indices: Any, axis: int, broadcast: bool = True) -> Any:
    """out[i, j] = arr[indices[i, j], j] for axis 0, and so on.

    Args:
        arr: The tensor to read.
        indices: Integers, of the rank of `arr`.
        axis: The dimension they index.
        broadcast: Broadcast sizes of 1 of the other dimensions, in both; else the
            indices may cover only a part.

    Raises:
        OutOfRangeError: An index is past the end.
        ShapeError: The indices do not fit.

    >>> import numpy as np
    >>> take_along_axis(np.array([[1, 2], [3, 4]]), np.array([[1, 0]]), 0)
    array([[3, 2]])
    """
    if broadcast:
        arr, indices = beside_each_other(arr, indices, axis)
    return reading.take_along_axis(arr, indices, Axis=axis)


def beside_each_other(arr: Any, indices: Any, axis: int) -> tuple[Any, Any]:
    """Broadcast both to one shape, except along the axis.

    Raises:
        ShapeError: They do not broadcast.
    """
    at, sizes, wanted = positive_axis(arr, axis), [*arr.shape], [*indices.shape]
    if len(sizes) != len(wanted):
        error = ShapeError("an index has the rank of the indexed tensor")
        raise explain("take_along_axis", ["Input", "Index"], [arr, indices], {}, error)
    along, sizes[at] = sizes[at], wanted[at]
    if sizes == wanted:
        return arr, indices
    common = [n if m == 1 else m for m, n in zip(sizes, wanted, strict=True)]
    common[at] = along
    beside = [*common[:at], wanted[at], *common[at + 1 :]]
    return fitted(arr, common), fitted(indices, beside)


def fitted(x: Any, shape: Numbers) -> Any:
    """Expand `x` to a shape, if it has another one."""
    return x if list(x.shape) == list(shape) else expand(x, shape)


def put_along_axis(
    arr: Any,
    indices: Any,
    values: Any,
    axis: int,
    reduce: str = "assign",
    include_self: bool = True,
    broadcast: bool = True,
) -> Any:
    """A copy of `arr` with values put where `take_along_axis` would read.

    Args:
        arr: The tensor to copy.
        indices: Integers, of the rank of `arr`.
        values: A number, or a tensor that broadcasts to the indices.
        axis: The dimension the indices refer to.
        reduce: "assign", "add", "mul" (whose gradient divides by the values), "mean",
            "amax" or "amin".
        include_self: Include the old element in what is not assigned.
        broadcast: Broadcast the indices to the sizes of `arr`, except along the axis.

    Raises:
        OutOfRangeError: An index is past the end.
        ShapeError: The indices or the values do not fit.

    >>> import numpy as np
    >>> put_along_axis(np.zeros((2, 2)), np.array([[1], [0]]), 5.0, 1)
    array([[0., 5.],
           [5., 0.]])
    """
    if broadcast:
        indices = beside_each_other(arr, indices, axis)[1]
    if not isinstance(values, (np.ndarray, Traced)):
        values = np.asarray(values, dtypes.convert(arr.dtype))
    return writing.put_along_axis(
        arr,
        fitted(values, indices.shape),
        indices,
        Axis=axis,
        Reduce=reduce,
        Include_self=include_self,
    )


def take(x: Any, index: Any, mode: str = "raise", name: Any = None) -> Any:
    """Elements of the flattened `x`, in the shape of the index.

    Args:
        x: The tensor to read.
        index: Integers of any shape.
        mode: For indices out of range: "raise" an error, "wrap" around, or "clip" to
            the last (negative ones to the first).
        name: Accepted for Paddle's sake.

    Raises:
        OutOfRangeError: An index is past the end.
        InvalidValueError: The mode is another one.

    >>> import numpy as np
    >>> take(np.array([[1, 2], [3, 4]]), np.array([[3], [-4]]))
    array([[4],
           [1]])
    """
    if mode not in {"raise", "wrap", "clip"}:
        error = InvalidValueError(f"mode is raise, wrap or clip, got {mode!r}")
        raise explain("take", ["X", "Index"], [x, index], {"mode": mode}, error)
    row = flatten(x)
    if mode != "raise":
        index = reading.within(index, row, mode=mode)
    return reading.gather_nd(row, unsqueeze(index, -1), from_end=True)


def one_hot(x: Any, num_classes: int, name: Any = None) -> Any:
    """out[..., k] = 1.0 where x[...] = k, else 0.

    Args:
        x: Classes, integers from 0 to num_classes - 1, of any shape.
        num_classes: The number of classes.
        name: Accepted for Paddle's sake.

    Raises:
        OutOfRangeError: A class is none of these.

    In Paddle this is `paddle.nn.functional.one_hot`.

    >>> import numpy as np
    >>> one_hot(np.array([1, 0]), 3)
    array([[0., 1., 0.],
           [1., 0., 0.]], dtype=float32)
    """
    return writing.one_hot_v2(x, depth=num_classes)
