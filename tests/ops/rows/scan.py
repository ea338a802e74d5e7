"""Rows for `teachgraph/ops/scan.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any

import numpy as np

from tests.ops.contract import EVERY, NUMBERS, Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {"broadcast": "one input"}

TIES = np.array([[1.0, 3.0, 3.0, 2.0], [2.0, 2.0, 1.0, 5.0]])
ZEROS = np.array([[2.0, 0.0, 3.0, 4.0], [0.0, 0.0, 5.0, 6.0], [1.0, 2.0, 3.0, 0.0]])


def by_line(x: Array, axis: int, function: Callable[[list[float]], Any]) -> Array:
    """Apply a function of a list to each line along an axis."""
    rows = np.moveaxis(x if x.ndim else x[None], axis, -1)
    lines = rows.reshape(math.prod(rows.shape[:-1]), rows.shape[-1])
    found = [function(row) for row in lines.tolist()]
    return np.moveaxis(np.reshape(found, rows.shape), -1, axis).reshape(x.shape)


def along(name: str, **more: Any) -> tuple[Case, ...]:
    """Every kind of shape for an op that runs along an axis."""
    return (
        Case("scalar", (numbers(),), {name: 0, **more}),
        Case("1-D", (numbers(5),), {name: 0, **more}),
        Case("rows", (numbers(4, 5),), {name: 1, **more}),
        Case("columns", (numbers(4, 5),), {name: -2, **more}),
        Case("the middle axis", (numbers(2, 4, 3),), {name: 1, **more}),
        Case("empty", (numbers(0, 3),), {name: 1, **more}),
        Case("empty lines", (numbers(3, 0),), {name: 1, **more}),
        Case("not contiguous", (turned(numbers(4, 5)),), {name: 0, **more}),
    )


def wrong(name: str) -> tuple[Wrong, ...]:
    """Axes that are none."""
    return (
        Wrong("no such axis", (numbers(4, 3),), {name: 2}, "OpError", "2"),
        Wrong("half an axis", (numbers(4, 3),), {name: 0.5}, "DTypeError", "0.5"),
        Wrong("no number", (numbers(4, 3),), {name: math.nan}, "DTypeError", "nan"),
        Wrong("a truth", (numbers(4, 3),), {name: True}, "DTypeError", "True"),
    )


def counted(dtype: str, attrs: Mapping[str, Any]) -> tuple[str, ...]:
    return ("int64" if dtype == "bool" else dtype,)


def sums(
    x: Array,
    axis: int = -1,
    flatten: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
) -> Array:
    def line(row: list[float]) -> list[float]:
        skip = 1 if exclusive else 0
        if reverse:
            return [math.fsum(row[i + skip :]) for i in range(len(row))]
        return [math.fsum(row[: i + 1 - skip]) for i in range(len(row))]

    return by_line(*((x.ravel(), 0) if flatten else (x, axis)), line)


def sums_in_torch(
    t: Any,
    x: Any,
    axis: int = -1,
    flatten: bool = False,
    exclusive: bool = False,
    reverse: bool = False,
) -> Any:
    x, axis = (x.reshape(-1), 0) if flatten else (x, axis)
    flipped = t.flip(x, [axis]) if reverse and x.ndim else x
    found = t.cumsum(flipped, axis) - (flipped if exclusive else 0)
    return t.flip(found, [axis]) if reverse and x.ndim else found


def products(x: Array, dim: int) -> Array:
    return by_line(
        x, dim, lambda row: [math.prod(row[: i + 1]) for i in range(len(row))]
    )


def log_sum(row: list[float]) -> float:
    top = max(row)
    return top + math.log(math.fsum(math.exp(v - top) for v in row))


def log_sums(x: Array, axis: int = -1, flatten: bool = False) -> Array:
    x, axis = (x.ravel(), 0) if flatten else (x, axis)
    return by_line(
        x, axis, lambda row: [log_sum(row[: i + 1]) for i in range(len(row))]
    )


def log_sums_in_torch(t: Any, x: Any, axis: int = -1, flatten: bool = False) -> Any:
    return t.logcumsumexp(*((x.reshape(-1), 0) if flatten else (x, axis)))


def running(better: Callable[[float, float], bool]) -> Callable[..., Any]:
    """Keeps the best so far, and where it stood."""

    def line(row: list[float]) -> list[int]:
        places = range(len(row))
        return list(accumulate(places, lambda a, b: b if better(row[b], row[a]) else a))

    def value(x: Array, axis: int = -1, dtype: int = 3) -> Any:
        places = by_line(x, axis, line).astype(int)
        if not x.ndim:
            return x, places
        return np.take_along_axis(x, places, axis), places

    return value


def shifted(x: Array, axis: int, reverse: bool = False, fill: float = 0.0) -> Array:
    return by_line(
        x,
        axis,
        lambda row: (
            [*row[1:], fill][: len(row)] if reverse else [fill, *row][: len(row)]
        ),
    )


def shifted_in_torch(
    t: Any, x: Any, axis: int, reverse: bool = False, fill: float = 0.0
) -> Any:
    rows = x.reshape(1) if x.ndim == 0 else x.movedim(axis, 0)
    if not len(rows):
        return x
    new = t.full_like(rows[:1], fill)
    parts = [rows[1:], new] if reverse else [new, rows[:-1]]
    rows = t.cat(parts)
    return rows.reshape(()) if x.ndim == 0 else rows.movedim(0, axis)


def recurred(x: Array, y: Array, axis: int, reverse: bool = False) -> Array:
    """Writes every result as the sum it stands for."""
    rows = np.moveaxis(x if x.ndim else x[None], axis, 0)
    factors = np.moveaxis(y if x.ndim else y[None], axis, 0)
    if reverse:
        rows, factors = rows[::-1], factors[::-1]
    out = [
        sum(rows[j] * np.prod(factors[j + 1 : i + 1], axis=0) for j in range(i + 1))
        for i in range(len(rows))
    ]
    found = np.reshape(out[::-1] if reverse else out, rows.shape)
    return np.moveaxis(found, 0, axis).reshape(x.shape)


def recurred_in_torch(t: Any, x: Any, y: Any, axis: int, reverse: bool = False) -> Any:
    if x.ndim == 0 or not x.shape[axis]:
        return x + 0.0 * y
    rows, factors = x.unbind(axis), y.unbind(axis)
    step = -1 if reverse else 1
    out: list[Any] = []
    for row, factor in list(zip(rows, factors, strict=True))[::step]:
        out.append(row + factor * out[-1] if out else row + 0.0 * factor)
    return t.stack(out[::step], axis)


def pairs(**more: Any) -> tuple[Case, ...]:
    return tuple(
        Case(
            case.label,
            (case.inputs[0], numbers(*np.shape(case.inputs[0]), start=300)),
            case.attrs,
        )
        for case in along("axis", **more)
    )


ROWS = (
    Row(
        "cumsum",
        (
            *along("axis"),
            Case("in a row", (numbers(2, 3),), {"flatten": True}),
            Case("backwards", (numbers(3, 4),), {"axis": 1, "reverse": True}),
            Case("without itself", (numbers(3, 4),), {"axis": 0, "exclusive": True}),
            Case(
                "backwards without itself",
                (numbers(4),),
                {"axis": 0, "exclusive": True, "reverse": True},
            ),
        ),
        sums,
        sums_in_torch,
        accepts=EVERY,
        gives=counted,
        wrong=wrong("axis"),
        lacks=LACKS,
    ),
    Row(
        "cumprod",
        (*along("dim"), Case("zeros", (ZEROS,), {"dim": 1})),
        products,
        lambda t, x, dim: t.cumprod(x, dim),
        accepts=EVERY,
        gives=counted,
        wrong=wrong("dim"),
        lacks=LACKS,
    ),
    Row(
        "logcumsumexp",
        (
            *along("axis"),
            Case("in a row", (numbers(2, 3),), {"flatten": True}),
            Case("large", (numbers(4, low=900.0, high=1000.0),), {"axis": 0}),
        ),
        log_sums,
        log_sums_in_torch,
        wrong=wrong("axis"),
        lacks=LACKS,
    ),
    *(
        Row(
            op,
            (*along("axis"), Case("ties", (TIES,), {"axis": 1}, smooth=False)),
            running(better),
            lambda t, x, op=op, **attrs: getattr(t, op)(x, attrs["axis"]),
            accepts=EVERY,
            gives=lambda dtype, attrs: (dtype, "int64"),
            wrong=(
                *wrong("axis"),
                Wrong("half an index", (numbers(4),), {"dtype": 5}, "DTypeError"),
            ),
            lacks=LACKS,
        )
        for op, better in (
            ("cummax", lambda new, old: new >= old),
            ("cummin", lambda new, old: new <= old),
        )
    ),
    Row(
        "shift",
        (
            *along("axis"),
            Case("from the right", (numbers(3, 4),), {"axis": 1, "reverse": True}),
            Case("with ones", (numbers(3, 4),), {"axis": 0, "fill": 1.0}),
        ),
        shifted,
        shifted_in_torch,
        accepts=NUMBERS,
        refuses=(),
        wrong=wrong("axis"),
        lacks=LACKS,
        inner=True,
    ),
    Row(
        "recurrence",
        (
            *pairs(),
            Case(
                "from the right",
                (numbers(3, 4), numbers(3, 4, start=300)),
                {"axis": 1, "reverse": True},
            ),
        ),
        recurred,
        recurred_in_torch,
        accepts=NUMBERS,
        refuses=(),
        wrong=(Wrong("sizes that differ", (numbers(4), numbers(3)), {"axis": 0}),),
        lacks={"broadcast": "only rules call it, with equal shapes"},
        inner=True,
    ),
)
