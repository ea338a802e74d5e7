"""Rows for `teachgraph/ops/scatter.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.ops.contract import NUMBERS, Array, Case, Row, Wrong, always, unary
from tests.ops.rows.gather import (
    BROADCASTS_NOT,
    NO_SCALAR,
    adding,
    fractions,
    index,
    past_the_end,
)
from tests.ops.rows.shape import moved
from tests.ops.values import numbers, positive, turned

LAST_WINS = (
    "a value that another one overwrites has no influence and no gradient; PyTorch, as "
    "Paddle but for put_along_axis, gives it that of the one that stayed"
)


def rows_put(x: Array, y: Array, ids: Array, overwrite: bool = True) -> Array:
    out = np.array(x)
    rows = ids.ravel().tolist()
    values = y if ids.ndim else y[None]
    if not overwrite:
        for n in rows:
            out[n] = 0
    for n, value in zip(rows, values, strict=True):
        out[n] = value if overwrite else out[n] + value
    return out


def rows_put_in_torch(t: Any, x: Any, y: Any, ids: Any, overwrite: bool = True) -> Any:
    at = ids.reshape(-1) % max(x.shape[0], 1)
    values = y if ids.ndim else y[None]
    if overwrite:
        return x.index_put((at,), values)
    return x.index_fill(0, at, 0.0).index_add(0, at, values)


def put_beside(
    x: Array,
    y: Array,
    at: Array,
    Axis: int,  # noqa: N803  Paddle's name
    Reduce: str = "assign",  # noqa: N803
    Include_self: bool = True,  # noqa: N803
) -> Array:
    out = np.array(x)
    seen = set()
    for place in np.ndindex(at.shape):
        target = list(place)
        target[Axis] = at[place] % x.shape[Axis]
        here = tuple(map(int, target))
        fresh = not Include_self and here not in seen
        seen.add(here)
        if Reduce == "assign" or fresh:
            out[here] = y[place]
        elif Reduce == "add":
            out[here] += y[place]
        else:
            out[here] *= y[place]
    return out


def put_beside_in_torch(t: Any, x: Any, y: Any, at: Any, **attrs: Any) -> Any:
    axis, reduce = attrs["Axis"], attrs.get("Reduce", "assign")
    at = at % x.shape[axis] if at.numel() else at
    if reduce == "assign":
        return x.scatter(axis, at, y)
    how = {"add": "sum", "mul": "prod", "multiply": "prod"}[reduce]
    include = attrs.get("Include_self", True)
    return x.scatter_reduce(axis, at, y, how, include_self=include)


def selected_put(
    x: Array, value: Array, *indices: Array, accumulate: bool = False
) -> Array:
    out = np.array(x)
    each = np.broadcast_arrays(*indices)
    values = np.broadcast_to(value, x[tuple(indices)].shape)
    for place in np.ndindex(each[0].shape):
        at = tuple(int(i[place]) for i in each)
        out[at] = out[at] + values[place] if accumulate else values[place]
    return out


def one_hot(x: Array, depth: int, dtype: int = 5, **_: Any) -> Array:
    out = np.zeros((*x.shape, depth))
    for place in np.ndindex(x.shape):
        if 0 <= x[place] < depth:
            out[place][x[place]] = 1
    return out


def one_hot_in_torch(t: Any, x: Any, depth: int, **_: Any) -> Any:
    return (x[..., None] == t.arange(depth)).float()


def dtype_asked(dtype: str, attrs: Mapping[str, Any]) -> tuple[str, ...]:
    return ({3: "int64", 5: "float32"}[attrs.get("dtype", 5)],)


HALF = Wrong(
    "fractions among integers",
    (index(1, 2), numbers(1), index(0)),
    {},
    "DTypeError",
)


ROWS: tuple[Row, ...] = (
    moved(
        "scatter",
        rows_put,
        rows_put_in_torch,
        adding("1-D", numbers(4), numbers(2, start=9), index(3, 1)),
        adding("rows", numbers(3, 2), numbers(2, 2, start=9), index(2, 0)),
        adding("one", numbers(3, 2), numbers(2, start=9), np.array(1)),
        adding(
            "added up",
            numbers(3, 2),
            numbers(3, 2, start=9),
            index(2, 0, 2),
            overwrite=False,
        ),
        Case(
            "the last wins",
            (numbers(3), numbers(3, start=9), index(1, 2, 1)),
            differs=LAST_WINS,
            paddle=lambda dout: (dout * [1, 0, 0], dout[[1, 2, 1]] * [0, 1, 1]),
        ),
        adding("none", numbers(3), numbers(0), index()),
        adding("empty", numbers(2, 0), numbers(1, 0), index(1)),
        adding(
            "not contiguous",
            turned(numbers(4, 3)),
            turned(numbers(2, 3, start=9)),
            turned(index(3, 0)),
        ),
        accepts=NUMBERS,
        refuses=(),
        wrong=(
            past_the_end(numbers(4), numbers(2), index(0, 5)),
            fractions(numbers(4), numbers(2), numbers(2)),
            Wrong("an update too many", (numbers(4), numbers(3), index(0, 1))),
            Wrong("a scalar", (numbers(), numbers(1), index(0))),
            HALF,
        ),
        lacks=NO_SCALAR,
    ),
    moved(
        "put_along_axis",
        put_beside,
        put_beside_in_torch,
        adding("1-D", numbers(4), numbers(2, start=9), index(3, 1), Axis=0),
        adding(
            "columns", numbers(2, 3), numbers(2, 1, start=9), index([2], [0]), Axis=1
        ),
        adding(
            "sums",
            numbers(3),
            numbers(3, start=9),
            index(1, 2, 1),
            Axis=0,
            Reduce="add",
        ),
        adding(
            "sums without what was there",
            numbers(3),
            numbers(3, start=9),
            index(1, 2, 1),
            Axis=0,
            Reduce="add",
            Include_self=False,
        ),
        adding(
            "products",
            positive(3),
            positive(3, start=9),
            index(1, 2, 1),
            Axis=0,
            Reduce="mul",
        ),
        adding(
            "products without what was there",
            positive(3),
            positive(3, start=9),
            index(1, 2, 1),
            Axis=0,
            Reduce="multiply",
            Include_self=False,
        ),
        Case(
            "the last wins",
            (numbers(3), numbers(3, start=9), index(1, 2, 1)),
            {"Axis": 0},
            differs=LAST_WINS,
            paddle=lambda dout: (dout * [1, 0, 0], dout[[1, 2, 1]] * [0, 1, 1]),
        ),
        adding(
            "empty", numbers(0, 3), numbers(0, 2), np.zeros((0, 2), np.int64), Axis=1
        ),
        adding(
            "not contiguous",
            turned(numbers(3, 4)),
            turned(numbers(3, 1, start=9)),
            turned(index([1], [3], [0])),
            Axis=-1,
        ),
        accepts=NUMBERS,
        refuses=(),
        wrong=(
            past_the_end(numbers(4), numbers(2), index(0, 5), Axis=0),
            fractions(numbers(4), numbers(2), numbers(2), Axis=0),
            Wrong(
                "a value too many", (numbers(4), numbers(3), index(0, 1)), {"Axis": 0}
            ),
            Wrong(
                "another word",
                (numbers(4), numbers(1), index(0)),
                {"Axis": 0, "Reduce": "median"},
                "InvalidValueError",
            ),
        ),
        lacks=NO_SCALAR,
    ),
    moved(
        "index_put",
        selected_put,
        lambda t, x, value, *at, accumulate=False: x.index_put(at, value, accumulate),
        adding("1-D", numbers(4), numbers(2, start=9), index(3, -4)),
        adding("one value", numbers(4), numbers(start=9), index(3, 1)),
        adding("rows", numbers(3, 2), numbers(2, 2, start=9), index(2, 0)),
        Case(
            "broadcast",
            (numbers(3, 4), numbers(2, start=9), index([0], [2]), index(1, 3)),
        ),
        Case(
            "added up",
            (numbers(3, 2), numbers(2, start=9), index(1, 1, 0)),
            {"accumulate": True},
        ),
        Case(
            "the last wins",
            (numbers(3), numbers(3, start=9), index(1, 2, 1)),
            differs=LAST_WINS,
            paddle=lambda dout: (dout * [1, 0, 0], dout[[1, 2, 1]] * [0, 1, 1]),
        ),
        adding("none", numbers(3), numbers(start=9), index()),
        adding("empty", numbers(2, 0), numbers(0), index(1)),
        adding(
            "not contiguous", turned(numbers(4, 3)), turned(numbers(3)), index(3, 0)
        ),
        accepts=NUMBERS,
        refuses=(),
        wrong=(
            past_the_end(numbers(4), numbers(2), index(0, 5)),
            fractions(numbers(4), numbers(2), numbers(2)),
            Wrong("what does not broadcast", (numbers(4), numbers(3), index(0, 1))),
            Wrong("an index too many", (numbers(4), numbers(), index(0), index(0))),
            HALF,
        ),
        lacks={"scalar": "no dimension to index"},
    ),
    moved(
        "numbered",
        lambda x: np.reshape(list(range(x.size)), x.shape).astype(int),
        lambda t, x: t.arange(x.numel()).reshape(x.shape),
        *unary(),
        gives=always("int64"),
        gradient=False,
        lacks={"broadcast": "one input"},
    ),
    Row(
        "one_hot_v2",
        (
            Case("scalar", (np.array(1),), {"depth": 3}),
            Case("1-D", (index(2, 0, 2),), {"depth": 3}),
            Case("2-D", (index([0, 1], [1, 1]),), {"depth": 2}),
            Case("as integers", (index(1),), {"depth": 2, "dtype": 3}),
            Case(
                "out of range",
                (index(1, 5, -1),),
                {"depth": 2, "allow_out_of_range": True},
            ),
            Case("empty", (index(),), {"depth": 3}),
            Case("not contiguous", (turned(index([0, 1], [2, 1])),), {"depth": 3}),
        ),
        one_hot,
        one_hot_in_torch,
        accepts=("int64",),
        refuses=(),
        gives=dtype_asked,
        lacks={"broadcast": BROADCASTS_NOT},
        wrong=(
            Wrong(
                "past the end",
                (index(0, 3),),
                {"depth": 3},
                "OutOfRangeError",
                by_value=True,
            ),
            Wrong("fractions", (numbers(3),), {"depth": 3}, "DTypeError"),
        ),
        gradient=False,
    ),
)
