"""Rows for `teachgraph/ops/turn.py`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.ops.contract import UNARY_LACKS, Array, Row, Wrong
from tests.ops.rows.shape import at_once, moved
from tests.ops.values import numbers, turned


def mirrored(x: Array, axis: Sequence[int]) -> Array:
    axes = [i % x.ndim for i in axis]
    out = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        pairs = enumerate(zip(place, x.shape, strict=True))
        out[place] = x[tuple(n - 1 - p if i in axes else p for i, (p, n) in pairs)]
    return out


def moved_on(x: Array, shifts: Sequence[int], axis: Sequence[int] = ()) -> Array:
    if not axis:
        row = x.ravel().tolist()
        return np.array(
            [row[i - shifts[0] % len(row)] for i in range(len(row))]
        ).reshape(x.shape)
    for shift, k in zip(shifts, axis, strict=True):
        size = x.shape[k]
        x = np.take(x, [(i - shift) % size for i in range(size)], k)
    return x


ROWS: tuple[Row, ...] = (
    moved(
        "flip",
        mirrored,
        lambda t, x, axis: x.flip(axis),
        at_once("scalar", numbers(), axis=[]),
        at_once("1-D", numbers(5), axis=[0]),
        at_once("columns", numbers(2, 3), axis=[-1]),
        at_once("both", numbers(2, 3), axis=[0, 1]),
        at_once("empty", numbers(0, 3), axis=[0]),
        at_once("not contiguous", turned(numbers(4, 3)), axis=[1]),
        wrong=(Wrong("no such axis", (numbers(3),), {"axis": [1]}, "OpError"),),
        lacks=UNARY_LACKS,
    ),
    moved(
        "roll",
        moved_on,
        lambda t, x, shifts, axis=(): t.roll(x, tuple(shifts), tuple(axis)),
        at_once("scalar", numbers(), shifts=[2]),
        at_once("1-D", numbers(5), shifts=[2], axis=[0]),
        at_once("backwards", numbers(5), shifts=[-1], axis=[0]),
        at_once("as one row", numbers(2, 3), shifts=[2]),
        at_once("both axes", numbers(3, 4), shifts=[1, -5], axis=[0, 1]),
        at_once("one axis twice", numbers(4), shifts=[1, 2], axis=[0, 0]),
        at_once("empty", numbers(0, 3), shifts=[1], axis=[1]),
        at_once("not contiguous", turned(numbers(4, 3)), shifts=[1], axis=[1]),
        wrong=(
            Wrong(
                "a shift too many",
                (numbers(3, 3),),
                {"shifts": [1, 2], "axis": []},
                "OpError",
            ),
            Wrong(
                "no such axis", (numbers(3),), {"shifts": [1], "axis": [1]}, "OpError"
            ),
        ),
        lacks=UNARY_LACKS,
    ),
)
