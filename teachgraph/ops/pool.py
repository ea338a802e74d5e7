"""Pooling: the largest element, or the mean, of each window of an image.

Both go along one dimension after the other: a window's maximum is the maximum of the
maxima of its rows. An average is linear, so its gradient is the adjoint
`spread_average`; a maximum hands its gradient to the first element that has it
(`scatter_pixels`, whose adjoint is `gather_pixels`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from math import prod
from typing import Any, NamedTuple

import numpy as np

from teachgraph.errors import DTypeError, InvalidValueError, OutOfRangeError, ShapeError
from teachgraph.ops.op import Like, Op, op
from teachgraph.ops.windows import (
    Axis,
    Shares,
    Steps,
    channels_first,
    channels_last,
    check_format,
    check_positive,
    cropped,
    padded,
    padding,
    steps,
    tap,
)

__all__ = [
    "gather_pixels",
    "max_pool2d_with_index",
    "max_pool3d_with_index",
    "pool2d",
    "pool3d",
    "scatter_pixels",
    "spread_average",
    "unpool",
    "unpool3d",
    "where_largest",
]

NEEDS = "images [N, C, *sizes] of floating numbers, and windows that fit into them"


class Pooling(NamedTuple):
    """The attributes that say where the windows are, and which axis is the channels."""

    ksize: Sequence[int]
    global_pooling: bool
    strides: Sequence[int]
    paddings: Sequence[int]
    padding_algorithm: str
    ceil_mode: bool
    adaptive: bool
    data_format: str

    def axes(self, x: Any, dims: int) -> Sequence[Axis]:
        """The windows along each dimension.

        Raises:
            ShapeError: It is no image, or a window lies in the padding alone.
            DTypeError: It has no floating numbers.
        """
        check_format(self.data_format)
        if len(x.shape) != dims + 2:
            raise ShapeError(f"an image has {dims + 2} dimensions, not {len(x.shape)}")
        if x.dtype.kind != "f":
            raise DTypeError(f"it takes floating numbers, not {x.dtype}")
        image = x.shape[1:-1] if self.data_format.endswith("C") else x.shape[2:]
        if self.global_pooling:
            return shares(image, [1] * dims)
        check_positive("ksize", self.ksize, dims)
        return shares(image, self.ksize) if self.adaptive else self.steps(image)

    def steps(self, image: Sequence[int]) -> Sequence[Axis]:
        """Windows of a given size; none may show padding alone."""
        ksize, strides, algorithm = self.ksize, self.strides, self.padding_algorithm
        check_positive("strides", strides, len(image))
        pads = padding(self.paddings, algorithm, image, ksize, strides)
        ones = [1] * len(image)
        found = steps(image, ksize, strides, pads, ones, ceil=self.ceil_mode)
        for axis in found:
            if axis.before >= axis.window or axis.starts()[-1] >= axis.image:
                raise ShapeError(
                    f"a window of {axis.window} lies in the padding alone: "
                    f"{axis.before} before and {axis.after} behind {axis.image}"
                )
        return found

    def shape(self, x: Any, dims: int) -> tuple[int, ...]:
        """The shape of the result."""
        counts = [axis.count for axis in self.axes(x, dims)]
        if self.data_format.endswith("C"):
            return (x.shape[0], *counts, x.shape[-1])
        return (*x.shape[:2], *counts)

    def attrs(self) -> Mapping[str, Any]:
        """The same as attributes of an op."""
        return self._asdict()


def shares(image: Sequence[int], counts: Sequence[int]) -> Sequence[Axis]:
    """So many windows over each dimension, equal ones where that comes out even.

    Raises:
        ShapeError: There is nothing to share.
    """
    if min(image, default=0) < 1:
        raise ShapeError(f"an image of {list(image)} elements")
    return [
        Shares(n, count)
        if n % count
        else Steps(n, n // count, n // count, 1, 0, 0, count)
        for n, count in zip(image, counts, strict=True)
    ]


def along(axis: Axis, x: Any, dim: int, combine: Any) -> Any:
    """What each window along one dimension of a padded image combines to."""
    before = (slice(None),) * dim
    if isinstance(axis, Steps):
        parts = [x[(*before, axis.elements(nth))] for nth in range(axis.window)]
        return reduce(combine, parts) if len(parts) > 1 else parts[0]
    ranges = zip(axis.starts(), axis.ends(), strict=True)
    return np.stack([combine.reduce(x[(*before, slice(*r))], dim) for r in ranges], dim)


def largest(x: Any, axes: Sequence[Axis]) -> Any:
    """The largest element of each window."""
    x = padded(x, axes, -np.inf)
    for dim, axis in enumerate(axes, start=2):
        x = along(axis, x, dim, np.maximum)
    return x


def sizes(axes: Sequence[Axis], *, exclusive: bool) -> Any:
    """How many elements each window has, as a number where all have as many."""
    each = reduce(np.multiply.outer, [a.sizes(exclusive=exclusive) for a in axes])
    first = each.flat[0]
    return int(first) if (each == first).all() else each


def average(x: Any, axes: Sequence[Axis], *, exclusive: bool) -> Any:
    """The mean of each window, its padding left out if `exclusive`."""
    total = padded(x, axes)
    for dim, axis in enumerate(axes, start=2):
        total = along(axis, total, dim, np.add)
    return (total / sizes(axes, exclusive=exclusive)).astype(x.dtype, copy=False)


def spread_along(axis: Axis, x: Any, dim: int) -> Any:
    """The adjoint of summing along one dimension: each window's sum to its elements."""
    before = (slice(None),) * dim
    if isinstance(axis, Shares):
        out = np.zeros((*x.shape[:dim], axis.image, *x.shape[dim + 1 :]), x.dtype)
        for i, ends in enumerate(zip(axis.starts(), axis.ends(), strict=True)):
            out[(*before, slice(*ends))] += x[(*before, slice(i, i + 1))]
        return out
    length = axis.before + axis.image + axis.missing
    out = np.zeros((*x.shape[:dim], length, *x.shape[dim + 1 :]), x.dtype)
    for nth in range(axis.window):
        out[(*before, axis.elements(nth))] += x
    return out


def first_places(x: Any, out: Any, axes: Sequence[Axis]) -> Any:
    """Where in its image, counted row by row, each window has its maximum first.

    Not a number counts as the largest.
    """
    x = padded(x, axes, -np.inf)
    places = list(np.ndindex(*[axis.window for axis in axes]))
    nowhere = np.isnan(out).any()
    missing = np.ones(out.shape, np.bool_)
    nth = np.zeros(out.shape, np.min_scalar_type(len(places)))
    for place in places[:-1]:
        seen = tap(x, axes, place)
        missing &= seen != out
        if nowhere:
            missing &= ~np.isnan(seen)
        nth += missing
    numbers = np.stack([numbered(axes, place) for place in places])
    windows = numbers[0].size
    which = nth.reshape(-1, windows) * np.intp(windows) + np.arange(windows)
    return np.take(numbers, which).reshape(out.shape)


def numbered(axes: Sequence[Axis], place: Sequence[int]) -> Any:
    """The number, row by row, of the element at `place` of each window: [*count]."""
    image = tuple(axis.image for axis in axes)
    pairs = zip(axes, place, strict=True)
    where = np.ix_(*[axis.positions(nth) for axis, nth in pairs])
    return np.ravel_multi_index(where, image).astype(np.int32)


def pooling(type: str, dims: int) -> Op:
    """The op of pooling over this many dimensions."""

    def kernel(
        x: Any,
        *,
        pooling_type: str,
        ksize: Sequence[int],
        global_pooling: bool = False,
        strides: Sequence[int] = (1,) * dims,
        paddings: Sequence[int] = (0,) * dims,
        padding_algorithm: str = "EXPLICIT",
        ceil_mode: bool = False,
        exclusive: bool = True,
        adaptive: bool = False,
        data_format: str = "NCHW" if dims == 2 else "NCDHW",
    ) -> Any:
        """The largest element or the mean of each window."""
        axes = Pooling(
            ksize,
            global_pooling,
            strides,
            paddings,
            padding_algorithm,
            ceil_mode,
            adaptive,
            data_format,
        ).axes(x, dims)
        check_type(pooling_type)
        images = channels_first(x, data_format)
        if pooling_type == "max":
            return channels_last(largest(images, axes), data_format)
        return channels_last(average(images, axes, exclusive=exclusive), data_format)

    def rule(
        dout: Any,
        x: Any,
        out: Any,
        *,
        pooling_type: str,
        ksize: Sequence[int],
        global_pooling: bool,
        strides: Sequence[int],
        paddings: Sequence[int],
        padding_algorithm: str,
        ceil_mode: bool,
        exclusive: bool,
        adaptive: bool,
        data_format: str,
    ) -> Any:
        """To the first largest element, or an equal share to all of the window."""
        attrs = Pooling(
            ksize,
            global_pooling,
            strides,
            paddings,
            padding_algorithm,
            ceil_mode,
            adaptive,
            data_format,
        ).attrs()
        if pooling_type == "max":
            where = where_largest(x, out, **attrs)
            return scatter_pixels(dout, x, where, data_format=data_format)
        return spread_average(dout, x, exclusive=exclusive, **attrs)

    def infer(x: Like, *, pooling_type: str, exclusive: bool, **attrs: Any) -> Any:
        """One element for each window."""
        check_type(pooling_type)
        return [(Pooling(**attrs).shape(x, dims), x.dtype)]

    made: Op = op(type=type, needs=NEEDS)(kernel)
    rule.__name__ = f"{type}_grad"
    made.grad(rule)
    made.infers(infer)
    return made


def check_type(pooling_type: str) -> None:
    """There are two.

    Raises:
        InvalidValueError: It is another.
    """
    if pooling_type not in {"max", "avg"}:
        raise InvalidValueError(f"pooling_type is max or avg, not {pooling_type!r}")


pool2d = pooling("pool2d", 2)
pool3d = pooling("pool3d", 3)

POOLING = {2: pool2d, 3: pool3d}
"""Pooling over so many dimensions."""


@op(needs="an average pooling's result and its image")
def spread_average(
    x: Any,
    y: Any,
    *,
    ksize: Sequence[int],
    global_pooling: bool,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    ceil_mode: bool,
    exclusive: bool,
    adaptive: bool,
    data_format: str,
) -> Any:
    """An equal share for each element of a window: the adjoint of an average.

    Of `y`, the image, only the shape counts.
    """
    axes = Pooling(
        ksize,
        global_pooling,
        strides,
        paddings,
        padding_algorithm,
        ceil_mode,
        adaptive,
        data_format,
    ).axes(y, len(y.shape) - 2)
    share = channels_first(x, data_format) / sizes(axes, exclusive=exclusive)
    for dim, axis in reversed(list(enumerate(axes, start=2))):
        share = spread_along(axis, share, dim)
    out = channels_last(cropped(share, axes), data_format)
    return out.astype(y.dtype, copy=False)


@spread_average.grad(of=("x",))
def spread_average_grad(
    dout: Any,
    *,
    ksize: Sequence[int],
    global_pooling: bool,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    ceil_mode: bool,
    exclusive: bool,
    adaptive: bool,
    data_format: str,
) -> Any:
    """The average it is the adjoint of."""
    attrs = Pooling(
        ksize,
        global_pooling,
        strides,
        paddings,
        padding_algorithm,
        ceil_mode,
        adaptive,
        data_format,
    ).attrs()
    average = POOLING[len(dout.shape) - 2]
    return average(dout, pooling_type="avg", exclusive=exclusive, **attrs)


@spread_average.infers
def infer_spread_average(x: Like, y: Like, **attrs: Any) -> Any:
    """What the image was like."""
    return [(y.shape, y.dtype)]


@op(needs="an image and the largest elements of its windows")
def where_largest(
    x: Any,
    out: Any,
    *,
    ksize: Sequence[int],
    global_pooling: bool,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    ceil_mode: bool,
    adaptive: bool,
    data_format: str,
) -> Any:
    """The number of the pixel where each window first has its largest element `out`."""
    axes = Pooling(
        ksize,
        global_pooling,
        strides,
        paddings,
        padding_algorithm,
        ceil_mode,
        adaptive,
        data_format,
    ).axes(x, x.ndim - 2)
    images, out = channels_first(x, data_format), channels_first(out, data_format)
    return channels_last(first_places(images, out, axes), data_format)


@where_largest.infers
def infer_where_largest(x: Like, out: Like, **attrs: Any) -> Any:
    """A number for each window."""
    return [(out.shape, np.dtype(np.int32))]


def pooling_with_index(type: str, dims: int) -> Op:
    """The op of max pooling that says where the maxima are."""

    def kernel(
        x: Any,
        *,
        ksize: Sequence[int],
        strides: Sequence[int] = (1,) * dims,
        paddings: Sequence[int] = (0,) * dims,
        padding_algorithm: str = "EXPLICIT",
        ceil_mode: bool = False,
        global_pooling: bool = False,
        adaptive: bool = False,
    ) -> Any:
        """The largest element of each window, and the number of its pixel."""
        axes = Pooling(
            ksize,
            global_pooling,
            strides,
            paddings,
            padding_algorithm,
            ceil_mode,
            adaptive,
            "NCHW",
        ).axes(x, dims)
        out = largest(x, axes)
        return out, first_places(x, out, axes)

    def rule(dout: Any, mask: Any, x: Like) -> Any:
        """To where the maxima are."""
        return scatter_pixels(dout, x, mask)

    def infer(x: Like, **attrs: Any) -> Any:
        """One element and one number for each window."""
        shape = Pooling(**attrs, data_format="NCHW").shape(x, dims)
        return [(shape, x.dtype), (shape, np.dtype(np.int32))]

    made: Op = op(type=type, outputs=("out", "mask"), needs=NEEDS)(kernel)
    rule.__name__ = f"{type}_grad"
    made.grad(rule)
    made.infers(infer)
    return made


max_pool2d_with_index = pooling_with_index("max_pool2d_with_index", 2)
max_pool3d_with_index = pooling_with_index("max_pool3d_with_index", 3)


def in_rows(x: Any) -> Any:
    """Each channel of each image as one row."""
    return x.reshape(prod(x.shape[:2]), prod(x.shape[2:]))


def pixels(index: Any, count: int) -> Any:
    """The numbers of pixels in images of `count`, as rows.

    Raises:
        OutOfRangeError: There is no such pixel.
    """
    if index.size and not 0 <= index.min() <= index.max() < count:
        wrong = index.min() if index.min() < 0 else index.max()
        raise OutOfRangeError(f"there are {count} pixels, but no number {wrong}")
    return in_rows(index)


@op(needs="numbers of pixels, and as many values for them")
def scatter_pixels(x: Any, y: Any, index: Any, *, data_format: str = "NCHW") -> Any:
    """Zeros shaped like `y`, with the elements of `x` added to the pixels `index`."""
    x, index = channels_first(x, data_format), channels_first(index, data_format)
    _, channels, *image = channels_first_shape(y.shape, data_format)
    count = prod(image)
    rows = pixels(index, count)
    numbers = rows + count * np.arange(len(rows))[:, None]
    out = np.zeros((len(x), channels, *image), x.dtype)
    np.add.at(out.reshape(-1), numbers.ravel(), in_rows(x).ravel())
    return channels_last(out, data_format)


def channels_first_shape(shape: Sequence[int], data_format: str) -> Sequence[int]:
    """The shape of an image as [N, C, *sizes]."""
    last = data_format.endswith("C")
    return [shape[0], shape[-1], *shape[1:-1]] if last else shape


@scatter_pixels.grad(of=("x",))
def scatter_pixels_grad(dout: Any, index: Any, *, data_format: str) -> Any:
    """Each element comes back from its pixel."""
    return gather_pixels(dout, index, data_format=data_format)


@scatter_pixels.infers
def infer_scatter(x: Like, y: Like, index: Like, *, data_format: str) -> Any:
    """What the image is like."""
    return [(y.shape, x.dtype)]


@op(needs="an image and numbers of its pixels")
def gather_pixels(x: Any, index: Any, *, data_format: str = "NCHW") -> Any:
    """The pixels of each channel that `index` names."""
    x, index = channels_first(x, data_format), channels_first(index, data_format)
    found = np.take_along_axis(in_rows(x), pixels(index, prod(x.shape[2:])), 1)
    return channels_last(found.reshape(index.shape), data_format)


@gather_pixels.grad(of=("x",))
def gather_pixels_grad(dout: Any, x: Like, index: Any, *, data_format: str) -> Any:
    """Each pixel gets what was taken of it, as often as it was taken."""
    return scatter_pixels(dout, x, index, data_format=data_format)


@gather_pixels.infers
def infer_gather(x: Like, index: Like, *, data_format: str) -> Any:
    """As many elements as numbers."""
    return [(index.shape, x.dtype)]


def unpooling(type: str, dims: int) -> Op:
    """The op that puts maxima back where they were, over this many dimensions."""

    def kernel(
        x: Any,
        indices: Any,
        *,
        output_size: Sequence[int],
        unpooling_type: str = "max",
        ksize: Sequence[int] = (),
        strides: Sequence[int] = (),
        paddings: Sequence[int] = (),
        data_format: str = "NCHW" if dims == 2 else "NCDHW",
    ) -> Any:
        """Zeros, with each element of `x` at the pixel that `indices` names.

        Where two name the same one, the last stays.
        """
        check_maxima(x, indices, output_size, dims)
        out = np.zeros((*x.shape[:2], *output_size), x.dtype)
        rows = pixels(indices, prod(output_size))
        np.put_along_axis(in_rows(out), rows, in_rows(x), 1)
        return out

    def rule(dout: Any, indices: Any) -> Any:
        """Each element's gradient is that of its pixel."""
        return gather_pixels(dout, indices)

    def infer(
        x: Like, indices: Like, *, output_size: Sequence[int], **attrs: Any
    ) -> Any:
        """Images of the size that is asked for."""
        check_maxima(x, indices, output_size, dims)
        return [((*x.shape[:2], *output_size), x.dtype)]

    made: Op = op(type=type, needs="maxima, the numbers of their pixels, and a size")(
        kernel
    )
    rule.__name__ = f"{type}_grad"
    made.grad(rule, of=("x",))
    made.infers(infer)
    return made


def check_maxima(x: Any, indices: Any, size: Sequence[int], dims: int) -> None:
    """As many numbers as maxima, and a size for each dimension.

    Raises:
        ShapeError: There are not.
        DTypeError: The maxima are not floating, or the numbers no integers.
    """
    if len(x.shape) != dims + 2 or tuple(x.shape) != tuple(indices.shape):
        raise ShapeError(f"two images of {dims + 2} dimensions of one shape")
    if len(size) != dims or min(size) < 0:
        raise ShapeError(f"{list(size)} is no size of {dims} dimensions")
    if x.dtype.kind != "f" or indices.dtype.kind not in "iu":
        raise DTypeError(
            f"floating maxima and integer indices, not {x.dtype} and {indices.dtype}"
        )


unpool = unpooling("unpool", 2)
unpool3d = unpooling("unpool3d", 3)
