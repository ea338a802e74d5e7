"""Large parameters are updated part by part, with what one by one would give."""

from __future__ import annotations

import numpy as np
import pytest

from teachgraph.core.errors import ShapeError
from teachgraph.core.op import Op, find
from teachgraph.ops.blocked_update import LONG

SIZE = LONG + 12_345


def inputs(op: Op, size: int) -> list[np.ndarray]:
    """An input for each of the op's, where one number is one for all elements."""
    rng = np.random.default_rng(0)
    single = ("learning_rate", "beta1_pow", "beta2_pow")
    return [
        np.full(1, 0.5, "float32")
        if name in single
        else rng.random(size, dtype="float32")
        for name in op.inputs
    ]


def piece(x: np.ndarray, part: slice) -> np.ndarray:
    return x if x.size == 1 else x[part]


@pytest.mark.parametrize(
    "type", ["momentum", "adagrad", "adadelta", "rmsprop", "adam", "adamw", "adamax"]
)
def test_parts_of_an_update_are_an_update_of_the_parts(type: str) -> None:
    op = find(type)
    attrs = {"momentum": {"mu": 0.9}}.get(type, {})
    given = inputs(op, SIZE)
    kept = [x.copy() for x in given]
    whole = op(*given, **attrs)
    for x, before in zip(given, kept, strict=True):
        np.testing.assert_array_equal(x, before)
    half = SIZE // 2  # each half is small enough for one go
    for part in (slice(half), slice(half, None)):
        results = op(*(piece(x, part) for x in given), **attrs)
        for one, all_ in zip(results, whole, strict=True):
            np.testing.assert_array_equal(one, piece(all_, part))


def test_a_large_parameter_with_a_gradient_of_another_shape_is_refused() -> None:
    op = find("momentum")
    param, grad, velocity, rate = inputs(op, SIZE)
    with pytest.raises(ShapeError, match="momentum"):
        op(param, grad[:-1], velocity, rate, mu=0.9)
