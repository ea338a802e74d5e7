"""Rows for `teachgraph/ops/row_conv.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {
    "scalar": "sequences have three dimensions",
    "1-D": "sequences have three dimensions",
    "broadcast": "a filter of just these channels",
}


def looking_ahead(x: Array, filter: Array) -> Array:
    out = np.zeros(x.shape)
    for n, t, k, d in np.ndindex(*x.shape[:2], *filter.shape):
        if t + k < x.shape[1]:
            out[n, t, d] += float(x[n, t + k, d]) * float(filter[k, d])
    return out


def looking_ahead_in_torch(t: Any, x: Any, filter: Any) -> Any:
    ahead = len(filter) - 1
    padded = t.nn.functional.pad(x.mT, (0, ahead))
    each = filter.T[:, None]
    return t.nn.functional.conv1d(padded, each, groups=x.shape[2]).mT


def products_ahead(x: Array, y: Array, filter: Array) -> Array:
    out = np.zeros(filter.shape)
    for n, t, k, d in np.ndindex(*x.shape[:2], *filter.shape):
        if t + k < x.shape[1]:
            out[k, d] += float(x[n, t, d]) * float(y[n, t + k, d])
    return out


def products_ahead_in_torch(t: Any, x: Any, y: Any, filter: Any) -> Any:
    steps = x.shape[1]
    zero = x.sum((0, 1)) * y.sum((0, 1)) * 0
    rows = [
        (x[:, : steps - k] * y[:, k:]).sum((0, 1)) if k < steps else zero
        for k in range(len(filter))
    ]
    return t.stack(rows)


def pair(label: str, x: Array, steps: int) -> Case:
    return Case(label, (x, numbers(steps, x.shape[2], start=70)))


def triple(label: str, x: Array, steps: int) -> Case:
    y, filter = numbers(*x.shape, start=90), numbers(steps, x.shape[2])
    return Case(label, (x, y, filter), constant=(2,))


ROWS = (
    Row(
        "row_conv",
        (
            pair("sequences", numbers(2, 5, 3), 3),
            pair("no look ahead", numbers(2, 3, 2), 1),
            pair("further than there is", numbers(1, 2, 2), 4),
            Case("empty", (numbers(0, 4, 2), numbers(2, 2))),
            pair("not contiguous", turned(numbers(2, 4, 3)), 2),
        ),
        looking_ahead,
        looking_ahead_in_torch,
        wrong=(
            Wrong("a matrix", (numbers(4, 3), numbers(2, 3)), says="[N, T, D]"),
            Wrong("other channels", (numbers(1, 4, 3), numbers(2, 2)), says="3 chan"),
        ),
        lacks=LACKS,
    ),
    Row(
        "ahead_products",
        (
            triple("sequences", numbers(2, 5, 3), 3),
            triple("further than there is", numbers(1, 2, 2), 4),
            triple("empty", numbers(0, 4, 2), 2),
            triple("not contiguous", turned(numbers(2, 4, 3)), 2),
        ),
        products_ahead,
        products_ahead_in_torch,
        inner=True,
        lacks=LACKS,
    ),
)
