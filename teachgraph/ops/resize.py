"""Resizing (interpolation): nearest, linear, cubic, in 1 to 3 dimensions.

Along one dimension resizing is a matrix with a row of weights for each output, so an
image is resized by one product per dimension, and the adjoint uses the transposed
matrices.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, Op, find, op

__all__ = [
    "bicubic_interp_v2",
    "bilinear_interp_v2",
    "linear_interp_v2",
    "nearest_interp_v2",
    "shrink_back",
    "trilinear_interp_v2",
]

SPATIAL = {
    "linear": (1,),
    "nearest": (2, 3),
    "bilinear": (2,),
    "bicubic": (2,),
    "trilinear": (3,),
}
"""Numbers of spatial dimensions of each method."""

SHARPNESS = -0.75
"""The slope of the cubic at distance 1 (Keys, 1981), Paddle's and PyTorch's choice."""

Taps = Iterator[tuple[Any, Any]]


class Line(NamedTuple):
    """Resizing of one dimension.

    Attributes:
        size: The old size.
        wanted: The new size.
        factor: wanted / size, if given instead, else None.
        corners: Align the centres of the first and last elements.
        half: Coordinates are those of the elements' centres (half-pixel).
    """

    size: int
    wanted: int
    factor: float | None
    corners: bool
    half: bool

    def places(self) -> Any:
        """Compute the input coordinate of each output."""
        outputs = np.arange(self.wanted)
        if self.corners:
            return outputs * (self.size - 1) / max(self.wanted - 1, 1)
        if self.half:
            return self.scaled(outputs + 0.5) - 0.5
        return self.scaled(outputs)

    def scaled(self, outputs: Any) -> Any:
        """Scale coordinates, both counted from the edge."""
        if self.factor is None:
            return outputs * self.size / self.wanted
        return outputs / self.factor

    def inside(self, index: Any) -> Any:
        """Clip integer coordinates to the input."""
        return np.clip(index, 0, self.size - 1).astype(int)

    def matrix(self, method: str, dtype: Any) -> Any:
        """Compute the weight of each input for each output."""
        out = np.zeros((self.wanted, self.size), dtype)
        for index, weight in TAPS[method](self):
            # At an edge several taps are clipped to one element: all their weights
            # count.
            np.add.at(out, (np.arange(self.wanted), self.inside(index)), weight)
        return out


def nearest(line: Line) -> Taps:
    """Weights of the nearest element."""
    shift = 0.5 if line.corners else 0.0
    yield np.floor(line.places() + shift), 1.0


def linear(line: Line) -> Taps:
    """Weights of the two neighbours."""
    places = np.maximum(line.places(), 0)
    before = line.inside(np.floor(places))
    yield before, 1 - (places - before)
    yield before + 1, places - before


def cubic(line: Line) -> Taps:
    """Weights of the four neighbours by a cubic of their distance."""
    places = line.places()
    before = np.floor(places)
    for step in range(-1, 3):
        yield before + step, weight_at(np.abs(places - before - step))


def weight_at(distance: Any) -> Any:
    """Evaluate the cubic kernel: 1 at 0, and 0 at 1 and from 2 on."""
    a, d = SHARPNESS, distance
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((d - 5) * d + 8) * d * a - 4 * a
    return np.where(d <= 1, near, far)


TAPS = {
    "nearest": nearest,
    "linear": linear,
    "bilinear": linear,
    "trilinear": linear,
    "bicubic": cubic,
}


class Resizing(NamedTuple):
    """Attributes of all methods."""

    interp_method: str
    align_corners: bool
    align_mode: int
    data_layout: str
    out_d: int
    out_h: int
    out_w: int
    scale: Sequence[float]

    def lines(self, shape: Sequence[int]) -> dict[int, Line]:
        """Compute a `Line` for each resized dimension.

        Raises:
            ShapeError: The method is for another rank.
            InvalidValueError: Sizes or factors are missing or not positive.
        """
        spatial = len(shape) - 2
        if spatial not in SPATIAL[self.interp_method]:
            raise ShapeError(f"{self.interp_method} does not resize {list(shape)}")
        axes = range(1, len(shape) - 1) if self.last else range(2, len(shape))
        counts, factors = self.wanted(spatial)
        half = self.align_mode == 0 or self.interp_method == "bicubic"
        half = half and self.interp_method != "nearest" and not self.align_corners
        by_axis = {}
        for axis, count, factor in zip(axes, counts, factors, strict=True):
            size = shape[axis]
            # Paddle rounds the size down.
            new_size = count if factor is None else int(size * factor)
            if size < 1 or new_size < 1:
                raise ShapeError(f"{size} elements cannot become {new_size}")
            by_axis[axis] = Line(size, new_size, factor, self.align_corners, half)
        return by_axis

    @property
    def last(self) -> bool:
        """True if the channels are the last dimension."""
        return self.data_layout.endswith("C")

    def wanted(self, spatial: int) -> tuple[list[int], list[float | None]]:
        """Return for each dimension its new size, and the factor if given instead."""
        counts = [self.out_d, self.out_h, self.out_w][3 - spatial :]
        if not self.scale:
            return counts, [None] * spatial
        several = len(self.scale) > 1
        factors = list(self.scale) if several else list(self.scale) * spatial
        if len(factors) != spatial or min(factors) <= 0:
            raise InvalidValueError(f"scale is {spatial} factors, not {factors}")
        return counts, list(factors)


def check_floating(x: Any) -> None:
    """Require floating numbers.

    Raises:
        DTypeError: The dtype is not floating.
    """
    if x.dtype.kind != "f":
        raise DTypeError(f"floating numbers are resized, not {x.dtype}")


def multiply_axis(x: Any, matrix: Any, axis: int) -> Any:
    """Multiply `matrix` with x along one dimension."""
    return np.moveaxis(np.tensordot(x, matrix, (axis, 1)), -1, axis)


def interpolation(method: str, doc: str) -> Op:
    """Create the op of a method, and its gradient rule."""

    def kernel(
        x: Any,
        *,
        align_corners: bool = True,
        align_mode: int = 1,
        data_layout: str = "NCHW",
        interp_method: str = method,
        out_d: int = -1,
        out_h: int = -1,
        out_w: int = -1,
        scale: Sequence[float] = (),
    ) -> Any:
        sizes = out_d, out_h, out_w
        if method != "nearest" or x.dtype.kind != "i":
            check_floating(x)
        about = Resizing(method, align_corners, align_mode, data_layout, *sizes, scale)
        # One product a dimension: the weights of an image are products of those of its
        # lines.
        for axis, line in about.lines(x.shape).items():
            x = multiply_axis(x, line.matrix(method, x.dtype), axis)
        return x

    def infers(x: Like, *, interp_method: str, **attrs: Any) -> Any:
        if method != "nearest" or x.dtype.kind != "i":
            check_floating(x)
        shape = list(x.shape)
        for axis, line in Resizing(method, **attrs).lines(shape).items():
            shape[axis] = line.wanted
        return [(tuple(shape), x.dtype)]

    def rule(
        dout: Any,
        x: Like,
        *,
        align_corners: bool,
        align_mode: int,
        data_layout: str,
        out_d: int,
        out_h: int,
        out_w: int,
        scale: Sequence[float],
    ) -> Any:
        sizes = out_d, out_h, out_w
        about = Resizing(method, align_corners, align_mode, data_layout, *sizes, scale)
        return shrink_back(dout, x, **about._asdict())

    kernel.__doc__ = doc
    resize_op: Op = op(type=f"{method}_interp_v2", needs="images and a size for them")(
        kernel
    )
    resize_op.infers(infers)
    rule.__name__ = f"{method}_interp_v2_grad"
    resize_op.grad(rule)
    return resize_op


@op(needs="the result of resizing Y")
def shrink_back(
    x: Any,
    y: Any,
    *,
    interp_method: str,
    align_corners: bool = True,
    align_mode: int = 1,
    data_layout: str = "NCHW",
    out_d: int = -1,
    out_h: int = -1,
    out_w: int = -1,
    scale: Sequence[float] = (),
) -> Any:
    """Adjoint of resizing `y`: products with the transposed matrices."""
    sizes = out_d, out_h, out_w
    method = interp_method, align_corners, align_mode, data_layout
    for axis, line in Resizing(*method, *sizes, scale).lines(y.shape).items():
        x = multiply_axis(x, line.matrix(interp_method, x.dtype).T, axis)
    return x


@shrink_back.infers
def infer_shrink_back(x: Like, y: Like, **attrs: Any) -> Any:
    """y's shape."""
    return [(y.shape, x.dtype)]


@shrink_back.grad(of=("x",))
def shrink_back_grad(
    dout: Any,
    *,
    interp_method: str,
    align_corners: bool,
    align_mode: int,
    data_layout: str,
    out_d: int,
    out_h: int,
    out_w: int,
    scale: Sequence[float],
) -> Any:
    """dx = dout resized: the adjoint of the adjoint."""
    return find(f"{interp_method}_interp_v2")(
        dout,
        align_corners=align_corners,
        align_mode=align_mode,
        data_layout=data_layout,
        interp_method=interp_method,
        out_d=out_d,
        out_h=out_h,
        out_w=out_w,
        scale=scale,
    )


linear_interp_v2 = interpolation("linear", "Lines [N, C, L], neighbours joined.")
nearest_interp_v2 = interpolation("nearest", "Images of the nearest elements.")
bilinear_interp_v2 = interpolation("bilinear", "Images, linear in both dimensions.")
bicubic_interp_v2 = interpolation("bicubic", "Images, cubic in both dimensions.")
trilinear_interp_v2 = interpolation("trilinear", "Volumes, linear in all three.")
