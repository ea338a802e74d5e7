"""Rows for `teachgraph/ops/sort.py`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.ops.contract import EVERY, Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {"broadcast": "one input"}
TIES = np.array([[1.0, 3.0, 3.0, 2.0], [2.0, 2.0, 1.0, 2.0]])
TIED = np.array([1.0, 3.0, 3.0, 2.0])
OPEN = "PyTorch's choice in a tie is open"
INT32 = 2


def along(**attrs: Any) -> tuple[Case, ...]:
    """Every kind of shape for an op that runs along an axis."""
    return (
        Case("scalar", (numbers(),), {"axis": 0, **attrs}),
        Case("1-D", (numbers(5),), attrs),
        Case("rows", (numbers(4, 5),), {"axis": 1, **attrs}),
        Case("columns", (numbers(4, 5),), {"axis": 0, **attrs}),
        Case("the middle axis", (numbers(2, 4, 3),), {"axis": -2, **attrs}),
        Case("empty", (numbers(0, 3),), attrs),
        Case("not contiguous", (turned(numbers(4, 5)),), attrs),
    )


WRONG = (
    Wrong("no such axis", (numbers(4, 3),), {"axis": 2}, "OpError", "2"),
    Wrong("half an axis", (numbers(4, 3),), {"axis": 0.5}, "DTypeError", "0.5"),
    Wrong("no number", (numbers(4, 3),), {"axis": math.nan}, "DTypeError", "nan"),
    Wrong("a truth", (numbers(4, 3),), {"axis": True}, "DTypeError", "True"),
)


def picked(
    x: Array, axis: int, choose: Callable[[list[float]], list[int]], keep: bool = True
) -> tuple[Array, Array]:
    """The elements of each line at the places a function chooses, and the places."""
    rows = np.moveaxis(x if x.ndim else x[None], axis, -1)
    lines = rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1]).tolist()
    places = [choose(row) for row in lines]
    count = len(choose([0.0] * rows.shape[-1]))
    indices = np.array(places, int).reshape(*rows.shape[:-1], count)
    values = [[row[i] for i in p] for row, p in zip(lines, places, strict=True)]
    found = np.array(values, float).reshape(indices.shape)
    if x.ndim == 0:
        return found.reshape(()), indices.reshape(())
    if not keep:
        return found[..., 0], indices[..., 0]
    return np.moveaxis(found, -1, axis), np.moveaxis(indices, -1, axis)


def ranked(row: list[float], descending: bool = False) -> list[int]:
    """Places by value, then by place."""
    return sorted(range(len(row)), key=lambda i: (-row[i] if descending else row[i], i))


def with_indices(dtype: str, attrs: Mapping[str, Any]) -> tuple[str, ...]:
    return dtype, "int64"


def most_frequent(row: list[float]) -> list[int]:
    counts = Counter(row)
    value = min(row, key=lambda v: (-counts[v], v))
    return [max(i for i, v in enumerate(row) if v == value)]


def extreme(which: Callable[..., float]) -> Callable[..., Array]:
    """Where the first extreme stands."""

    def value(
        x: Array,
        axis: int = -1,
        keepdims: bool = False,
        flatten: bool = False,
        dtype: int = 3,
    ) -> Array:
        if flatten:
            row = x.ravel().tolist()
            place = np.array(row.index(which(row)))
            return place.reshape([1] * x.ndim if keepdims else [])
        found = picked(x, axis, lambda row: [row.index(which(row))], keepdims)
        return found[1]

    return value


def extreme_in_torch(name: str) -> Callable[..., Any]:
    def twin(
        t: Any,
        x: Any,
        axis: int = -1,
        keepdims: bool = False,
        flatten: bool = False,
        dtype: int = 3,
    ) -> Any:
        found = getattr(t, name)(x, None if flatten else axis, keepdim=keepdims)
        return found.int() if dtype == INT32 else found

    return twin


ROWS = (
    Row(
        "argsort",
        (
            *along(),
            Case("falling", (numbers(3, 4),), {"descending": True}),
            Case("ties", (TIES,), {"axis": 1}, smooth=False),
            Case("ties, falling", (TIES,), {"axis": 1, "descending": True}, False),
            Case("empty lines", (numbers(3, 0),), {"axis": 1}),
        ),
        lambda x, axis=-1, descending=False: picked(
            x, axis, lambda row: ranked(row, descending)
        ),
        lambda t, x, axis=-1, descending=False: tuple(
            t.sort(x, dim=axis, descending=descending, stable=True)
        ),
        accepts=EVERY,
        gives=with_indices,
        wrong=WRONG,
        lacks=LACKS,
    ),
    Row(
        "top_k_v2",
        (
            Case("scalar", (numbers(),), {"k": 1}),
            Case("1-D", (numbers(5),), {"k": 2}),
            Case("rows", (numbers(4, 5),), {"k": 3}),
            Case("columns", (numbers(4, 5),), {"k": 2, "axis": 0}),
            Case("the smallest", (numbers(4, 5),), {"k": 2, "largest": False}),
            Case("all", (numbers(3),), {"k": 3}),
            Case(
                "a tie",
                (TIED,),
                {"k": 3},
                smooth=False,
                differs=OPEN,
                paddle=lambda dout: (np.array([0.0, dout[0], dout[1], dout[2]]),),
            ),
            Case("empty", (numbers(0, 3),), {"k": 2}),
            Case("not contiguous", (turned(numbers(4, 5)),), {"k": 2}),
        ),
        lambda x, k=1, axis=-1, largest=True: picked(
            x, axis, lambda row: ranked(row, largest)[:k]
        ),
        lambda t, x, k=1, axis=-1, largest=True: tuple(
            t.topk(x, k, dim=axis, largest=largest)
        ),
        accepts=EVERY,
        gives=with_indices,
        wrong=(
            Wrong("k too large", (numbers(4),), {"k": 5}, "InvalidValueError", "k = 5"),
            Wrong("k = 0", (numbers(4),), {"k": 0}, "InvalidValueError", "k = 0"),
            *WRONG,
        ),
        lacks=LACKS,
    ),
    Row(
        "kthvalue",
        (
            *along(k=1),
            Case("the third", (numbers(4, 5),), {"k": 3}),
            Case("kept", (numbers(4, 5),), {"k": 2, "axis": 0, "keepdim": True}),
        ),
        lambda x, k=1, axis=-1, keepdim=False: picked(
            x, axis, lambda row: [ranked(row)[k - 1]], keepdim
        ),
        lambda t, x, k=1, axis=-1, keepdim=False: tuple(
            t.kthvalue(x, k, dim=axis, keepdim=keepdim)
        ),
        accepts=EVERY,
        gives=with_indices,
        wrong=(
            Wrong("k too large", (numbers(4),), {"k": 5}, "InvalidValueError", "k = 5"),
            Wrong("k = 0", (numbers(4),), {"k": 0}, "InvalidValueError", "k = 0"),
            *WRONG,
        ),
        lacks=LACKS,
    ),
    Row(
        "mode",
        (
            *along(),
            Case("ties", (TIES,), {"axis": 1}, smooth=False),
            Case("kept", (TIES,), {"axis": 0, "keepdim": True}, smooth=False),
        ),
        lambda x, axis=-1, keepdim=False: picked(x, axis, most_frequent, keepdim),
        lambda t, x, axis=-1, keepdim=False: tuple(t.mode(x, axis, keepdim)),
        accepts=EVERY,
        gives=with_indices,
        wrong=(Wrong("of nothing", (numbers(0),), {}, "OpError"), *WRONG),
        lacks=LACKS,
    ),
    *(
        Row(
            op,
            (
                *along(),
                Case("columns, kept", (numbers(4, 5),), {"axis": 0, "keepdims": True}),
                Case("flattened", (numbers(4, 5),), {"flatten": True}),
                Case("a tie", (TIED,), differs=OPEN),
                Case("in int32", (numbers(4, 5),), {"dtype": INT32}),
            ),
            extreme(which),
            extreme_in_torch(twin),
            accepts=EVERY,
            gives=lambda dtype, attrs: (
                "int32" if attrs.get("dtype") == INT32 else "int64",
            ),
            wrong=(
                Wrong("of nothing", (numbers(0),), {}, "OpError"),
                Wrong("half an index", (numbers(4),), {"dtype": 5}, "DTypeError"),
                *WRONG,
            ),
            lacks=LACKS,
            gradient=False,
        )
        for op, which, twin in (
            ("arg_max", max, "argmax"),
            ("arg_min", min, "argmin"),
        )
    ),
)
