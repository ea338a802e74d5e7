"""Rows for `teachgraph/ops/embedding.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import EVERY, NUMBERS, Array, Case, Row, Wrong
from tests.ops.values import integers, numbers, turned

LACKS = {"broadcast": "an id is one row"}


def rows(w: Array, ids: Array, padding_idx: int = -1) -> Array:
    found = [
        [0.0] * w.shape[1] if i == padding_idx else w[i].tolist()
        for i in ids.ravel().tolist()
    ]
    return np.array(found).reshape(*ids.shape, w.shape[1])


def rows_in_torch(t: Any, w: Any, ids: Any, padding_idx: int = -1) -> Any:
    counted = (ids != padding_idx)[..., None]
    return w[ids.long()] * counted


def added(x: Array, y: Array, ids: Array, padding_idx: int = -1) -> Array:
    out = np.zeros(y.shape)
    for place in np.ndindex(ids.shape):
        if ids[place] != padding_idx:
            out[ids[place]] += x[place]
    return out


def added_in_torch(t: Any, x: Any, y: Any, ids: Any, padding_idx: int = -1) -> Any:
    flat = ids.long().reshape(-1)
    counted = (flat != padding_idx)[:, None]
    lines = x.reshape(len(flat), y.shape[1]) * counted
    return t.zeros_like(y).index_add(0, flat, lines)


W = numbers(5, 3)
REPEATED = np.array([[4, 0, 4], [1, 4, 1]])


def table_wrong(*before: Array, **attrs: Any) -> tuple[Wrong, ...]:
    """What ids for a table [5, 3] cannot be."""
    return (
        Wrong(
            "too large",
            (*before, np.array([0, 5])),
            attrs,
            "OutOfRangeError",
            "got 5",
            by_value=True,
        ),
        Wrong(
            "negative",
            (*before, np.array([0, -1])),
            attrs,
            "OutOfRangeError",
            "got -1",
            by_value=True,
        ),
        Wrong("floating", (*before, numbers(2)), attrs, "DTypeError", "float64"),
        Wrong("bool", (*before, numbers(2) > 0), attrs, "DTypeError", "bool"),
    )


ROWS = (
    Row(
        "lookup_table_v2",
        (
            Case("scalar", (W, np.array(2))),
            Case("1-D", (W, integers(4, below=5))),
            Case("repeated", (W, REPEATED)),
            Case("a padding row", (W, REPEATED), {"padding_idx": 4}),
            Case("int32 ids", (W, REPEATED.astype(np.int32))),
            Case("empty", (W, integers(0, 2, below=5))),
            Case("not contiguous", (turned(W), turned(REPEATED))),
        ),
        rows,
        rows_in_torch,
        accepts=EVERY,
        wrong=(
            *table_wrong(W),
            Wrong("a table of one dimension", (numbers(5), np.array([0]))),
        ),
        lacks=LACKS,
    ),
    Row(
        "add_rows",
        (
            Case("scalar", (numbers(3), W, np.array(2)), constant=(1,)),
            Case("1-D", (numbers(4, 3), W, integers(4, below=5)), constant=(1,)),
            Case("repeated", (numbers(2, 3, 3), W, REPEATED), constant=(1,)),
            Case(
                "a padding row",
                (numbers(2, 3, 3), W, REPEATED),
                {"padding_idx": 4},
                constant=(1,),
            ),
            Case(
                "empty", (numbers(0, 2, 3), W, integers(0, 2, below=5)), constant=(1,)
            ),
            Case(
                "not contiguous",
                (turned(numbers(2, 3, 3)), W, turned(REPEATED)),
                constant=(1,),
            ),
        ),
        added,
        added_in_torch,
        accepts=NUMBERS,
        refuses=(),
        wrong=(
            *table_wrong(numbers(2, 3), W),
            Wrong("too few rows", (numbers(3, 3), W, np.array([0, 1]))),
            Wrong("rows too long", (numbers(2, 4), W, np.array([0, 1]))),
        ),
        lacks=LACKS,
        inner=True,
    ),
)
