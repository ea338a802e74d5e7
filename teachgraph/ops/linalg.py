"""Matrix products: mul, matmul, bmm, mv, addmm and multi_dot."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError, InvalidValueError, ShapeError
from teachgraph.core.op import Like, op
from teachgraph.core.ops import of_one_dtype, reduce_to, reshaped_like
from teachgraph.ops.math import scale
from teachgraph.ops.matmul import infer_matmul, matmul_v2, row, transposed, with_sides
from teachgraph.ops.shape import unsqueeze2

__all__ = [
    "addmm",
    "bmm",
    "multi_dot",
    "mv",
]


@op(needs="two stacks of as many matrices, columns of the first as rows of the second")
def bmm(x: Any, y: Any) -> Any:
    """out_i = X_i Y_i, for each i of a batch."""
    check_bmm(x, y)
    of_one_dtype(x, y)
    return x @ y


def check_bmm(x: Any, y: Any) -> None:
    """Require equally large stacks of matrices that fit; without broadcasting.

    Raises:
        ShapeError: The shapes do not fit.
    """
    if not x.ndim == y.ndim == 3:
        raise ShapeError(f"{x.ndim} and {y.ndim} dimensions are not 3 and 3")
    if x.shape[0] != y.shape[0]:
        raise ShapeError(f"a batch of {x.shape[0]} and one of {y.shape[0]}")


@bmm.grad
def bmm_grad(dout: Any, x: Any, y: Any) -> Any:
    """dX_i = dOut_i Y_i', dY_i = X_i' dOut_i."""
    return (
        lambda: reduce_to(bmm(dout, transposed(y)), x),
        lambda: reduce_to(bmm(transposed(x), dout), y),
    )


@bmm.infers
def infer_bmm(x: Like, y: Like) -> Any:
    """As for `matmul_v2`."""
    check_bmm(x, y)
    return infer_matmul(x, y)


@op(needs="a matrix X and a vector Vec of as many elements as X has columns")
def mv(x: Any, vec: Any) -> Any:
    """out = X v."""
    if (x.ndim, vec.ndim) != (2, 1):
        raise ShapeError(f"{x.ndim} and {vec.ndim} dimensions are not 2 and 1")
    of_one_dtype(x, vec)
    return x @ vec


@mv.grad
def mv_grad(dout: Any, x: Any, vec: Any) -> Any:
    """dX = dout v', dv = X' dout."""
    return (
        lambda: reduce_to(unsqueeze2(dout, axes=[1]) * row(vec), x),
        lambda: reduce_to(mv(transposed(x), dout), vec),
    )


@op(needs="matrices X and Y that fit, and an Input that broadcasts to their product")
def addmm(
    input: Any,
    x: Any,
    y: Any,
    *,
    Alpha: float = 1.0,  # noqa: N803  Paddle's name
    Beta: float = 1.0,  # noqa: N803  Paddle's name
) -> Any:
    """out = beta Input + alpha X Y."""
    check_addmm(input, x, y)
    product = Alpha * (x @ y)
    return Beta * np.broadcast_to(input, product.shape) + product


def check_addmm(input: Any, x: Any, y: Any) -> None:
    """Require two matrices, and floating inputs.

    Raises:
        ShapeError: X or Y is no matrix.
        DTypeError: A dtype is not floating.
    """
    if not x.ndim == y.ndim == 2:
        raise ShapeError(f"{x.ndim} and {y.ndim} dimensions are not 2 and 2")
    if any(part.dtype.kind != "f" for part in (input, x, y)):
        raise DTypeError("it adds and multiplies floating numbers")


@addmm.grad
def addmm_grad(
    dout: Any,
    input: Like,
    x: Any,
    y: Any,
    *,
    Alpha: float,  # noqa: N803  Paddle's name
    Beta: float,  # noqa: N803  Paddle's name
) -> Any:
    """dInput = beta dOut, dX = alpha dOut Y', dY = alpha X' dOut."""
    return (
        lambda: reduce_to(scale(dout, scale=Beta), input),
        lambda: reduce_to(scale(dout @ transposed(y), scale=Alpha), x),
        lambda: reduce_to(scale(transposed(x) @ dout, scale=Alpha), y),
    )


@addmm.infers
def infer_addmm(
    input: Like,
    x: Like,
    y: Like,
    *,
    Alpha: float,  # noqa: N803  Paddle's name
    Beta: float,  # noqa: N803  Paddle's name
) -> Any:
    """The shape of the product."""
    check_addmm(input, x, y)
    ((shape, dtype),) = infer_matmul(x, y)
    if np.broadcast_shapes(input.shape, shape) != shape:
        raise ShapeError(f"{list(input.shape)} does not broadcast to {list(shape)}")
    return [(shape, np.result_type(input.dtype, dtype))]


@op(needs="two matrices or more that fit; the first and last may be vectors")
def multi_dot(*x: Any) -> Any:
    """out = X1 X2 ... Xn, in the order with the fewest multiplications."""
    check_chain(x)
    of_one_dtype(*x)
    return np.linalg.multi_dot(x)


def check_chain(x: Sequence[Any]) -> None:
    """Require at least two matrices; the first and the last may be vectors.

    Raises:
        InvalidValueError: There are fewer than two.
        ShapeError: An input has another rank.
    """
    if len(x) < 2:
        raise InvalidValueError(f"a product has two factors or more, not {len(x)}")
    ends = x[0], x[-1]
    if any(m.ndim != 2 for m in x[1:-1]) or any(m.ndim not in (1, 2) for m in ends):
        raise ShapeError("only the first and the last may be vectors, the others not")


@multi_dot.grad
def multi_dot_grad(dout: Any, *x: Any) -> Any:
    """dX_i = (X_1 ... X_i-1)' dOut (X_i+1 ... X_n)'."""
    last = transposed(row(x[-1])) if x[-1].ndim == 1 else x[-1]
    matrices = [row(x[0]), *x[1:-1], last]
    dout = with_sides(dout, x[0], x[-1])

    def gradient(i: int) -> Any:
        before = [transposed(m) for m in matrices[:i][::-1]]
        after = [transposed(m) for m in matrices[i + 1 :][::-1]]
        return reshaped_like(reduce(matmul_v2, [*before, dout, *after]), x[i])

    # `i=i`, as a closure would read the last `i`.
    return tuple((lambda i=i: gradient(i)) for i in range(len(x)))


@multi_dot.infers
def infer_multi_dot(*x: Like) -> Any:
    """Rows of the first by columns of the last."""
    check_chain(x)
    inner = [m.shape[0] for m in x[1:]]
    if [m.shape[-1] for m in x[:-1]] != inner:
        raise ShapeError("columns of one are not rows of the next")
    shape = (*x[0].shape[:-1], *x[-1].shape[1:])
    return [(shape, of_one_dtype(*x))]
