"""Rows for `teachgraph/ops/ranges.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import turned

INT32, INT64, FLOAT32, FLOAT64 = 2, 3, 5, 6
NAMES = {INT32: "int32", INT64: "int64", FLOAT32: "float32", FLOAT64: "float64"}
ONE_NUMBER = {"1-D": "one number each", "broadcast": "one number each"}
NO_INPUT = dict.fromkeys(("broadcast", "not contiguous"), "no input")


def of(label: str, *numbers: float, **attrs: Any) -> Case:
    return Case(label, tuple(np.array([float(n)]) for n in numbers), attrs)


def strided(*numbers: float) -> tuple[Array, ...]:
    return tuple(turned(np.array([n])) for n in numbers)


def counted(start: Array, end: Array, step: Array, size: int = -1) -> Array:
    found, value = [], start.item()
    while (value < end.item()) if step.item() > 0 else (value > end.item()):
        found.append(value)
        value = start.item() + len(found) * step.item()
    return np.array(found)


def spaced(
    start: Array, stop: Array, num: Array, dtype: int = FLOAT32, size: int = -1
) -> Array:
    count, first, last = int(num.item()), start.item(), stop.item()
    shares = [k / (count - 1) if count > 1 else 0.0 for k in range(count)]
    values = [first * (1 - share) + last * share for share in shares]
    return np.array(values).astype(NAMES[dtype])


def powers(
    start: Array,
    stop: Array,
    num: Array,
    base: Array,
    dtype: int = FLOAT32,
    size: int = -1,
) -> Array:
    exponents = spaced(start, stop, num, FLOAT64)
    return np.array([base.item() ** e for e in exponents]).astype(NAMES[dtype])


def from_torch(name: str) -> Any:
    def twin(t: Any, *numbers: Any, dtype: int = FLOAT32, size: int = -1) -> Any:
        start, stop, num, *base = (n.item() for n in numbers)
        how = {"dtype": getattr(t, NAMES[dtype])}
        if base:
            how["base"] = base[0]
        return getattr(t, name)(start, stop, int(num), **how)

    return twin


def of_code(dtype: str, attrs: Any) -> tuple[str, ...]:
    return (NAMES[attrs.get("dtype", FLOAT32)],)


def places(rows: int, cols: int, offset: int, lower: bool) -> Array:
    inside = [
        (i, j)
        for i in range(rows)
        for j in range(cols)
        if (j - i <= offset if lower else j - i >= offset)
    ]
    return np.array(inside, dtype=int).reshape(-1, 2).T


def identity(num_rows: int, num_columns: int = -1, dtype: int = FLOAT32) -> Array:
    out = np.zeros((num_rows, num_rows if num_columns == -1 else num_columns))
    for i in range(min(out.shape)):
        out[i, i] = 1.0
    return out


def made(label: str, **attrs: Any) -> Case:
    return Case(label, (), attrs)


STEP_0 = Wrong(
    "a step of 0",
    (np.ones(1), np.ones(1), np.zeros(1)),
    {},
    "InvalidValueError",
    "step is not 0",
    by_value=True,
)
NONE = Wrong(
    "less than one",
    (np.ones(1), np.ones(1), np.zeros(1)),
    {},
    "InvalidValueError",
    "num is 1 or more",
    by_value=True,
)

ROWS = (
    Row(
        "range",
        (
            of("up", 1, 4, 1, size=3),
            of("by twos", 0, 5, 2, size=3),
            of("down", 3, 0, -2),
            of("empty", 2, 2, 1, size=0),
            Case("scalar", (np.array(0.0), np.array(2.0), np.array(1.0))),
            Case("not contiguous", strided(0.0, 2.0, 1.0)),
        ),
        counted,
        lambda t, start, end, step, size=-1: (
            t.arange(start.item(), end.item(), step.item(), dtype=t.float64)
            if (end - start) / step > 0
            else t.zeros(0, dtype=t.float64)
        ),
        accepts=("float32", "float64", "int64"),
        refuses=(),
        wrong=(
            STEP_0,
            Wrong(
                "a step away from the end",
                (np.array([-3.0]), np.array([2.0]), np.array([-1.0])),
                {},
                "InvalidValueError",
                "leads from -3.0 away from 2.0",
                by_value=True,
            ),
            Wrong(
                "several numbers",
                (np.ones(2), np.ones(1), np.ones(1)),
                {},
                "OpError",
            ),
        ),
        lacks=ONE_NUMBER,
        gradient=False,
        by_value=True,
    ),
    Row(
        "linspace",
        (
            of("five", 0, 1, 5, size=5),
            of("down", 2, -1, 4, dtype=FLOAT64),
            of("one", 3, 7, 1, size=1),
            of("whole numbers", 0, 10, 6, dtype=INT64),
            Case("scalar", (np.array(0.0), np.array(2.0), np.array(3.0))),
            Case("not contiguous", strided(0.0, 2.0, 3.0)),
        ),
        spaced,
        from_torch("linspace"),
        accepts=("float32", "float64", "int64"),
        refuses=(),
        gives=of_code,
        wrong=(NONE,),
        lacks={**ONE_NUMBER, "empty": "there is one number or more"},
        gradient=False,
        by_value=True,
    ),
    Row(
        "logspace",
        (
            of("powers of ten", 0, 2, 3, 10, dtype=FLOAT64),
            of("powers of two", 3, 0, 4, 2, dtype=FLOAT64, size=4),
            of("one", 3, 7, 1, 2, size=1),
            Case("scalar", tuple(np.array(n) for n in (0.0, 2.0, 3.0, 2.0))),
            Case(
                "not contiguous",
                strided(0.0, 2.0, 3.0, 4.0),
            ),
        ),
        powers,
        from_torch("logspace"),
        accepts=("float32", "float64", "int64"),
        refuses=(),
        gives=of_code,
        wrong=(
            Wrong(
                "less than one",
                tuple(np.array([n]) for n in (0.0, 1.0, 0.0, 2.0)),
                {},
                "InvalidValueError",
                "num is 1 or more",
                by_value=True,
            ),
        ),
        lacks={**ONE_NUMBER, "empty": "there is one number or more"},
        gradient=False,
        by_value=True,
    ),
    Row(
        "eye",
        (
            made("square", num_rows=3),
            made("high", num_rows=3, num_columns=2),
            made("wide", num_rows=2, num_columns=3, dtype=INT64),
            made("empty", num_rows=0, num_columns=2),
        ),
        identity,
        lambda t, num_rows, num_columns=-1, dtype=FLOAT32: t.eye(
            num_rows,
            num_rows if num_columns == -1 else num_columns,
            dtype=getattr(t, NAMES[dtype]),
        ),
        accepts=(),
        gives=of_code,
        wrong=(
            Wrong("fewer than no rows", (), {"num_rows": -2}, "OpError"),
            Wrong("no such type", (), {"num_rows": 2, "dtype": 99}, "DTypeError"),
        ),
        lacks={**NO_INPUT, "scalar": "a matrix", "1-D": "a matrix"},
        gradient=False,
    ),
    Row(
        "tril_indices",
        (
            made("square", rows=3, cols=3),
            made("above", rows=3, cols=4, offset=1),
            made("below", rows=4, cols=2, offset=-2, dtype=INT32),
            made("empty", rows=2, cols=2, offset=-5),
        ),
        lambda rows, cols, offset=0, dtype=INT64: places(rows, cols, offset, True),
        lambda t, rows, cols, offset=0, dtype=INT64: t.tril_indices(
            rows, cols, offset, dtype=getattr(t, NAMES[dtype])
        ),
        accepts=(),
        gives=lambda dtype, attrs: of_code(dtype, {"dtype": INT64, **attrs}),
        wrong=(Wrong("half a row", (), {"rows": 0.5, "cols": 2}, "OpError"),),
        lacks={**NO_INPUT, "scalar": "pairs of places", "1-D": "pairs of places"},
        gradient=False,
    ),
    Row(
        "triu_indices",
        (
            made("square", row=3, col=3),
            made("above", row=3, col=4, offset=1),
            made("below", row=4, col=2, offset=-2, dtype=INT32),
            made("empty", row=2, col=2, offset=5),
        ),
        lambda row, col, offset=0, dtype=INT64: places(row, col, offset, False),
        lambda t, row, col, offset=0, dtype=INT64: t.triu_indices(
            row, col, offset, dtype=getattr(t, NAMES[dtype])
        ),
        accepts=(),
        gives=lambda dtype, attrs: of_code(dtype, {"dtype": INT64, **attrs}),
        wrong=(Wrong("half a row", (), {"row": 0.5, "col": 2}, "OpError"),),
        lacks={**NO_INPUT, "scalar": "pairs of places", "1-D": "pairs of places"},
        gradient=False,
    ),
)
