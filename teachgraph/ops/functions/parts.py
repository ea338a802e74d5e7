"""Views of the same elements (as copies), and copies with a part replaced."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from teachgraph.core import dtypes, ops
from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Traced
from teachgraph.ops import diagonal, logic
from teachgraph.ops import shape as shapes
from teachgraph.ops.creation import fill_any_like
from teachgraph.ops.error_message import refuse_none
from teachgraph.ops.functions.indexing import (
    gather,
    index_select,
    take,
    take_along_axis,
)
from teachgraph.ops.functions.joining import split, stack
from teachgraph.ops.functions.manipulation import (
    moveaxis,
    positive_axis,
    reshape,
    squeeze,
    unflatten,
    unsqueeze,
)
from teachgraph.ops.functions.math import cast
from teachgraph.ops.indexing import set_item

__all__ = [
    "as_strided",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "diagonal_scatter",
    "masked_fill",
    "multiplex",
    "select_scatter",
    "shard_index",
    "unfold",
    "view",
    "view_as",
    "vsplit",
]

Numbers = Sequence[int]


def with_axes(inputs: Sequence[Any], before: Numbers, behind: Numbers) -> Any:
    """Add dimensions on both sides, by rank; return one result or a list."""
    results = []
    for x in inputs:
        ndim = len(x.shape)
        first = before[ndim] if ndim < len(before) else 0
        last = behind[ndim] if ndim < len(behind) else 0
        added = [*range(first), *(first + ndim + i for i in range(last))]
        results.append(unsqueeze(x, added))
    return results[0] if len(results) == 1 else results


def atleast_1d(*inputs: Any, name: Any = None) -> Any:
    """Reshape scalars to vectors of one element.

    >>> import numpy as np
    >>> atleast_1d(np.array(3.0))
    array([3.])
    """
    return with_axes(inputs, [1], [])


def atleast_2d(*inputs: Any, name: Any = None) -> Any:
    """Reshape scalars and vectors to matrices of one row.

    >>> import numpy as np
    >>> [x.shape for x in atleast_2d(np.zeros(()), np.zeros(3))]
    [(1, 1), (1, 3)]
    """
    return with_axes(inputs, [2, 1], [])


def atleast_3d(*inputs: Any, name: Any = None) -> Any:
    """Reshape to three dimensions: a vector to [1, n, 1], a matrix to [m, n, 1].

    >>> import numpy as np
    >>> [x.shape for x in atleast_3d(np.zeros(3), np.zeros((2, 3)))]
    [(1, 3, 1), (2, 3, 1)]
    """
    return with_axes(inputs, [3, 1], [0, 1, 1])


def view(x: Any, shape_or_dtype: Any, name: Any = None) -> Any:
    """Reinterpret the bytes in another shape, or as another dtype.

    Args:
        x: The elements.
        shape_or_dtype: A shape, of which one size may be -1; or a dtype, whose size
            must divide the last dimension. Only a reshape has a gradient.
        name: Accepted for Paddle's sake.

    It is a copy where Paddle's shares memory.

    >>> import numpy as np
    >>> view(np.zeros((2, 6)), [3, -1]).shape
    (3, 4)
    >>> view(np.array([1.0, 2.0], "float32"), "int32")
    array([1065353216, 1073741824], dtype=int32)
    """
    if isinstance(shape_or_dtype, (list, tuple)):
        return reshape(x, shape_or_dtype)
    code = dtypes.PADDLE_CODES[dtypes.convert(shape_or_dtype)]
    return shapes.view_dtype(x, dtype=code)


def view_as(x: Any, other: Any, name: Any = None) -> Any:
    """`x` in the shape of `other`.

    >>> import numpy as np
    >>> view_as(np.arange(4), np.zeros((2, 2)))
    array([[0, 1],
           [2, 3]])
    """
    return ops.reshape_as(x, other)


def vsplit(x: Any, num_or_sections: int | Numbers, name: Any = None) -> list[Any]:
    """Split `x`, of at least two dimensions, along the first one.

    Raises:
        ShapeError: `x` has fewer dimensions.

    >>> import numpy as np
    >>> [part.shape for part in vsplit(np.zeros((4, 3)), 2)]
    [(2, 3), (2, 3)]
    """
    if len(x.shape) < 2:
        raise ShapeError.here(f"vsplit: {len(x.shape)} dimensions, not 2")
    return split(x, num_or_sections, 0)


def unfold(x: Any, axis: int, size: int, step: int, name: Any = None) -> Any:
    """Extract sliding windows along `axis` into a new last dimension.

    Args:
        x: The elements.
        axis: The dimension.
        size: The size of a window.
        step: The distance of windows.
        name: Accepted for Paddle's sake.

    Raises:
        InvalidValueError: No window fits, or the step is not positive.

    It is a copy where Paddle's shares memory.

    >>> import numpy as np
    >>> unfold(np.array([1, 2, 3, 4, 5]), 0, 3, 2)
    array([[1, 2, 3],
           [3, 4, 5]])
    """
    at = positive_axis(x, axis)
    if not 0 < size <= x.shape[at] or step < 1:
        message = (
            f"unfold: windows of {size}, each {step} on, in a size of {x.shape[at]}"
        )
        raise InvalidValueError.here(message)
    starts = np.arange(0, x.shape[at] - size + 1, step)
    places = starts[:, None] + np.arange(size)
    windows = unflatten(index_select(x, places.ravel(), at), at, places.shape)
    return moveaxis(windows, at + 1, -1)


def as_strided(
    x: Any, shape: Numbers, stride: Numbers, offset: int = 0, name: Any = None
) -> Any:
    """out[i, j] = flattened x[offset + i stride[0] + j stride[1]].

    It is a copy where Paddle's shares memory, and gradients accumulate where elements
    are read twice.

    Raises:
        ShapeError: The numbers of strides and sizes differ.
        OutOfRangeError: An element is out of range.

    >>> import numpy as np
    >>> as_strided(np.arange(6), [2, 3], [1, 2])
    array([[0, 2, 4],
           [1, 3, 5]])
    """
    if len(shape) != len(stride):
        message = f"as_strided: {len(shape)} sizes, {len(stride)} strides"
        raise ShapeError.here(message)
    places = np.full(tuple(shape), offset)
    for axis, (size, step) in enumerate(zip(shape, stride, strict=True)):
        along = np.arange(size) * step
        places += along.reshape((-1,) + (1,) * (len(shape) - 1 - axis))
    return take(x, places)


def masked_fill(x: Any, mask: Any, value: Any, name: Any = None) -> Any:
    """A copy of `x` with a value where the mask is true.

    Args:
        x: The elements.
        mask: Booleans that broadcast to `x`.
        value: A number, or a tensor of one element, which gets a gradient.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> masked_fill(np.array([1.0, 2.0]), np.array([True, False]), 7.0)
    array([7., 2.])
    """
    refuse_none(value)
    if not isinstance(value, (np.ndarray, Traced)):
        value = np.asarray(value, dtypes.convert(x.dtype))
    elif value.dtype != x.dtype:
        value = cast(value, x.dtype)
    return logic.where(value, x, mask)


def diagonal_scatter(
    x: Any, y: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, name: Any = None
) -> Any:
    """A copy of `x` with `y` on a diagonal.

    >>> import numpy as np
    >>> diagonal_scatter(np.zeros((2, 2)), np.array([1.0, 2.0]))
    array([[1., 0.],
           [0., 2.]])
    """
    where = {"offset": offset, "axis1": axis1, "axis2": axis2}
    on_it = diagonal.undiagonal(fill_any_like(y, value=1.0), x, **where)
    return logic.where(diagonal.undiagonal(y, x, **where), x, cast(on_it, "bool"))


def select_scatter(x: Any, values: Any, axis: int, index: int, name: Any = None) -> Any:
    """A copy of `x` with `values` as its slice at `index` along `axis`.

    >>> import numpy as np
    >>> select_scatter(np.zeros((2, 2)), np.array([1.0, 2.0]), 1, 0)
    array([[1., 0.],
           [2., 0.]])
    """
    before = [builtins.slice(None)] * positive_axis(x, axis)
    return set_item(x, (*before, index), values)


def multiplex(inputs: Sequence[Any], index: Any, name: Any = None) -> Any:
    """Choose rows: row i of the result is row i of inputs[index[i]].

    Args:
        inputs: Tensors of one shape [N, ...].
        index: Integers [N, 1].
        name: Accepted for Paddle's sake.

    Raises:
        OutOfRangeError: An index is negative or past the end.

    >>> import numpy as np
    >>> x, y = np.array([[1, 2], [3, 4]]), np.array([[5, 6], [7, 8]])
    >>> multiplex([x, y], np.array([[1], [0]]))
    array([[5, 6],
           [3, 4]])
    """
    choices = stack(inputs, axis=1)
    rank = len(choices.shape)
    # `gather` refuses negative indices, `take_along_axis` counts them from the end.
    index = gather(np.arange(len(inputs)), index)
    chosen = reshape(index, [-1] + [1] * (rank - 1))
    return squeeze(take_along_axis(choices, chosen, 1), 1)


def shard_index(
    input: Any, index_num: int, nshards: int, shard_id: int, ignore_value: int = -1
) -> Any:
    """Convert indices to those within one of `nshards` equal shards of `index_num`.

    Those of other shards become `ignore_value`.

    Raises:
        InvalidValueError: The shard is out of range.

    >>> import numpy as np
    >>> shard_index(np.array([[1], [12]]), index_num=20, nshards=2, shard_id=1)
    array([[-1],
           [ 2]])
    """
    if not 0 <= shard_id < nshards or index_num < 1:
        message = f"shard_index: part {shard_id} of {nshards}, of {index_num} indices"
        raise InvalidValueError.here(message)
    size = -(-index_num // nshards)
    width = np.asarray(size, dtypes.convert(input.dtype))
    nothing = fill_any_like(input, value=index(ignore_value))
    here = input // width == np.asarray(index(shard_id), width.dtype)
    return logic.where(input % width, nothing, here)
