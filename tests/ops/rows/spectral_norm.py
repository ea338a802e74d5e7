"""The row for `teachgraph/ops/spectral_norm.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.ops.contract import Array, Case, Row, Wrong
from tests.ops.values import numbers, turned


def stretched_less(
    weight: Array,
    u: Array,
    v: Array,
    dim: int = 0,
    power_iters: int = 1,
    eps: float = 1e-12,
) -> Array:
    rows = np.moveaxis(weight, dim, 0).reshape(weight.shape[dim], -1).tolist()
    left, right = u.tolist(), v.tolist()
    for _ in range(power_iters):
        right = of_length_1(
            [
                sum(a * row[j] for a, row in zip(left, rows, strict=True))
                for j in range(len(right))
            ]
        )
        left = of_length_1(
            [sum(a * b for a, b in zip(row, right, strict=True)) for row in rows]
        )
    value = sum(
        left[i] * rows[i][j] * right[j]
        for i in range(len(left))
        for j in range(len(right))
    )
    return weight / value


def of_length_1(vector: list[float]) -> list[float]:
    return [a / math.hypot(*vector) for a in vector]


def steps_in_torch(
    t: Any,
    weight: Any,
    u: Any,
    v: Any,
    dim: int = 0,
    power_iters: int = 1,
    eps: float = 1e-12,
) -> Any:
    matrix = weight.movedim(dim, 0).reshape(weight.shape[dim], -1)
    for _ in range(power_iters):
        v = t.nn.functional.normalize(matrix.detach().T @ u, dim=0)
        u = t.nn.functional.normalize(matrix.detach() @ v, dim=0)
    return weight / (u @ matrix @ v)


def case(label: str, weight: Array, dim: int = 0, steps: int = 0) -> Case:
    """Without steps the vectors are constants, and finite differences agree."""
    size = weight.shape[dim]
    vectors = numbers(size, start=90), numbers(weight.size // size, start=130)
    attrs = {"dim": dim, "power_iters": steps}
    inputs = (weight, *vectors)
    return Case(label, inputs, attrs, smooth=not steps, constant=(1, 2))


def wrong(label: str, shape: tuple[int, ...], u: int, v: int, dim: int = 0) -> Wrong:
    return Wrong(label, (numbers(*shape), numbers(u), numbers(v)), {"dim": dim})


ROWS = (
    Row(
        "spectral_norm",
        (
            case("1-D", numbers(4)),
            case("a matrix", numbers(3, 4)),
            case("columns", numbers(3, 4), dim=1),
            case("a filter", numbers(2, 3, 2, 2), dim=1),
            case("one step", numbers(3, 4), steps=1),
            case("five steps along the last", numbers(3, 2, 2), dim=2, steps=5),
            case("not contiguous", turned(numbers(4, 3))),
        ),
        stretched_less,
        steps_in_torch,
        wrong=(
            wrong("u of another size", (3, 4), 4, 4),
            wrong("v of another size", (3, 4), 3, 3),
            wrong("no such dimension", (3, 4), 3, 4, dim=2),
        ),
        known=(0, 1, 2),
        lacks={
            "scalar": "a number has no rows",
            "broadcast": "vectors of just these sizes",
            "empty": "no element has no singular value",
        },
    ),
)
