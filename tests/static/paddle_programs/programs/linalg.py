"""Products, Einstein's sums, inverses and factors."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import program

explained(
    *(
        Row(
            "Paddle declares the shape of the matrix; when it runs, it is a number "
            "or, of slogdeterminant, two",
            "variable",
            name,
            "shape",
            "inverses",
        )
        for name in ("determinant_0.tmp_0", "slogdeterminant_0.tmp_0")
    ),
    *(
        Row(
            "where L and U go back to in X does not depend on the exchanges",
            "input",
            "lu_unpack_grad",
            slot,
            "lower_and_upper",
        )
        for slot in ("Pivots", "Pmat")
    ),
    Row(
        "one matrix has one number; Paddle declares none and gives a row of one",
        "variable",
        "lu_0.tmp_2",
        "shape",
        "lower_and_upper",
    ),
)


def known(paddle: Any, name: str, *shape: int) -> Any:
    """An input of a known shape that wants a gradient."""
    variable = paddle.static.data(name, list(shape), "float32")
    variable.stop_gradient = False
    return variable


def square(paddle: Any) -> Any:
    """Three by three."""
    return known(paddle, "A", 3, 3)


@program
def products_of_vectors(paddle: Any) -> Any:
    a, v, w = square(paddle), known(paddle, "v", 3), known(paddle, "w", 3)
    out = [
        paddle.matmul(a, v),
        paddle.matmul(v, a, transpose_y=True),
        paddle.matmul(v, w),
        paddle.dot(v, w),
        paddle.mv(a, v),
        paddle.cross(v, w),
        paddle.kron(v, w),
    ]
    return [*out, *paddle.static.gradients(out[-1], [v, w])]


@program
def gradients_of_products(paddle: Any) -> Any:
    a, b = known(paddle, "A", 2, 3, 4), known(paddle, "B", 2, 4, 5)
    c = known(paddle, "C", 5)
    out = paddle.matmul(paddle.bmm(a, b), c)
    return paddle.static.gradients(out, [a, b, c])


@program
def inverses(paddle: Any) -> Any:
    a, b = square(paddle), known(paddle, "B", 3, 2)
    linalg = paddle.linalg
    out = [
        linalg.inv(a),
        linalg.solve(a, b),
        linalg.triangular_solve(a, b, upper=False),
        linalg.cholesky_solve(b, a),
        linalg.matrix_power(a, 3),
        linalg.det(a),
        linalg.slogdet(a),
        linalg.cholesky(paddle.matmul(a, a, transpose_y=True) + paddle.eye(3)),
        linalg.matrix_rank(a),
    ]
    return [*out, *paddle.static.gradients(out[:3], [a, b])]


@program
def lower_and_upper(paddle: Any) -> Any:
    a = square(paddle)
    factors, pivots, infos = paddle.linalg.lu(a, get_infos=True)
    change, lower, upper = paddle.linalg.lu_unpack(factors, pivots)
    slopes = paddle.static.gradients([lower, upper], [a])
    return [infos, change, *slopes]
