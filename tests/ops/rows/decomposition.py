"""Rows for `teachgraph/ops/decomposition.py`."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned

LACKS = {
    "scalar": "a matrix has two dimensions",
    "1-D": "a matrix has two dimensions",
    "broadcast": "one input",
}
PAIR_LACKS = {name: LACKS[name] for name in ("scalar", "1-D")}


def regular(*shape: int, start: int = 1) -> Array:
    """Square matrices far from singular."""
    return numbers(*shape, start=start) + 3.0 * np.eye(shape[-1])


def definite(*shape: int) -> Array:
    """Symmetric, positive definite matrices."""
    root = numbers(*shape)
    return root @ np.swapaxes(root, -1, -2) + 2.0 * np.eye(shape[-1])


def stacked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Do with each matrix of a stack what `function` does with one."""

    def value(x: Array, **attrs: Any) -> Any:
        if x.ndim == 2:
            return np.asarray(function(x, **attrs))
        found = [value(one, **attrs) for one in x]
        empty = function(np.eye(x.shape[-1])[: x.shape[-2]], **attrs)
        return np.array(found).reshape(len(x), *np.shape(found[0] if found else empty))

    return value


def leibniz(x: Array) -> Any:
    """The sum over all permutations."""
    total = 0.0
    for order in permutations(range(len(x))):
        swaps = sum(a > b for k, a in enumerate(order) for b in order[k + 1 :])
        factors = [float(x[i, j]) for i, j in enumerate(order)]
        total += (-1) ** swaps * math.prod(factors)
    return total


def adjugate(x: Array) -> Array:
    """Minors over the determinant."""
    size, out = len(x), np.zeros(x.shape)
    for i, j in np.ndindex(size, size):
        minor = np.delete(np.delete(x, i, 0), j, 1)
        out[j, i] = (-1) ** (i + j) * leibniz(minor) / leibniz(x)
    return out


def sign_and_log(x: Array) -> Array:
    found = [leibniz(one) for one in x.reshape(-1, *x.shape[-2:])]
    shape = x.shape[:-2]
    signs = np.sign(found).reshape(shape)
    return np.stack([signs, np.log(np.abs(found)).reshape(shape)])


def pairs(x: Array, y: Array) -> list[tuple[Array, Array]]:
    """The matrices of two stacks that broadcast."""
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = np.broadcast_to(x, stack + x.shape[-2:]).reshape(-1, *x.shape[-2:])
    y = np.broadcast_to(y, stack + y.shape[-2:]).reshape(-1, *y.shape[-2:])
    return list(zip(x, y, strict=True))


def solution(x: Array, y: Array) -> Array:
    """By the inverse."""
    if y.ndim == 1:
        return solution(x, y[..., None])[..., 0]
    stack = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    found = [adjugate(a) @ b for a, b in pairs(x, y)] if y.shape[-1] else []
    return np.array(found).reshape(*stack, *y.shape[-2:])


def chosen(x: Array, upper: bool, unitriangular: bool = False) -> Array:
    out = np.triu(x) if upper else np.tril(x)
    if unitriangular:
        out[..., range(x.shape[-1]), range(x.shape[-1])] = 1.0
    return out


def triangle_solution(
    x: Array,
    y: Array,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Array:
    factor = chosen(x, upper, unitriangular)
    return solution(np.swapaxes(factor, -1, -2) if transpose else factor, y)


def triangle_solution_in_torch(
    t: Any,
    x: Any,
    y: Any,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    factor = x.triu() if upper else x.tril()
    return t.linalg.solve_triangular(
        factor.mT if transpose else factor,
        y,
        upper=upper != transpose,
        unitriangular=unitriangular,
    )


def root(x: Array, upper: bool = False) -> Array:
    """Column after column."""
    size, out = len(x), np.zeros(x.shape)
    for i in range(size):
        for j in range(i + 1):
            rest = float(x[i, j]) - math.fsum(out[i, :j] * out[j, :j])
            out[i, j] = math.sqrt(rest) if i == j else rest / out[j, j]
    return out.T if upper else out


def root_solution(x: Array, y: Array, upper: bool = False) -> Array:
    factor = chosen(y, upper)
    other = np.swapaxes(factor, -1, -2)
    return solution(other @ factor if upper else factor @ other, x)


def root_solution_in_torch(t: Any, x: Any, y: Any, upper: bool = False) -> Any:
    factor = y.triu() if upper else y.tril()
    return t.cholesky_solve(x, factor, upper=upper)


def powered(x: Array, n: int) -> Array:
    out, factor = np.eye(len(x)), adjugate(x) if n < 0 else x
    for _ in range(abs(n)):
        out = out @ factor
    return out


def of_full_rank(x: Array, rcond: float = 1e-15, hermitian: bool = False) -> Array:
    """By the normal equations, of the narrower side."""
    if x.shape[0] < x.shape[1]:
        return of_full_rank(x.T).T
    return adjugate(x.T @ x) @ x.T


def triangle_of(x: Array, upper: bool = False, diagonal: float = 1.0) -> Array:
    out = np.zeros(x.shape)
    for *stack, i, j in np.ndindex(*x.shape):
        place = (*stack, i, j)
        inside = j > i if upper else j < i
        out[place] = x[place] * (diagonal if i == j else inside)
    return out


def triangle_in_torch(
    t: Any, x: Any, upper: bool = False, diagonal: float = 1.0
) -> Any:
    rest = x.triu(1) if upper else x.tril(-1)
    return rest + diagonal * (x.tril() - x.tril(-1))


NOT_SQUARE = Wrong("not square", (numbers(2, 3),))
NO_MATRIX = Wrong("a vector", (numbers(3),))
SINGULAR = np.array([[1.0, 2.0], [2.0, 4.0]])


def singular(*others: Array, **attrs: Any) -> Wrong:
    return Wrong(
        "singular",
        (SINGULAR, *others),
        attrs,
        "InvalidValueError",
        "singular",
        by_value=True,
    )


def square(**attrs: Any) -> tuple[Case, ...]:
    return (
        Case("matrices", (regular(3, 3),), attrs),
        Case("one element", (regular(1, 1),), attrs),
        Case("a stack", (regular(2, 2, 2),), attrs),
        Case("empty", (regular(0, 2, 2),), attrs),
        Case("not contiguous", (turned(regular(2, 2, start=40)),), attrs),
    )


def pair(label: str, x: Array, *shape: int, **attrs: Any) -> Case:
    return Case(label, (x, numbers(*shape, start=70)), attrs)


ROWS = (
    Row(
        "inverse",
        square(),
        stacked(adjugate),
        lambda t, input: t.linalg.inv(input),
        wrong=(NOT_SQUARE, NO_MATRIX, singular()),
        lacks=LACKS,
    ),
    Row(
        "cofactors",
        (*square(), Case("negative", (regular(2, 2)[::-1].copy(),))),
        stacked(lambda x: leibniz(x) * adjugate(x).T),
        lambda t, x: t.linalg.det(x)[..., None, None] * t.linalg.inv(x).mT,
        wrong=(NOT_SQUARE, NO_MATRIX),
        lacks=LACKS,
        inner=True,
    ),
    Row(
        "determinant",
        (*square(), Case("negative", (regular(2, 2)[::-1].copy(),))),
        stacked(leibniz),
        lambda t, input: t.linalg.det(input),
        wrong=(NOT_SQUARE, NO_MATRIX),
        lacks=LACKS,
    ),
    Row(
        "slogdeterminant",
        (*square(), Case("negative", (regular(2, 2)[::-1].copy(),))),
        sign_and_log,
        lambda t, input: t.stack(tuple(t.linalg.slogdet(input))),
        wrong=(NOT_SQUARE, NO_MATRIX),
        lacks=LACKS,
    ),
    Row(
        "solve",
        (
            pair("matrices", regular(3, 3), 3, 2),
            pair("a vector", regular(3, 3), 3),
            pair("one vector for all", regular(2, 2, 2), 2),
            pair("broadcast", regular(2, 2, 2), 2, 3),
            pair("broadcast the first", regular(2, 2), 3, 2, 1),
            pair("empty", regular(0, 2, 2), 2, 1),
            pair("no columns", regular(2, 2), 2, 0),
            Case("not contiguous", (turned(regular(2, 2)), turned(numbers(2, 2)))),
        ),
        solution,
        lambda t, x, y: t.linalg.solve(x, y),
        wrong=(
            Wrong("not square", (numbers(2, 3), numbers(2))),
            Wrong("another number of rows", (regular(3, 3), numbers(2, 3))),
            Wrong("a vector of another size", (regular(3, 3), numbers(2))),
            Wrong("a scalar", (regular(3, 3), numbers())),
            Wrong("stacks differ", (regular(2, 2, 2), numbers(3, 2, 2))),
            singular(numbers(2)),
        ),
        lacks=PAIR_LACKS,
    ),
    Row(
        "triangle",
        (
            Case("matrices", (numbers(3, 3),)),
            Case("upper", (numbers(3, 3),), {"upper": True, "diagonal": 0.5}),
            Case("a stack of rows", (numbers(2, 2, 3),), {"diagonal": 0.0}),
            Case("empty", (numbers(0, 2),)),
            Case("not contiguous", (turned(numbers(3, 2)),), {"upper": True}),
        ),
        triangle_of,
        triangle_in_torch,
        inner=True,
        refuses=(),
        lacks=LACKS,
    ),
    Row(
        "triangular_solve",
        (
            pair("matrices", regular(3, 3), 3, 2),
            pair("lower", regular(3, 3), 3, 2, upper=False),
            pair("transposed", regular(2, 2), 2, 3, transpose=True),
            pair("lower, transposed", regular(2, 2), 2, 1, upper=False, transpose=True),
            pair("ones on the diagonal", numbers(3, 3), 3, 1, unitriangular=True),
            pair(
                "ones, transposed",
                numbers(2, 2),
                2,
                1,
                unitriangular=True,
                transpose=True,
            ),
            pair("broadcast", regular(2, 2, 2), 2, 1, upper=False),
            pair("broadcast the first", regular(2, 2), 2, 2, 1),
            pair("empty", regular(0, 2, 2), 2, 1),
            Case("not contiguous", (turned(regular(2, 2)), turned(numbers(2, 2)))),
        ),
        triangle_solution,
        triangle_solution_in_torch,
        wrong=(
            Wrong("not square", (numbers(2, 3), numbers(2, 1))),
            Wrong("another number of rows", (regular(3, 3), numbers(2, 3))),
            Wrong("a vector", (regular(3, 3), numbers(3))),
            Wrong("stacks differ", (regular(2, 2, 2), numbers(3, 2, 2))),
            Wrong(
                "a 0 on the diagonal",
                (np.diag([1.0, 0.0]), numbers(2, 1)),
                {},
                "InvalidValueError",
                "0 on a diagonal",
                by_value=True,
            ),
        ),
        lacks=PAIR_LACKS,
    ),
    Row(
        "cholesky",
        tuple(
            Case(label, (x,), attrs, smooth=False)
            for label, x, attrs in (
                ("matrices", definite(3, 3), {}),
                ("upper", definite(3, 3), {"upper": True}),
                ("one element", definite(1, 1), {}),
                ("a stack", definite(2, 2, 2), {}),
                ("empty", definite(0, 2, 2), {}),
                ("not contiguous", turned(definite(2, 2)), {"upper": True}),
            )
        ),
        stacked(root),
        lambda t, x, upper=False: t.linalg.cholesky(x, upper=upper),
        wrong=(
            NOT_SQUARE,
            NO_MATRIX,
            Wrong(
                "not definite",
                (-np.eye(2),),
                {},
                "InvalidValueError",
                "not positive definite",
                by_value=True,
            ),
        ),
        lacks=LACKS,
    ),
    Row(
        "cholesky_solve",
        (
            Case("matrices", (numbers(3, 2), regular(3, 3))),
            Case("upper", (numbers(3, 2), regular(3, 3)), {"upper": True}),
            Case("broadcast", (numbers(2, 1), regular(2, 2, 2))),
            Case("broadcast the second", (numbers(2, 2, 1), regular(2, 2))),
            Case("empty", (numbers(2, 1), regular(0, 2, 2))),
            Case("not contiguous", (turned(numbers(2, 2)), turned(regular(2, 2)))),
        ),
        root_solution,
        root_solution_in_torch,
        wrong=(
            Wrong("not square", (numbers(2, 1), numbers(2, 3))),
            Wrong("another number of rows", (numbers(2, 3), regular(3, 3))),
            Wrong(
                "a 0 on the diagonal",
                (numbers(2, 1), np.diag([1.0, 0.0])),
                {},
                "InvalidValueError",
                "0 on a diagonal",
                by_value=True,
            ),
        ),
        lacks=PAIR_LACKS,
    ),
    Row(
        "matrix_power",
        (
            *square(n=3),
            Case("once", (regular(2, 2),), {"n": 1}),
            Case("no power", (regular(2, 2),), {"n": 0}),
            Case("an inverse", (regular(2, 2),), {"n": -2}),
        ),
        stacked(powered),
        lambda t, x, n: t.linalg.matrix_power(x, n),
        wrong=(
            Wrong("not square", (numbers(2, 3),), {"n": 2}),
            Wrong("a vector", (numbers(3),), {"n": 2}),
            Wrong("half a power", (regular(2, 2),), {"n": 0.5}, "OpError"),
            singular(n=-1),
        ),
        lacks=LACKS,
    ),
    Row(
        "pinv",
        (
            Case("matrices", (regular(3, 3),)),
            Case("high", (numbers(3, 2),)),
            Case("wide", (numbers(2, 3),)),
            Case("equal singular values", (np.eye(2),)),
            Case("symmetric", (definite(2, 2),), {"hermitian": True}, smooth=False),
            Case("a stack", (numbers(2, 3, 2),)),
            Case("empty", (numbers(0, 2, 3),)),
            Case("not contiguous", (turned(numbers(3, 2)),)),
        ),
        stacked(of_full_rank),
        lambda t, x, rcond=1e-15, hermitian=False: t.linalg.pinv(x, rtol=rcond),
        wrong=(NO_MATRIX, Wrong("not square", (numbers(2, 3),), {"hermitian": True})),
        lacks=LACKS,
    ),
    Row(
        "matrix_rank",
        (
            Case("matrices", (regular(3, 3),)),
            Case("singular", (SINGULAR,)),
            Case("zeros", (np.zeros((3, 2)),)),
            Case("wide", (numbers(2, 3),)),
            Case(
                "a tolerance",
                (np.diag([3.0, 0.5, 0.1]),),
                {"tol": 0.3, "use_default_tol": False},
            ),
            Case("symmetric", (definite(2, 2),), {"hermitian": True}),
            Case("a stack", (np.stack([SINGULAR, regular(2, 2)]),)),
            Case("empty", (numbers(0, 2, 3),)),
            Case("not contiguous", (turned(numbers(3, 2)),)),
        ),
        stacked(
            lambda x, tol=1e-6, hermitian=False, use_default_tol=True: sum(
                value > tol**2 for value in np.linalg.eigvals(x.T @ x).real
            )
        ),
        lambda t, x, tol=0.0, hermitian=False, use_default_tol=True: (
            t.linalg.matrix_rank(
                x, hermitian=hermitian, atol=None if use_default_tol else tol
            )
        ),
        gives=lambda dtype, attrs: ("int32",),
        wrong=(NO_MATRIX, Wrong("not square", (numbers(2, 3),), {"hermitian": True})),
        gradient=False,
        lacks=LACKS,
    ),
)
