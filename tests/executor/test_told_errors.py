"""What goes wrong in a run is told of the program that was written: its variables as
they were declared, its ops and its lines, also inside branches, loops and fused ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import OpError, ShapeError
from teachgraph.errors import DivisionError, OutOfRangeError
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from teachgraph.static.scope import Scope
from tests.static.fresh import fresh

F = tg.nn.functional
ROWS = {"a": np.ones((2, 3), "float32"), "b": np.ones((2, 4), "float32")}
MIXED_SIZES = ["float32 [2, 3]  (a, declared [-1, -1])", "(b, declared [-1, -1])"]


@pytest.fixture(params=[False, True], ids=["generated", "interpreted"])
def executor(request: pytest.FixtureRequest) -> Executor:
    return Executor(interpret=request.param)


def data(name: str, *shape: int, dtype: str = "float32") -> Variable:
    return static.data(name, shape, dtype)


def added() -> Variable:
    return data("a", -1, -1) + data("b", -1, -1)


def added_in_a_branch() -> Variable:
    a, b = data("a", -1, -1), data("b", -1, -1)
    return static.nn.cond(tg.sum(a) > 0, lambda: a + b, lambda: a)


def added_in_a_loop() -> Variable:
    a, b = data("a", -1, -1), data("b", -1, -1)
    start = [tg.full([1], 0, "int64"), tg.zeros([1])]
    step: Callable[..., Any] = lambda i, s: [i + 1, s + tg.sum(a + b)]  # noqa: E731
    return static.nn.while_loop(lambda i, s: i < 3, step, start)[1]


def added_in_a_chain() -> Variable:
    return F.relu((data("a", -1, -1) + data("b", -1, -1)) * 2.0)


@pytest.mark.parametrize(
    "build", [added, added_in_a_branch, added_in_a_loop, added_in_a_chain]
)
def test_shapes_that_differ_are_told_of_variables(
    build: Callable[[], Variable], executor: Executor
) -> None:
    with fresh(), pytest.raises(ShapeError) as caught:
        executor.run(feed=ROWS, fetch_list=[build()])
    for told in ("elementwise_add cannot", *MIXED_SIZES):
        assert told in str(caught.value)
    assert caught.value.where is not None
    assert caught.value.where.file == __file__
    assert "+" in caught.value.where.source


@pytest.mark.parametrize(
    "build",
    [
        lambda ids: tg.gather(tg.ones([4, 2]), ids),
        lambda ids: static.nn.embedding(ids, [4, 2]),
        lambda ids: F.one_hot(ids, 4),
        lambda ids: tg.scatter(tg.ones([4, 2]), ids, tg.ones([1, 2])),
    ],
    ids=["gather", "embedding", "one_hot", "scatter"],
)
def test_an_index_out_of_range_is_told_of_its_feed(
    build: Callable[[Variable], Variable], executor: Executor
) -> None:
    with fresh() as programs:
        out = build(data("ids", -1, dtype="int64"))
        if programs.startup.global_block().ops:
            executor.run(programs.startup)
        with pytest.raises(OutOfRangeError) as caught:
            executor.run(feed={"ids": np.array([7])}, fetch_list=[out])
    assert "int64 [1]  (ids, declared [-1])" in str(caught.value)


def test_a_division_by_zero_is_not_told_of_shapes(executor: Executor) -> None:
    feed = {"i": np.array([1]), "j": np.array([0])}
    with fresh():
        out = data("i", -1, dtype="int64") // data("j", -1, dtype="int64")
        with pytest.raises(DivisionError) as caught:
            executor.run(feed=feed, fetch_list=[out])
    assert "needs divisors other than 0" in str(caught.value)
    assert "broadcast" not in str(caught.value)


GOOD = {
    "x": np.ones((2, 3), "float32"),
    "label": np.array([[1], [0]]),
    "b": np.ones((2, 1), "float32"),
}


@pytest.mark.parametrize("optimizer", [tg.optimizer.SGD, tg.optimizer.Adam])
@pytest.mark.parametrize(
    "wrong",
    [{"label": np.array([[1], [9]])}, {"b": np.ones((3, 1), "float32")}],
    ids=["before the update", "after it"],
)
def test_a_step_that_fails_leaves_the_scope_as_it_was(
    optimizer: Any, wrong: dict[str, Any], executor: Executor
) -> None:
    with fresh() as programs:
        logits = static.nn.fc(data("x", -1, 3), 4)
        loss = tg.mean(F.cross_entropy(logits, data("label", -1, 1, dtype="int64")))
        optimizer(0.1).minimize(loss)
        fetches = [loss, tg.reshape(data("b", -1, -1), [-1, 2])]
        executor.run(programs.startup)
        before = kept(programs.scope)
        with pytest.raises(OpError):
            executor.run(feed=GOOD | wrong, fetch_list=fetches)
        assert kept(programs.scope) == before
        executor.run(feed=GOOD, fetch_list=fetches)
        assert kept(programs.scope) != before


def kept(scope: Scope) -> dict[str, bytes]:
    """All that a scope holds."""
    return {name: np.array(value).tobytes() for name, value in scope.values.items()}
