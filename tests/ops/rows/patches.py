"""Rows for `teachgraph/ops/patches.py` and `shuffle.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.contract import EVERY, NUMBERS, Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

NO_IMAGE = {
    "scalar": "it needs images",
    "1-D": "it needs images",
    "broadcast": "one input",
}
ONES, NONE = (1, 1), (0, 0, 0, 0)


def seen(
    image: Any, kernel_sizes: Any, strides: Any, paddings: Any, dilations: Any
) -> Any:
    """For each window, where in the image its elements are; None in the padding."""
    top, left, bottom, right = paddings
    reach = [d * (k - 1) + 1 for k, d in zip(kernel_sizes, dilations, strict=True)]
    sizes = [image[0] + top + bottom, image[1] + left + right]
    starts = [
        range(0, size - r + 1, s)
        for size, r, s in zip(sizes, reach, strides, strict=True)
    ]
    for a in starts[0]:
        for b in starts[1]:
            yield [
                place(a + i * dilations[0] - top, b + j * dilations[1] - left, image)
                for i in range(kernel_sizes[0])
                for j in range(kernel_sizes[1])
            ]


def place(row: int, column: int, image: Any) -> tuple[int, int] | None:
    inside = 0 <= row < image[0] and 0 <= column < image[1]
    return (row, column) if inside else None


def unfolded(
    x: Array,
    kernel_sizes: Any,
    strides: Any = ONES,
    paddings: Any = NONE,
    dilations: Any = ONES,
) -> Array:
    windows = list(seen(x.shape[2:], kernel_sizes, strides, paddings, dilations))
    size = len(windows[0])
    out = np.zeros((len(x), x.shape[1] * size, len(windows)))
    for n, c in np.ndindex(x.shape[:2]):
        for at, window in enumerate(windows):
            shown = [0.0 if p is None else x[(n, c, *p)] for p in window]
            out[n, c * size : (c + 1) * size, at] = shown
    return out


def folded(
    x: Array,
    output_sizes: Any,
    kernel_sizes: Any,
    strides: Any = ONES,
    paddings: Any = NONE,
    dilations: Any = ONES,
) -> Array:
    windows = list(seen(output_sizes, kernel_sizes, strides, paddings, dilations))
    size = len(windows[0])
    out = np.zeros((len(x), x.shape[1] // size, *output_sizes))
    for n, c in np.ndindex(out.shape[:2]):
        for at, window in enumerate(windows):
            for i, p in enumerate(window):
                if p is not None:
                    out[(n, c, *p)] += x[n, c * size + i, at]
    return out


def unfolded_in_torch(
    t: Any,
    x: Any,
    kernel_sizes: Any,
    strides: Any = ONES,
    paddings: Any = NONE,
    dilations: Any = ONES,
) -> Any:
    top, left, bottom, right = paddings
    about = {"dilation": dilations, "stride": strides}
    padded = t.nn.functional.pad(x, [left, right, top, bottom])
    if not x.numel():  # its second derivative would fail
        shape = t.nn.functional.unfold(padded.detach(), kernel_sizes, **about).shape
        return x.reshape(shape)
    return t.nn.functional.unfold(padded, kernel_sizes, **about)


def folded_in_torch(
    t: Any,
    x: Any,
    output_sizes: Any,
    kernel_sizes: Any,
    strides: Any = ONES,
    paddings: Any = NONE,
    dilations: Any = ONES,
) -> Any:
    top, left, bottom, right = paddings
    sizes = [output_sizes[0] + top + bottom, output_sizes[1] + left + right]
    about = {"dilation": dilations, "stride": strides}
    down, across = output_sizes
    if not x.numel():
        return x.reshape(0, x.shape[1] // math.prod(kernel_sizes), down, across)
    image = t.nn.functional.fold(x, sizes, kernel_sizes, **about)
    return image[:, :, top : top + down, left : left + across]


def nchw(x: Array, data_format: str) -> Array:
    return np.moveaxis(x, -1, 1) if data_format == "NHWC" else x


def formatted(x: Array, data_format: str) -> Array:
    return np.moveaxis(x, 1, -1) if data_format == "NHWC" else x


def larger(x: Array, upscale_factor: int = 1, data_format: str = "NCHW") -> Array:
    image, r = nchw(x, data_format), upscale_factor
    n, channels, h, w = image.shape
    out = np.zeros((n, channels // r**2, h * r, w * r))
    for at in np.ndindex(out.shape):
        b, c, i, j = at
        out[at] = image[b, c * r**2 + (i % r) * r + j % r, i // r, j // r]
    return formatted(out, data_format)


def smaller(x: Array, downscale_factor: int = 1, data_format: str = "NCHW") -> Array:
    image, r = nchw(x, data_format), downscale_factor
    n, channels, h, w = image.shape
    out = np.zeros((n, channels * r**2, h // r, w // r))
    for b, c, i, j in np.ndindex(image.shape):
        channel = c * r**2 + (i % r) * r + j % r
        out[b, channel, i // r, j // r] = image[b, c, i, j]
    return formatted(out, data_format)


def dealt(x: Array, groups: int = 1, data_format: str = "NCHW") -> Array:
    image = nchw(x, data_format)
    size = image.shape[1] // groups
    order = [g * size + i for i in range(size) for g in range(groups)]
    return formatted(image[:, order], data_format)


def dealt_in_torch(t: Any, x: Any, groups: int = 1, data_format: str = "NCHW") -> Any:
    """By hand: PyTorch's own function has no derivative."""
    channel = 1 if data_format == "NCHW" else 3
    size = x.shape[channel] // groups
    parts = x.unflatten(channel, (groups, size)).transpose(channel, channel + 1)
    return parts.flatten(channel, channel + 1)


def twin(function: str) -> Any:
    """PyTorch's function of this name, of [N, C, H, W]."""

    def call(t: Any, x: Any, number: int = 1, data_format: str = "NCHW") -> Any:
        last = data_format == "NHWC"
        image = x.movedim(-1, 1) if last else x
        change = getattr(t.nn.functional, function)
        out = change(image, number)
        return out.movedim(1, -1) if last else out

    return lambda t, x, data_format="NCHW", **attrs: call(
        t, x, *attrs.values(), data_format=data_format
    )


X = numbers(1, 2, 3, 4)
EMPTY = "PyTorch fails on the way back"
COLUMNS = numbers(2, 12, 6)
SHOWN = {"kernel_sizes": [2, 3]}
WIDE = {"strides": [2, 1], "paddings": [1, 0, 2, 1], "dilations": [1, 2]}


def windows_wrong(x: Array, **attrs: Any) -> tuple[Wrong, ...]:
    """Windows that cannot be."""
    return (
        Wrong("a window too large", (x,), {**attrs, "kernel_sizes": [9, 9]}),
        Wrong(
            "no step",
            (x,),
            {**attrs, "kernel_sizes": [2, 2], "strides": [0, 1]},
            "InvalidValueError",
            "strides",
        ),
        Wrong(
            "one size",
            (x,),
            {**attrs, "kernel_sizes": [2]},
            "InvalidValueError",
            "kernel_sizes",
        ),
        Wrong(
            "two paddings",
            (x,),
            {**attrs, "kernel_sizes": [2, 2], "paddings": [1, 1]},
            "InvalidValueError",
            "paddings",
        ),
    )


ROWS = (
    Row(
        "unfold",
        (
            Case("images", (X,), SHOWN),
            Case("steps, padding, dilation", (X,), {**SHOWN, **WIDE}),
            Case(
                "windows that leave a rest",
                (numbers(2, 1, 3, 6),),
                {**SHOWN, "strides": [3, 2]},
            ),
            Case("one window", (numbers(1, 2, 2, 3),), SHOWN),
            Case("empty", (numbers(0, 2, 3, 4),), SHOWN),
            Case("not contiguous", (turned(X),), SHOWN),
        ),
        unfolded,
        unfolded_in_torch,
        accepts=EVERY,
        wrong=(
            *windows_wrong(X),
            Wrong("no image", (numbers(4, 5),), SHOWN),
        ),
        lacks=NO_IMAGE,
    ),
    Row(
        "fold",
        (
            Case("columns", (COLUMNS,), {**SHOWN, "output_sizes": [3, 5]}),
            Case(
                "steps, padding, dilation",
                (numbers(2, 6, 6),),
                {**SHOWN, **WIDE, "output_sizes": [4, 5]},
            ),
            Case("one window", (numbers(1, 6, 1),), {**SHOWN, "output_sizes": [2, 3]}),
            Case("empty", (numbers(0, 12, 6),), {**SHOWN, "output_sizes": [3, 5]}),
            Case(
                "not contiguous", (turned(COLUMNS),), {**SHOWN, "output_sizes": [3, 5]}
            ),
        ),
        folded,
        folded_in_torch,
        accepts=NUMBERS,
        wrong=(
            *windows_wrong(COLUMNS, output_sizes=[4, 4]),
            Wrong("too few columns", (COLUMNS,), {**SHOWN, "output_sizes": [3, 6]}),
            Wrong(
                "rows that make no window",
                (numbers(2, 11, 6),),
                {**SHOWN, "output_sizes": [3, 5]},
            ),
            Wrong(
                "one dimension",
                (COLUMNS,),
                {**SHOWN, "output_sizes": [3]},
                "ShapeError",
            ),
        ),
        lacks={**NO_IMAGE, "scalar": "it needs columns", "1-D": "it needs columns"},
    ),
    Row(
        "pixel_shuffle",
        (
            Case("images", (numbers(2, 8, 2, 3),), {"upscale_factor": 2}),
            Case(
                "channels last",
                (numbers(2, 2, 3, 8),),
                {"upscale_factor": 2, "data_format": "NHWC"},
            ),
            Case(
                "empty",
                (numbers(0, 4, 2, 3),),
                {"upscale_factor": 2},
                differs=EMPTY,
                paddle=lambda dout: (np.zeros((0, 4, 2, 3)),),
            ),
            Case(
                "not contiguous", (turned(numbers(1, 4, 2, 2)),), {"upscale_factor": 2}
            ),
        ),
        larger,
        twin("pixel_shuffle"),
        accepts=EVERY,
        wrong=(
            Wrong("6 channels", (numbers(2, 6, 2, 2),), {"upscale_factor": 2}),
            Wrong("a factor of 0", (numbers(2, 6, 2, 2),), {"upscale_factor": 0}),
            Wrong("no image", (numbers(4, 5),), {"upscale_factor": 1}),
            Wrong(
                "no such format",
                (numbers(2, 4, 2, 2),),
                {"upscale_factor": 2, "data_format": "CHWN"},
                "InvalidValueError",
            ),
        ),
        lacks=NO_IMAGE,
    ),
    Row(
        "pixel_unshuffle",
        (
            Case("images", (numbers(2, 2, 4, 6),), {"downscale_factor": 2}),
            Case(
                "channels last",
                (numbers(2, 4, 6, 2),),
                {"downscale_factor": 2, "data_format": "NHWC"},
            ),
            Case(
                "empty",
                (numbers(0, 8, 2, 3),),
                {"downscale_factor": 1},
                differs=EMPTY,
                paddle=lambda dout: (np.zeros((0, 8, 2, 3)),),
            ),
            Case(
                "not contiguous",
                (turned(numbers(1, 1, 4, 4)),),
                {"downscale_factor": 2},
            ),
        ),
        smaller,
        twin("pixel_unshuffle"),
        accepts=EVERY,
        wrong=(
            Wrong("5 rows", (numbers(2, 2, 5, 4),), {"downscale_factor": 2}),
            Wrong("no image", (numbers(4, 5),), {"downscale_factor": 1}),
        ),
        lacks=NO_IMAGE,
    ),
    Row(
        "channel_shuffle",
        (
            Case("images", (numbers(2, 6, 2, 2),), {"groups": 3}),
            Case(
                "channels last",
                (numbers(2, 2, 2, 6),),
                {"groups": 2, "data_format": "NHWC"},
            ),
            Case("empty", (numbers(0, 6, 2, 2),), {"groups": 3}),
            Case("not contiguous", (turned(numbers(2, 6, 2, 2)),), {"groups": 2}),
        ),
        dealt,
        dealt_in_torch,
        accepts=EVERY,
        wrong=(
            Wrong("4 groups", (numbers(2, 6, 2, 2),), {"groups": 4}),
            Wrong("no groups", (numbers(2, 6, 2, 2),), {"groups": 0}),
        ),
        lacks=NO_IMAGE,
    ),
)
