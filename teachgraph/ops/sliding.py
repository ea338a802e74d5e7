"""Convolution attributes: validation, window geometry, output sizes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.ops.windows import (
    Steps,
    check_format,
    check_positive,
    padding,
    steps,
    window_extent,
)

__all__ = ["Sliding"]


class Sliding(NamedTuple):
    """Attributes of a convolution."""

    strides: Sequence[int]
    paddings: Sequence[int]
    padding_algorithm: str
    dilations: Sequence[int]
    groups: int
    data_format: str

    @property
    def last(self) -> bool:
        """True if the channels are the last dimension."""
        return self.data_format.endswith("C")

    def sizes(self, shape: Sequence[int]) -> Sequence[int]:
        """Spatial sizes of an image."""
        return shape[1:-1] if self.last else shape[2:]

    def channels(self, shape: Sequence[int]) -> int:
        """Number of channels of an image."""
        return shape[-1 if self.last else 1]

    def shape(self, batch: int, channels: int, sizes: Sequence[int]) -> tuple[int, ...]:
        """Build the shape of a batch of images in the data format."""
        return (batch, *sizes, channels) if self.last else (batch, channels, *sizes)

    def spread(self, dims: int) -> Sequence[int]:
        """Validate strides and groups; return the dilations, 1 for `SAME` as in Paddle.

        Raises:
            InvalidValueError: A stride, dilation or number of groups is below 1.
        """
        check_positive("strides", self.strides, dims)
        check_positive("dilations", self.dilations, dims)
        check_positive("groups", [self.groups], 1)
        return [1] * dims if self.padding_algorithm == "SAME" else self.dilations

    def axes(self, image: Sequence[int], window: Sequence[int]) -> list[Steps]:
        """Compute the windows along each dimension of an image."""
        dilations = self.spread(len(image))
        algorithm, strides = self.padding_algorithm, self.strides
        pads = padding(self.paddings, algorithm, image, window, strides)
        return steps(image, window, strides, pads, dilations)

    def fit(self, input: Any, filter: Any, dims: int) -> list[Steps]:
        """Compute the windows of a convolution of an image with a filter.

        Raises:
            ShapeError: The channels differ, or the filter is larger than the image.
        """
        check(input, filter, dims, self)
        channels, (outputs, inner) = self.channels(input.shape), filter.shape[:2]
        axes = self.axes(self.sizes(input.shape), filter.shape[2:])
        if channels != inner * self.groups or outputs % self.groups:
            raise ShapeError(
                f"{outputs} filters of {inner} channels, in {self.groups} groups, do "
                f"not fit an image of {channels} channels"
            )
        return axes

    def unfit(
        self,
        input: Any,
        filter: Any,
        dims: int,
        more: Sequence[int],
        output_size: Sequence[int],
    ) -> list[Steps]:
        """Compute the windows in the result of a transposed convolution.

        Raises:
            ShapeError: The channels do not fit, or the result is empty.
        """
        check(input, filter, dims, self)
        channels, outputs = self.channels(input.shape), filter.shape[0]
        if channels != outputs or outputs % self.groups:
            raise ShapeError(
                f"a filter for {outputs} channels, in {self.groups} groups, does not "
                f"fit an image of {channels} channels"
            )
        image, window = self.sizes(input.shape), filter.shape[2:]
        return self.grown(image, window, more, output_size)

    def grown(
        self,
        image: Sequence[int],
        window: Sequence[int],
        more: Sequence[int],
        output_size: Sequence[int],
    ) -> list[Steps]:
        """Compute the windows of the larger image, one for each element of `image`."""
        if min(image) < 1:
            raise ShapeError(f"an image of {list(image)} elements")
        dilations, strides = self.spread(len(image)), self.strides
        pads = padding(self.paddings, self.padding_algorithm, image, window, strides)
        along = zip(image, window, strides, pads, dilations, strict=True)
        least = [
            (n - 1) * step + window_extent(shown, dilation) - before - after
            for n, shown, step, (before, after), dilation in along
        ]
        sizes = extended(least, strides, more, output_size)
        axes = steps(sizes, window, strides, pads, dilations)
        return [replace(a, count=n) for a, n in zip(axes, image, strict=True)]

    def explicit(self, input: Any, filter: Any) -> Sliding:
        """Resolve the padding algorithm to numbers.

        Raises:
            ShapeError: They depend on unknown sizes.
        """
        if self.padding_algorithm != "SAME":
            return self
        image, strides = self.sizes(input.shape), self.strides
        if -1 in image and set(strides) != {1}:
            raise ShapeError(f"for SAME padding the sizes must be known: {list(image)}")
        pads = padding((), "SAME", image, filter.shape[2:], strides)
        numbers = [n for pair in pads for n in pair]
        spread = [1] * len(image)
        return self._replace(
            paddings=numbers, padding_algorithm="EXPLICIT", dilations=spread
        )

    def attrs(self) -> Mapping[str, Any]:
        """Return the attributes as a dict."""
        return self._asdict()


def check(input: Any, filter: Any, dims: int, sliding: Sliding) -> None:
    """Check ranks, dtypes and data format of image and filter.

    Raises:
        ShapeError: A rank is wrong.
        DTypeError: A dtype is not floating.
        InvalidValueError: The data format is unknown.
    """
    ranks = len(input.shape), len(filter.shape)
    if ranks != (dims + 2, dims + 2):
        raise ShapeError(
            f"the image has {ranks[0]} dimensions and the filter {ranks[1]}, but both "
            f"have {dims + 2}: batch, channels and {dims} sizes"
        )
    if input.dtype.kind != "f" or filter.dtype.kind != "f":
        raise DTypeError(f"floating numbers, not {input.dtype} and {filter.dtype}")
    check_format(sliding.data_format)


def extended(
    least: Sequence[int],
    strides: Sequence[int],
    more: Sequence[int],
    wanted: Sequence[int],
) -> Sequence[int]:
    """Compute the sizes of a transposed convolution's result.

    A convolution rounds down, so several sizes, less than a stride apart, are possible.

    Raises:
        InvalidValueError: The output size or padding is not among them.
    """
    if len(wanted or least) != len(least) or len(more or least) != len(least):
        raise InvalidValueError(f"sizes for {len(least)} dimensions, please")
    sizes = wanted or [
        n + extra for n, extra in zip(least, more or [0] * len(least), strict=True)
    ]
    for size, base, step in zip(sizes, least, strides, strict=True):
        if not base <= size < base + step:
            raise InvalidValueError(
                f"a result from {base} to {base + step - 1} is possible, not {size}"
            )
    return sizes
