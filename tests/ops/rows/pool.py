"""Rows for `teachgraph/ops/pool.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from tests.ops.contract import EVERY, Array, Case, Row, Wrong
from tests.ops.values import integers, numbers, turned

LACKS = {
    "scalar": "it takes images",
    "1-D": "it takes images",
    "broadcast": "windows have a size of their own",
}

Range = tuple[int, int]


def along(n: int, count: int) -> list[Range]:
    """Where adaptive windows begin and end."""
    return [
        (math.floor(i * n / count), math.ceil((i + 1) * n / count))
        for i in range(count)
    ]


def ranges(image: Sequence[int], attrs: Mapping[str, Any]) -> list[list[Range]]:
    """Where the windows begin and end in each dimension, padding included."""
    dims = len(image)
    if attrs.get("global_pooling"):
        return [[(0, n)] for n in image]
    ksize = attrs["ksize"]
    if attrs.get("adaptive"):
        return [along(n, count) for n, count in zip(image, ksize, strict=True)]
    strides = attrs.get("strides", [1] * dims)
    return [
        [(s * i - a, s * i - a + k) for i in range(how_many(n, k, s, a, b, attrs))]
        for n, k, s, (a, b) in zip(
            image, ksize, strides, pads(image, attrs), strict=True
        )
    ]


def pads(image: Sequence[int], attrs: Mapping[str, Any]) -> list[tuple[int, int]]:
    algorithm = attrs.get("padding_algorithm", "EXPLICIT")
    numbers = list(attrs.get("paddings", [0] * len(image)))
    if algorithm == "VALID" or not numbers:
        return [(0, 0)] * len(image)
    if algorithm == "SAME":
        strides = attrs.get("strides", [1] * len(image))
        rows = zip(image, attrs["ksize"], strides, strict=True)
        missing = [max(k + s * ((n - 1) // s) - n, 0) for n, k, s in rows]
        return [(n // 2, n - n // 2) for n in missing]
    if len(numbers) == len(image):
        return [(n, n) for n in numbers]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def how_many(
    n: int, window: int, step: int, before: int, after: int, attrs: Mapping[str, Any]
) -> int:
    room = (n + before + after - window) / step
    return (math.ceil if attrs.get("ceil_mode") else math.floor)(room) + 1


def sights(
    image: Sequence[int], attrs: Mapping[str, Any]
) -> Iterator[tuple[tuple[int, ...], list[tuple[int, ...]], int]]:
    """Each window: which it is, what it sees, and what an average divides by."""
    found = ranges(image, attrs)
    ends = [n + b for n, (_, b) in zip(image, pads(image, attrs), strict=True)]
    for at in product(*(range(len(r)) for r in found)):
        spans = [r[i] for r, i in zip(found, at, strict=True)]
        inside = [
            range(max(a, 0), min(b, n)) for (a, b), n in zip(spans, image, strict=True)
        ]
        seen = list(product(*inside))
        whole = math.prod(
            min(b, end) - a for (a, b), end in zip(spans, ends, strict=True)
        )
        yield at, seen, len(seen) if attrs.get("exclusive", True) else whole


def first(x: Any, attrs: Mapping[str, Any]) -> Any:
    last = attrs.get("data_format", "NCHW").endswith("C")
    return np.moveaxis(x, -1, 1) if last else x


def back(x: Any, attrs: Mapping[str, Any]) -> Any:
    last = attrs.get("data_format", "NCHW").endswith("C")
    return np.moveaxis(x, 1, -1) if last else x


def pooled(x: Array, **attrs: Any) -> Array:
    """Loops over windows, images and channels."""
    x = first(x, attrs)
    image = x.shape[2:]
    out = np.empty((*x.shape[:2], *map(len, ranges(image, attrs))))
    for at, seen, size in sights(image, attrs):
        for n, c in np.ndindex(*x.shape[:2]):
            values = [float(x[(n, c, *place)]) for place in seen]
            mean = math.fsum(values) / size
            out[(n, c, *at)] = mean if attrs["pooling_type"] == "avg" else max(values)
    return np.asarray(back(out, attrs))


def places(x: Array, **attrs: Any) -> Array:
    """The number of the first pixel that is the largest."""
    x = first(x, attrs)
    image = x.shape[2:]
    out = np.empty((*x.shape[:2], *map(len, ranges(image, attrs))), np.int32)
    for at, seen, _ in sights(image, attrs):
        for n, c in np.ndindex(*x.shape[:2]):
            best = max(seen, key=lambda place: float(x[(n, c, *place)]))
            out[(n, c, *at)] = np.ravel_multi_index(best, image)
    return np.asarray(back(out, attrs))


def shared(g: Array, y: Array, **attrs: Any) -> Array:
    """Each window's share to all that it sees."""
    g, y = first(g, attrs), first(y, attrs)
    out = np.zeros(y.shape)
    for at, seen, size in sights(y.shape[2:], attrs):
        for n, c in np.ndindex(*y.shape[:2]):
            for place in seen:
                out[(n, c, *place)] += g[(n, c, *at)] / size
    return np.asarray(back(out, attrs))


def first_in_torch(t: Any, x: Any, attrs: Mapping[str, Any]) -> Any:
    last = attrs.get("data_format", "NCHW").endswith("C")
    return t.movedim(x, -1, 1) if last else x


def back_in_torch(t: Any, x: Any, attrs: Mapping[str, Any]) -> Any:
    last = attrs.get("data_format", "NCHW").endswith("C")
    return t.movedim(x, 1, -1) if last else x


def pooled_in_torch(t: Any, x: Any, **attrs: Any) -> Any:
    x = first_in_torch(t, x, attrs)
    maximum = attrs["pooling_type"] == "max"
    return back_in_torch(t, (largest if maximum else mean)(t, x, attrs), attrs)


def largest(t: Any, x: Any, attrs: Mapping[str, Any]) -> Any:
    """Pads with minus infinity, so that any padding will do."""
    return largest_and_where(t, x, attrs)[0]


def largest_and_where(t: Any, x: Any, attrs: Mapping[str, Any]) -> Any:
    f, dims = t.nn.functional, x.ndim - 2
    if attrs.get("adaptive") or attrs.get("global_pooling"):
        function = {2: f.adaptive_max_pool2d, 3: f.adaptive_max_pool3d}[dims]
        size = [1] * dims if attrs.get("global_pooling") else attrs["ksize"]
        return function(x, size, return_indices=True)
    function = {2: f.max_pool2d, 3: f.max_pool3d}[dims]
    both = pads(x.shape[2:], attrs)
    x = f.pad(x, in_torchs_order(both), value=-math.inf)
    strides = attrs.get("strides", [1] * dims)
    ceil = attrs.get("ceil_mode", False)
    return function(x, attrs["ksize"], strides, 0, ceil_mode=ceil, return_indices=True)


def in_torchs_order(pairs: Sequence[tuple[int, int]]) -> list[int]:
    """The last dimension first."""
    return [n for pair in reversed(pairs) for n in pair]


def mean(t: Any, x: Any, attrs: Mapping[str, Any]) -> Any:
    """Sums over what is padded with zeros, divided by sums over ones."""
    f, dims = t.nn.functional, x.ndim - 2
    if attrs.get("adaptive") or attrs.get("global_pooling"):
        function = {2: f.adaptive_avg_pool2d, 3: f.adaptive_avg_pool3d}[dims]
        size = [1] * dims if attrs.get("global_pooling") else attrs["ksize"]
        return function(x, size)
    function = {2: f.avg_pool2d, 3: f.avg_pool3d}[dims]
    order = in_torchs_order(pads(x.shape[2:], attrs))
    exclusive = attrs.get("exclusive", True)
    one = t.ones_like(x[:1, :1]) if len(x) else t.ones(1, 1, *x.shape[2:])
    ones = f.pad(one, order, value=0.0 if exclusive else 1.0)
    strides = attrs.get("strides", [1] * dims)
    ceil = attrs.get("ceil_mode", False)
    how = (attrs["ksize"], strides, 0, ceil, False, 1)
    return function(f.pad(x, order), *how) / function(ones, *how)


def shared_in_torch(t: Any, g: Any, y: Any, **attrs: Any) -> Any:
    y = t.zeros_like(y).requires_grad_()
    out = pooled_in_torch(t, y, pooling_type="avg", **attrs)
    (dy,) = t.autograd.grad(out, y, g, create_graph=True)
    return dy


def with_index_in_torch(t: Any, x: Any, **attrs: Any) -> Any:
    """PyTorch counts pixels of the padded image: back to those of the image."""
    out, index = largest_and_where(t, x, attrs)
    image = x.shape[2:]
    both = pads(image, attrs)
    if attrs.get("adaptive") or attrs.get("global_pooling"):
        both = [(0, 0)] * len(image)
    grown = [n + a + b for n, (a, b) in zip(image, both, strict=True)]
    where = np.unravel_index(index.numpy(), grown)
    inside = [w - a for w, (a, _) in zip(where, both, strict=True)]
    number = np.ravel_multi_index(tuple(inside), tuple(image)).astype(np.int32)
    return out, t.tensor(number)


def call(label: str, *shape: int, **attrs: Any) -> Case:
    return Case(label, (numbers(*shape),), attrs)


def flat(pooling_type: str) -> tuple[Case, ...]:
    """Every way of pooling images."""
    how = {"pooling_type": pooling_type}
    return (
        call("side by side", 2, 2, 4, 2, ksize=[2, 2], strides=[2, 2], **how),
        call("overlapping", 1, 2, 3, 4, ksize=[2, 3], **how),
        call(
            "paddings", 1, 1, 3, 4, ksize=[3, 2], paddings=[1, 1], strides=[2, 2], **how
        ),
        call("four paddings", 1, 1, 3, 2, ksize=[2, 2], paddings=[1, 0, 0, 1], **how),
        call(
            "rounded up",
            1,
            1,
            4,
            5,
            ksize=[3, 2],
            strides=[2, 2],
            ceil_mode=True,
            **how,
        ),
        call(
            "same",
            1,
            1,
            4,
            3,
            ksize=[3, 2],
            strides=[2, 1],
            padding_algorithm="SAME",
            **how,
        ),
        call(
            "valid",
            1,
            1,
            3,
            2,
            ksize=[2, 2],
            paddings=[1, 1],
            padding_algorithm="VALID",
            **how,
        ),
        call("global", 1, 2, 2, 3, ksize=[1, 1], global_pooling=True, **how),
        call("adaptive", 1, 1, 4, 5, ksize=[2, 3], adaptive=True, **how),
        call("adaptive, more", 1, 1, 3, 2, ksize=[4, 1], adaptive=True, **how),
        call(
            "channels last",
            1,
            4,
            3,
            2,
            ksize=[2, 2],
            strides=[2, 1],
            data_format="NHWC",
            **how,
        ),
        call("gaps", 1, 1, 5, 4, ksize=[1, 2], strides=[3, 2], **how),
        call("empty", 0, 2, 3, 3, ksize=[2, 2], **how),
        Case(
            "not contiguous", (turned(numbers(2, 1, 3, 2)),), {"ksize": [2, 1], **how}
        ),
    )


def label(case: Case, more: str) -> Case:
    return Case(f"{case.label}, {more}", case.inputs, case.attrs)


AVERAGES = (
    *(label(case, "mean") for case in flat("avg")),
    call(
        "with padding",
        1,
        1,
        3,
        4,
        pooling_type="avg",
        ksize=[2, 3],
        paddings=[1, 1],
        strides=[2, 2],
        exclusive=False,
    ),
    call(
        "with padding, rounded up",
        1,
        1,
        4,
        4,
        pooling_type="avg",
        ksize=[3, 2],
        paddings=[1, 1],
        strides=[2, 2],
        exclusive=False,
        ceil_mode=True,
    ),
)


def deep(pooling_type: str) -> tuple[Case, ...]:
    how = {"pooling_type": pooling_type}
    return (
        call(
            "windows",
            1,
            1,
            3,
            2,
            3,
            ksize=[2, 2, 1],
            strides=[1, 1, 2],
            paddings=[1, 0, 0],
            **how,
        ),
        call("adaptive", 1, 1, 3, 2, 2, ksize=[2, 1, 2], adaptive=True, **how),
        call(
            "channels last", 1, 2, 2, 2, 2, ksize=[2, 1, 2], data_format="NDHWC", **how
        ),
        call("empty", 0, 1, 2, 2, 2, ksize=[1, 2, 2], **how),
        Case(
            "not contiguous",
            (turned(numbers(1, 2, 2, 1, 2)),),
            {"ksize": [2, 1, 1], **how},
        ),
    )


def without(case: Case, *names: str) -> dict[str, Any]:
    return {k: v for k, v in case.attrs.items() if k not in names}


WITH_INDEX = tuple(
    Case(case.label, case.inputs, without(case, "pooling_type"))
    for case in flat("max")
    if case.label != "channels last"
)

DEEP_WITH_INDEX = tuple(
    Case(case.label, case.inputs, without(case, "pooling_type"))
    for case in deep("max")
    if case.label != "channels last"
)


def complete(case: Case) -> dict[str, Any]:
    """Every attribute: a rule always says all."""
    assert case.inputs[0] is not None
    dims = case.inputs[0].ndim - 2
    usual = {
        "global_pooling": False,
        "strides": [1] * dims,
        "paddings": [0] * dims,
        "padding_algorithm": "EXPLICIT",
        "ceil_mode": False,
        "adaptive": False,
        "data_format": "NCHW",
    }
    return {**usual, **without(case, "pooling_type")}


def backward(case: Case) -> Case:
    """The adjoint of an average."""
    (x,) = case.inputs
    assert x is not None
    attrs = {"exclusive": True, **complete(case)}
    shape = pooled(x, **case.attrs).shape
    return Case(case.label, (numbers(*shape, start=30), x), attrs, constant=(1,))


def searched(case: Case) -> Case:
    (x,) = case.inputs
    assert x is not None
    return Case(case.label, (x, pooled(x, **case.attrs)), complete(case))


def ties(*shape: int) -> Array:
    """Whole numbers, many of them alike."""
    return integers(*shape, below=3).astype(float)


WRONG = (
    Wrong(
        "a window that is too large",
        (numbers(1, 1, 3, 3),),
        {"pooling_type": "max", "ksize": [4, 2]},
        says="a window of 4 is larger than the image, 3 and padding of 0 + 0",
    ),
    Wrong(
        "three dimensions",
        (numbers(1, 3, 3),),
        {"pooling_type": "max", "ksize": [2, 2]},
        says="an image has 4 dimensions, not 3",
    ),
    Wrong(
        "a window of padding",
        (numbers(1, 1, 3, 3),),
        {"pooling_type": "avg", "ksize": [2, 2], "paddings": [2, 0]},
        says="lies in the padding alone",
    ),
    Wrong(
        "a last window of padding",
        (numbers(1, 1, 2, 6),),
        {
            "pooling_type": "max",
            "ksize": [1, 2],
            "strides": [1, 4],
            "paddings": [0, 1],
            "ceil_mode": True,
        },
        says="lies in the padding alone",
    ),
    Wrong(
        "negative padding",
        (numbers(1, 1, 3, 3),),
        {"pooling_type": "avg", "ksize": [2, 2], "paddings": [-1, 0]},
        "InvalidValueError",
        "padding is 0 or more",
    ),
    Wrong(
        "an empty window",
        (numbers(1, 1, 3, 3),),
        {"pooling_type": "avg", "ksize": [0, 2]},
        "InvalidValueError",
    ),
    Wrong(
        "no strides",
        (numbers(1, 1, 3, 3),),
        {"pooling_type": "avg", "ksize": [2, 2], "strides": [0, 1]},
        "InvalidValueError",
    ),
    Wrong(
        "a size too few",
        (numbers(1, 1, 3, 3),),
        {"pooling_type": "max", "ksize": [2]},
        "InvalidValueError",
    ),
    Wrong(
        "another kind",
        (numbers(1, 1, 3, 3),),
        {"pooling_type": "min", "ksize": [2, 2]},
        "InvalidValueError",
        "max or avg",
    ),
    Wrong(
        "nothing to share",
        (numbers(1, 1, 0, 3),),
        {"pooling_type": "max", "ksize": [2, 2], "adaptive": True},
    ),
    Wrong(
        "a format nobody knows",
        (numbers(1, 1, 3, 3),),
        {"pooling_type": "max", "ksize": [2, 2], "data_format": "CHWN"},
        "InvalidValueError",
    ),
)


def row(
    op: str, cases: Sequence[Case], value: Callable[..., Any], twin: Any, **facts: Any
) -> Row:
    return Row(op, tuple(cases), value, twin, **{"lacks": LACKS, **facts})


def with_index(x: Array, **attrs: Any) -> tuple[Array, Array]:
    return pooled(x, pooling_type="max", **attrs), places(x, **attrs)


def where_in_torch(t: Any, x: Any, out: Any, **attrs: Any) -> Any:
    inner = first_in_torch(t, x, attrs)
    index = with_index_in_torch(t, inner, **attrs)[1]
    return back_in_torch(t, index, attrs)


def scattered(x: Array, y: Array, index: Array, data_format: str = "NCHW") -> Array:
    """Adds up, element by element."""
    attrs = {"data_format": data_format}
    x, index, y = first(x, attrs), first(index, attrs), first(y, attrs)
    out = np.zeros((*y.shape[:2], math.prod(y.shape[2:])))
    for place in np.ndindex(*x.shape):
        out[(*place[:2], index[place])] += x[place]
    return np.asarray(back(out.reshape(y.shape), attrs))


def gathered(x: Array, index: Array, data_format: str = "NCHW") -> Array:
    attrs = {"data_format": data_format}
    x, index = first(x, attrs), first(index, attrs)
    rows = x.reshape(*x.shape[:2], math.prod(x.shape[2:]))
    out = np.empty(index.shape)
    for place in np.ndindex(*index.shape):
        out[place] = rows[(*place[:2], index[place])]
    return np.asarray(back(out, attrs))


def scattered_in_torch(
    t: Any, x: Any, y: Any, index: Any, data_format: str = "NCHW"
) -> Any:
    attrs = {"data_format": data_format}
    x, index, y = (first_in_torch(t, part, attrs) for part in (x, index, y))
    flat = t.zeros(*y.shape[:2], math.prod(y.shape[2:]), dtype=x.dtype)
    flat = flat.scatter_add(2, index.flatten(2).long(), x.flatten(2))
    return back_in_torch(t, flat.reshape(y.shape), attrs)


def gathered_in_torch(t: Any, x: Any, index: Any, data_format: str = "NCHW") -> Any:
    attrs = {"data_format": data_format}
    x, index = (first_in_torch(t, part, attrs) for part in (x, index))
    flat = x.flatten(2).gather(2, index.flatten(2).long())
    return back_in_torch(t, flat.reshape(index.shape), attrs)


def at(label: str, image: Sequence[int], *shape: int, **attrs: Any) -> Case:
    """Numbers for some pixels of an image, several perhaps for one."""
    last = attrs.get("data_format", "NCHW").endswith("C")
    count = math.prod(image[1:-1] if last else image[2:])
    index = integers(*shape, below=count).astype(np.int32)
    x, y = numbers(*shape), numbers(*image, start=60)
    return Case(label, (x, y, index), attrs, constant=(1,))


SCATTERED = (
    at("side by side", (2, 2, 3, 2), 2, 2, 2, 2),
    at("channels last", (1, 3, 2, 2), 1, 2, 2, 2, data_format="NHWC"),
    at("three dimensions", (1, 2, 2, 2, 2), 1, 2, 3, 1, 1),
    at("empty", (0, 2, 2, 2), 0, 2, 1, 1),
    Case(
        "not contiguous",
        (
            turned(numbers(1, 2, 2, 2)),
            numbers(1, 2, 3, 2),
            turned(integers(1, 2, 2, 2, below=6)),
        ),
        constant=(1,),
    ),
)

GATHERED = tuple(Case(case.label, case.inputs[1:], case.attrs) for case in SCATTERED)


def put_back(
    x: Array, indices: Array, output_size: Sequence[int], **attrs: Any
) -> Array:
    """The last of several for one pixel stays."""
    out = np.zeros((*x.shape[:2], math.prod(output_size)))
    for place in np.ndindex(*x.shape):
        out[(*place[:2], indices[place])] = x[place]
    return out.reshape(*x.shape[:2], *output_size)


def put_back_in_torch(
    t: Any, x: Any, indices: Any, output_size: Sequence[int], **attrs: Any
) -> Any:
    f = t.nn.functional
    function = {4: f.max_unpool2d, 5: f.max_unpool3d}[x.ndim]
    if not len(x):
        return x.new_zeros(*x.shape[:2], *output_size) + x.sum()
    window = [max(n // k, 1) for n, k in zip(output_size, x.shape[2:], strict=True)]
    return function(x, indices.long(), window, None, 0, list(output_size))


def maxima(label: str, size: Sequence[int], *shape: int) -> Case:
    """No two for the same pixel."""
    count, inner = math.prod(size), math.prod(shape[2:])
    one = (np.arange(inner) * (count // inner)).reshape(shape[2:])
    indices = np.broadcast_to(one, shape).astype(np.int32)
    return Case(label, (numbers(*shape), indices), {"output_size": list(size)})


UNPOOLED = (
    maxima("side by side", (4, 2), 2, 2, 2, 1),
    maxima("one left over", (5, 3), 1, 1, 2, 1),
    maxima("empty", (2, 2), 0, 2, 1, 1),
    Case(
        "not contiguous",
        (turned(numbers(1, 2, 2, 1)), turned(integers(1, 2, 2, 1, below=8))),
        {"output_size": [4, 2]},
    ),
)

UNPOOLED_DEEP = (
    maxima("side by side", (2, 4, 2), 1, 2, 1, 2, 1),
    maxima("empty", (2, 2, 2), 0, 2, 1, 1, 1),
    Case(
        "not contiguous",
        (turned(numbers(1, 2, 1, 2, 1)), turned(integers(1, 2, 1, 2, 1, below=16))),
        {"output_size": [2, 4, 2]},
    ),
)

UNPOOL_WRONG = (
    Wrong(
        "a pixel too far",
        (numbers(1, 1, 1, 1), np.array([[[[4]]]])),
        {"output_size": [2, 2]},
        "OutOfRangeError",
        "4 pixels, but no number 4",
        by_value=True,
    ),
    Wrong(
        "a pixel before the first",
        (numbers(1, 1, 1, 1), np.array([[[[-1]]]])),
        {"output_size": [2, 2]},
        "OutOfRangeError",
        "no number -1",
        by_value=True,
    ),
    Wrong(
        "other shapes",
        (numbers(1, 1, 2, 1), np.array([[[[4]]]])),
        {"output_size": [2, 2]},
    ),
    Wrong(
        "a size too few",
        (numbers(1, 1, 1, 1), np.array([[[[3]]]])),
        {"output_size": [4]},
    ),
    Wrong(
        "floating indices",
        (numbers(1, 1, 1, 1), numbers(1, 1, 1, 1)),
        {"output_size": [2, 2]},
        "DTypeError",
    ),
)


def pair(dtype: str, attrs: Mapping[str, Any]) -> tuple[str, str]:
    return dtype, "int32"


def number(dtype: str, attrs: Mapping[str, Any]) -> tuple[str]:
    return ("int32",)


ROWS = (
    row(
        "pool2d",
        (
            *(label(case, "max") for case in flat("max")),
            *AVERAGES,
            Case(
                "not contiguous",
                (turned(numbers(1, 1, 2, 2)),),
                {"ksize": [2, 1], "pooling_type": "max"},
            ),
            call("empty", 0, 1, 2, 2, ksize=[2, 2], pooling_type="max"),
        ),
        pooled,
        pooled_in_torch,
        wrong=WRONG,
    ),
    row(
        "pool3d",
        (*deep("max"), *(label(case, "mean") for case in deep("avg"))),
        pooled,
        pooled_in_torch,
    ),
    row(
        "max_pool2d_with_index",
        (
            *WITH_INDEX,
            Case("ties", (ties(1, 1, 3, 4),), {"ksize": [2, 2]}, smooth=False),
        ),
        with_index,
        with_index_in_torch,
        gives=pair,
    ),
    row(
        "max_pool3d_with_index",
        DEEP_WITH_INDEX,
        with_index,
        with_index_in_torch,
        gives=pair,
    ),
    row(
        "where_largest",
        [searched(case) for case in flat("max")],
        lambda x, out, **attrs: places(x, **attrs),
        where_in_torch,
        gives=number,
        gradient=False,
        inner=True,
    ),
    row(
        "spread_average",
        [
            *(backward(case) for case in flat("avg")[2:]),
            *(backward(label(case, "deep")) for case in deep("avg")[:2]),
            backward(AVERAGES[-1]),
        ],
        shared,
        shared_in_torch,
        inner=True,
    ),
    row(
        "scatter_pixels",
        SCATTERED,
        scattered,
        scattered_in_torch,
        refuses=(),
        inner=True,
    ),
    row(
        "gather_pixels",
        GATHERED,
        gathered,
        gathered_in_torch,
        accepts=EVERY,
        inner=True,
    ),
    row("unpool", UNPOOLED, put_back, put_back_in_torch, wrong=UNPOOL_WRONG),
    row("unpool3d", UNPOOLED_DEEP, put_back, put_back_in_torch),
)
