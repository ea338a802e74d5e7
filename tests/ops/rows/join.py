"""Rows for `teachgraph/ops/join.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.rows.shape import at_once, moved
from tests.ops.values import numbers, turned


def joined(*parts: Array, axis: int = 0) -> Array:
    """Turns the axis to the front, where joining is what lists do."""
    rows = [row for part in parts for row in np.moveaxis(part, axis, 0)]
    return np.moveaxis(np.stack(rows), 0, axis)


def side_by_side(*parts: Array, axis: int = 0) -> Array:
    out = np.empty((len(parts), *parts[0].shape))
    for i, part in enumerate(parts):
        out[i] = part
    return np.moveaxis(out, 0, axis)


def cut_out(x: Array, *parts: Array, axis: int, which: int) -> Array:
    start = sum(part.shape[axis] for part in parts[:which])
    places = range(start, start + parts[which].shape[axis])
    return np.take(x, list(places), axis)


def cut_out_in_torch(t: Any, x: Any, *parts: Any, axis: int, which: int) -> Any:
    return x.split([part.shape[axis] for part in parts], axis)[which]


def whole(label: str, x: Array, *shapes: tuple[int, ...], **attrs: Any) -> Case:
    """Parts that count by their shapes alone."""
    parts = [numbers(*shape) for shape in shapes]
    return Case(label, (x, *parts), attrs, constant=tuple(range(1, len(parts) + 1)))


ROWS: tuple[Row, ...] = (
    moved(
        "concat",
        joined,
        lambda t, *parts, axis=0: t.cat(parts, dim=axis),
        at_once("1-D", numbers(4), numbers(3, start=20)),
        at_once("one alone", numbers(4, 3)),
        at_once("rows", numbers(4, 3), numbers(2, 3, start=20)),
        at_once("columns", numbers(4, 3), numbers(4, 5, start=20), axis=1),
        at_once("from the right", numbers(4, 3), numbers(4, 5, start=20), axis=-1),
        at_once(
            "three",
            numbers(4, 1, 3),
            numbers(4, 2, 3, start=20),
            numbers(4, 5, 3, start=50),
            axis=-2,
        ),
        at_once("empty", numbers(0, 3), numbers(2, 3)),
        at_once("not contiguous", turned(numbers(4, 3)), numbers(4, 3, start=20)),
        wrong=(
            Wrong("another size beside", (numbers(4, 3), numbers(4, 2))),
            Wrong("other ranks", (numbers(4, 3), numbers(4))),
            Wrong(
                "other dtypes",
                (numbers(4), numbers(4).astype("float32")),
                error="DTypeError",
            ),
            Wrong("scalars", (numbers(), numbers())),
            Wrong(
                "no such axis", (numbers(4), numbers(4)), {"axis": 1}, "OpError", "1"
            ),
        ),
        lacks={"scalar": "nothing to join along", "broadcast": "it repeats nothing"},
    ),
    moved(
        "stack",
        side_by_side,
        lambda t, *parts, axis=0: t.stack(parts, axis),
        at_once("scalar", numbers(), numbers(start=20)),
        at_once("1-D", numbers(3), numbers(3, start=20)),
        at_once("one alone", numbers(2, 3)),
        at_once("columns", numbers(3), numbers(3, start=20), axis=1),
        at_once("at the end", numbers(2, 3), numbers(2, 3, start=20), axis=-1),
        at_once(
            "three in the middle",
            numbers(2, 3),
            numbers(2, 3, start=20),
            numbers(2, 3, start=50),
            axis=1,
        ),
        at_once("empty", numbers(0, 3), numbers(0, 3)),
        at_once("not contiguous", turned(numbers(4, 3)), numbers(4, 3, start=20)),
        wrong=(
            Wrong("other sizes", (numbers(3), numbers(4))),
            Wrong("other ranks", (numbers(4, 3), numbers(4))),
            Wrong(
                "other dtypes",
                (numbers(4), numbers(4).astype("float32")),
                error="DTypeError",
            ),
            Wrong("no such axis", (numbers(4), numbers(4)), {"axis": 2}, "OpError"),
        ),
        lacks={"broadcast": "it repeats nothing"},
    ),
    moved(
        "part_of",
        cut_out,
        cut_out_in_torch,
        whole("1-D", numbers(7), (3,), (4,), axis=0, which=1),
        whole("the first", numbers(5, 2), (3, 2), (2, 2), axis=0, which=0),
        whole("the middle", numbers(2, 6), (2, 1), (2, 3), (2, 2), axis=-1, which=1),
        whole("one alone", numbers(3), (3,), axis=0, which=0),
        whole("empty", numbers(3), (3,), (0,), axis=0, which=1),
        whole("not contiguous", turned(numbers(4, 3)), (1, 3), (3, 3), axis=0, which=1),
        lacks={"scalar": "nothing to join along", "broadcast": "it repeats nothing"},
        inner=True,
    ),
)
