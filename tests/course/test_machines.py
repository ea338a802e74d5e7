"""The network that lesson 14 trains on two machines, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from teachgraph.core.errors import InvalidValueError
from teachgraph.course import machines


def farthest(one: dict[str, Any], other: dict[str, Any]) -> float:
    """The largest difference between parameters of the same names."""
    assert set(one) == set(other)
    return max(float(abs(one[name] - other[name]).max()) for name in one)


@pytest.mark.parametrize("trainers", [2, 4])
def test_trainers_of_the_transpiler_learn_what_one_process_learns(
    trainers: int,
) -> None:
    alone = machines.alone(3)
    for weights in machines.together(3, trainers=trainers):
        assert farthest(alone, weights) < 1e-6
    assert farthest(alone, machines.alone(2)) > 1e-3


def test_the_parts_of_a_batch_are_the_whole() -> None:
    whole = machines.batch(5)
    parts = [machines.batch(5, slice(part, None, 2)) for part in (0, 1)]
    for name, rows in whole.items():
        mixed = np.stack([part[name] for part in parts], axis=1)
        np.testing.assert_array_equal(mixed.reshape(rows.shape), rows)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda ops: ops[::-1], "in their order"),
        (lambda ops: [*ops, ops[0]], "in their order"),
        (lambda ops: [*ops, ("sent", "x")], "is no message"),
        (lambda ops: [*ops, ("send", "nobody")], "is no message"),
        (lambda ops: [*ops, ()], "is no message"),
        (lambda ops: [*ops, ("send",)], "is no message"),
    ],
)
def test_a_list_of_something_else_is_refused(change: Any, said: str) -> None:
    with pytest.raises(InvalidValueError, match=said):
        machines.trainer_program(change)


def test_an_error_in_the_list_is_the_learners_own() -> None:
    def unwritten(ops: Any) -> Any:
        raise NotImplementedError("for_a_trainer")

    with pytest.raises(NotImplementedError, match="for_a_trainer"):
        machines.together(1, unwritten)
