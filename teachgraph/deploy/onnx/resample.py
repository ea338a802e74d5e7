"""Resize with all of ONNX's coordinate transformations.

Along one axis resizing is a matrix: element i of the result lies at a coordinate c of
the input, and element j has the weight k(j - c), with k a triangle or a cubic.
Downsampling without artefacts (antialias) stretches k. So an image takes one product
for each axis, and the backward the same with the matrices transposed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.errors import InvalidValueError
from teachgraph.core.op import Like, op
from teachgraph.errors import DataError

__all__ = ["Line", "ResizeMode", "resample", "resample_back"]

WIDTH = {"linear": 1, "cubic": 2}

ROUNDED: dict[str, Callable[[Any], Any]] = {
    "ceil": np.ceil,
    "floor": np.floor,
    "round_prefer_ceil": lambda at: np.floor(at + np.float32(0.5)),
    "round_prefer_floor": lambda at: np.ceil(at - np.float32(0.5)),
}


class ResizeMode(NamedTuple):
    """The interpolation of a resize, by ONNX's attributes.

    Attributes:
        mode: "nearest", "linear" or "cubic".
        place: coordinate_transformation_mode, the coordinate of a new element.
        nearest: nearest_mode, the rounding of coordinates.
        cubic: cubic_coeff_a, the slope of the cubic at distance 1.
        outside: exclude_outside, True to give elements beyond the edge no weight.
        antialias: True to average all elements that downsampling covers.
        beyond: extrapolation_value, the value outside of the cropped image.
    """

    mode: str = "nearest"
    place: str = "half_pixel"
    nearest: str = "round_prefer_floor"
    cubic: float = -0.75
    outside: bool = False
    antialias: bool = False
    beyond: float = 0.0

    def kernel(self, distance: Any) -> Any:
        """Return the weight of an element at a distance."""
        d = np.abs(distance)
        if self.mode == "linear":
            return np.maximum(1 - d, 0)
        a = self.cubic
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((d - 5) * d + 8) * d * a - 4 * a
        return np.where(d <= 1, near, np.where(d < 2, far, 0))


class Line(NamedTuple):
    """The resize of one axis, perhaps of the part from `start` to `end`."""

    size: int
    wanted: int
    scale: np.float32
    start: float = 0.0
    end: float = 1.0

    def places(self, transformation: str) -> Any:
        """Compute the coordinate of each new element.

        In float32, as ONNX Runtime does: in float64 a half would round another way.
        """
        i, half = np.arange(self.wanted, dtype=np.float32), np.float32(0.5)
        length = float(self.scale) * self.size
        if transformation == "asymmetric":
            return i / self.scale
        if transformation == "align_corners":
            return i * np.float32((self.size - 1) / (length - 1) if length != 1 else 0)
        if transformation == "tf_crop_and_resize":
            return self.cropped(i, length)
        at = (i + half) / self.scale - half
        if transformation == "half_pixel_symmetric":
            return at + np.float32(self.size / 2 * (1 - self.wanted / length))
        if transformation == "pytorch_half_pixel" and self.wanted == 1:
            return i - half
        return at

    def cropped(self, i: Any, length: float) -> Any:
        """Compute coordinates in a part of the image."""
        last, part = self.size - 1, self.end - self.start
        if length == 1:
            return i + np.float32((self.start + self.end) / 2 * last)
        return np.float32(self.start * last) + i * np.float32(
            part * last / (length - 1)
        )

    def nearest(self, how: ResizeMode) -> Any:
        """Return the index of the element nearest to each coordinate."""
        rounded = ROUNDED[how.nearest](self.places(how.place))
        return np.clip(rounded, 0, self.size - 1).astype(np.int64)

    def matrix(self, how: ResizeMode) -> Any:
        """Compute the weight of each old element for each new one."""
        out, rows = np.zeros((self.wanted, self.size)), np.arange(self.wanted)
        if how.mode == "nearest":
            out[rows, self.nearest(how)] = 1
            return out
        at = self.places(how.place).astype(np.float64)
        stretch = min(float(self.scale), 1.0) if how.antialias else 1.0
        reach, first = int(np.ceil(WIDTH[how.mode] / stretch)), np.floor(at)
        for step in range(1 - reach, reach + 1):
            j = first + step
            weight = how.kernel((j - at) * stretch)
            if how.outside:
                weight = np.where((j >= 0) & (j < self.size), weight, 0)
            # Beyond the edge the last element counts several times: `+=` would drop it.
            np.add.at(out, (rows, np.clip(j, 0, self.size - 1).astype(int)), weight)
        return out / out.sum(axis=1, keepdims=True)

    def outside(self, how: ResizeMode) -> Any:
        """Return a mask of the new elements that lie outside of the image."""
        at = self.places(how.place)
        return (at < 0) | (at > self.size - 1)


def lines(
    shape: Sequence[int],
    scales: Sequence[float],
    sizes: Sequence[int],
    roi: Sequence[float],
    axes: Sequence[int],
    policy: str,
) -> dict[int, Line]:
    """Return the resize of each axis that changes.

    Raises:
        InvalidValueError: There are not as many numbers as axes.
        DataError: A size is absurd.
    """
    resized = [axis % len(shape) for axis in axes] or list(range(len(shape)))
    numbers = sizes if len(sizes) else scales
    if len(numbers) != len(resized):
        raise InvalidValueError(f"{len(numbers)} numbers for {len(resized)} axes")
    starts = [*roi[: len(resized)]] or [0.0] * len(resized)
    ends = [*roi[len(resized) :]] or [1.0] * len(resized)
    old = [shape[axis] for axis in resized]
    factors, new = planned(old, scales, sizes, policy)
    facts = zip(old, new, factors, starts, ends, strict=True)
    by_axis = {axis: Line(*fact) for axis, fact in zip(resized, facts, strict=True)}
    if any(n < 0 or n > 1 << 24 or (n and not m) for m, n, *_ in by_axis.values()):
        raise DataError(f"the sizes {old} cannot become {new}")
    return {
        axis: line
        for axis, line in by_axis.items()
        if line != unchanged_axis(line.size)
    }


def unchanged_axis(size: int) -> Line:
    """Return the resize of an axis that does not change."""
    return Line(size, size, np.float32(1))


def planned(
    old: Sequence[int], scales: Sequence[float], sizes: Sequence[int], policy: str
) -> tuple[list[np.float32], list[int]]:
    """Return the factor and the new size of each axis."""
    if not len(sizes):
        factors = [np.float32(scale) for scale in scales]
        grown = zip(old, factors, strict=True)
        return factors, [int(np.floor(np.float32(n) * factor)) for n, factor in grown]
    ratios = [m / n if n else 1.0 for n, m in zip(old, sizes, strict=True)]
    if policy == "stretch":
        return [np.float32(ratio) for ratio in ratios], [int(n) for n in sizes]
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    return [np.float32(ratio)] * len(old), [int(ratio * n + 0.5) for n in old]


def multiply_axis(x: Any, matrix: Any, axis: int) -> Any:
    """Multiply `matrix` and x along one axis."""
    product = np.tensordot(x, matrix.astype(x.dtype), (axis, 1))
    return np.moveaxis(product, -1, axis)


@op(needs="numbers, and a factor or a size for each axis")
def resample(
    x: Any,
    *,
    scales: Sequence[float] = (),
    sizes: Sequence[int] = (),
    roi: Sequence[float] = (),
    axes: Sequence[int] = (),
    policy: str = "stretch",
    ways: Sequence[Any] = tuple(ResizeMode()),
) -> Any:
    """Resize as ONNX does.

    >>> resample(np.float32([1, 3]), scales=[2.0], ways=("linear", *ResizeMode()[1:]))
    array([1. , 1.5, 2.5, 3. ], dtype=float32)
    """
    how = ResizeMode(*ways)
    for axis, line in lines(x.shape, scales, sizes, roi, axes, policy).items():
        if how.mode == "nearest":
            x = np.take(x, line.nearest(how), axis)
        else:
            x = multiply_axis(x, line.matrix(how), axis)
        if how.place == "tf_crop_and_resize":
            where = np.moveaxis(x, axis, -1)
            where[..., line.outside(how)] = how.beyond
    return np.ascontiguousarray(x)


@resample.infers
def resample_spec(
    x: Like,
    *,
    scales: Sequence[float],
    sizes: Sequence[int],
    roi: Sequence[float],
    axes: Sequence[int],
    policy: str,
    ways: Sequence[Any],
) -> Any:
    """Infer the new sizes of the axes."""
    shape = list(x.shape)
    for axis, line in lines(shape, scales, sizes, roi, axes, policy).items():
        shape[axis] = line.wanted
    return [(tuple(shape), x.dtype)]


@resample.grad
def resample_grad(
    dout: Any,
    x: Like,
    *,
    scales: Sequence[float],
    sizes: Sequence[int],
    roi: Sequence[float],
    axes: Sequence[int],
    policy: str,
    ways: Sequence[Any],
) -> Any:
    """Distribute each gradient over the elements that its output is a mean of."""
    how: Any = {"scales": scales, "sizes": sizes, "roi": roi, "axes": axes}
    return resample_back(dout, x, **how, policy=policy, ways=ways)


@op(needs="what resizing Y gives")
def resample_back(
    x: Any,
    y: Any,
    *,
    scales: Sequence[float] = (),
    sizes: Sequence[int] = (),
    roi: Sequence[float] = (),
    axes: Sequence[int] = (),
    policy: str = "stretch",
    ways: Sequence[Any] = tuple(ResizeMode()),
) -> Any:
    """Apply the adjoint of resizing y: the transposed matrices."""
    how = ResizeMode(*ways)
    for axis, line in lines(y.shape, scales, sizes, roi, axes, policy).items():
        matrix = line.matrix(how)
        if how.place == "tf_crop_and_resize":
            matrix[line.outside(how)] = 0
        x = multiply_axis(x, matrix.T, axis)
    return x


@resample_back.infers
def resample_back_spec(x: Like, y: Like, **attrs: Any) -> Any:
    """Infer the shape of y."""
    return [(y.shape, x.dtype)]


@resample_back.grad(of=("x",))
def resample_back_grad(
    dout: Any,
    *,
    scales: Sequence[float],
    sizes: Sequence[int],
    roi: Sequence[float],
    axes: Sequence[int],
    policy: str,
    ways: Sequence[Any],
) -> Any:
    """Resize: the adjoint of the adjoint, without the value beyond the image."""
    linear = (*ways[:-1], 0.0)
    how: Any = {"scales": scales, "sizes": sizes, "roi": roi, "axes": axes}
    return resample(dout, **how, policy=policy, ways=linear)
