"""Rows for `teachgraph/ops/lu.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {
    "scalar": "a matrix has two dimensions",
    "1-D": "a matrix has two dimensions",
    "broadcast": "one input",
}
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def eliminated(x: Array, pivots: bool = True) -> Any:
    """Row by row, element by element."""
    out, count = np.array(x, float), min(x.shape[-2:])
    rows = np.zeros((*x.shape[:-2], count), np.int32)
    infos = np.zeros(x.shape[:-2], np.int32)
    for place in np.ndindex(*x.shape[:-2]):
        matrix = out[place]
        for k in range(count):
            best = max(range(k, len(matrix)), key=lambda i, k=k: abs(matrix[i, k]))
            matrix[[k, best]] = matrix[[best, k]]
            rows[(*place, k)] = best + 1
            if matrix[k, k] == 0:
                infos[place] = infos[place] or k + 1
                continue
            for i in range(k + 1, len(matrix)):
                factor = matrix[i, k] / matrix[k, k]
                for j in range(k + 1, matrix.shape[1]):
                    matrix[i, j] -= factor * matrix[k, j]
                matrix[i, k] = factor
    return out, rows, infos if infos.shape else infos.reshape(1)


def factored_in_torch(t: Any, x: Any, pivots: bool = True) -> Any:
    out, rows, infos = t.linalg.lu_factor_ex(x)
    return out, rows, t.atleast_1d(infos)


def unpacked(
    x: Array, pivots: Array, unpack_ludata: bool = True, unpack_pivots: bool = True
) -> Any:
    *stack, rows, columns = x.shape
    count = min(rows, columns)
    lower, upper = np.zeros((*stack, rows, count)), np.zeros((*stack, count, columns))
    for *place, i, j in np.ndindex(*x.shape):
        if j < i:
            lower[(*place, i, j)] = x[(*place, i, j)]
        else:
            upper[(*place, i, j)] = x[(*place, i, j)]
    for k in range(count):
        lower[..., k, k] = 1.0
    change = np.zeros((*stack, rows, rows))
    for place in np.ndindex(*stack):
        order = list(range(rows))
        for k, other in enumerate(pivots[place].tolist()):
            order[k], order[other - 1] = order[other - 1], order[k]
        for i, source in enumerate(order):
            change[(*place, source, i)] = 1.0
    nothing = np.zeros(0)
    triangles = (lower, upper) if unpack_ludata else (nothing, nothing)
    return (change if unpack_pivots else nothing, *triangles)


def unpacked_in_torch(
    t: Any, x: Any, pivots: Any, unpack_ludata: bool = True, unpack_pivots: bool = True
) -> Any:
    change, lower, upper = t.lu_unpack(x, pivots.int())
    nothing = x.reshape(-1)[:0]
    triangles = (lower, upper) if unpack_ludata else (nothing, nothing)
    return (change + 0.0 * x.sum() if unpack_pivots else nothing, *triangles)


def with_corner(x: Array, corner: float = 0.0) -> Array:
    size = max(x.shape[-2:])
    out = np.zeros((*x.shape[:-2], size, size))
    for k in range(min(x.shape[-2:]), size):
        out[..., k, k] = corner
    for place in np.ndindex(*x.shape):
        out[place] = x[place]
    return out


def with_corner_in_torch(t: Any, x: Any, corner: float = 0.0) -> Any:
    rows, columns = x.shape[-2:]
    size, short = max(rows, columns), min(rows, columns)
    diagonal = t.diag((t.arange(size) >= short).to(x.dtype) * corner)
    return t.nn.functional.pad(x, (0, size - columns, 0, size - rows)) + diagonal


def fitting(x: Array, y: Array) -> Array:
    out = np.zeros((*x.shape[:-2], *y.shape[-2:]))
    for *place, i, j in np.ndindex(*x.shape):
        if i < y.shape[-2] and j < y.shape[-1]:
            out[(*place, i, j)] = x[(*place, i, j)]
    return out


def fitting_in_torch(t: Any, x: Any, y: Any) -> Any:
    more = [y.shape[k] - x.shape[k] for k in (-1, -2)]
    return t.nn.functional.pad(x, (0, more[0], 0, more[1])) + 0.0 * y.sum()


def packed(label: str, x: Array, **attrs: Any) -> Case:
    """What `lu` gives, to be unpacked."""
    factors, rows, _ = eliminated(x)
    return Case(label, (factors, rows), attrs)


ROWS = (
    Row(
        "lu",
        (
            Case("matrices", (numbers(3, 3),)),
            Case("high", (numbers(4, 2),)),
            Case("wide", (numbers(2, 4),)),
            Case("one element", (numbers(1, 1),)),
            Case("a stack", (numbers(2, 3, 2),)),
            Case("empty", (numbers(0, 2, 2),)),
            Case("not contiguous", (turned(numbers(3, 2, start=40)),)),
        ),
        eliminated,
        factored_in_torch,
        gives=lambda dtype, attrs: (dtype, "int32", "int32"),
        wrong=(
            Wrong("a vector", (numbers(3),)),
            Wrong(
                "rows that must stay",
                (numbers(2, 2),),
                {"pivots": False},
                "InvalidValueError",
                "pivot=True",
            ),
        ),
        lacks=LACKS,
    ),
    Row(
        "lu_unpack",
        (
            packed("matrices", numbers(3, 3)),
            packed("high", numbers(4, 2)),
            packed("wide", numbers(2, 4)),
            packed("a stack", numbers(2, 3, 2)),
            packed("without triangles", numbers(3, 3), unpack_ludata=False),
            packed("without rows", numbers(3, 3), unpack_pivots=False),
            packed("empty", numbers(0, 2, 2)),
            Case("not contiguous", (turned(numbers(2, 2)), np.array([2, 2]))),
        ),
        unpacked,
        unpacked_in_torch,
        gives=lambda dtype, attrs: (dtype, dtype, dtype),
        wrong=(
            Wrong("a vector", (numbers(3), np.array([1]))),
            Wrong("too few rows", (numbers(3, 3), np.array([1, 2]))),
            Wrong("rows of no matrix", (numbers(2, 2), np.array([[1, 2]]))),
            Wrong("half rows", (numbers(2, 2), np.array([1.0, 2.0])), {}, "DTypeError"),
            Wrong(
                "a row that is not there",
                (numbers(2, 2), np.array([0, 2])),
                {},
                "OutOfRangeError",
                "from 1 to 2",
                by_value=True,
            ),
        ),
        lacks=LACKS,
    ),
    Row(
        "bordered",
        (
            Case("matrices", (numbers(2, 2),)),
            Case("high", (numbers(3, 2),), {"corner": 1.0}),
            Case("a wide stack", (numbers(2, 1, 3),)),
            Case("empty", (numbers(0, 2, 3),), {"corner": 2.0}),
            Case("not contiguous", (turned(numbers(3, 2)),)),
        ),
        with_corner,
        with_corner_in_torch,
        inner=True,
        refuses=(),
        lacks=LACKS,
    ),
    Row(
        "fitted",
        (
            Case("smaller", (numbers(3, 3), numbers(2, 3))),
            Case("larger", (numbers(2, 2, 2), numbers(2, 2, 4))),
            Case("both", (numbers(3, 1), numbers(2, 2))),
            Case("empty", (numbers(0, 2, 3), numbers(0, 3, 3))),
            Case("not contiguous", (turned(numbers(3, 2)), numbers(3, 3))),
        ),
        fitting,
        fitting_in_torch,
        inner=True,
        refuses=(),
        lacks=LACKS,
    ),
)
