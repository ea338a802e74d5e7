"""Windows over an image: where they stand, and how to look through them.

An image is [N, C, *sizes]. Along each of its dimensions windows stand at equal steps
(`Steps`), or share the elements out among them (`Shares`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from teachgraph.errors import InvalidValueError, ShapeError

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
    "padded",
    "padding",
    "reach",
    "steps",
    "tap",
    "through",
]

FORMATS = ("NCHW", "NHWC", "NCDHW", "NDHWC")

AT_ONCE = 1 << 20
"""How many elements of columns to make at a time, 4 MB: a batch needs no more memory
than that or its largest image, and blocks of 1 MB made the products slower."""


@dataclass(frozen=True)
class Steps:
    """Windows at equal steps along one dimension.

    Attributes:
        image: How many elements the image has.
        window: How many of them a window shows.
        step: From one window to the next.
        dilation: From one element of a window to the next.
        before: Padding in front of the first element.
        after: Padding behind the last.
        count: How many windows there are.
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
        """How many elements the last window shows behind the image."""
        end = (self.count - 1) * self.step + reach(self.window, self.dilation)
        return max(end - self.before - self.image, 0)

    def elements(self, nth: int) -> slice:
        """Where, in the padded image, the nth element of each window is."""
        first = nth * self.dilation
        return slice(first, first + (self.count - 1) * self.step + 1, self.step)

    def starts(self) -> Any:
        """Where each window begins; below 0 in the padding."""
        return np.arange(self.count) * self.step - self.before

    def positions(self, nth: int) -> Any:
        """Where the nth element of each window is; for padding, its nearest one."""
        starts = self.starts()
        ends = np.minimum(starts + self.window, self.image)
        return np.clip(starts + nth, np.maximum(starts, 0), ends - 1)

    def sizes(self, *, exclusive: bool) -> Any:
        """How many elements each window shows, those of the padding included or not."""
        starts = self.starts()
        first, last = (0, self.image) if exclusive else (-self.before, self.padded_end)
        ends = np.minimum(starts + self.window, last)
        return ends - np.maximum(starts, first)

    @property
    def padded_end(self) -> int:
        """Where the padding that was asked for ends."""
        return self.image + self.after


@dataclass(frozen=True)
class Shares:
    """`count` windows that share `image` elements out, neighbours overlapping by one.

    Window i goes from floor(i image / count) to ceil((i + 1) image / count).
    """

    image: int
    count: int

    def starts(self) -> Any:
        """Where each window begins."""
        return np.arange(self.count) * self.image // self.count

    def ends(self) -> Any:
        """Where each ends."""
        return -(-np.arange(1, self.count + 1) * self.image // self.count)

    @property
    def window(self) -> int:
        """The size of the largest."""
        return int(self.sizes(exclusive=True).max())

    def positions(self, nth: int) -> Any:
        """Where the nth element of each window is; its last one where it has fewer."""
        return np.minimum(self.starts() + nth, self.ends() - 1)

    def sizes(self, *, exclusive: bool) -> Any:
        """How many elements each window shows."""
        return self.ends() - self.starts()


Axis = Steps | Shares


def reach(window: int, dilation: int) -> int:
    """From the first to the last element of a window, both included."""
    return dilation * (window - 1) + 1


def padding(
    paddings: Sequence[int],
    algorithm: str,
    image: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
) -> list[tuple[int, int]]:
    """Padding before and after, for each dimension.

    `SAME` pads so that there are ceil(image / stride) windows, `VALID` not at all.

    Raises:
        InvalidValueError: No such algorithm, or a number that makes no sense.
    """
    if algorithm == "SAME":
        sizes = zip(image, window, strides, strict=True)
        total = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in sizes]
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
    """There must be a number above 0 for each dimension of the image.

    Raises:
        InvalidValueError: There is not.
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
    """The windows along each dimension, as many as fit (with `ceil`, or begin).

    Raises:
        ShapeError: Not even one fits.
    """
    windows = []
    along = zip(image, window, strides, pads, dilations, strict=True)
    for size, shown, step, (before, after), dilation in along:
        room = before + size + after - reach(shown, dilation)
        count = (room + step - 1 if ceil else room) // step + 1
        if min(size, shown) < 1:
            raise ShapeError(f"a window of {shown} over an image of {size}")
        if room < 0:
            raise ShapeError(
                f"a window of {reach(shown, dilation)} is larger than the image, "
                f"{size} and padding of {before} + {after}"
            )
        windows.append(Steps(size, shown, step, dilation, before, after, count))
    return windows


def counts(axes: Sequence[Axis]) -> list[int]:
    """How many windows there are along each dimension."""
    return [axis.count for axis in axes]


def blocks(images: int, columns: int) -> Iterator[slice]:
    """As many images at a time as have few enough elements in their columns."""
    step = max(AT_ONCE // max(columns, 1), 1)
    return (slice(first, first + step) for first in range(0, images, step))


def check_format(data_format: str) -> None:
    """There must be such a format.

    Raises:
        InvalidValueError: There is not.
    """
    if data_format not in FORMATS:
        raise InvalidValueError(f"data_format {data_format!r} is none of {FORMATS}")


def channels_first(x: Any, data_format: str) -> Any:
    """A view of `x` as [N, C, *sizes]."""
    return np.moveaxis(x, -1, 1) if data_format.endswith("C") else x


def channels_last(x: Any, data_format: str) -> Any:
    """The reverse: [N, C, *sizes] as the format has it."""
    return np.moveaxis(x, 1, -1) if data_format.endswith("C") else x


def padded(x: Any, axes: Sequence[Axis], fill: float = 0.0) -> Any:
    """An image with what windows show beside it; no copy where they show nothing."""
    pads = [(a.before, a.missing) if isinstance(a, Steps) else (0, 0) for a in axes]
    if not any(map(any, pads)):
        return x
    sizes = [axis.image + b + a for axis, (b, a) in zip(axes, pads, strict=True)]
    out = np.full((*x.shape[:2], *sizes), fill, x.dtype)
    cropped(out, axes)[...] = x
    return out


def cropped(x: Any, axes: Sequence[Axis]) -> Any:
    """The image inside its padding, a view."""
    before = [axis.before if isinstance(axis, Steps) else 0 for axis in axes]
    inside = [slice(b, b + axis.image) for axis, b in zip(axes, before, strict=True)]
    return x[(slice(None), slice(None), *inside)]


def through(x: Any, axes: Sequence[Steps]) -> Any:
    """All windows of a padded image: a view [N, C, *window, *count], no copy."""
    window = tuple(axis.window for axis in axes)
    count = tuple(axis.count for axis in axes)
    pairs = list(zip(x.strides[2:], axes, strict=True))
    inner = [stride * axis.dilation for stride, axis in pairs]
    outer = [stride * axis.step for stride, axis in pairs]
    strides = (*x.strides[:2], *inner, *outer)
    return as_strided(x, (*x.shape[:2], *window, *count), strides, writeable=False)


def tap(x: Any, axes: Sequence[Axis], place: Sequence[int]) -> Any:
    """The element at `place` of every window of a padded image: [N, C, *count].

    It can be written to where all windows stand at equal steps.
    """
    for dim, (axis, nth) in enumerate(zip(axes, place, strict=True), start=2):
        if isinstance(axis, Steps):
            x = x[(slice(None),) * dim + (axis.elements(nth),)]
        else:
            x = np.take(x, axis.positions(nth), dim)
    return x
