"""Rows for products of matrices and vectors, Kronecker's, and the trace."""

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
    if y.ndim == 1:
        return stacked_product(x, y[:, None], trans_x)[..., 0]
    if x.ndim == 1:
        return stacked_product(x[None], y, trans_y=trans_y)[..., 0, :]
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
    return t.matmul(
        x.mT if trans_x and x.ndim > 1 else x, y.mT if trans_y and y.ndim > 1 else y
    )


def batched(x: Array, y: Array) -> Array:
    return np.array([product(a, b) for a, b in zip(x, y, strict=True)]).reshape(
        len(x), x.shape[1], y.shape[2]
    )


def dots(x: Array, y: Array) -> Any:
    if x.ndim == 1:
        return np.array(
            math.fsum(float(a) * float(b) for a, b in zip(x, y, strict=True))
        )
    return np.array([dots(a, b) for a, b in zip(x, y, strict=True)]).reshape(len(x))


def dots_in_torch(t: Any, x: Any, y: Any) -> Any:
    return (x * y).sum(-1)


def scaled_sum(input: Array, x: Array, y: Array, **by: float) -> Array:
    return by.get("Beta", 1.0) * input + by.get("Alpha", 1.0) * product(x, y)


def scaled_sum_in_torch(t: Any, input: Any, x: Any, y: Any, **by: float) -> Any:
    return t.addmm(input, x, y, **{name.lower(): number for name, number in by.items()})


def crossed(x: Array, y: Array, dim: int = 9) -> Array:
    axis = x.shape.index(3) if dim == 9 else dim
    a, b = np.moveaxis(x, axis, 0), np.moveaxis(y, axis, 0)
    out = [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)]
    return np.moveaxis(np.array(out), 0, axis)


def crossed_in_torch(t: Any, x: Any, y: Any, dim: int = 9) -> Any:
    axis = tuple(x.shape).index(3) if dim == 9 else dim
    return t.linalg.cross(x, y, dim=axis)


def blockwise(x: Array, y: Array) -> Array:
    ndim = max(x.ndim, y.ndim)
    a, b = (v.reshape((1,) * (ndim - v.ndim) + v.shape) for v in (x, y))
    out = np.zeros([m * n for m, n in zip(a.shape, b.shape, strict=True)])
    for i in np.ndindex(*a.shape):
        for k in np.ndindex(*b.shape):
            place = [p * n + q for p, q, n in zip(i, k, b.shape, strict=True)]
            out[tuple(place)] = a[i] * b[k]
    return out


def blocks_of(x: Any, y: Any, z: Any) -> Any:
    """Of two dimensions, cut out one by one."""
    p, q = z.shape[-2:]
    return [
        [x[i * p : (i + 1) * p, j * q : (j + 1) * q] for j in range(y.shape[1])]
        for i in range(y.shape[0])
    ]


def cut(x: Array, y: Array, z: Array) -> Array:
    if x.ndim == 1:
        return cut(x[None], y[None], z[None])[0, :, 0]
    return np.array(blocks_of(x, y, z)).reshape(y.shape + z.shape)


def cut_in_torch(t: Any, x: Any, y: Any, z: Any) -> Any:
    if x.ndim == 1:
        return cut_in_torch(t, x[None], y[None], z[None])[0, :, 0]
    return t.stack([t.stack(list(row)) for row in blocks_of(x, y, z)])


def joined(x: Array, y: Array, z: Array) -> Array:
    return np.block([list(row) for row in x])


def joined_in_torch(t: Any, x: Any, y: Any, z: Any) -> Any:
    return t.cat([t.cat(list(row), dim=1) for row in x])


def chained(*x: Array) -> Array:
    out = x[0]
    for factor in x[1:]:
        out = stacked_product(out, factor)
    return out


def traced(x: Array, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    planes = np.moveaxis(x, (axis1, axis2), (0, 1))
    pairs = np.ndindex(*planes.shape[:2])
    on = [planes[i, j] for i, j in pairs if i + offset == j]
    return sum(on, np.zeros(planes.shape[2:]))


def traced_in_torch(
    t: Any, x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    return t.diagonal(x, offset, axis1, axis2).sum(-1)


def put_on(
    x: Array, y: Array, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Array:
    out = np.zeros(y.shape)
    planes = np.moveaxis(out, (axis1, axis2), (0, 1))
    for i, j in np.ndindex(*planes.shape[:2]):
        if i + offset == j:
            planes[i, j] = x
    return out


def put_on_in_torch(
    t: Any, x: Any, y: Any, offset: int = 0, axis1: int = 0, axis2: int = 1
) -> Any:
    mask = t.tensor(put_on(np.ones(x.shape), np.zeros(y.shape), offset, axis1, axis2))
    first, second = sorted(axis % y.ndim for axis in (axis1, axis2))
    return mask * x.unsqueeze(first).unsqueeze(second)


def as_sum(dtype: str, attrs: Any) -> tuple[str, ...]:
    return ("int64" if dtype == "bool" else dtype,)


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
            pair("1-D", (3,), (3,)),
            pair("a row and a matrix", (3,), (3, 5)),
            pair("a matrix and a column", (4, 3), (3,)),
            pair("a row and a transposed matrix", (3,), (5, 3), trans_y=True),
            pair("a transposed matrix and a column", (3, 4), (3,), trans_x=True),
            pair("a stack and a column", (2, 4, 3), (3,)),
            pair("a row and a stack", (3,), (2, 3, 5)),
            pair("vectors, transposed", (3,), (3,), trans_x=True, trans_y=True),
            pair("no vectors", (0,), (0, 5)),
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
            Wrong("vectors of two sizes", (numbers(3), numbers(4))),
            Wrong("a matrix and a vector", (numbers(4, 3), numbers(4))),
            Wrong("a vector and a matrix", (numbers(4), numbers(3, 5))),
        ),
        lacks={"scalar": "it multiplies vectors and matrices"},
    ),
    Row(
        "bmm",
        (
            pair("matrices", (2, 4, 3), (2, 3, 5)),
            pair("one", (1, 2, 3), (1, 3, 2)),
            pair("empty", (0, 4, 3), (0, 3, 5)),
            pair("empty inside", (2, 4, 0), (2, 0, 5)),
            Case(
                "not contiguous",
                (turned(numbers(2, 4, 3)), turned(numbers(2, 3, 5, start=50))),
            ),
        ),
        batched,
        lambda t, x, y: t.bmm(x, y),
        accepts=EVERY,
        wrong=(
            Wrong("columns and rows differ", (numbers(2, 4, 3), numbers(2, 4, 5))),
            Wrong("batches differ", (numbers(2, 4, 3), numbers(1, 3, 5))),
            Wrong("matrices", (numbers(4, 3), numbers(3, 5))),
        ),
        lacks={**LACKS, "broadcast": "each of X has its own of Y"},
    ),
    Row(
        "dot",
        (
            pair("1-D", (4,), (4,)),
            pair("rows of both", (3, 4), (3, 4)),
            pair("empty", (0,), (0,)),
            pair("no rows", (0, 4), (0, 4)),
            Case("not contiguous", (turned(numbers(4)), turned(numbers(4, start=50)))),
        ),
        dots,
        dots_in_torch,
        accepts=EVERY,
        wrong=(
            Wrong("sizes that differ", (numbers(4), numbers(3))),
            Wrong("a row and rows", (numbers(4), numbers(3, 4))),
            Wrong("scalars", (numbers(), numbers())),
            Wrong("three dimensions", (numbers(2, 3, 4), numbers(2, 3, 4))),
        ),
        lacks={"scalar": "it sums over a vector", "broadcast": "shapes are equal"},
    ),
    Row(
        "mv",
        (
            pair("matrices", (4, 3), (3,)),
            pair("one column", (4, 1), (1,)),
            pair("empty", (0, 3), (3,)),
            pair("empty inside", (4, 0), (0,)),
            Case("not contiguous", (turned(numbers(4, 3)), turned(numbers(3)))),
        ),
        stacked_product,
        lambda t, x, vec: t.mv(x, vec),
        accepts=EVERY,
        wrong=(
            Wrong("columns and elements differ", (numbers(4, 3), numbers(4))),
            Wrong("a matrix for a vector", (numbers(4, 3), numbers(3, 1))),
            Wrong("a stack", (numbers(2, 4, 3), numbers(3))),
        ),
        lacks={**LACKS, "broadcast": "one matrix and one vector"},
    ),
    Row(
        "addmm",
        (
            Case("matrices", (numbers(4, 5, start=9), numbers(4, 3), numbers(3, 5))),
            Case(
                "scaled",
                (numbers(4, 5, start=9), numbers(4, 3), numbers(3, 5)),
                {"Alpha": 2.0, "Beta": 0.5},
            ),
            Case(
                "broadcast",
                (numbers(5, start=9), numbers(4, 3), numbers(3, 5)),
                {"Beta": -1.5},
            ),
            Case("a column", (numbers(4, 1), numbers(4, 3), numbers(3, 5))),
            Case("empty", (numbers(0, 5), numbers(0, 3), numbers(3, 5))),
            Case(
                "not contiguous",
                (turned(numbers(4, 5)), turned(numbers(4, 3)), turned(numbers(3, 5))),
            ),
        ),
        scaled_sum,
        scaled_sum_in_torch,
        wrong=(
            Wrong(
                "columns and rows differ",
                (numbers(4, 5), numbers(4, 3), numbers(4, 5)),
            ),
            Wrong("a sum larger", (numbers(2, 4, 5), numbers(4, 3), numbers(3, 5))),
            Wrong("a sum of another size", (numbers(4), numbers(4, 3), numbers(3, 5))),
            Wrong("a vector", (numbers(4, 5), numbers(3), numbers(3, 5))),
        ),
        lacks=LACKS,
    ),
    Row(
        "cross",
        (
            pair("1-D", (3,), (3,)),
            pair("rows", (4, 3), (4, 3)),
            pair("the first of size 3", (3, 3), (3, 3)),
            pair("columns", (3, 4), (3, 4), dim=0),
            pair("from the right", (3, 3), (3, 3), dim=-1),
            pair("empty", (0, 3), (0, 3)),
            Case(
                "not contiguous",
                (turned(numbers(4, 3)), turned(numbers(4, 3, start=50))),
            ),
        ),
        crossed,
        crossed_in_torch,
        accepts=("float32", "float64", "int64"),
        wrong=(
            Wrong("sizes that differ", (numbers(4, 3), numbers(3))),
            Wrong("none of size 3", (numbers(4, 2), numbers(4, 2))),
            Wrong("one of another size", (numbers(4, 3), numbers(4, 3)), {"dim": 0}),
            Wrong("no such axis", (numbers(4, 3), numbers(4, 3)), {"dim": 2}),
            Wrong("scalars", (numbers(), numbers())),
        ),
        lacks={"scalar": "three numbers are a vector", "broadcast": "one shape"},
    ),
    Row(
        "kron",
        (
            pair("scalar", (), ()),
            pair("1-D", (3,), (2,)),
            pair("2-D", (2, 3), (3, 2)),
            pair("broadcast", (2, 3), (2,)),
            pair("broadcast the first", (3,), (2, 2)),
            pair("a scalar", (), (2, 2)),
            pair("3-D", (2, 1, 2), (1, 3, 2)),
            pair("empty", (0, 3), (2, 2)),
            Case(
                "not contiguous",
                (turned(numbers(2, 3)), turned(numbers(2, 2, start=50))),
            ),
        ),
        blockwise,
        lambda t, x, y: t.kron(x, y),
        accepts=EVERY,
    ),
    Row(
        "cut_kron",
        (
            Case("1-D", (numbers(6), numbers(3), numbers(2)), constant=(1, 2)),
            Case("2-D", (numbers(4, 6), numbers(2, 3), numbers(2, 2)), constant=(1, 2)),
            Case(
                "not contiguous",
                (turned(numbers(4, 6)), numbers(2, 3), numbers(2, 2)),
                constant=(1, 2),
            ),
        ),
        cut,
        cut_in_torch,
        accepts=EVERY,
        lacks={
            "scalar": "the row of kron has it",
            "broadcast": "the row of kron has it",
            "empty": "the row of kron has it",
        },
        inner=True,
    ),
    Row(
        "join_kron",
        (
            Case(
                "2-D",
                (numbers(2, 3, 2, 2), numbers(2, 3), numbers(2, 2)),
                constant=(1, 2),
            ),
            Case(
                "not contiguous",
                (turned(numbers(2, 3, 2, 2)), numbers(2, 3), numbers(2, 2)),
                constant=(1, 2),
            ),
        ),
        joined,
        joined_in_torch,
        accepts=EVERY,
        lacks={
            "scalar": "the row of kron has it",
            "1-D": "the row of kron has it",
            "broadcast": "the row of kron has it",
            "empty": "the row of kron has it",
        },
        inner=True,
    ),
    Row(
        "multi_dot",
        (
            pair("two", (4, 3), (3, 5)),
            Case("matrices", (numbers(2, 3), numbers(3, 4, start=9), numbers(4, 2))),
            Case(
                "four",
                (numbers(2, 3), numbers(3, 1), numbers(1, 4), numbers(4, 2, start=9)),
            ),
            Case("1-D", (numbers(3), numbers(3, 4, start=9), numbers(4))),
            pair("vectors", (3,), (3,)),
            pair("empty", (0, 3), (3, 5)),
            NOT_CONTIGUOUS,
        ),
        chained,
        lambda t, *x: t.linalg.multi_dot(x),
        accepts=("float32", "float64", "int64"),
        refuses=(),
        wrong=(
            Wrong("columns and rows differ", (numbers(4, 3), numbers(4, 5))),
            Wrong("one alone", (numbers(4, 3),), {}, "InvalidValueError"),
            Wrong("scalars", (numbers(), numbers())),
            Wrong("a vector in the middle", (numbers(4, 3), numbers(3), numbers(3, 5))),
        ),
        lacks={"scalar": "a factor has a dimension", "broadcast": "sizes are equal"},
    ),
    Row(
        "trace",
        (
            Case("square", (numbers(3, 3),)),
            Case("rows", (numbers(2, 4),)),
            Case("above", (numbers(3, 4),), {"offset": 1}),
            Case("below", (numbers(4, 3),), {"offset": -2}),
            Case("beyond", (numbers(3, 3),), {"offset": 5}),
            Case("a stack", (numbers(2, 3, 4),), {"axis1": -2, "axis2": -1}),
            Case("turned round", (numbers(3, 2, 4),), {"axis1": 2, "axis2": 0}),
            Case("empty", (numbers(0, 3),)),
            Case("not contiguous", (turned(numbers(3, 4)),)),
        ),
        traced,
        traced_in_torch,
        accepts=EVERY,
        gives=as_sum,
        wrong=(
            Wrong("a vector", (numbers(4),), {}, "OpError"),
            Wrong("one axis", (numbers(3, 3),), {"axis2": 0}, "OpError"),
            Wrong("no such axis", (numbers(3, 3),), {"axis2": 2}, "OpError", "2"),
        ),
        lacks={
            "scalar": "a diagonal has two dimensions",
            "1-D": "a diagonal has two dimensions",
            "broadcast": "one input",
        },
    ),
    Row(
        "on_diagonal",
        (
            Case("scalar", (numbers(), numbers(2, 3)), constant=(1,)),
            Case("above", (numbers(), numbers(3, 4)), {"offset": 1}, constant=(1,)),
            Case(
                "1-D",
                (numbers(2), numbers(2, 3, 4)),
                {"axis1": 1, "axis2": 2, "offset": -1},
                constant=(1,),
            ),
            Case(
                "turned round",
                (numbers(2), numbers(3, 2, 4)),
                {"axis1": 2, "axis2": 0},
                constant=(1,),
            ),
            Case("empty", (numbers(), numbers(0, 3)), constant=(1,)),
            Case(
                "not contiguous",
                (turned(numbers(2)), numbers(3, 3, 2)),
                constant=(1,),
            ),
        ),
        put_on,
        put_on_in_torch,
        accepts=EVERY,
        lacks={"broadcast": "it repeats nothing but along the diagonal"},
        inner=True,
    ),
)
