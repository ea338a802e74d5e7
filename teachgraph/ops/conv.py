"""Convolution, transposed convolution, and their gradients.

A convolution is linear in the image and in the filter. With <a, b> the sum of products,

    <conv(x, w), g> = <x, backward_input(g, w)> = <w, backward_filter(x, g)>

so the gradients of each of the three are the other two, and every order of derivative
follows. A transposed convolution is `backward_input` by another name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from teachgraph.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.ops import products
from teachgraph.ops.op import Like, Op, op
from teachgraph.ops.windows import (
    Steps,
    channels_first,
    channels_last,
    check_format,
    check_positive,
    padding,
    reach,
    steps,
)

__all__ = [
    "conv2d",
    "conv2d_transpose",
    "conv3d",
    "conv3d_transpose",
    "conv_backward_filter",
    "conv_backward_input",
    "depthwise_conv2d",
    "depthwise_conv2d_transpose",
]

NEEDS = (
    "an image [N, C, *sizes] and a filter [O, C / groups, *window] that fits into it"
)

TRANSPOSED_NEEDS = "an image [N, C, *sizes] and a filter [C, O / groups, *window]"


class Sliding(NamedTuple):
    """The attributes that say how a filter slides over an image."""

    strides: Sequence[int]
    paddings: Sequence[int]
    padding_algorithm: str
    dilations: Sequence[int]
    groups: int
    data_format: str

    @property
    def last(self) -> bool:
        """Whether the channels come last."""
        return self.data_format.endswith("C")

    def sizes(self, shape: Sequence[int]) -> Sequence[int]:
        """The sizes of an image."""
        return shape[1:-1] if self.last else shape[2:]

    def channels(self, shape: Sequence[int]) -> int:
        """Its channels."""
        return shape[-1 if self.last else 1]

    def shape(self, batch: int, channels: int, sizes: Sequence[int]) -> tuple[int, ...]:
        """The shape of a batch of images."""
        return (batch, *sizes, channels) if self.last else (batch, channels, *sizes)

    def spread(self, dims: int) -> Sequence[int]:
        """The dilations; with `SAME` there are none, as in Paddle.

        Raises:
            InvalidValueError: A stride, dilation or number of groups is below 1.
        """
        check_positive("strides", self.strides, dims)
        check_positive("dilations", self.dilations, dims)
        check_positive("groups", [self.groups], 1)
        return [1] * dims if self.padding_algorithm == "SAME" else self.dilations

    def axes(self, image: Sequence[int], window: Sequence[int]) -> list[Steps]:
        """Where the filter stands along each dimension of an image."""
        dilations = self.spread(len(image))
        algorithm, strides = self.padding_algorithm, self.strides
        pads = padding(self.paddings, algorithm, image, window, strides)
        return steps(image, window, strides, pads, dilations)

    def fit(self, input: Any, filter: Any, dims: int) -> list[Steps]:
        """The same for an image and a filter that must fit together.

        Raises:
            ShapeError: The channels do not, or the filter is larger than the image.
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
        """Where the filter stands in the result of a transposed convolution.

        Raises:
            ShapeError: The channels do not fit, or nothing is left of the result.
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
        """The windows that stand in a larger image as often as `image` has elements."""
        if min(image) < 1:
            raise ShapeError(f"an image of {list(image)} elements")
        dilations, strides = self.spread(len(image)), self.strides
        pads = padding(self.paddings, self.padding_algorithm, image, window, strides)
        along = zip(image, window, strides, pads, dilations, strict=True)
        least = [
            (n - 1) * step + reach(shown, dilation) - before - after
            for n, shown, step, (before, after), dilation in along
        ]
        sizes = extended(least, strides, more, output_size)
        axes = steps(sizes, window, strides, pads, dilations)
        return [replace(a, count=n) for a, n in zip(axes, image, strict=True)]

    def explicit(self, input: Any, filter: Any) -> Sliding:
        """The same with padding in numbers, as the image of the convolution has it.

        Raises:
            ShapeError: They depend on sizes that are not known yet.
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
        """The same as attributes of an op."""
        return self._asdict()


def check(input: Any, filter: Any, dims: int, sliding: Sliding) -> None:
    """Ranks and dtypes must be those of an image and a filter.

    Raises:
        ShapeError: The ranks are not.
        DTypeError: They are no floating numbers.
        InvalidValueError: There is no such data format.
    """
    ranks = len(input.shape), len(filter.shape)
    if ranks != (dims + 2, dims + 2):
        raise ShapeError(f"{dims + 2} dimensions each, not {ranks[0]} and {ranks[1]}")
    if input.dtype.kind != "f" or filter.dtype.kind != "f":
        raise DTypeError(f"floating numbers, not {input.dtype} and {filter.dtype}")
    check_format(sliding.data_format)


def extended(
    least: Sequence[int],
    strides: Sequence[int],
    more: Sequence[int],
    wanted: Sequence[int],
) -> Sequence[int]:
    """The sizes of a transposed convolution: at least these, and a step more at most.

    A convolution rounds down, so that several sizes come from one.

    Raises:
        InvalidValueError: More or other sizes are wanted than a step allows.
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


def convolution(type: str, dims: int) -> Op:
    """The op of a convolution over this many dimensions."""

    def kernel(
        input: Any,
        filter: Any,
        *,
        strides: Sequence[int] = (1,) * dims,
        paddings: Sequence[int] = (0,) * dims,
        padding_algorithm: str = "EXPLICIT",
        dilations: Sequence[int] = (1,) * dims,
        groups: int = 1,
        data_format: str = "NCHW" if dims == 2 else "NCDHW",
    ) -> Any:
        """The sum of products of the filter with each window of the image."""
        sliding = Sliding(
            strides, paddings, padding_algorithm, dilations, groups, data_format
        )
        axes = sliding.fit(input, filter, dims)
        x = channels_first(input, data_format)
        out = products.forward(x, filter, axes, groups)
        return channels_last(out, data_format)

    def rule(
        doutput: Any,
        input: Any,
        filter: Any,
        *,
        strides: Sequence[int],
        paddings: Sequence[int],
        padding_algorithm: str,
        dilations: Sequence[int],
        groups: int,
        data_format: str,
    ) -> Any:
        """A convolution is linear in the image and in the filter."""
        attrs = Sliding(
            strides, paddings, padding_algorithm, dilations, groups, data_format
        ).attrs()
        return (
            lambda: conv_backward_input(doutput, filter, input, **attrs),
            lambda: conv_backward_filter(input, doutput, filter, **attrs),
        )

    def infer(input: Like, filter: Like, **attrs: Any) -> Any:
        """As many outputs as there are filters and windows."""
        sliding = Sliding(**attrs)
        sizes = [axis.count for axis in sliding.fit(input, filter, dims)]
        shape = sliding.shape(input.shape[0], filter.shape[0], sizes)
        return [(shape, np.result_type(input.dtype, filter.dtype))]

    made: Op = op(type=type, outputs=("output",), needs=NEEDS)(kernel)
    rule.__name__ = f"{type}_grad"
    made.grad(rule)
    made.infers(infer)
    return made


def transposed_convolution(type: str, dims: int) -> Op:
    """The op of a transposed convolution over this many dimensions."""

    def kernel(
        input: Any,
        filter: Any,
        *,
        strides: Sequence[int] = (1,) * dims,
        paddings: Sequence[int] = (0,) * dims,
        padding_algorithm: str = "EXPLICIT",
        output_padding: Sequence[int] = (),
        output_size: Sequence[int] = (),
        dilations: Sequence[int] = (1,) * dims,
        groups: int = 1,
        data_format: str = "NCHW",
    ) -> Any:
        """Each element of the image times the filter, added up where windows stand."""
        sliding = Sliding(
            strides, paddings, padding_algorithm, dilations, groups, data_format
        )
        axes = sliding.unfit(input, filter, dims, output_padding, output_size)
        g = channels_first(input, data_format)
        out = products.backward_input(g, filter, axes, groups)
        return channels_last(out, data_format)

    def rule(
        doutput: Any,
        input: Any,
        filter: Any,
        *,
        strides: Sequence[int],
        paddings: Sequence[int],
        padding_algorithm: str,
        dilations: Sequence[int],
        groups: int,
        data_format: str,
    ) -> Any:
        """The convolution of which it is the adjoint."""
        sliding = Sliding(
            strides, paddings, padding_algorithm, dilations, groups, data_format
        )
        attrs = sliding.explicit(input, filter).attrs()
        return (
            lambda: of_dtype(CONVOLUTION[dims](doutput, filter, **attrs), input),
            lambda: conv_backward_filter(doutput, input, filter, **attrs),
        )

    def infer(
        input: Like,
        filter: Like,
        *,
        output_padding: Sequence[int],
        output_size: Sequence[int],
        **attrs: Any,
    ) -> Any:
        """A size from which as many windows come as the image has elements."""
        sliding = Sliding(**attrs)
        axes = sliding.unfit(input, filter, dims, output_padding, output_size)
        sizes = [axis.image for axis in axes]
        channels = filter.shape[1] * sliding.groups
        shape = sliding.shape(input.shape[0], channels, sizes)
        return [(shape, np.result_type(input.dtype, filter.dtype))]

    made: Op = op(type=type, outputs=("output",), needs=TRANSPOSED_NEEDS)(kernel)
    rule.__name__ = f"{type}_grad"
    made.grad(rule)
    made.infers(infer)
    return made


def of_dtype(x: Any, like: Any) -> Any:
    """A gradient in the dtype of the input it belongs to."""
    return x if x.dtype == like.dtype else x.astype(like.dtype)


@op(needs="the output of a convolution, its filter and its image")
def conv_backward_input(
    output: Any,
    filter: Any,
    input: Any,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
) -> Any:
    """The adjoint of a convolution in its image, of which only the shape counts."""
    sliding = Sliding(
        strides, paddings, padding_algorithm, dilations, groups, data_format
    )
    axes = sliding.fit(input, filter, filter.ndim - 2)
    g = channels_first(output, data_format)
    out = products.backward_input(g, filter, axes, groups)
    return channels_last(out, data_format).astype(input.dtype, copy=False)


@conv_backward_input.grad(of=("output", "filter"))
def conv_backward_input_grad(
    dout: Any,
    output: Any,
    filter: Any,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
) -> Any:
    """<dout, backward_input(g, w)> = <conv(dout, w), g>."""
    attrs = Sliding(
        strides, paddings, padding_algorithm, dilations, groups, data_format
    ).attrs()
    forward = CONVOLUTION[len(filter.shape) - 2]
    return (
        lambda: of_dtype(forward(dout, filter, **attrs), output),
        lambda: conv_backward_filter(dout, output, filter, **attrs),
    )


@op(needs="the image of a convolution, its output and its filter")
def conv_backward_filter(
    input: Any,
    output: Any,
    filter: Any,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
) -> Any:
    """The adjoint of a convolution in its filter, of which only the shape counts."""
    sliding = Sliding(
        strides, paddings, padding_algorithm, dilations, groups, data_format
    )
    axes = sliding.fit(input, filter, input.ndim - 2)
    x, g = channels_first(input, data_format), channels_first(output, data_format)
    out = products.backward_filter(x, g, axes, groups)
    return out.astype(filter.dtype, copy=False)


@conv_backward_filter.grad(of=("input", "output"))
def conv_backward_filter_grad(
    dout: Any,
    input: Any,
    output: Any,
    *,
    strides: Sequence[int],
    paddings: Sequence[int],
    padding_algorithm: str,
    dilations: Sequence[int],
    groups: int,
    data_format: str,
) -> Any:
    """<dout, backward_filter(x, g)> = <conv(x, dout), g>."""
    attrs = Sliding(
        strides, paddings, padding_algorithm, dilations, groups, data_format
    ).attrs()
    forward = CONVOLUTION[len(input.shape) - 2]
    return (
        lambda: conv_backward_input(output, dout, input, **attrs),
        lambda: of_dtype(forward(input, dout, **attrs), output),
    )


@conv_backward_input.infers
def infer_backward_input(output: Like, filter: Like, input: Like, **attrs: Any) -> Any:
    """What the image was like."""
    return [(input.shape, input.dtype)]


@conv_backward_filter.infers
def infer_backward_filter(input: Like, output: Like, filter: Like, **attrs: Any) -> Any:
    """What the filter was like."""
    return [(filter.shape, filter.dtype)]


conv2d = convolution("conv2d", 2)
conv3d = convolution("conv3d", 3)
depthwise_conv2d = convolution("depthwise_conv2d", 2)
conv2d_transpose = transposed_convolution("conv2d_transpose", 2)
conv3d_transpose = transposed_convolution("conv3d_transpose", 3)
depthwise_conv2d_transpose = transposed_convolution("depthwise_conv2d_transpose", 2)

CONVOLUTION = {2: conv2d, 3: conv3d}
"""The convolution over so many dimensions."""
