"""Window geometry over images, and strided views of windows.

An image is [N, C, *sizes]. Along each of its dimensions windows have equal strides
(`Steps`), or cover the elements evenly (`Shares`, adaptive pooling).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from teachgraph.core.errors import InvalidValueError, ShapeError

__all__ = [
    "Axis",
    "Shares",
    "Steps",
    "blocks",
    "channels_first",
    "channels_last",
    "check_format",
    "check_positive",
    "counts",
    "cropped",
    "inside",
    "padded",
    "padding",
    "phase_slices",
    "steps",
    "tap",
    "window_extent",
    "windows_of",
]

FORMATS = ("NCHW", "NHWC", "NCDHW", "NDHWC")

AT_ONCE = 1 << 20
"""Elements of columns to compute at a time, 4 MB: that limits the memory of a batch to
this or its largest image; blocks of 1 MB made the products slower."""


@dataclass(frozen=True)
class Steps:
    """Windows with a stride along one dimension.

    Attributes:
        image: The number of elements of the image.
        window: The number of elements of a window.
        step: The stride from one window to the next.
        dilation: The distance of a window's elements.
        before: Padding before the first element.
        after: Padding after the last.
        count: The number of windows.
    """

    image: int
    window: int
    step: int
    dilation: int
    before: int
    after: int
    count: int

    @property
    def missing(self) -> int:
        """Number of elements by which the last window exceeds the image."""
        end = (self.count - 1) * self.step + window_extent(self.window, self.dilation)
        return max(end - self.before - self.image, 0)

    def elements(self, nth: int) -> slice:
        """Slice of the padded image with the nth element of each window."""
        first = nth * self.dilation
        return slice(first, first + (self.count - 1) * self.step + 1, self.step)

    def starts(self) -> Any:
        """Start of each window; negative in the padding."""
        return np.arange(self.count) * self.step - self.before

    def positions(self, nth: int) -> Any:
        """Index of the nth element of each window, clipped to the image."""
        starts = self.starts()
        ends = np.minimum(starts + self.window, self.image)
        return np.clip(starts + nth, np.maximum(starts, 0), ends - 1)

    def sizes(self, *, exclusive: bool) -> Any:
        """Number of elements of each window, padding included or not."""
        starts = self.starts()
        first, last = (0, self.image) if exclusive else (-self.before, self.padded_end)
        ends = np.minimum(starts + self.window, last)
        return ends - np.maximum(starts, first)

    @property
    def padded_end(self) -> int:
        """End of the requested padding."""
        return self.image + self.after


@dataclass(frozen=True)
class Shares:
    """`count` windows that cover `image` elements evenly, for adaptive pooling.

    Window i is [floor(i image / count), ceil((i + 1) image / count)).
    """

    image: int
    count: int

    def starts(self) -> Any:
        """Start of each window."""
        return np.arange(self.count) * self.image // self.count

    def ends(self) -> Any:
        """End of each window."""
        return -(-np.arange(1, self.count + 1) * self.image // self.count)

    @property
    def window(self) -> int:
        """Size of the largest window."""
        return int(self.sizes(exclusive=True).max())

    def positions(self, nth: int) -> Any:
        """Index of the nth element of each window, or of its last one."""
        return np.minimum(self.starts() + nth, self.ends() - 1)

    def sizes(self, *, exclusive: bool) -> Any:
        """Number of elements of each window."""
        return self.ends() - self.starts()


Axis = Steps | Shares


def window_extent(window: int, dilation: int) -> int:
    """Extent of a dilated window."""
    return dilation * (window - 1) + 1


def padding(
    paddings: Sequence[int],
    algorithm: str,
    image: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
) -> list[tuple[int, int]]:
    """Resolve padding to (before, after) for each dimension.

    `SAME` pads so that there are ceil(image / stride) windows, `VALID` not at all.

    Raises:
        InvalidValueError: An unknown algorithm, or an invalid number.
    """
    if algorithm == "SAME":
        sizes = zip(image, window, strides, strict=True)
        total = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in sizes]
        # An odd total has its extra element after the image, as in Paddle.
        return [(n // 2, n - n // 2) for n in total]
    if algorithm == "VALID":
        return [(0, 0)] * len(image)
    if algorithm != "EXPLICIT":
        raise InvalidValueError(f"padding is SAME, VALID or numbers, not {algorithm!r}")
    if min(paddings, default=0) < 0:
        raise InvalidValueError(f"padding is 0 or more, got {list(paddings)}")
    if len(paddings) == len(image):
        return [(n, n) for n in paddings]
    if len(paddings) == 2 * len(image):
        return list(zip(paddings[::2], paddings[1::2], strict=True))
    raise InvalidValueError(f"{len(image)} or twice as many paddings, not {paddings}")


def check_positive(what: str, numbers: Sequence[int], count: int) -> None:
    """Require a positive number for each dimension of the image.

    Raises:
        InvalidValueError: A number is missing or not positive.
    """
    if len(numbers) != count or min(numbers, default=1) < 1:
        raise InvalidValueError(f"{what} are {count} numbers above 0, not {numbers}")


def steps(
    image: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[tuple[int, int]],
    dilations: Sequence[int],
    *,
    ceil: bool = False,
) -> list[Steps]:
    """Compute the windows along each dimension; with `ceil` a last one may be partial.

    Raises:
        ShapeError: No window fits.
    """
    windows = []
    along = zip(image, window, strides, pads, dilations, strict=True)
    for size, shown, step, (before, after), dilation in along:
        room = before + size + after - window_extent(shown, dilation)
        count = (room + step - 1 if ceil else room) // step + 1
        if min(size, shown) < 1:
            raise ShapeError(f"a window of {shown} over an image of {size}")
        if room < 0:
            raise ShapeError(
                f"a window of {window_extent(shown, dilation)} is larger than the "
                f"image, {size} and padding of {before} + {after}"
            )
        windows.append(Steps(size, shown, step, dilation, before, after, count))
    return windows


def counts(axes: Sequence[Axis]) -> list[int]:
    """Number of windows along each dimension."""
    return [axis.count for axis in axes]


def blocks(images: int, columns: int, at_once: int = AT_ONCE) -> Iterator[slice]:
    """Yield equal blocks of images with at most `at_once` elements of columns together.

    There is at least one block, so that sums over an empty batch have a term.
    """
    most = max(at_once // max(columns, 1), 1)
    count = max(-(-images // most), 1)
    step = max(-(-images // count), 1)
    return (slice(first, first + step) for first in range(0, max(images, 1), step))


def check_format(data_format: str) -> None:
    """Require a known data format.

    Raises:
        InvalidValueError: The format is unknown.
    """
    if data_format not in FORMATS:
        raise InvalidValueError(f"data_format {data_format!r} is none of {FORMATS}")


def channels_first(x: Any, data_format: str) -> Any:
    """View `x` as [N, C, *sizes]."""
    return np.moveaxis(x, -1, 1) if data_format.endswith("C") else x


def channels_last(x: Any, data_format: str) -> Any:
    """View [N, C, *sizes] in the data format."""
    return np.moveaxis(x, 1, -1) if data_format.endswith("C") else x


def padded(x: Any, axes: Sequence[Axis], fill: float = 0.0) -> Any:
    """Pad an image for its windows; without padding return it, not a copy."""
    pads = [(a.before, a.missing) if isinstance(a, Steps) else (0, 0) for a in axes]
    if not any(map(any, pads)):
        return x
    sizes = [axis.image + b + a for axis, (b, a) in zip(axes, pads, strict=True)]
    # `np.pad` fills side after side in Python, which takes longer for small images.
    out = np.full((*x.shape[:2], *sizes), fill, x.dtype)
    cropped(out, axes)[...] = x
    return out


def cropped(x: Any, axes: Sequence[Axis]) -> Any:
    """View of the image without its padding."""
    before = [axis.before if isinstance(axis, Steps) else 0 for axis in axes]
    inside = [slice(b, b + axis.image) for axis, b in zip(axes, before, strict=True)]
    return x[(slice(None), slice(None), *inside)]


def windows_of(x: Any, axes: Sequence[Steps]) -> Any:
    """View of all windows of a padded image: [N, C, *window, *count]."""
    window = tuple(axis.window for axis in axes)
    count = tuple(axis.count for axis in axes)
    pairs = list(zip(x.strides[2:], axes, strict=True))
    inner = [stride * axis.dilation for stride, axis in pairs]
    outer = [stride * axis.step for stride, axis in pairs]
    strides = (*x.strides[:2], *inner, *outer)
    return as_strided(x, (*x.shape[:2], *window, *count), strides, writeable=False)


def phase_slices(axis: Steps, extent: int, shift: int) -> tuple[Any, Any]:
    """Slices of a phase inside its padding, and of the elements that stand there."""
    first = max(-(-(axis.before - shift) // axis.step), 0)
    start = first * axis.step + shift - axis.before
    count = max(min(-(-(axis.image - start) // axis.step), extent - first), 0)
    step = slice(start, start + count * axis.step, axis.step)
    return slice(first, first + count), step


def inside(axes: Sequence[Steps], place: Sequence[int]) -> tuple[Any, Any]:
    """Slices of the windows whose element at `place` is in the image, and of these."""
    pairs = zip(axes, place, strict=True)
    each = [phase_slices(axis, axis.count, n * axis.dilation) for axis, n in pairs]
    return [windows for windows, _ in each], [elements for _, elements in each]


def tap(x: Any, axes: Sequence[Axis], place: Sequence[int]) -> Any:
    """The element at `place` of every window of a padded image: [N, C, *count].

    It is a writable view if all dimensions are `Steps`.
    """
    for dim, (axis, nth) in enumerate(zip(axes, place, strict=True), start=2):
        if isinstance(axis, Steps):
            x = x[(slice(None),) * dim + (axis.elements(nth),)]
        else:
            x = np.take(x, axis.positions(nth), dim)
    return x
