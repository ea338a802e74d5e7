"""Rows for `teachgraph/ops/linalg.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.contract import EVERY, Array, Case, Row, Wrong
from tests.ops.values import numbers, turned


def product(x: Array, y: Array) -> Array:
    """Rows by columns, each entry a sum of products."""
    out = np.zeros((len(x), y.shape[1]))
    for i, j in np.ndindex(out.shape):
        out[i, j] = math.fsum(
            float(a) * float(b) for a, b in zip(x[i], y[:, j], strict=True)
        )
    return out


def flat_product(
    x: Array, y: Array, x_num_col_dims: int = 1, y_num_col_dims: int = 1
) -> Array:
    rows, columns = x.shape[:x_num_col_dims], y.shape[y_num_col_dims:]
    inner = math.prod(y.shape[:y_num_col_dims])
    out = product(
        x.reshape(math.prod(rows), inner), y.reshape(inner, math.prod(columns))
    )
    return out.reshape(rows + columns)


def flat_product_in_torch(
    t: Any, x: Any, y: Any, x_num_col_dims: int = 1, y_num_col_dims: int = 1
) -> Any:
    dims = y_num_col_dims
    shared = tuple(y.shape[:dims])
    return t.tensordot(x.reshape(tuple(x.shape[:x_num_col_dims]) + shared), y, dims)


def stacked_product(
    x: Array, y: Array, trans_x: bool = False, trans_y: bool = False
) -> Array:
    if trans_x:
        x = np.moveaxis(x, -1, -2)
    if trans_y:
        y = np.moveaxis(y, -1, -2)
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = np.broadcast_to(x, stack + x.shape[-2:])
    y = np.broadcast_to(y, stack + y.shape[-2:])
    out = np.zeros((*stack, x.shape[-2], y.shape[-1]))
    for place in np.ndindex(*stack):
        out[place] = product(x[place], y[place])
    return out


def stacked_product_in_torch(
    t: Any, x: Any, y: Any, trans_x: bool = False, trans_y: bool = False
) -> Any:
    return t.matmul(x.mT if trans_x else x, y.mT if trans_y else y)


def pair(label: str, x: tuple[int, ...], y: tuple[int, ...], **attrs: Any) -> Case:
    return Case(label, (numbers(*x), numbers(*y, start=50)), attrs)


NOT_CONTIGUOUS = Case(
    "not contiguous", (turned(numbers(4, 3)), turned(numbers(3, 5, start=50)))
)

LACKS = {"scalar": "it multiplies matrices", "1-D": "it multiplies matrices"}

ROWS = (
    Row(
        "mul",
        (
            pair("matrices", (4, 3), (3, 5)),
            pair("rows of three dimensions", (4, 2, 3), (3, 5), x_num_col_dims=2),
            pair("flattened to columns", (4, 2, 3), (6, 5)),
            pair("flattened to rows", (4, 6), (2, 3, 5), y_num_col_dims=2),
            pair(
                "everything",
                (4, 2, 3),
                (3, 2, 5),
                x_num_col_dims=2,
                y_num_col_dims=1,
            ),
            pair("empty", (0, 3), (3, 5)),
            pair("empty inside", (4, 0), (0, 5)),
            pair("empty, flattened", (4, 0, 3), (0, 5)),
            NOT_CONTIGUOUS,
        ),
        flat_product,
        flat_product_in_torch,
        accepts=EVERY,
        wrong=(
            Wrong("columns and rows differ", (numbers(4, 3), numbers(4, 5))),
            Wrong("flattened, they differ", (numbers(4, 2, 3), numbers(3, 5))),
            Wrong("no rows", (numbers(), numbers(3, 5))),
            Wrong("no columns", (numbers(4, 3), numbers())),
            Wrong(
                "no dimension for rows",
                (numbers(4, 3), numbers(12, 5)),
                {"x_num_col_dims": 0},
            ),
            Wrong(
                "no dimension for columns",
                (numbers(4, 3), numbers(3, 5)),
                {"y_num_col_dims": 2},
            ),
        ),
        lacks={**LACKS, "broadcast": "it flattens instead"},
    ),
    Row(
        "matmul_v2",
        (
            pair("matrices", (4, 3), (3, 5)),
            pair("the first transposed", (3, 4), (3, 5), trans_x=True),
            pair("the second transposed", (4, 3), (5, 3), trans_y=True),
            pair("both transposed", (3, 4), (5, 3), trans_x=True, trans_y=True),
            pair("stacks", (2, 4, 3), (2, 3, 5)),
            pair("broadcast", (2, 4, 3), (3, 5)),
            pair("broadcast the first", (4, 3), (2, 3, 5)),
            pair("broadcast both", (2, 1, 2, 3), (4, 3, 2)),
            pair(
                "broadcast, transposed", (3, 4), (2, 5, 3), trans_x=True, trans_y=True
            ),
            pair("broadcast a stack of one", (1, 4, 3), (2, 5, 3), trans_y=True),
            pair("empty", (0, 3), (3, 5)),
            pair("empty inside", (4, 0), (0, 5)),
            pair("an empty stack", (0, 4, 3), (3, 5)),
            NOT_CONTIGUOUS,
        ),
        stacked_product,
        stacked_product_in_torch,
        accepts=EVERY,
        wrong=(
            Wrong("columns and rows differ", (numbers(4, 3), numbers(4, 5))),
            Wrong(
                "they differ once transposed",
                (numbers(4, 3), numbers(3, 5)),
                {"trans_y": True},
            ),
            Wrong("stacks differ", (numbers(2, 4, 3), numbers(3, 3, 5))),
            Wrong("a scalar", (numbers(), numbers(3, 5))),
            Wrong("vectors", (numbers(3), numbers(3))),
            Wrong("a matrix and a vector", (numbers(4, 3), numbers(3))),
        ),
        lacks=LACKS,
    ),
)
