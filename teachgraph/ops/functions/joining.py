"""Concatenation, stacking, splitting, and broadcasting several tensors together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from teachgraph.core.errors import InvalidValueError, ShapeError
from teachgraph.core.op import Op
from teachgraph.ops import join, repeat
from teachgraph.ops.error_message import explain
from teachgraph.ops.functions.manipulation import positive_axis, unsqueeze
from teachgraph.ops.slicing import OPEN_END, slice_

__all__ = [
    "broadcast_tensors",
    "chunk",
    "concat",
    "meshgrid",
    "split",
    "stack",
    "tensor_split",
    "unbind",
    "unstack",
]


def concat(x: Sequence[Any], axis: int = 0, name: Any = None) -> Any:
    """The parts one after the other along `axis`."""
    return join.concat(*x, axis=axis)


def stack(x: Sequence[Any], axis: int = 0, name: Any = None) -> Any:
    """The parts, all of one shape, side by side along a new axis.

    >>> import numpy as np
    >>> stack([np.array([1, 2]), np.array([3, 4])], axis=1)
    array([[1, 3],
           [2, 4]])
    """
    return join.stack(*x, axis=axis)


SECTIONS = "a number of parts that divides the size, or sizes that add up to it"


def split(
    x: Any, num_or_sections: int | Sequence[int], axis: int = 0, name: Any = None
) -> list[Any]:
    """`x` cut into parts along `axis`: each of them is a `slice`.

    Args:
        x: The tensor to split.
        num_or_sections: The number of equal parts, or the size of each; one of these
            may be -1, for the rest.
        axis: The dimension.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The sizes do not add up to that of `x`.

    In Paddle this is `paddle.split`.

    >>> import numpy as np
    >>> split(np.arange(6), [1, -1, 2])
    [array([0]), array([1, 2, 3]), array([4, 5])]
    """
    at = positive_axis(x, axis)
    sections = sizes(x.shape[at], num_or_sections)
    if sections is None:
        attrs = {"num_or_sections": num_or_sections, "axis": axis}
        parts = f"{num_or_sections} equal parts"
        if not isinstance(num_or_sections, int):
            parts = f"parts of {list(num_or_sections)}"
        error = ShapeError(f"a size of {x.shape[at]} cannot be split into {parts}")
        raise explain("split", ["X"], [x], attrs, error, needs=SECTIONS)
    return [part(x, at, *bounds) for bounds in bounds_of(sections)]


def sizes(size: int, wanted: int | Sequence[int]) -> list[int] | None:
    """Resolve the sizes of the parts; None if they do not add up."""
    if isinstance(wanted, int):
        even = wanted > 0 and size >= 0 and size % wanted == 0
        return [size // wanted] * wanted if even else None
    sections = list(wanted)
    known = sum(n for n in sections if n != -1)
    rest = sections.count(-1)
    if min(sections, default=0) < -1 or rest > 1:
        return None
    if size == -1:
        return sections if rest else None
    fits = known <= size if rest else known == size
    return [size - known if n == -1 else n for n in sections] if fits else None


def bounds_of(sections: Sequence[int]) -> list[tuple[int, int]]:
    """Compute start and end of each part; after an unknown size, from the end."""
    unknown = sections.index(-1) if -1 in sections else len(sections)
    left, right = sections[:unknown], sections[unknown + 1 :]
    bounds = [(sum(left[:i]), sum(left[: i + 1])) for i in range(len(left))]
    if unknown == len(sections):
        return bounds
    bounds.append((sum(left), -sum(right) or OPEN_END))
    tails = [-sum(right[i:]) for i in range(len(right))] + [OPEN_END]
    return bounds + list(pairwise(tails))


copied = partial(Op.__call__, slice_)
"""A slice that counts as a copy: parts of a split change one by one in place."""


def part(x: Any, axis: int, start: int, end: int) -> Any:
    """A slice along one axis, which shares no memory with `x`."""
    return copied(x, axes=[axis], starts=[start], ends=[end])


def chunk(x: Any, chunks: int, axis: int = 0, name: Any = None) -> list[Any]:
    """Split `x` into equal parts."""
    return split(x, chunks, axis)


def tensor_split(
    x: Any, num_or_indices: int | Sequence[int], axis: int = 0, name: Any = None
) -> list[Any]:
    """Split `x` into parts whose sizes differ by at most 1, or at indices.

    Raises:
        InvalidValueError: There would be no part, or the size is not known.

    >>> import numpy as np
    >>> tensor_split(np.arange(5), 2)
    [array([0, 1, 2]), array([3, 4])]
    """
    at = positive_axis(x, axis)
    size = x.shape[at]
    if size == -1 or (isinstance(num_or_indices, int) and num_or_indices < 1):
        attrs = {"num_or_indices": num_or_indices, "axis": axis}
        error = InvalidValueError("it takes a known size, and makes 1 part or more")
        raise explain("tensor_split", ["X"], [x], attrs, error)
    if isinstance(num_or_indices, int):
        small, larger = divmod(size, num_or_indices)
        lengths = [small + (i < larger) for i in range(num_or_indices)]
        return split(x, lengths, at)
    cuts = [0, *num_or_indices, size]
    return [part(x, at, *cuts[i : i + 2]) for i in range(len(cuts) - 1)]


def unstack(x: Any, axis: int = 0, num: int | None = None) -> list[Any]:
    """The slices of `x` along `axis`, without that dimension.

    Raises:
        ShapeError: The size is not `num`, or unknown.

    >>> import numpy as np
    >>> unstack(np.array([[1, 2], [3, 4]]), axis=1)
    [array([1, 3]), array([2, 4])]
    """
    at = positive_axis(x, axis)
    count = x.shape[at] if num is None else num
    if count == -1 or x.shape[at] not in {count, -1}:
        error = ShapeError(f"a size of {x.shape[at]}, num = {num}")
        raise explain("unstack", ["X"], [x], {"axis": axis, "num": num}, error)
    return [at_place(copied, x, at, i) for i in range(count)]


def at_place(slice_: Callable[..., Any], x: Any, axis: int, place: int) -> Any:
    """One of the slices of `x` along `axis`, without that dimension."""
    along = {"axes": [axis], "starts": [place], "ends": [place + 1]}
    return slice_(x, decrease_axis=[axis], **along)


def unbind(input: Any, axis: int = 0) -> list[Any]:
    """The slices of `input` along `axis`, without that dimension: views of it."""
    at = positive_axis(input, axis)
    if input.shape[at] == -1:
        return unstack(input, axis)
    return [at_place(slice_, input, at, i) for i in range(input.shape[at])]


def broadcast_tensors(input: Sequence[Any], name: Any = None) -> list[Any]:
    """Expand each to the shape to which all of them broadcast.

    >>> import numpy as np
    >>> broadcast_tensors([np.array([1, 2]), np.array([[3], [4]])])[0]
    array([[1, 2],
           [1, 2]])
    """
    return [repeat.broadcast_among(x, *input) for x in input]


def meshgrid(*args: Any, **kwargs: Any) -> list[Any]:
    """The coordinates of a grid: for each list x_k, out_k[i_0, i_1, ...] = x_k[i_k].

    Args:
        *args: Lists, or one list of them.
        **kwargs: Paddle's `name`, which is not used.

    >>> import numpy as np
    >>> meshgrid(np.array([1, 2]), np.array([3, 4]))[0]
    array([[1, 1],
           [2, 2]])
    """
    lists = args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args
    lists = [x if len(x.shape) else unsqueeze(x, 0) for x in lists]
    count = range(len(lists))
    each = [unsqueeze(x, [k for k in count if k != i]) for i, x in enumerate(lists)]
    return broadcast_tensors(each)
