"""Rows for `teachgraph/ops/norm.py` and `batch_norm.py`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, positive, turned

NO_SHAPES = {
    "scalar": "it needs dimensions to take a mean over",
    "broadcast": "a number for each channel",
}
NO_LINE = {**NO_SHAPES, "1-D": "it needs a batch and channels"}


def shown(values: Iterable[float]) -> tuple[float, float]:
    """Mean and variance of some numbers, in plain Python."""
    given = [float(value) for value in values]
    mean = math.fsum(given) / len(given)
    return mean, math.fsum((v - mean) ** 2 for v in given) / len(given)


def last_as_channel(x: Array, layout: str) -> Array:
    return np.moveaxis(x, -1, 1) if layout == "NHWC" else x


def channel_as_last(x: Array, layout: str) -> Array:
    return np.moveaxis(x, 1, -1) if layout == "NHWC" else x


def vector(values: Any, size: int, otherwise: float) -> Array:
    return np.full(size, otherwise) if values is None else values


def by_channel(
    x: Array,
    scale: Any,
    bias: Any,
    mean: Array,
    variance: Array,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    is_test: bool = False,
    data_layout: str = "NCHW",
    use_global_stats: bool = False,
    trainable_statistics: bool = False,
) -> Any:
    first = last_as_channel(x, data_layout).astype(float)
    size = first.shape[1]
    gains, shifts = vector(scale, size, 1.0), vector(bias, size, 0.0)
    fixed = use_global_stats or (is_test and not trainable_statistics)
    running, used, y = [], [], first.copy()
    for c in range(size):
        old = float(mean[c]), float(variance[c])
        new = old if fixed else shown(first[:, c].ravel())
        rate = 1.0 if fixed else momentum
        pairs = zip(old, new, strict=True)
        running.append([rate * a + (1 - rate) * b for a, b in pairs])
        used.append([new[0], 1 / math.sqrt(new[1] + epsilon)])
        y[:, c] = (first[:, c] - new[0]) * used[-1][1] * gains[c] + shifts[c]
    columns = [np.array(part).reshape(size, 2).T for part in (running, used)]
    return (*columns[0], *columns[1], channel_as_last(y, data_layout))


def by_channel_in_torch(
    t: Any,
    x: Any,
    scale: Any,
    bias: Any,
    mean: Any,
    variance: Any,
    momentum: float = 0.9,
    epsilon: float = 1e-5,
    is_test: bool = False,
    data_layout: str = "NCHW",
    use_global_stats: bool = False,
    trainable_statistics: bool = False,
) -> Any:
    first = x.movedim(-1, 1) if data_layout == "NHWC" else x
    fixed = use_global_stats or (is_test and not trainable_statistics)
    moments = (mean, variance) if fixed else (None, None)
    y = t.nn.functional.batch_norm(
        first, *moments, scale, bias, training=not fixed, eps=epsilon
    )
    if not fixed:
        dim = [i for i in range(first.ndim) if i != 1]
        new = first.mean(dim), first.var(dim, correction=0)
        moments = new
        mean = (momentum * mean + (1 - momentum) * new[0]).detach()
        variance = (momentum * variance + (1 - momentum) * new[1]).detach()
    inverse = (moments[1] + epsilon).rsqrt()
    y = y.movedim(1, -1) if first is not x else y
    return mean, variance, moments[0], inverse, y


def by_group(
    x: Array,
    scale: Any = None,
    bias: Any = None,
    epsilon: float = 1e-5,
    groups: int = 1,
    data_layout: str = "NCHW",
) -> Any:
    first = last_as_channel(x, data_layout).astype(float)
    channels = first.shape[1]
    width = channels // groups
    gains, shifts = vector(scale, channels, 1.0), vector(bias, channels, 0.0)
    means, variances = (np.zeros((len(first), groups)) for _ in range(2))
    y = first.copy()
    for n, g in np.ndindex(len(first), groups):
        part = slice(g * width, (g + 1) * width)
        means[n, g], variances[n, g] = shown(first[n, part].ravel())
        deviation = math.sqrt(variances[n, g] + epsilon)
        for c in range(part.start, part.stop):
            y[n, c] = (first[n, c] - means[n, g]) / deviation * gains[c] + shifts[c]
    return means, variances, channel_as_last(y, data_layout)


def by_group_in_torch(
    t: Any,
    x: Any,
    scale: Any = None,
    bias: Any = None,
    epsilon: float = 1e-5,
    groups: int = 1,
    data_layout: str = "NCHW",
) -> Any:
    first = x.movedim(-1, 1) if data_layout == "NHWC" else x
    y = t.nn.functional.group_norm(first, groups, scale, bias, epsilon)
    parts = first.reshape(len(first), groups, math.prod(first.shape[1:]) // groups)
    y = y.movedim(1, -1) if first is not x else y
    return parts.mean(-1), parts.var(-1, correction=0), y


def by_layer(
    x: Array,
    scale: Any = None,
    bias: Any = None,
    epsilon: float = 1e-5,
    begin_norm_axis: int = 1,
) -> Any:
    leading, layer = x.shape[:begin_norm_axis], math.prod(x.shape[begin_norm_axis:])
    rows = x.reshape(math.prod(leading), layer).astype(float)
    gains, shifts = vector(scale, layer, 1.0), vector(bias, layer, 0.0)
    found = [shown(row) for row in rows]
    y = [
        (row - mean) / math.sqrt(variance + epsilon) * gains + shifts
        for row, (mean, variance) in zip(rows, found, strict=True)
    ]
    means, variances = np.array(found).reshape(len(rows), 2).T
    return means.reshape(leading), variances.reshape(leading), np.reshape(y, x.shape)


def by_layer_in_torch(
    t: Any,
    x: Any,
    scale: Any = None,
    bias: Any = None,
    epsilon: float = 1e-5,
    begin_norm_axis: int = 1,
) -> Any:
    sizes = x.shape[begin_norm_axis:]
    vectors = [None if v is None else v.reshape(sizes) for v in (scale, bias)]
    dim = list(range(begin_norm_axis, x.ndim))
    y = t.nn.functional.layer_norm(x, sizes, *vectors, epsilon)
    return x.mean(dim), x.var(dim, correction=0), y


def by_instance(
    x: Array, scale: Any = None, bias: Any = None, epsilon: float = 1e-5
) -> Any:
    mean, variance, y = by_group(x, scale, bias, epsilon, x.shape[1])
    return mean.ravel(), 1 / np.sqrt(variance + epsilon).ravel(), y


def by_instance_in_torch(
    t: Any, x: Any, scale: Any = None, bias: Any = None, epsilon: float = 1e-5
) -> Any:
    rows = x.reshape(x.shape[0] * x.shape[1], math.prod(x.shape[2:]))
    y = t.nn.functional.group_norm(x, x.shape[1], scale, bias, epsilon)
    return rows.mean(-1), (rows.var(-1, correction=0) + epsilon).rsqrt(), y


def vectors(size: int, scaled: bool) -> tuple[Array | None, Array | None]:
    if not scaled:
        return None, None
    return positive(size, start=7), numbers(size, start=9)


def batch(label: str, x: Array, size: int, scaled: bool = True, **attrs: Any) -> Case:
    moments = numbers(size, start=11), positive(size, start=13)
    inputs = x, *vectors(size, scaled), *moments
    return Case(label, inputs, attrs, constant=(3, 4))


def layer(label: str, x: Array, begin: int = 1, scaled: bool = True) -> Case:
    return grouped(label, x, math.prod(x.shape[begin:]), scaled, begin_norm_axis=begin)


def grouped(label: str, x: Array, size: int, scaled: bool = True, **attrs: Any) -> Case:
    return Case(label, (x, *vectors(size, scaled)), attrs)


def thrice(dtype: str, attrs: Any) -> tuple[str, ...]:
    return (dtype,) * 3


X = numbers(3, 4)
FOUR = numbers(4, start=7)
CHANNELS = (
    Wrong("a scale too long", (X, numbers(3), FOUR)),
    Wrong("a bias too short", (X, FOUR, numbers(5))),
    Wrong("a scale of two dimensions", (X, numbers(4, 1), FOUR)),
    Wrong("integers", (X.astype(int), FOUR, FOUR), {}, "DTypeError", "int64"),
)

ROWS = (
    Row(
        "batch_norm",
        (
            batch("rows", X, 4),
            batch("images", numbers(2, 3, 2, 2), 3, momentum=0.5),
            batch("channels last", numbers(2, 2, 2, 3), 3, data_layout="NHWC"),
            batch("neither scale nor bias", X, 4, scaled=False),
            batch("a large epsilon", X, 4, epsilon=0.5),
            batch("a test", numbers(2, 3, 2), 3, is_test=True),
            batch("running moments", numbers(2, 3, 2), 3, use_global_stats=True),
            batch(
                "moments of a batch in a test",
                numbers(3, 2, 2),
                2,
                is_test=True,
                trainable_statistics=True,
            ),
            batch("empty", numbers(0, 3), 3, is_test=True),
            batch("not contiguous", turned(numbers(3, 4)), 4),
        ),
        by_channel,
        by_channel_in_torch,
        gives=lambda dtype, attrs: (dtype,) * 5,
        wrong=(
            Wrong("a scale too long", (X, numbers(3), FOUR, FOUR, FOUR)),
            Wrong("a mean too long", (X, FOUR, FOUR, numbers(5), FOUR)),
            Wrong("a variance too short", (X, FOUR, FOUR, FOUR, numbers(1))),
            Wrong("no batch", (FOUR, FOUR, FOUR, FOUR, FOUR)),
            Wrong("an empty batch", (numbers(0, 4), FOUR, FOUR, FOUR, FOUR)),
            Wrong(
                "no such layout",
                (X, FOUR, FOUR, FOUR, FOUR),
                {"data_layout": "CHWN"},
                "InvalidValueError",
                "CHWN",
            ),
        ),
        lacks=NO_LINE,
        updates=3,
    ),
    Row(
        "layer_norm",
        (
            layer("1-D", numbers(5), begin=0),
            layer("rows", X),
            layer("two dimensions", numbers(2, 3, 2)),
            layer("of the last one", numbers(2, 3, 4), begin=2),
            layer("neither scale nor bias", X, scaled=False),
            Case("epsilon", (X, positive(4), numbers(4)), {"epsilon": 0.5}),
            layer("empty", numbers(0, 3)),
            layer("not contiguous", turned(numbers(3, 4))),
        ),
        by_layer,
        by_layer_in_torch,
        gives=thrice,
        wrong=(
            *CHANNELS,
            Wrong("no such axis", (X, FOUR, FOUR), {"begin_norm_axis": 2}),
            Wrong("a negative axis", (X, FOUR, FOUR), {"begin_norm_axis": -1}),
            Wrong("of nothing", (numbers(3, 0), numbers(0), numbers(0))),
        ),
        lacks=NO_SHAPES,
    ),
    Row(
        "group_norm",
        (
            grouped("rows", X, 4, groups=2),
            grouped("images", numbers(2, 4, 2, 2), 4, groups=2),
            grouped("a group", numbers(2, 4, 3), 4),
            grouped("groups of one", numbers(2, 2, 3), 2, groups=2),
            grouped("channels last", numbers(2, 3, 4), 4, groups=2, data_layout="NHWC"),
            grouped("neither scale nor bias", X, 4, scaled=False, groups=2),
            grouped("empty", numbers(0, 4), 4, groups=2),
            grouped("not contiguous", turned(numbers(3, 4)), 4, groups=2),
        ),
        by_group,
        by_group_in_torch,
        gives=thrice,
        wrong=(
            *CHANNELS,
            Wrong(
                "groups that do not divide",
                (X, FOUR, FOUR),
                {"groups": 3},
                says="3 groups",
            ),
            Wrong("no groups", (X, FOUR, FOUR), {"groups": 0}),
            Wrong("no batch", (FOUR, FOUR, FOUR)),
            Wrong("of nothing", (numbers(3, 4, 0), FOUR, FOUR)),
        ),
        lacks=NO_LINE,
    ),
    Row(
        "instance_norm",
        (
            grouped("rows", numbers(2, 3, 4), 3),
            grouped("images", numbers(2, 3, 2, 2), 3),
            grouped("neither scale nor bias", numbers(2, 3, 4), 3, scaled=False),
            grouped("a large epsilon", numbers(2, 3, 4), 3, epsilon=0.5),
            grouped("empty", numbers(0, 3, 4), 3),
            grouped("not contiguous", turned(numbers(2, 3, 4)), 3),
        ),
        by_instance,
        by_instance_in_torch,
        gives=thrice,
        wrong=(
            Wrong("a scale too long", (numbers(2, 3, 4), FOUR, numbers(3))),
            Wrong("no batch", (FOUR, FOUR, FOUR)),
            Wrong("of nothing", (numbers(3, 4, 0), FOUR, FOUR)),
        ),
        lacks=NO_LINE,
    ),
)
