"""What `linalg` tells of matrices that is made of several ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.contract import Case
from tests.ops.values import integers, numbers, positive
from tests.oracle.functions.function import Function

SQUARE = numbers(3, 3) + 2.0 * np.eye(3)
BATCH = numbers(2, 3, 3, start=30) + 2.0 * np.eye(3)
TALL, TABLE = numbers(5, 3), numbers(3, 5)


def case(label: str, *inputs: Any, **attrs: Any) -> Case:
    return Case(label, inputs, attrs)


def ours(name: str) -> Callable[..., Any]:
    def call(library: Any, *inputs: Any, **attrs: Any) -> Any:
        return getattr(library.linalg, name)(*inputs, **attrs)

    return call


def spread(t: Any, x: Any, rowvar: bool = True, ddof: bool = True, **more: Any) -> Any:
    return t.cov(x if rowvar else x.T, correction=int(ddof), **more)


def weighted(library: Any, x: Any, how_often: Any, how_much: Any) -> Any:
    return library.linalg.cov(x, fweights=how_often, aweights=how_much)


def weighted_in_torch(t: Any, x: Any, how_often: Any, how_much: Any) -> Any:
    return t.cov(x, fweights=how_often, aweights=how_much)


def condition(t: Any, x: Any, p: Any = None) -> Any:
    """PyTorch's own cannot go back twice."""
    if p in (None, 2, -2):
        return t.linalg.cond(x, p)
    return t.linalg.matrix_norm(x, p) * t.linalg.matrix_norm(t.linalg.inv(x), p)


def correlated(t: Any, x: Any, rowvar: bool = True) -> Any:
    return t.corrcoef(x if rowvar else x.T)


def fitted(library: Any, x: Any, y: Any) -> Any:
    solution, left = library.linalg.lstsq(x, y)[:2]
    return solution, left


def fitted_in_torch(t: Any, x: Any, y: Any) -> Any:
    solution = t.linalg.pinv(x) @ y
    return solution, ((x @ solution - y) ** 2).sum(-2)


FAMILY = (
    Function(
        "cond",
        ours("cond"),
        condition,
        (
            case("2", SQUARE),
            case("-2", BATCH, p=-2),
            case("tall", TALL, p=2),
            *(case(str(p), BATCH, p=p) for p in (1, -1, float("inf"), -float("inf"))),
            case("Frobenius", BATCH, p="fro"),
            case("nuclear", SQUARE, p="nuc"),
        ),
    ),
    Function(
        "cov",
        ours("cov"),
        spread,
        (
            case("rows", TABLE),
            case("columns", TABLE, rowvar=False),
            case("of the sample itself", TABLE, ddof=False),
            case("one variable", numbers(5)),
        ),
    ),
    Function(
        "cov_weighted",
        weighted,
        weighted_in_torch,
        (
            Case(
                "both", (TABLE, 1 + integers(5, below=3), positive(5)), constant=(1, 2)
            ),
        ),
    ),
    Function(
        "corrcoef",
        ours("corrcoef"),
        correlated,
        (case("rows", TABLE), case("columns", numbers(4, 2), rowvar=False)),
    ),
    Function(
        "householder_product",
        ours("householder_product"),
        lambda t, x, tau: t.linalg.householder_product(x, tau),
        (
            case("tall", TALL, positive(3)),
            case("fewer", TALL, positive(2)),
            case("batches", BATCH, positive(2, 3)),
        ),
    ),
    Function(
        "lstsq",
        fitted,
        fitted_in_torch,
        (
            case("tall", TALL, numbers(5, 2, start=60)),
            case("batches", numbers(2, 4, 2), numbers(2, 4, 1, start=60)),
        ),
    ),
)
