"""Max and average pooling over windows of an image, and max pooling with indices.

An average is linear, so its gradient is the adjoint `spread_average`; the gradient of a
maximum goes to the first maximal element. On arrays, and where windows lie apart, that
needs no indices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, Op, Traced, op
from teachgraph.ops.pixels import scatter_pixels
from teachgraph.ops.window_reduce import (
    average,
    first_places,
    largest,
    lie_apart,
    sizes,
    spread_along,
    spread_to_first,
)
from teachgraph.ops.windows import (
    Axis,
    Shares,
    Steps,
    channels_first,
    channels_last,
    check_format,
    check_positive,
    cropped,
    padding,
    steps,
)

__all__ = [
    "max_pool2d_with_index",
    "max_pool3d_with_index",
    "pool2d",
    "pool3d",
    "spread_average",
    "where_largest",
]

NEEDS = "images [N, C, *sizes] of floating numbers, and windows that fit into them"


class Pooling(NamedTuple):
    """Window attributes of a pooling op, and the data format."""

    ksize: Sequence[int]
    global_pooling: bool
    strides: Sequence[int]
    paddings: Sequence[int]
    padding_algorithm: str
    ceil_mode: bool
    adaptive: bool
    data_format: str

    def axes(self, x: Any, dims: int) -> Sequence[Axis]:
        """Compute the windows along each dimension.

        Raises:
            ShapeError: x is no image, or a window covers only padding.
            DTypeError: x is not floating.
        """
        check_format(self.data_format)
        if len(x.shape) != dims + 2:
            raise ShapeError(f"an image has {dims + 2} dimensions, not {len(x.shape)}")
        if x.dtype.kind != "f":
            raise DTypeError(f"it takes floating numbers, not {x.dtype}")
        image = x.shape[1:-1] if self.data_format.endswith("C") else x.shape[2:]
        if self.global_pooling:
            return adaptive_windows(image, [1] * dims)
        check_positive("ksize", self.ksize, dims)
        return (
            adaptive_windows(image, self.ksize) if self.adaptive else self.steps(image)
        )

    def steps(self, image: Sequence[int]) -> Sequence[Axis]:
        """Compute windows of a given size; none may cover only padding."""
        ksize, strides, algorithm = self.ksize, self.strides, self.padding_algorithm
        check_positive("strides", strides, len(image))
        pads = padding(self.paddings, algorithm, image, ksize, strides)
        ones = [1] * len(image)
        windows = steps(image, ksize, strides, pads, ones, ceil=self.ceil_mode)
        for axis in windows:
            if axis.before >= axis.window or axis.starts()[-1] >= axis.image:
                raise ShapeError(
                    f"a window of {axis.window} lies in the padding alone: "
                    f"{axis.before} before and {axis.after} behind {axis.image}"
                )
        return windows

    def shape(self, x: Any, dims: int) -> tuple[int, ...]:
        """Compute the result's shape."""
        counts = [axis.count for axis in self.axes(x, dims)]
        if self.data_format.endswith("C"):
            return (x.shape[0], *counts, x.shape[-1])
        return (*x.shape[:2], *counts)

    def attrs(self) -> Mapping[str, Any]:
        """Return the attributes as a dict."""
        return self._asdict()


def adaptive_windows(image: Sequence[int], counts: Sequence[int]) -> Sequence[Axis]:
    """Compute adaptive windows, `counts` of them per dimension.

    Raises:
        ShapeError: The image is empty.
    """
    if min(image, default=0) < 1:
        raise ShapeError(f"an image of {list(image)} elements")
    # Equal windows are `Steps`: read by a slice for each element of a window, not by
    # one for each window.
    return [
        Shares(n, count)
        if n % count
        else Steps(n, n // count, n // count, 1, 0, 0, count)
        for n, count in zip(image, counts, strict=True)
    ]


def pooling(type: str, dims: int) -> Op:
    """Create the pooling op over `dims` dimensions."""

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
        """Maximum or mean of each window."""
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
        """Scatter to the first maximum, or spread evenly over the window."""
        pooled = Pooling(
            ksize,
            global_pooling,
            strides,
            paddings,
            padding_algorithm,
            ceil_mode,
            adaptive,
            data_format,
        )
        attrs = pooled.attrs()
        if pooling_type == "max":
            if not isinstance(dout, Traced) and not np.isnan(out).any():
                axes = pooled.axes(x, dims)
                if lie_apart(axes):
                    g, image, maxima = (
                        channels_first(a, data_format) for a in (dout, x, out)
                    )
                    dx = spread_to_first(g, image, maxima, axes)
                    return channels_last(dx, data_format)
            where = where_largest(x, out, **attrs)
            return scatter_pixels(dout, x, where, data_format=data_format)
        return spread_average(dout, x, exclusive=exclusive, **attrs)

    def infer(x: Like, *, pooling_type: str, exclusive: bool, **attrs: Any) -> Any:
        """An element for each window."""
        check_type(pooling_type)
        return [(Pooling(**attrs).shape(x, dims), x.dtype)]

    pool_op: Op = op(type=type, needs=NEEDS)(kernel)
    rule.__name__ = f"{type}_grad"
    pool_op.grad(rule)
    pool_op.infers(infer)
    return pool_op


def check_type(pooling_type: str) -> None:
    """Require "max" or "avg".

    Raises:
        InvalidValueError: The type is another one.
    """
    if pooling_type not in {"max", "avg"}:
        raise InvalidValueError(f"pooling_type is max or avg, not {pooling_type!r}")


pool2d = pooling("pool2d", 2)
pool3d = pooling("pool3d", 3)

POOLING = {2: pool2d, 3: pool3d}
"""Pooling ops by the number of spatial dimensions."""


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
    """Spread each element evenly over its window: the adjoint of an average.

    Of `y`, the image, only the shape is used.
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
    """dx = the average pooling of dout."""
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
    pool = POOLING[len(dout.shape) - 2]
    return pool(dout, pooling_type="avg", exclusive=exclusive, **attrs)


@spread_average.infers
def infer_spread_average(x: Like, y: Like, **attrs: Any) -> Any:
    """The image's spec."""
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
    """Flat index of the pixel where each window first has its maximum `out`."""
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
    """An index for each window."""
    return [(out.shape, np.dtype(np.int32))]


def pooling_with_index(type: str, dims: int) -> Op:
    """Create the max pooling op that also returns the indices of the maxima."""

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
        """Maximum of each window, and the flat index of its pixel."""
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
        """Scatter to the pixels of the maxima."""
        return scatter_pixels(dout, x, mask)

    def infer(x: Like, **attrs: Any) -> Any:
        """An element and an index for each window."""
        shape = Pooling(**attrs, data_format="NCHW").shape(x, dims)
        return [(shape, x.dtype), (shape, np.dtype(np.int32))]

    pool_op: Op = op(type=type, outputs=("out", "mask"), needs=NEEDS)(kernel)
    rule.__name__ = f"{type}_grad"
    pool_op.grad(rule)
    pool_op.infers(infer)
    return pool_op


max_pool2d_with_index = pooling_with_index("max_pool2d_with_index", 2)
max_pool3d_with_index = pooling_with_index("max_pool3d_with_index", 3)
