"""Rows for `teachgraph/ops/conv.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {
    "scalar": "it takes images",
    "1-D": "it takes images",
    "broadcast": "an image and a filter have sizes of their own",
}


def by_attrs(
    dims: int,
    strides: Sequence[int] = (),
    paddings: Sequence[int] = (),
    dilations: Sequence[int] = (),
    groups: int = 1,
    **others: Any,
) -> tuple[list[int], list[int], list[int], int]:
    """Strides, paddings before and after each dimension, dilations and groups."""
    pads = list(paddings or [0] * dims)
    pads = pads if len(pads) == 2 * dims else [n for n in pads for _ in "ab"]
    ones = [1] * dims
    return list(strides or ones), pads, list(dilations or ones), groups


def same(
    image: Sequence[int], window: Sequence[int], strides: Sequence[int]
) -> list[int]:
    """The paddings of SAME: as many windows as steps begin, the odd one behind."""
    pads = []
    for n, k, step in zip(image, window, strides, strict=True):
        missing = max(k + step * ((n - 1) // step) - n, 0)
        pads += [missing // 2, missing - missing // 2]
    return pads


def windows(
    big: Sequence[int],
    small: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
) -> Any:
    """For each output and each element of its window: where, and what it sees."""
    for at in product(*map(range, small)):
        for place in product(*map(range, window)):
            seen = tuple(
                o * s - p + k * d
                for o, s, p, k, d in zip(
                    at, strides, pads[::2], place, dilations, strict=True
                )
            )
            if all(0 <= i < n for i, n in zip(seen, big, strict=True)):
                yield at, place, seen


def moved(attrs: Mapping[str, Any], *arrays: Any) -> list[Any]:
    """Images with their channels second, whatever the format."""
    last = attrs.get("data_format", "NCHW").endswith("C")
    return [np.moveaxis(x, -1, 1) if last else x for x in arrays]


def moved_back(attrs: Mapping[str, Any], x: Any) -> Any:
    last = attrs.get("data_format", "NCHW").endswith("C")
    return np.moveaxis(x, 1, -1) if last else x


def resolved(
    attrs: Mapping[str, Any], image: Sequence[int], window: Sequence[int]
) -> tuple[list[int], list[int], list[int], int]:
    """The numbers of a call, SAME and VALID worked out."""
    strides, pads, dilations, groups = by_attrs(len(image), **attrs)
    if attrs.get("padding_algorithm") == "SAME":
        pads, dilations = same(image, window, strides), [1] * len(image)
    if attrs.get("padding_algorithm") == "VALID":
        pads = [0] * 2 * len(image)
    return strides, pads, dilations, groups


def output_sizes(
    image: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    pads: Sequence[int],
    dilations: Sequence[int],
) -> list[int]:
    rows = zip(image, window, strides, pads[::2], pads[1::2], dilations, strict=True)
    return [(n + a + b - d * (k - 1) - 1) // s + 1 for n, k, s, a, b, d in rows]


def convolved(x: Array, w: Array, **attrs: Any) -> Array:
    """Loops over every output and every element of its window."""
    (x,) = moved(attrs, x)
    window = w.shape[2:]
    strides, pads, dilations, groups = resolved(attrs, x.shape[2:], window)
    small = output_sizes(x.shape[2:], window, strides, pads, dilations)
    out = np.zeros((len(x), len(w), *small))
    inner, outer = w.shape[1], len(w) // groups
    for at, place, seen in windows(
        x.shape[2:], small, window, strides, pads, dilations
    ):
        for n, o, c in product(range(len(x)), range(len(w)), range(inner)):
            channel = o // outer * inner + c
            out[(n, o, *at)] += w[(o, c, *place)] * x[(n, channel, *seen)]
    return np.asarray(moved_back(attrs, out))


def spread(g: Array, w: Array, big: Sequence[int], numbers: Any) -> Array:
    """The same loops, the other way round: from outputs to what they have seen."""
    strides, pads, dilations, groups = numbers
    inner, outer = w.shape[1], len(w) // groups
    out = np.zeros((len(g), inner * groups, *big))
    for at, place, seen in windows(
        big, g.shape[2:], w.shape[2:], strides, pads, dilations
    ):
        for n, o, c in product(range(len(g)), range(len(w)), range(inner)):
            channel = o // outer * inner + c
            out[(n, channel, *seen)] += w[(o, c, *place)] * g[(n, o, *at)]
    return out


def to_image(g: Array, w: Array, x: Array, **attrs: Any) -> Array:
    g, x = moved(attrs, g, x)
    resolution = resolved(attrs, x.shape[2:], w.shape[2:])
    return np.asarray(moved_back(attrs, spread(g, w, x.shape[2:], resolution)))


def to_filter(x: Array, g: Array, w: Array, **attrs: Any) -> Array:
    x, g = moved(attrs, x, g)
    strides, pads, dilations, groups = resolved(attrs, x.shape[2:], w.shape[2:])
    out = np.zeros(w.shape)
    inner, outer = w.shape[1], len(w) // groups
    for at, place, seen in windows(
        x.shape[2:], g.shape[2:], w.shape[2:], strides, pads, dilations
    ):
        for n, o, c in product(range(len(x)), range(len(w)), range(inner)):
            channel = o // outer * inner + c
            out[(o, c, *place)] += g[(n, o, *at)] * x[(n, channel, *seen)]
    return out


def transposed(
    g: Array,
    w: Array,
    output_padding: Sequence[int] = (),
    output_size: Sequence[int] = (),
    **attrs: Any,
) -> Array:
    (g,) = moved(attrs, g)
    resolution = resolved(attrs, g.shape[2:], w.shape[2:])
    strides, pads, dilations, _ = resolution
    more = output_padding or [0] * len(strides)
    rows = zip(
        g.shape[2:],
        w.shape[2:],
        strides,
        pads[::2],
        pads[1::2],
        dilations,
        more,
        strict=True,
    )
    big = [(n - 1) * s + d * (k - 1) + 1 - a - b + m for n, k, s, a, b, d, m in rows]
    out = spread(g, w, output_size or big, resolution)
    return np.asarray(moved_back(attrs, out))


def in_torch(t: Any, attrs: Mapping[str, Any], x: Any) -> Any:
    last = attrs.get("data_format", "NCHW").endswith("C")
    return t.movedim(x, -1, 1) if last else x


def out_of_torch(t: Any, attrs: Mapping[str, Any], x: Any) -> Any:
    last = attrs.get("data_format", "NCHW").endswith("C")
    return t.movedim(x, 1, -1) if last else x


def convolved_in_torch(t: Any, x: Any, w: Any, **attrs: Any) -> Any:
    x = in_torch(t, attrs, x)
    strides, pads, dilations, groups = resolved(attrs, x.shape[2:], w.shape[2:])
    x = t.nn.functional.pad(x, reversed_pairs(pads))
    function = {4: t.conv2d, 5: t.conv3d}[x.ndim]
    out = function(x, w, None, strides, 0, dilations, groups)
    return out_of_torch(t, attrs, out)


def reversed_pairs(pads: Sequence[int]) -> list[int]:
    """PyTorch pads the last dimension first."""
    pairs = list(zip(pads[::2], pads[1::2], strict=True))
    return [n for pair in reversed(pairs) for n in pair]


def to_image_in_torch(t: Any, g: Any, w: Any, x: Any, **attrs: Any) -> Any:
    x = t.zeros_like(x).requires_grad_()
    out = convolved_in_torch(t, x, w, **attrs)
    (dx,) = t.autograd.grad(out, x, g, create_graph=True)
    return dx


def to_filter_in_torch(t: Any, x: Any, g: Any, w: Any, **attrs: Any) -> Any:
    w = t.zeros_like(w).requires_grad_()
    out = convolved_in_torch(t, x, w, **attrs)
    (dw,) = t.autograd.grad(out, w, g, create_graph=True)
    return dw


def transposed_in_torch(
    t: Any,
    g: Any,
    w: Any,
    output_padding: Sequence[int] = (),
    output_size: Sequence[int] = (),
    **attrs: Any,
) -> Any:
    """All that windows reach, without what is padding."""
    g = in_torch(t, attrs, g)
    strides, pads, dilations, groups = resolved(attrs, g.shape[2:], w.shape[2:])
    function = {4: t.conv_transpose2d, 5: t.conv_transpose3d}[g.ndim]
    out = function(g, w, None, strides, 0, 0, groups, dilations)
    more = list(output_padding or [0] * len(strides))
    if output_size:
        rows = zip(output_size, out.shape[2:], pads[::2], pads[1::2], strict=True)
        more = [size - n + a + b for size, n, a, b in rows]
    grown = [m - b for m, b in zip(more, pads[1::2], strict=True)]
    cut = [-n for n in pads[::2]]
    pairs = [n for pair in zip(cut, grown, strict=True) for n in pair]
    return out_of_torch(t, attrs, t.nn.functional.pad(out, reversed_pairs(pairs)))


def call(label: str, x: tuple[int, ...], w: tuple[int, ...], **attrs: Any) -> Case:
    return Case(label, (numbers(*x), numbers(*w, start=50)), attrs)


NOT_CONTIGUOUS = Case(
    "not contiguous", (turned(numbers(1, 2, 3, 2)), turned(numbers(2, 2, 2, 2)))
)

FLAT = (
    call("one pixel at a time", (2, 2, 1, 2), (2, 2, 1, 1)),
    call("one pixel and a border", (1, 1, 2, 1), (1, 1, 1, 1), paddings=[1, 2]),
    call("every window", (1, 2, 3, 2), (2, 2, 2, 2)),
    call("strides", (1, 1, 4, 3), (1, 1, 2, 2), strides=[2, 1]),
    call("paddings", (1, 1, 2, 2), (1, 1, 3, 3), paddings=[1, 2]),
    call("four paddings", (1, 1, 2, 3), (1, 1, 2, 3), paddings=[1, 0, 2, 1]),
    call("dilations", (1, 1, 4, 3), (1, 1, 2, 2), dilations=[2, 1]),
    call("groups", (1, 4, 2, 2), (2, 2, 2, 1), groups=2),
    call("same", (1, 1, 2, 3), (1, 1, 3, 2), padding_algorithm="SAME"),
    call(
        "same, strides",
        (1, 1, 4, 3),
        (1, 1, 2, 2),
        padding_algorithm="SAME",
        strides=[2, 2],
        dilations=[2, 2],
    ),
    call(
        "valid",
        (1, 1, 3, 2),
        (1, 1, 2, 2),
        padding_algorithm="VALID",
        paddings=[1, 1],
    ),
    call(
        "channels last", (1, 3, 2, 2), (2, 2, 2, 2), data_format="NHWC", paddings=[1, 0]
    ),
    call("a pixel at a time, strides", (1, 1, 4, 4), (1, 1, 1, 1), strides=[2, 2]),
    call(
        "everything",
        (2, 2, 3, 2),
        (2, 1, 2, 2),
        strides=[2, 1],
        paddings=[1, 0],
        dilations=[2, 1],
        groups=2,
    ),
    call("empty", (0, 2, 3, 3), (2, 2, 2, 2)),
    NOT_CONTIGUOUS,
)

DEEP = (
    call(
        "everything",
        (1, 2, 3, 2, 2),
        (2, 1, 2, 1, 2),
        strides=[2, 1, 1],
        paddings=[1, 0, 0, 0, 0, 1],
        dilations=[1, 1, 2],
        groups=2,
    ),
    call("every window", (1, 2, 2, 2, 2), (1, 2, 1, 2, 2)),
    call("channels last", (1, 2, 2, 1, 2), (1, 2, 2, 2, 1), data_format="NDHWC"),
    call("same", (1, 1, 1, 3, 2), (1, 1, 2, 2, 2), padding_algorithm="SAME"),
    call("empty", (0, 2, 2, 2, 2), (2, 2, 2, 1, 1)),
    Case(
        "not contiguous",
        (turned(numbers(1, 2, 2, 2, 1)), turned(numbers(1, 2, 2, 1, 1))),
    ),
)

DEPTHWISE = (
    call("a filter a channel", (1, 3, 2, 3), (3, 1, 2, 2), groups=3, paddings=[1, 0]),
    call("two filters a channel", (1, 2, 3, 2), (4, 1, 2, 2), groups=2, strides=[2, 1]),
    call("channels last", (1, 4, 3, 2), (2, 1, 2, 2), groups=2, data_format="NHWC"),
    call("empty", (0, 2, 3, 3), (2, 1, 2, 2), groups=2),
    Case(
        "not contiguous",
        (turned(numbers(1, 2, 3, 2)), turned(numbers(2, 1, 2, 2))),
        {"groups": 2},
    ),
)

TRANSPOSED = (
    call("one pixel at a time", (2, 2, 2, 1), (2, 2, 1, 1)),
    call("every window", (1, 2, 2, 2), (2, 1, 2, 2)),
    call("strides", (1, 1, 2, 2), (1, 1, 3, 2), strides=[2, 3]),
    call("paddings", (1, 1, 2, 3), (1, 1, 2, 3), paddings=[1, 2]),
    call("four paddings", (1, 1, 2, 2), (1, 1, 3, 3), paddings=[1, 0, 2, 1]),
    call("dilations", (1, 1, 2, 1), (1, 1, 2, 2), dilations=[3, 2]),
    call("groups", (1, 4, 2, 1), (4, 1, 2, 2), groups=2),
    call("more", (1, 1, 2, 1), (1, 1, 2, 2), strides=[2, 3], output_padding=[1, 2]),
    call("a size", (1, 1, 2, 1), (1, 1, 2, 2), strides=[2, 3], output_size=[5, 3]),
    call(
        "more than padding",
        (1, 1, 2, 2),
        (1, 1, 3, 2),
        strides=[2, 2],
        paddings=[1, 0],
        output_padding=[1, 1],
    ),
    call(
        "same",
        (1, 1, 2, 2),
        (1, 1, 3, 2),
        padding_algorithm="SAME",
        dilations=[2, 2],
    ),
    call(
        "same, strides",
        (1, 1, 2, 2),
        (1, 1, 3, 2),
        padding_algorithm="SAME",
        strides=[2, 2],
    ),
    call(
        "valid",
        (1, 1, 2, 1),
        (1, 1, 2, 2),
        padding_algorithm="VALID",
        paddings=[1, 1],
    ),
    call("channels last", (1, 2, 2, 2), (2, 2, 2, 1), data_format="NHWC"),
    call("empty", (0, 2, 2, 2), (2, 2, 2, 2)),
    NOT_CONTIGUOUS,
)

TRANSPOSED_DEEP = (
    call(
        "everything",
        (1, 2, 2, 1, 2),
        (2, 1, 2, 1, 2),
        strides=[2, 1, 1],
        paddings=[1, 0, 0],
        dilations=[1, 1, 2],
        groups=2,
        output_padding=[1, 0, 0],
    ),
    call("every window", (1, 2, 2, 1, 2), (2, 1, 1, 2, 2)),
    call("channels last", (1, 1, 1, 2, 2), (2, 1, 2, 2, 1), data_format="NDHWC"),
    call("empty", (0, 2, 2, 2, 2), (2, 2, 2, 1, 1)),
    Case(
        "not contiguous",
        (turned(numbers(1, 2, 2, 2, 1)), turned(numbers(2, 1, 2, 1, 1))),
    ),
)

TRANSPOSED_DEPTHWISE = (
    call("a filter a channel", (1, 2, 3, 2), (2, 1, 3, 3), groups=2, strides=[2, 2]),
    call(
        "two filters a channel", (1, 2, 2, 2), (2, 2, 2, 2), groups=2, paddings=[1, 0]
    ),
    call("empty", (0, 2, 2, 2), (2, 1, 2, 2), groups=2),
    Case(
        "not contiguous",
        (turned(numbers(1, 2, 2, 2)), turned(numbers(2, 1, 2, 2))),
        {"groups": 2},
    ),
)

USUAL = {"padding_algorithm": "EXPLICIT", "groups": 1, "data_format": "NCHW"}


def complete(case: Case) -> dict[str, Any]:
    """Every attribute: a rule always says all."""
    assert case.inputs[0] is not None
    dims = case.inputs[0].ndim - 2
    ones, zeros = [1] * dims, [0] * dims
    numbers = {"strides": ones, "paddings": zeros, "dilations": ones}
    return {**USUAL, **numbers, **case.attrs}


ADJOINTS = [
    case
    for case in FLAT
    if case.label not in {"every window", "paddings", "same", "valid"}
]


def adjoint(case: Case, order: Sequence[int], more: str = "") -> Case:
    """A call of an adjoint from one of a convolution: image, filter, output."""
    x, w = case.inputs
    assert x is not None
    assert w is not None
    shape = convolved(x, w, **case.attrs).shape
    parts = [x, w, numbers(*shape, start=30)]
    inputs = tuple(parts[i] for i in order)
    return Case(case.label + more, inputs, complete(case), constant=(2,))


WRONG = (
    Wrong(
        "other channels",
        (numbers(1, 2, 4, 4), numbers(2, 3, 3, 3)),
        says="2 filters of 3 channels, in 1 groups, do not fit an image of 2",
    ),
    Wrong(
        "groups that divide no filters",
        (numbers(1, 4, 4, 4), numbers(3, 2, 3, 3)),
        {"groups": 2},
        says="3 filters of 2 channels, in 2 groups",
    ),
    Wrong(
        "a window that is too large",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 5)),
        says="a window of 5 is larger than the image, 4 and padding of 0 + 0",
    ),
    Wrong(
        "a dilated one that is",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"dilations": [2, 2], "paddings": [0, 0]},
        says="a window of 5",
    ),
    Wrong(
        "an image without batch",
        (numbers(1, 4, 4), numbers(1, 1, 3, 3)),
        says="the image has 3 dimensions and the filter 4, but both have 4",
    ),
    Wrong("a filter of three dimensions", (numbers(1, 1, 4, 4), numbers(1, 3, 3))),
    Wrong(
        "no groups",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"groups": 0},
        "InvalidValueError",
        "groups are 1 numbers above 0",
    ),
    Wrong(
        "negative padding",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"paddings": [-1, 0]},
        "InvalidValueError",
        "padding is 0 or more, got [-1, 0]",
    ),
    Wrong(
        "three paddings",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"paddings": [1, 0, 1]},
        "InvalidValueError",
        "2 or twice as many paddings",
    ),
    Wrong(
        "no strides",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"strides": [0, 1]},
        "InvalidValueError",
        "strides are 2 numbers above 0",
    ),
    Wrong(
        "a stride too few",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"strides": [1]},
        "InvalidValueError",
    ),
    Wrong(
        "negative dilations",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"dilations": [1, -1]},
        "InvalidValueError",
    ),
    Wrong(
        "padding nobody knows",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"padding_algorithm": "FULL"},
        "InvalidValueError",
    ),
    Wrong(
        "a format nobody knows",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"data_format": "CHWN"},
        "InvalidValueError",
    ),
)

TRANSPOSED_WRONG = (
    Wrong(
        "other channels",
        (numbers(1, 2, 4, 4), numbers(3, 2, 3, 3)),
        says="a filter for 3 channels, in 1 groups, does not fit an image of 2",
    ),
    Wrong(
        "groups that divide no channels",
        (numbers(1, 3, 4, 4), numbers(3, 2, 3, 3)),
        {"groups": 2},
    ),
    Wrong("an image without batch", (numbers(1, 4, 4), numbers(1, 1, 3, 3))),
    Wrong(
        "nothing left", (numbers(1, 1, 1, 1), numbers(1, 1, 3, 3)), {"paddings": [2, 0]}
    ),
    Wrong("no image", (numbers(1, 1, 0, 2), numbers(1, 1, 3, 3)), says="[0, 2]"),
    Wrong(
        "more than a step",
        (numbers(1, 1, 2, 2), numbers(1, 1, 3, 3)),
        {"strides": [2, 2], "output_padding": [2, 0]},
        "InvalidValueError",
        "a result from 5 to 6 is possible, not 7",
    ),
    Wrong(
        "less than nothing more",
        (numbers(1, 1, 2, 2), numbers(1, 1, 3, 3)),
        {"strides": [2, 2], "output_padding": [-1, 0]},
        "InvalidValueError",
    ),
    Wrong(
        "a size too large",
        (numbers(1, 1, 2, 2), numbers(1, 1, 3, 3)),
        {"strides": [2, 2], "output_size": [5, 7]},
        "InvalidValueError",
    ),
    Wrong(
        "a size too few",
        (numbers(1, 1, 2, 2), numbers(1, 1, 3, 3)),
        {"output_size": [4]},
        "InvalidValueError",
    ),
    Wrong(
        "negative padding",
        (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
        {"paddings": [-1, 0]},
        "InvalidValueError",
    ),
)


def row(
    op: str, cases: Sequence[Case], value: Callable[..., Any], twin: Any, **facts: Any
) -> Row:
    return Row(op, tuple(cases), value, twin, **{"lacks": LACKS, **facts})


ROWS = (
    row("conv2d", FLAT, convolved, convolved_in_torch, wrong=WRONG),
    row("depthwise_conv2d", DEPTHWISE, convolved, convolved_in_torch),
    row(
        "conv3d",
        DEEP,
        convolved,
        convolved_in_torch,
        wrong=(
            Wrong(
                "a flat image",
                (numbers(1, 1, 4, 4), numbers(1, 1, 3, 3)),
                says="the image has 4 dimensions and the filter 4, but both have 5",
            ),
        ),
    ),
    row(
        "conv2d_transpose",
        TRANSPOSED,
        transposed,
        transposed_in_torch,
        wrong=TRANSPOSED_WRONG,
    ),
    row(
        "depthwise_conv2d_transpose",
        TRANSPOSED_DEPTHWISE,
        transposed,
        transposed_in_torch,
    ),
    row("conv3d_transpose", TRANSPOSED_DEEP, transposed, transposed_in_torch),
    row(
        "conv_backward_input",
        [
            *(adjoint(case, (2, 1, 0)) for case in ADJOINTS),
            *(adjoint(case, (2, 1, 0), ", deep") for case in DEEP[:1]),
        ],
        to_image,
        to_image_in_torch,
        inner=True,
    ),
    row(
        "conv_backward_filter",
        [
            *(adjoint(case, (0, 2, 1)) for case in ADJOINTS),
            *(adjoint(case, (0, 2, 1), ", deep") for case in DEEP[:1]),
        ],
        to_filter,
        to_filter_in_torch,
        inner=True,
    ),
)
