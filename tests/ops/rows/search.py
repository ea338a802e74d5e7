"""Rows for `teachgraph/ops/search.py`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from tests.ops.contract import EVERY, NUMBERS, Array, Case, Row, Wrong, always
from tests.ops.values import integers, numbers, turned

LACKS = {"broadcast": "one input"}
INT32 = 2


def truth(*shape: int, start: int = 1) -> Array:
    return numbers(*shape, start=start) > 0


def selected(x: Array, mask: Array) -> Array:
    x, mask = np.broadcast_arrays(x, mask)
    pairs = zip(x.ravel().tolist(), mask.ravel().tolist(), strict=True)
    return np.array([value for value, wanted in pairs if wanted])


def put_back(x: Array, y: Array, mask: Array) -> Array:
    shape = np.broadcast_shapes(y.shape, mask.shape)
    values = iter(x.tolist())
    wanted = np.broadcast_to(mask, shape).ravel()
    return np.reshape([next(values) if w else 0.0 for w in wanted], shape)


def put_back_in_torch(t: Any, x: Any, y: Any, mask: Any) -> Any:
    y, mask = t.broadcast_tensors(y, mask)
    return t.zeros_like(y).masked_scatter(mask, x)


def selecting(label: str, x: Array, mask: Array) -> Case:
    return Case(label, (x, mask))


def putting(label: str, y: Array, mask: Array) -> Case:
    count = int(np.broadcast_to(mask, np.broadcast_shapes(y.shape, mask.shape)).sum())
    return Case(label, (numbers(count, start=50), y, mask), constant=(1,))


def selections(make: Any) -> tuple[Case, ...]:
    return (
        make("scalar", numbers(), np.array(True)),
        make("1-D", numbers(5), truth(5)),
        make("2-D", numbers(4, 3), truth(4, 3)),
        make("broadcast", numbers(4, 3), truth(3)),
        make("broadcast the first", numbers(3), truth(4, 3)),
        make("nothing", numbers(3), np.zeros(3, bool)),
        make("empty", numbers(0, 3), truth(0, 3)),
        make("not contiguous", turned(numbers(4, 5)), turned(truth(4, 5))),
    )


def parts(x: Array, axis: Sequence[int]) -> list[Any]:
    """What is compared: numbers, or what lies along an axis as nested lists."""
    found: list[Any] = (np.moveaxis(x, axis[0], 0) if axis else x.ravel()).tolist()
    return found


def together(found: Sequence[Any], x: Array, axis: Sequence[int]) -> Array:
    """The reverse of that."""
    if not axis:
        return np.array(found)
    rows = np.moveaxis(x, axis[0], 0)
    return np.moveaxis(np.reshape(found, (len(found), *rows.shape[1:])), 0, axis[0])


def different(x: Array, axis: Sequence[int] = (), dtype: int = 3) -> Any:
    items = parts(x, axis)
    kinds = [kind for kind, _ in groupby(sorted(items))]
    return (
        together(kinds, x, axis),
        np.array([items.index(kind) for kind in kinds]),
        np.array([kinds.index(item) for item in items]),
        np.array([items.count(kind) for kind in kinds]),
    )


def in_runs(x: Array, axis: Sequence[int] = (), dtype: int = 3) -> Any:
    runs = [(kind, len(list(run))) for kind, run in groupby(parts(x, axis))]
    belongs = [[i] * count for i, (_, count) in enumerate(runs)]
    return (
        together([kind for kind, _ in runs], x, axis),
        np.array([i for run in belongs for i in run]),
        np.array([count for _, count in runs]),
    )


def in_runs_in_torch(t: Any, x: Any, axis: Sequence[int] = (), dtype: int = 3) -> Any:
    dim = axis[0] if axis else None
    out, index, counts = t.unique_consecutive(
        x, return_inverse=True, return_counts=True, dim=dim
    )
    return out, index.reshape(-1), counts


def indexed(count: int) -> Any:
    def gives(dtype: str, attrs: Mapping[str, Any]) -> tuple[str, ...]:
        index = "int32" if attrs.get("dtype") == INT32 else "int64"
        return (dtype, *[index] * count)

    return gives


REPEATED = np.array([3.0, 3.0, 1.0, 3.0, 2.0, 2.0])
ROWS_TWICE = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 5.0], [1.0, 2.0]])

UNIQUE = (
    Case("scalar", (numbers(),)),
    Case("1-D", (REPEATED,)),
    Case("2-D", (integers(4, 3, below=5).astype(float),)),
    Case("rows that repeat", (ROWS_TWICE,), {"axis": [0]}),
    Case("columns that repeat", (ROWS_TWICE.T.copy(),), {"axis": [-1]}),
    Case("in int32", (REPEATED,), {"dtype": INT32}),
    Case("empty", (numbers(0),)),
    Case("not contiguous", (turned(integers(4, 3, below=5).astype(float)),)),
)

UNIQUE_WRONG = (
    Wrong("no such axis", (numbers(4, 3),), {"axis": [2]}, "OpError", "2"),
    Wrong("half an axis", (numbers(4, 3),), {"axis": [0.5]}, "DTypeError"),
    Wrong("half an index", (numbers(4, 3),), {"dtype": 5}, "DTypeError"),
)


def sought(
    sequence: Array, values: Array, out_int32: bool = False, right: bool = False
) -> Array:
    bisect = bisect_right if right else bisect_left
    out = np.empty(values.shape, int)
    for place in np.ndindex(values.shape):
        row = sequence if sequence.ndim == 1 else sequence[place[:-1]]
        out[place] = bisect(row.tolist(), values[place].item())
    return out


IN_ORDER = np.sort(numbers(6))
ROWS_IN_ORDER = np.sort(numbers(3, 5), axis=1)


ROWS = (
    Row(
        "masked_select",
        selections(selecting),
        selected,
        lambda t, x, mask: t.masked_select(x, mask),
        accepts=EVERY,
        wrong=(
            Wrong("sizes that differ", (numbers(4), truth(3))),
            Wrong("no mask", (numbers(4), numbers(4)), {}, "DTypeError", "bool"),
        ),
        by_value=True,
    ),
    Row(
        "unmask",
        selections(putting),
        put_back,
        put_back_in_torch,
        accepts=EVERY,
        inner=True,
    ),
    Row(
        "where_index",
        (
            Case("1-D", (np.array([1.0, 0.0, 2.0]),)),
            Case("2-D", (np.array([[1.0, 0.0], [0.0, 0.0], [2.0, 3.0]]),)),
            Case("nothing", (np.zeros(3),)),
            Case("empty", (numbers(0, 3),)),
            Case("not contiguous", (turned(numbers(4, 3)) * (numbers(4, 3) > 0),)),
        ),
        lambda condition: np.array(
            [p for p in np.ndindex(condition.shape) if condition[p]], int
        ).reshape(-1, condition.ndim),
        lambda t, condition: t.nonzero(condition),
        accepts=EVERY,
        gives=always("int64"),
        wrong=(Wrong("a scalar", (numbers(),)),),
        lacks={**LACKS, "scalar": "a scalar has no index"},
        gradient=False,
        by_value=True,
    ),
    Row(
        "unique",
        UNIQUE,
        different,
        lonely="PyTorch does not say where each stands first",
        accepts=EVERY,
        gives=indexed(3),
        wrong=UNIQUE_WRONG,
        lacks=LACKS,
        gradient=False,
        by_value=True,
    ),
    Row(
        "unique_consecutive",
        UNIQUE,
        in_runs,
        in_runs_in_torch,
        accepts=EVERY,
        gives=indexed(2),
        wrong=UNIQUE_WRONG,
        lacks=LACKS,
        gradient=False,
        by_value=True,
    ),
    Row(
        "searchsorted",
        (
            Case("scalar", (IN_ORDER, numbers())),
            Case("1-D", (IN_ORDER, numbers(5, start=20))),
            Case("broadcast", (IN_ORDER, numbers(4, 3))),
            Case("rows", (ROWS_IN_ORDER, numbers(3, 4, start=20))),
            Case("equals", (IN_ORDER, IN_ORDER)),
            Case("after its equals", (IN_ORDER, IN_ORDER), {"right": True}),
            Case("in int32", (IN_ORDER, numbers(5)), {"out_int32": True}),
            Case("empty", (numbers(0), numbers(3))),
            Case("not contiguous", (turned(IN_ORDER), turned(numbers(4, 3)))),
        ),
        sought,
        lambda t, sequence, values, out_int32=False, right=False: t.searchsorted(
            sequence, values, out_int32=out_int32, right=right
        ),
        accepts=NUMBERS,
        refuses=(),
        gives=lambda dtype, attrs: ("int32" if attrs.get("out_int32") else "int64",),
        wrong=(
            Wrong("rows that differ", (ROWS_IN_ORDER, numbers(4, 2))),
            Wrong("rows for a row", (ROWS_IN_ORDER, numbers(3))),
            Wrong("a scalar to search in", (numbers(), numbers(3))),
        ),
        gradient=False,
    ),
)
