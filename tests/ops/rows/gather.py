"""Rows for `teachgraph/ops/gather.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import FLOATS, NUMBERS, Array, Case, Row, Wrong
from tests.ops.rows.shape import moved
from tests.ops.values import numbers, turned

BROADCASTS_NOT = "it repeats nothing"
NO_SCALAR = {"scalar": "nothing to read from", "broadcast": BROADCASTS_NOT}


def index(*values: Any) -> Array:
    return np.array(values, np.int64)


def reading(label: str, x: Array, at: Array, **attrs: Any) -> Case:
    return Case(label, (x, at), attrs)


def adding(label: str, x: Array, y: Array, at: Array, **attrs: Any) -> Case:
    return Case(label, (x, y, at), attrs)


def slices(x: Array, at: Array, axis: int = 0) -> Array:
    """One slice after the other, stacked."""
    rows = np.moveaxis(x, axis, 0)
    if not at.ndim:
        return np.array(rows[int(at)])
    out = np.empty((at.size, *rows.shape[1:]))
    for i, n in enumerate(at.ravel().tolist()):
        out[i] = rows[n]
    return np.moveaxis(out, 0, axis)


def slices_in_torch(t: Any, x: Any, at: Any, axis: int = 0) -> Any:
    found = x.index_select(axis, at.reshape(-1) % x.shape[axis])
    return found if at.ndim else found.squeeze(axis)


def added(x: Array, y: Array, at: Array, axis: int = 0) -> Array:
    out = np.array(x)
    rows = np.moveaxis(out, axis, 0)
    values = np.moveaxis(y, axis, 0) if at.ndim else y[None]
    for i, n in enumerate(at.ravel().tolist()):
        rows[n] += values[i]
    return out


def added_in_torch(t: Any, x: Any, y: Any, at: Any, axis: int = 0) -> Any:
    values = y if at.ndim else y.unsqueeze(axis)
    return x.index_add(axis, at.reshape(-1) % x.shape[axis], values)


def selected(dim: Callable[..., Any]) -> Callable[..., Any]:
    """The same with the axis called `dim`."""
    return lambda *inputs, dim=0, call=dim: call(*inputs, axis=dim)


def beside(x: Array, at: Array, Axis: int = 1) -> Array:  # noqa: N803  Paddle's name
    out = np.empty(at.shape)
    for place in np.ndindex(at.shape):
        source = list(place)
        source[Axis] = at[place]
        out[place] = x[tuple(source)]
    return out


def beside_in_torch(
    t: Any,
    x: Any,
    at: Any,
    Axis: int = 1,  # noqa: N803
) -> Any:
    return x.gather(Axis, at % x.shape[Axis] if at.numel() else at)


def added_beside(x: Array, y: Array, at: Array, axis: int) -> Array:
    out = np.array(x)
    for place in np.ndindex(at.shape):
        target = list(place)
        target[axis] = at[place]
        out[tuple(target)] += y[place]
    return out


def by_coordinates(x: Array, at: Array, from_end: bool = False) -> Array:
    out = np.empty((*at.shape[:-1], *x.shape[at.shape[-1] :]))
    for place in np.ndindex(at.shape[:-1]):
        out[place] = x[tuple(at[place])]
    return out


def by_coordinates_in_torch(t: Any, x: Any, at: Any, from_end: bool = False) -> Any:
    return x[tuple(at[..., i] for i in range(at.shape[-1]))]


def added_by_coordinates(
    x: Array, y: Array, at: Array, from_end: bool = False
) -> Array:
    out = np.array(x)
    for place in np.ndindex(at.shape[:-1]):
        out[tuple(at[place])] += y[place]
    return out


def added_by_coordinates_in_torch(
    t: Any, x: Any, y: Any, at: Any, from_end: bool = False
) -> Any:
    where = tuple(at[..., i] for i in range(at.shape[-1]))
    return x.index_put(where, y, accumulate=True)


def past_the_end(*inputs: Array, **attrs: Any) -> Wrong:
    return Wrong("past the end", inputs, attrs, "OutOfRangeError", "5", by_value=True)


def before_the_start(*inputs: Array, **attrs: Any) -> Wrong:
    return Wrong("negative", inputs, attrs, "OutOfRangeError", "-5", by_value=True)


def fractions(*inputs: Array, **attrs: Any) -> Wrong:
    return Wrong("half an index", inputs, attrs, "DTypeError", "integers")


SLICES = (
    ("1-D", numbers(4), index(2, 0, 2), 0),
    ("rows", numbers(3, 2), index(1, 1, 0), 0),
    ("columns", numbers(2, 3), index(2, 0), -1),
    ("both ends", numbers(4), index(3, 0), 0),
    ("none", numbers(3, 2), index(), 0),
    ("empty", numbers(0, 3), index(1, 1), 1),
    ("not contiguous", turned(numbers(3, 4)), turned(index(3, 1)), 1),
)

PLACES = (
    ("1-D", numbers(4), index([1], [3], [1])),
    ("elements", numbers(3, 2), index([2, 0], [0, 1])),
    ("rows", numbers(3, 2), index([1], [1])),
    ("one", numbers(3, 2), index(1, 1)),
    ("a table of them", numbers(3, 2), index([[0], [2]], [[1], [1]])),
    ("empty", numbers(2, 0), index([1], [0])),
    ("none", numbers(2, 3), np.zeros((0, 2), np.int64)),
    ("not contiguous", turned(numbers(3, 4)), turned(index([1, 3], [2, 0]))),
)

BESIDE = (
    ("1-D", numbers(4), index(2, 0, 2), 0),
    ("columns", numbers(2, 3), index([2, 0], [1, 1]), 1),
    ("rows", numbers(3, 2), index([2, 0]), 0),
    ("fewer rows", numbers(3, 4), index([-1, 0, 1], [3, 3, 2]), 1),
    ("empty", numbers(0, 3), np.zeros((0, 2), np.int64), 1),
    ("not contiguous", turned(numbers(3, 4)), turned(index([1], [3], [0])), -1),
)


ROWS: tuple[Row, ...] = (
    moved(
        "gather",
        slices,
        slices_in_torch,
        *(reading(label, x, at, axis=axis) for label, x, at, axis in SLICES),
        reading("one", numbers(3, 2), np.array(1), axis=1),
        reading("a column of indices", numbers(3), index([2], [0])),
        wrong=(
            past_the_end(numbers(4), index(0, 5)),
            fractions(numbers(4), numbers(2)),
            Wrong("a table of indices", (numbers(4), index([0, 1]))),
            Wrong("no such axis", (numbers(4), index(0)), {"axis": 1}, "OpError"),
        ),
        lacks=NO_SCALAR,
    ),
    moved(
        "index_select",
        selected(slices),
        selected(slices_in_torch),
        *(reading(label, x, at, dim=axis) for label, x, at, axis in SLICES),
        wrong=(
            past_the_end(numbers(4), index(0, -5)),
            fractions(numbers(4), numbers(2)),
        ),
        lacks=NO_SCALAR,
    ),
    moved(
        "index_add",
        added,
        added_in_torch,
        *(
            adding(label, x, numbers(*slices(x, at, axis).shape), at, axis=axis)
            for label, x, at, axis in SLICES
        ),
        adding("one", numbers(3, 2), numbers(3, start=9), np.array(1), axis=1),
        accepts=NUMBERS,
        refuses=(),
        wrong=(
            past_the_end(numbers(4), numbers(2), index(0, 5)),
            fractions(numbers(4), numbers(2), numbers(2)),
            Wrong("a value too many", (numbers(4), numbers(3), index(0, 1))),
            Wrong(
                "fractions among integers",
                (index(1, 2), numbers(1), index(0)),
                {},
                "DTypeError",
            ),
        ),
        lacks=NO_SCALAR,
    ),
    moved(
        "take_along_axis",
        beside,
        beside_in_torch,
        *(reading(label, x, at, Axis=axis) for label, x, at, axis in BESIDE),
        wrong=(
            past_the_end(numbers(4), index(0, 5), Axis=0),
            fractions(numbers(4), numbers(2), Axis=0),
            Wrong("other dimensions", (numbers(2, 3), index(0)), {"Axis": 0}),
            Wrong("too many rows", (numbers(1, 3), index([0], [1])), {"Axis": 1}),
        ),
        lacks=NO_SCALAR,
    ),
    moved(
        "add_along_axis",
        added_beside,
        lambda t, x, y, at, axis: x.scatter_add(
            axis, at % x.shape[axis] if at.numel() else at, y
        ),
        *(
            adding(label, x, numbers(*at.shape, start=9), at, axis=axis)
            for label, x, at, axis in BESIDE
        ),
        accepts=FLOATS,
        refuses=(),
        lacks=NO_SCALAR,
        inner=True,
    ),
    moved(
        "index_sample",
        beside,
        beside_in_torch,
        *(reading(label, x, at) for label, x, at, axis in BESIDE if label == "columns"),
        reading("one of each row", numbers(3, 2), index([0], [1], [1])),
        reading("empty", numbers(0, 3), np.zeros((0, 2), np.int64)),
        reading("not contiguous", turned(numbers(3, 4)), turned(index([1], [3], [0]))),
        wrong=(
            past_the_end(numbers(1, 4), index([0, 5])),
            fractions(numbers(1, 4), numbers(1, 2)),
            Wrong("a row too few", (numbers(2, 3), index([0]))),
            Wrong("a list", (numbers(3), index(0))),
        ),
        lacks=NO_SCALAR | {"1-D": "it has rows"},
    ),
    moved(
        "gather_nd",
        by_coordinates,
        by_coordinates_in_torch,
        *(reading(label, x, at) for label, x, at in PLACES),
        reading("from the end", numbers(3, 2), index(1, -1), from_end=True),
        wrong=(
            past_the_end(numbers(4), index([0], [5])),
            before_the_start(numbers(4), index([0], [-5])),
            fractions(numbers(4), numbers(2, 1)),
            Wrong("a coordinate too many", (numbers(4), index([0, 0]))),
        ),
        known=(1,),
        lacks=NO_SCALAR,
    ),
    moved(
        "scatter_nd_add",
        added_by_coordinates,
        added_by_coordinates_in_torch,
        *(
            adding(label, x, numbers(*by_coordinates(x, at).shape, start=9), at)
            for label, x, at in PLACES
        ),
        adding(
            "from the end", numbers(3, 2), numbers(start=9), index(1, -1), from_end=True
        ),
        accepts=NUMBERS,
        refuses=(),
        wrong=(
            past_the_end(numbers(4), numbers(2), index([0], [5])),
            before_the_start(numbers(4), numbers(2), index([0], [-5])),
            fractions(numbers(4), numbers(2), numbers(2, 1)),
            Wrong("an update too many", (numbers(4), numbers(3), index([0], [1]))),
            Wrong(
                "fractions among integers",
                (index(1, 2), numbers(1), index([0])),
                {},
                "DTypeError",
            ),
        ),
        lacks=NO_SCALAR,
    ),
    Row(
        "within",
        (
            Case("1-D", (index(5, -1, 2, -4), numbers(3)), {"mode": "wrap"}),
            Case("clipped", (index(5, -1, 2), numbers(3)), {"mode": "clip"}),
            Case("scalar", (np.array(4), numbers(3)), {"mode": "wrap"}),
            Case("empty", (index(), numbers(3)), {"mode": "clip"}),
            Case("not contiguous", (turned(index(5, 1)), numbers(3)), {"mode": "clip"}),
        ),
        lambda x, y, mode: np.array(
            [
                i % len(y) if mode == "wrap" else min(max(i, 0), len(y) - 1)
                for i in x.ravel().tolist()
            ],
            int,
        ).reshape(x.shape),
        lambda t, x, y, mode: x % len(y) if mode == "wrap" else x.clamp(0, len(y) - 1),
        accepts=FLOATS,
        refuses=(),
        gives=lambda dtype, attrs: ("int64",),
        lacks={"broadcast": BROADCASTS_NOT},
        wrong=(
            fractions(numbers(2), numbers(3), mode="clip"),
            Wrong(
                "another mode",
                (index(1), numbers(3)),
                {"mode": "bounce"},
                "InvalidValueError",
            ),
        ),
        gradient=False,
    ),
)
