"""Reshaping, transposing, expanding, flipping, rolling and padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from teachgraph.core.errors import DTypeError, ShapeError
from teachgraph.ops import flip_roll, repeat
from teachgraph.ops import pad as borders
from teachgraph.ops import shape as shapes
from teachgraph.ops.adjoints import expand_as_v2
from teachgraph.ops.error_message import explain
from teachgraph.ops.shape import reshape2, transpose2, unsqueeze2

__all__ = [
    "broadcast_to",
    "expand",
    "expand_as",
    "flatten",
    "flip",
    "is_empty",
    "moveaxis",
    "numel",
    "rank",
    "repeat_interleave",
    "reshape",
    "reverse",
    "roll",
    "rot90",
    "shape",
    "squeeze",
    "swapaxes",
    "t",
    "tile",
    "tolist",
    "transpose",
    "unflatten",
    "unsqueeze",
]

Axes = int | Sequence[int]


def axis_list(axis: Any) -> list[int]:
    """Wrap a single number in a list."""
    return list(axis) if isinstance(axis, Sequence) else [axis]


def reshape(x: Any, shape: Sequence[int], name: Any = None) -> Any:
    """Reshape; one size may be -1, 0 keeps a size.

    >>> import numpy as np
    >>> reshape(np.zeros((4, 6)), [0, -1, 2]).shape
    (4, 3, 2)
    """
    return reshape2(x, shape=numbers(shape, "the sizes"))


def flatten(x: Any, start_axis: int = 0, stop_axis: int = -1, name: Any = None) -> Any:
    """Merge the dimensions from start_axis to stop_axis into one.

    >>> import numpy as np
    >>> flatten(np.zeros((2, 3, 4)), 1).shape
    (2, 12)
    """
    return shapes.flatten_contiguous_range(
        x, start_axis=start_axis, stop_axis=stop_axis
    )


def unflatten(x: Any, axis: int, shape: Sequence[int], name: Any = None) -> Any:
    """Split one dimension into several, of which one may be -1.

    >>> import numpy as np
    >>> unflatten(np.zeros((2, 12)), 1, [3, -1]).shape
    (2, 3, 4)
    """
    sizes = list(x.shape)
    at = positive_axis(x, axis)
    return reshape(x, [*sizes[:at], *shape, *sizes[at + 1 :]])


def numbers(given: Sequence[int], what: str) -> list[int]:
    """A list of sizes or axes.

    Raises:
        DTypeError: It is one number, perhaps the first of several.
    """
    if isinstance(given, int):
        raise DTypeError.here(f"{what} go into one list, as in [{given}, ...]")
    return list(given)


def positive_axis(x: Any, axis: int) -> int:
    """Resolve an axis of `x` to a non-negative one.

    Raises:
        ShapeError: `x` has no such axis.
    """
    ndim = len(x.shape)
    if not -ndim <= axis < ndim:
        raise ShapeError(f"there is no axis {axis} among {ndim} dimensions")
    return axis % ndim


def squeeze(x: Any, axis: Axes | None = None, name: Any = None) -> Any:
    """Remove given dimensions of size 1; by default all of them.

    A dimension of another size stays, as in Paddle. One of unknown size is taken to be
    1 if it is given, else not.

    >>> import numpy as np
    >>> squeeze(np.zeros((1, 3, 1)), 0).shape
    (3, 1)
    """
    named = range(len(x.shape)) if axis is None else axis_list(axis)
    if not len(x.shape) and {*named} <= {0, -1}:
        named = []
    # An axis of unknown size is squeezed only if it is named.
    sizes = (1,) if axis is None else (1, -1)
    axes = [i for i in named if x.shape[positive_axis(x, i)] in sizes]
    return shapes.squeeze2(x, axes=axes) if axes else unsqueeze2(x, axes=[])


def unsqueeze(x: Any, axis: Axes, name: Any = None) -> Any:
    """Insert a dimension of size 1 at `axis`; at several axes, one after the other.

    Raises:
        OpError: The tensor has no such place by then.

    >>> import numpy as np
    >>> unsqueeze(np.zeros((2, 3)), [1, 0]).shape
    (1, 2, 1, 3)
    """
    axes = axis_list(axis)
    if len(axes) > 1:
        axes = inserted(len(x.shape), axes)
    return unsqueeze2(x, axes=axes)


def inserted(ndim: int, axes: Sequence[int]) -> list[int]:
    """Return the places in the result of dimensions inserted one after the other.

    What would be no place by then is left as it is, for the op to refuse.
    """
    places: list[int] = []
    for axis in axes:
        rank = ndim + len(places)
        place = axis + rank + 1 if axis < 0 else axis
        if not 0 <= place <= rank:
            # Out of range for the op, too, whose error names the input.
            return [*places, ndim + len(axes)]
        places = [p + (p >= place) for p in places] + [place]
    return places


def transpose(x: Any, perm: Sequence[int], name: Any = None) -> Any:
    """Permute dimensions: k of the result is perm[k] of x."""
    return transpose2(x, axis=numbers(perm, "all axes"))


def t(input: Any, name: Any = None) -> Any:
    """Transpose a matrix; return a vector or a scalar unchanged.

    Raises:
        ShapeError: There are more than two dimensions.

    >>> import numpy as np
    >>> t(np.array([[1, 2], [3, 4]]))
    array([[1, 3],
           [2, 4]])
    """
    ndim = len(input.shape)
    if ndim > 2:
        error = ShapeError(f"{ndim} dimensions are no matrix; transpose takes them")
        raise explain("t", ["X"], [input], {}, error)
    return transpose(input, [1, 0]) if ndim == 2 else input


def moveaxis(x: Any, source: Axes, destination: Axes, name: Any = None) -> Any:
    """Move dimensions to their destinations; the others keep their order.

    Raises:
        ShapeError: A dimension is moved twice, or two to one place.

    >>> import numpy as np
    >>> moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    sources = [positive_axis(x, axis) for axis in axis_list(source)]
    destinations = [positive_axis(x, axis) for axis in axis_list(destination)]
    if not len(set(sources)) == len(sources) == len(set(destinations)):
        error = ShapeError("each dimension moves once, to a place of its own")
        attrs = {"source": source, "destination": destination}
        raise explain("moveaxis", ["X"], [x], attrs, error)
    rest = [axis for axis in range(len(x.shape)) if axis not in sources]
    # In ascending order: a later insertion does not move an earlier one.
    for target, axis in sorted(zip(destinations, sources, strict=True)):
        rest.insert(target, axis)
    return transpose(x, rest)


def swapaxes(x: Any, axis0: int, axis1: int, name: Any = None) -> Any:
    """Exchange two dimensions.

    >>> import numpy as np
    >>> swapaxes(np.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    order = list(range(len(x.shape)))
    one, other = positive_axis(x, axis0), positive_axis(x, axis1)
    order[one], order[other] = other, one
    return transpose(x, order)


def expand(x: Any, shape: Sequence[int], name: Any = None) -> Any:
    """Broadcast `x` to a shape; -1 keeps a size.

    >>> import numpy as np
    >>> expand(np.array([[1], [2]]), [-1, 3])
    array([[1, 1, 1],
           [2, 2, 2]])
    """
    return repeat.expand_v2(x, shape=numbers(shape, "the sizes"))


def broadcast_to(x: Any, shape: Sequence[int], name: Any = None) -> Any:
    """Broadcast `x` to a shape; -1 keeps a size."""
    return expand(x, shape)


def expand_as(x: Any, y: Any, name: Any = None) -> Any:
    """Broadcast `x` to the shape of `y`."""
    return expand_as_v2(x, y)


def tile(x: Any, repeat_times: Sequence[int], name: Any = None) -> Any:
    """Repeat `x` as a whole repeat_times[k] times along dimension k.

    >>> import numpy as np
    >>> tile(np.array([1, 2]), [2, 2])
    array([[1, 2, 1, 2],
           [1, 2, 1, 2]])
    """
    return repeat.tile(x, repeat_times=axis_list(repeat_times))


def repeat_interleave(
    x: Any, repeats: Any, axis: int | None = None, name: Any = None
) -> Any:
    """Repeat each slice of `x` along `axis` (of the flattened `x` by default).

    Args:
        x: The elements.
        repeats: The count, one number for all or a tensor with one for each slice.
        axis: The dimension along which they are repeated.
        name: Accepted for Paddle's sake.

    >>> import numpy as np
    >>> repeat_interleave(np.array([1, 2, 3]), np.array([2, 0, 1]))
    array([1, 1, 3])
    """
    x = flatten(x) if axis is None else x
    if isinstance(repeats, int):
        return repeat.repeat_interleave(x, None, dim=axis or 0, Repeats=repeats)
    return repeat.repeat_interleave(x, repeats, dim=axis or 0)


def flip(x: Any, axis: Axes, name: Any = None) -> Any:
    """Reverse `x` along one or several axes.

    >>> import numpy as np
    >>> flip(np.array([1, 2, 3]), 0)
    array([3, 2, 1])
    """
    return flip_roll.flip(x, axis=axis_list(axis))


reverse = flip


def rot90(x: Any, k: int = 1, axes: Sequence[int] = (0, 1), name: Any = None) -> Any:
    """Rotate `x` k times by 90 degrees, from the first of two axes to the second.

    Raises:
        ShapeError: The axes are not two, or `x` does not have them.

    >>> import numpy as np
    >>> rot90(np.array([[1, 2], [3, 4]]))
    array([[2, 4],
           [1, 3]])
    """
    pair = [positive_axis(x, axis) for axis in axes]
    if len(set(pair)) != 2 or len(pair) != 2:
        error = ShapeError(f"it turns from one axis to another, not {list(axes)}")
        raise explain("rot90", ["X"], [x], {"k": k, "axes": list(axes)}, error)
    if k % 4 == 2:
        return flip(x, pair)
    if k % 4 == 1:
        return swapaxes(flip(x, pair[1]), *pair)
    return flip(swapaxes(x, *pair), pair[1]) if k % 4 else x


def roll(x: Any, shifts: Axes, axis: Axes | None = None, name: Any = None) -> Any:
    """Shift `x` cyclically by `shifts` along `axis`.

    Without an axis the flattened elements are shifted.

    >>> import numpy as np
    >>> roll(np.array([1, 2, 3]), 1)
    array([3, 1, 2])
    """
    along = [] if axis is None else axis_list(axis)
    return flip_roll.roll(x, shifts=axis_list(shifts), axis=along)


def shape(input: Any) -> Any:
    """The sizes of the dimensions as an int32 tensor, computed at run time.

    >>> import numpy as np
    >>> shape(np.zeros((2, 3))).tolist()
    [2, 3]
    """
    return shapes.shape_(input)


def numel(x: Any, name: Any = None) -> Any:
    """The number of elements, a 0-D int64 tensor."""
    return shapes.size(x)


def rank(input: Any) -> Any:
    """The number of dimensions, a 0-D int32 tensor.

    >>> import numpy as np
    >>> int(rank(np.zeros((2, 3))))
    2
    """
    return shapes.shape_(shapes.shape_(input))[0]


def is_empty(x: Any, name: Any = None) -> Any:
    """True if there is no element, a 0-D bool tensor."""
    return shapes.is_empty(x)


def tolist(x: Any) -> Any:
    """The values as nested Python lists."""
    return x.tolist()


PADDINGS = (
    "two paddings, before and behind, for each size of an image [N, C, *sizes] (or "
    "[N, *sizes, C], as data_format says) from the last on, or for each dimension"
)
FORMATS = {
    3: ("NCL", "NLC"),
    4: ("NCHW", "NHWC"),
    5: ("NCDHW", "NDHWC"),
}
"""The names of the dimensions, channels second or last."""


def pad(
    x: Any,
    pad: Sequence[int],
    mode: str = "constant",
    value: float = 0.0,
    data_format: str = "NCHW",
    name: Any = None,
) -> Any:
    """Pad `x`.

    Args:
        x: Any tensor for constant padding of each dimension; else a batch of sequences
            [N, C, L], images [N, C, H, W] or volumes [N, C, D, H, W].
        pad: Before and after for each dimension, the first one first; else for the
            spatial ones alone, the last one first: [left, right, top, bottom].
        mode: "constant", or "reflect" (mirrored at the outermost element), "replicate"
            (the outermost element) or "circular" (from the other side).
        value: The constant.
        data_format: The order of the dimensions; "NHWC" and so on have channels last.
        name: Accepted for Paddle's sake.

    Raises:
        ShapeError: The paddings or the format do not fit.
        InvalidValueError: The mode is unknown, or "reflect" is wider than the input.

    In Paddle this is `paddle.nn.functional.pad`.

    >>> import numpy as np
    >>> pad(np.array([1.0, 2.0]), [1, 1])
    array([0., 1., 2., 0.])
    >>> pad(np.array([[[1.0, 2.0, 3.0]]]), [1, 2], "circular", data_format="NCL")
    array([[[3., 1., 2., 3., 1., 2.]]])
    """
    ndim = len(x.shape)
    if mode == "constant" and len(pad) == 2 * ndim:
        return borders.pad(x, paddings=list(pad), pad_value=float(value))
    if data_format not in FORMATS.get(ndim, ()) or len(pad) != 2 * (ndim - 2):
        error = ShapeError(f"{len(pad)} paddings do not fit {ndim} dimensions")
        attrs = {"pad": list(pad), "mode": mode, "data_format": data_format}
        raise explain("pad", ["X"], [x], attrs, error, needs=PADDINGS)
    return padded(x, list(pad), mode, float(value), last=data_format.endswith("C"))


def padded(x: Any, pad: list[int], mode: str, value: float, *, last: bool) -> Any:
    """Pad a sequence, an image or a volume by the op for volumes."""
    spatial = len(x.shape) - 2
    extra = {1: [2, 3] if last else [3, 4], 2: [1] if last else [2], 3: []}[spatial]
    six = [0] * 4 + pad if spatial == 1 else pad + [0] * (6 - len(pad))
    volume = unsqueeze(x, extra) if extra else x
    out = borders.pad3d(
        volume,
        paddings=six,
        mode=mode,
        value=value,
        data_format="NDHWC" if last else "NCDHW",
    )
    return squeeze(out, extra) if extra else out


def zeropad2d(
    x: Any, padding: Axes, data_format: str = "NCHW", name: Any = None
) -> Any:
    """Pad images with zeros: left, right, top, bottom, or one number for all."""
    four = [padding] * 4 if isinstance(padding, int) else list(padding)
    return pad(x, four, "constant", 0.0, data_format)
