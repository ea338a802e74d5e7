"""Resize with all of ONNX's ways to say where an element of the result lies.

Along one axis resizing is a matrix: element i of the result lies at a place c among the
old ones, and element j weighs k(j - c), with k a triangle or a cubic. Shrinking without
artefacts (antialias) stretches k. So an image takes one product an axis, and the way
back the same with the matrices transposed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from teachgraph.core.errors import DataError, InvalidValueError
from teachgraph.core.op import Like, op

__all__ = ["Line", "Ways", "resample", "resample_back"]

WIDTH = {"linear": 1, "cubic": 2}

ROUNDED: dict[str, Callable[[Any], Any]] = {
    "ceil": np.ceil,
    "floor": np.floor,
    "round_prefer_ceil": lambda at: np.floor(at + np.float32(0.5)),
    "round_prefer_floor": lambda at: np.ceil(at - np.float32(0.5)),
}


class Ways(NamedTuple):
    """How the elements are found, in ONNX's words.

    Attributes:
        mode: "nearest", "linear" or "cubic".
        place: Where a new element lies (coordinate_transformation_mode).
        nearest: How a place is rounded (nearest_mode).
        cubic: The slope of the cubic at distance 1 (cubic_coeff_a).
        outside: Whether what is beyond the edge is left out (exclude_outside).
        antialias: Whether shrinking looks at all elements that it covers.
        beyond: What a place outside the cropped image is (extrapolation_value).
    """

    mode: str = "nearest"
    place: str = "half_pixel"
    nearest: str = "round_prefer_floor"
    cubic: float = -0.75
    outside: bool = False
    antialias: bool = False
    beyond: float = 0.0

    def kernel(self, distance: Any) -> Any:
        """How much an element weighs at a distance."""
        d = np.abs(distance)
        if self.mode == "linear":
            return np.maximum(1 - d, 0)
        a = self.cubic
        near = ((a + 2) * d - (a + 3)) * d * d + 1
        far = ((d - 5) * d + 8) * d * a - 4 * a
        return np.where(d <= 1, near, np.where(d < 2, far, 0))


class Line(NamedTuple):
    """One axis that is resized, of which perhaps only a part is looked at."""

    size: int
    wanted: int
    scale: np.float32
    start: float = 0.0
    end: float = 1.0

    def places(self, way: str) -> Any:
        """Where each new element lies; in float32, as ONNX Runtime reckons."""
        i, half = np.arange(self.wanted, dtype=np.float32), np.float32(0.5)
        length = float(self.scale) * self.size
        if way == "asymmetric":
            return i / self.scale
        if way == "align_corners":
            return i * np.float32((self.size - 1) / (length - 1) if length != 1 else 0)
        if way == "tf_crop_and_resize":
            return self.cropped(i, length)
        at = (i + half) / self.scale - half
        if way == "half_pixel_symmetric":
            return at + np.float32(self.size / 2 * (1 - self.wanted / length))
        if way == "pytorch_half_pixel" and self.wanted == 1:
            return i - half
        return at

    def cropped(self, i: Any, length: float) -> Any:
        """Places in a part of the image."""
        last, part = self.size - 1, self.end - self.start
        if length == 1:
            return i + np.float32((self.start + self.end) / 2 * last)
        return np.float32(self.start * last) + i * np.float32(
            part * last / (length - 1)
        )

    def nearest(self, ways: Ways) -> Any:
        """The nearest element of each place."""
        found = ROUNDED[ways.nearest](self.places(ways.place))
        return np.clip(found, 0, self.size - 1).astype(np.int64)

    def matrix(self, ways: Ways) -> Any:
        """The weight of each old element for each new one."""
        out, rows = np.zeros((self.wanted, self.size)), np.arange(self.wanted)
        if ways.mode == "nearest":
            out[rows, self.nearest(ways)] = 1
            return out
        at = self.places(ways.place).astype(np.float64)
        stretch = min(float(self.scale), 1.0) if ways.antialias else 1.0
        reach, first = int(np.ceil(WIDTH[ways.mode] / stretch)), np.floor(at)
        for step in range(1 - reach, reach + 1):
            j = first + step
            weight = ways.kernel((j - at) * stretch)
            if ways.outside:
                weight = np.where((j >= 0) & (j < self.size), weight, 0)
            np.add.at(out, (rows, np.clip(j, 0, self.size - 1).astype(int)), weight)
        return out / out.sum(axis=1, keepdims=True)

    def outside(self, ways: Ways) -> Any:
        """Which new elements lie beyond the image."""
        at = self.places(ways.place)
        return (at < 0) | (at > self.size - 1)


def lines(
    shape: Sequence[int],
    scales: Sequence[float],
    sizes: Sequence[int],
    roi: Sequence[float],
    axes: Sequence[int],
    policy: str,
) -> dict[int, Line]:
    """The axes that change, and how.

    Raises:
        InvalidValueError: There are not as many numbers as axes.
        DataError: Something cannot become so large.
    """
    chosen = [axis % len(shape) for axis in axes] or list(range(len(shape)))
    given = sizes if len(sizes) else scales
    if len(given) != len(chosen):
        raise InvalidValueError(f"{len(given)} numbers for {len(chosen)} axes")
    starts = [*roi[: len(chosen)]] or [0.0] * len(chosen)
    ends = [*roi[len(chosen) :]] or [1.0] * len(chosen)
    old = [shape[axis] for axis in chosen]
    factors, new = planned(old, scales, sizes, policy)
    made = zip(chosen, zip(old, new, factors, starts, ends, strict=True), strict=True)
    found = {axis: Line(*about) for axis, about in made}
    if any(n < 0 or n > 1 << 24 or (n and not m) for m, n, *_ in found.values()):
        raise DataError(f"the sizes {old} cannot become {new}")
    return {axis: line for axis, line in found.items() if line != same(line.size)}


def same(size: int) -> Line:
    """An axis that stays as it is."""
    return Line(size, size, np.float32(1))


def planned(
    old: Sequence[int], scales: Sequence[float], sizes: Sequence[int], policy: str
) -> tuple[list[np.float32], list[int]]:
    """By how much each axis grows, and how large it is then."""
    if not len(sizes):
        factors = [np.float32(scale) for scale in scales]
        grown = zip(old, factors, strict=True)
        return factors, [int(np.floor(np.float32(n) * factor)) for n, factor in grown]
    ratios = [m / n if n else 1.0 for n, m in zip(old, sizes, strict=True)]
    if policy == "stretch":
        return [np.float32(ratio) for ratio in ratios], [int(n) for n in sizes]
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    return [np.float32(ratio)] * len(old), [int(ratio * n + 0.5) for n in old]


def along(x: Any, matrix: Any, axis: int) -> Any:
    """`matrix` times x along one axis."""
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
    ways: Sequence[Any] = tuple(Ways()),
) -> Any:
    """ONNX's Resize.

    >>> resample(np.float32([1, 3]), scales=[2.0], ways=("linear", *Ways()[1:]))
    array([1. , 1.5, 2.5, 3. ], dtype=float32)
    """
    how = Ways(*ways)
    for axis, line in lines(x.shape, scales, sizes, roi, axes, policy).items():
        if how.mode == "nearest":
            x = np.take(x, line.nearest(how), axis)
        else:
            x = along(x, line.matrix(how), axis)
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
    """The sizes that the axes get."""
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
    """Each element back to those it is a mean of."""
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
    ways: Sequence[Any] = tuple(Ways()),
) -> Any:
    """The adjoint of resizing y."""
    how = Ways(*ways)
    for axis, line in lines(y.shape, scales, sizes, roi, axes, policy).items():
        matrix = line.matrix(how)
        if how.place == "tf_crop_and_resize":
            matrix[line.outside(how)] = 0
        x = along(x, matrix.T, axis)
    return x


@resample_back.infers
def resample_back_spec(x: Like, y: Like, **attrs: Any) -> Any:
    """Shaped like y."""
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
    """The adjoint of the adjoint is resizing itself, but for what is put in beyond."""
    linear = (*ways[:-1], 0.0)
    how: Any = {"scales": scales, "sizes": sizes, "roi": roi, "axes": axes}
    return resample(dout, **how, policy=policy, ways=linear)
