"""Rows for `teachgraph/ops/diagonal.py`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.ops.contract import FLOATS, UNARY_LACKS, Array, Row, Wrong
from tests.ops.rows.shape import at_once, like, moved
from tests.ops.values import numbers, turned

NO_SCALAR = {**UNARY_LACKS, "scalar": "no diagonal"}
NO_LINE = NO_SCALAR | {"1-D": "no diagonal"}


def triangle(x: Array, diagonal: int = 0, lower: bool = True) -> Array:
    out = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        right = place[-1] - place[-2]
        if right <= diagonal if lower else right >= diagonal:
            out[place] = x[place]
    return out


def triangle_in_torch(t: Any, x: Any, diagonal: int = 0, lower: bool = True) -> Any:
    return x.tril(diagonal) if lower else x.triu(diagonal)


def of_list_or_matrix(x: Array, offset: int = 0, padding_value: float = 0.0) -> Array:
    if x.ndim == 2:
        return read(x, offset)
    size = len(x) + abs(offset)
    out = np.full((size, size), padding_value)
    for i, value in enumerate(x):
        out[i + max(-offset, 0), i + max(offset, 0)] = value
    return out


def of_list_or_matrix_in_torch(
    t: Any, x: Any, offset: int = 0, padding_value: float = 0.0
) -> Any:
    out = t.diag(x, offset)
    if x.ndim == 2 or not padding_value:
        return out
    return out + padding_value * (1 - t.diag(t.ones_like(x), offset))


def read(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    matrices = np.moveaxis(x, (axis1, axis2), (0, 1))
    rows, columns = matrices.shape[:2]
    found = [matrices[i, i + offset] for i in range(rows) if 0 <= i + offset < columns]
    if not found:
        return np.zeros((*matrices.shape[2:], 0))
    return np.moveaxis(np.stack(found), 0, -1)


def filled(x: Array, value: float = 0.0, offset: int = 0, wrap: bool = False) -> Array:
    out = x.astype("float64")
    for place in np.ndindex(x.shape):
        if x.ndim > 2:
            on = len({*place}) == 1
        else:
            row = place[0] % (x.shape[1] + 1) if wrap else place[0]
            on = place[1] - row == offset
        if on:
            out[place] = value
    return out


def filled_in_torch(
    t: Any, x: Any, value: float = 0.0, offset: int = 0, wrap: bool = False
) -> Any:
    if x.ndim > 2 or wrap:
        return x.clone().fill_diagonal_(value, wrap)
    mask = t.diag(t.ones(max(x.shape) + abs(offset)), offset)
    mask = mask[: x.shape[0], : x.shape[1]].to(x.dtype)
    return x * (1 - mask) + value * mask


def put_back(
    x: Array, y: Array, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Array:
    out = np.zeros(y.shape)
    matrices, row = np.moveaxis(out, (axis1, axis2), (0, 1)), 0
    for i in range(matrices.shape[0]):
        if 0 <= i + offset < matrices.shape[1]:
            matrices[i, i + offset] = x[..., row]
            row += 1
    return out


def with_diagonals(
    x: Array, y: Array, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Array:
    out = x.astype("float64")
    matrices, column = np.moveaxis(out, (dim1, dim2), (0, 1)), 0
    for i in range(matrices.shape[0]):
        if 0 <= i + offset < matrices.shape[1]:
            matrices[i, i + offset] = y[..., column]
            column += 1
    return out


def embedded(input: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    size = input.shape[-1] + abs(offset)
    out = np.zeros((size, size, *input.shape[:-1]))
    for i in range(input.shape[-1]):
        out[i + max(-offset, 0), i + max(offset, 0)] = input[..., i]
    return np.moveaxis(out, (0, 1), (dim1, dim2))


ROWS: tuple[Row, ...] = (
    moved(
        "tril_triu",
        triangle,
        triangle_in_torch,
        at_once("2-D", numbers(3, 4)),
        at_once("the upper one", numbers(3, 3), lower=False),
        at_once("further right", numbers(3, 4), diagonal=1),
        at_once("further left", numbers(4, 3), diagonal=-1, lower=False),
        at_once("a stack", numbers(2, 3, 3)),
        at_once("empty", numbers(0, 3)),
        at_once("not contiguous", turned(numbers(4, 3))),
        wrong=(Wrong("a list", (numbers(3),)),),
        lacks=NO_LINE,
    ),
    moved(
        "diag_v2",
        of_list_or_matrix,
        of_list_or_matrix_in_torch,
        at_once("1-D", numbers(3)),
        at_once("further right", numbers(2), offset=1),
        at_once("further left", numbers(2), offset=-1, padding_value=7.0),
        at_once("a matrix", numbers(3, 4)),
        at_once("of a matrix, right", numbers(3, 4), offset=2),
        at_once("of a matrix, left", numbers(3, 4), offset=-1),
        at_once("empty", numbers(0, 3)),
        at_once("not contiguous", turned(numbers(4, 3))),
        wrong=(
            Wrong("a scalar", (numbers(),)),
            Wrong("three dimensions", (numbers(2, 2, 2),)),
        ),
        lacks=NO_SCALAR,
        accepts=("float32", "float64", "int64"),
        refuses=(),
    ),
    moved(
        "diagonal",
        read,
        lambda t, x, offset=0, axis1=0, axis2=1: x.diagonal(offset, axis1, axis2),
        at_once("2-D", numbers(3, 4)),
        at_once("further right", numbers(3, 4), offset=2),
        at_once("further left", numbers(3, 4), offset=-1),
        at_once("too far", numbers(3, 4), offset=5),
        at_once("of other axes", numbers(2, 3, 4), offset=1, axis1=0, axis2=-1),
        at_once("the wrong way round", numbers(2, 3, 2), offset=1, axis1=2, axis2=1),
        at_once("empty", numbers(0, 3)),
        at_once("not contiguous", turned(numbers(4, 3))),
        wrong=(
            Wrong("a list", (numbers(3),), {}, "OpError"),
            Wrong("one axis", (numbers(3, 3),), {"axis1": 1, "axis2": -1}, "OpError"),
        ),
        lacks=NO_LINE,
    ),
    moved(
        "undiagonal",
        put_back,
        lambda t, x, y, offset=0, axis1=0, axis2=1: t.diagonal_scatter(
            t.zeros_like(y), x, offset, axis1, axis2
        ),
        like("2-D", numbers(3), 3, 4),
        like("further right", numbers(1), 3, 4, offset=3),
        like("further left", numbers(2), 3, 4, offset=-1),
        like("of other axes", numbers(3, 2), 2, 3, 4, offset=1, axis1=0, axis2=-1),
        like("empty", numbers(0), 0, 3),
        like("not contiguous", turned(numbers(4, 2)), 2, 3, 4, axis1=0, axis2=1),
        lacks={**NO_LINE, "broadcast": "it repeats nothing"},
        accepts=FLOATS,
        refuses=(),
        inner=True,
    ),
    moved(
        "diag_embed",
        embedded,
        lambda t, x, offset=0, dim1=-2, dim2=-1: t.diag_embed(x, offset, dim1, dim2),
        at_once("1-D", numbers(3)),
        at_once("rows", numbers(2, 3), offset=1),
        at_once("in front", numbers(2, 3), offset=-1, dim1=0, dim2=1),
        at_once("the wrong way round", numbers(2, 2), offset=1, dim1=2, dim2=0),
        at_once("empty", numbers(0, 3)),
        at_once("not contiguous", turned(numbers(4, 3))),
        wrong=(
            Wrong("a scalar", (numbers(),), {}, "OpError"),
            Wrong("one axis", (numbers(3),), {"dim1": 1, "dim2": -1}, "OpError"),
        ),
        lacks=NO_SCALAR,
    ),
    moved(
        "fill_diagonal",
        filled,
        filled_in_torch,
        at_once("a matrix", numbers(3, 4), value=2.0),
        at_once("further right", numbers(3, 4), value=2.0, offset=1),
        at_once("further left", numbers(3, 4), value=2.0, offset=-1),
        at_once("a tall one, wrapped", numbers(7, 3), value=2.0, wrap=True),
        at_once("a cube", numbers(3, 3, 3), value=-1.0),
        at_once("empty", numbers(0, 3), value=1.0),
        at_once("not contiguous", turned(numbers(4, 3)), value=1.0),
        wrong=(
            Wrong("a list", (numbers(3),), {"value": 1.0}, "OpError"),
            Wrong("a scalar", (numbers(),), {"value": 1.0}, "OpError"),
        ),
        lacks=NO_LINE,
    ),
    moved(
        "fill_diagonal_tensor",
        with_diagonals,
        lambda t, x, y, offset=0, dim1=0, dim2=1: t.diagonal_scatter(
            x, y, offset, dim1, dim2
        ),
        at_once("a matrix", numbers(3, 4), numbers(3)),
        at_once("further right", numbers(3, 4), numbers(3), offset=1),
        at_once("further left", numbers(3, 4), numbers(2), offset=-1),
        at_once("a stack", numbers(3, 2, 4), numbers(2, 3), dim1=0, dim2=2),
        at_once("empty", numbers(0, 3), numbers(0)),
        at_once("not contiguous", turned(numbers(4, 3)), numbers(3)),
        wrong=(
            Wrong("a short one", (numbers(3, 3), numbers(2)), {}, "OpError"),
            Wrong("a scalar", (numbers(), numbers()), {}, "OpError"),
        ),
        lacks=NO_LINE,
    ),
)
