"""What goes into a run and what comes out, in every form that is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import FetchError
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from tests.static.fresh import Fresh

ONES = np.ones((4, 2), "float32")


@pytest.fixture
def doubled() -> Variable:
    found: Variable = static.data("x", [None, 2]) * 2.0
    return found


def run(feed: Any, fetch: Any, **more: Any) -> list[Any]:
    return Executor().run(feed=feed, fetch_list=fetch, **more)


@pytest.mark.parametrize(
    "value",
    [
        ONES,
        ONES.tolist(),
        tuple(ONES.tolist()),
        [[1, 1]] * 4,
        tg.to_tensor(ONES),
        np.asfortranarray(ONES),
        np.ones((4, 4), "float32")[:, ::2],
    ],
    ids=["array", "list", "tuple", "integers", "Tensor", "Fortran", "strided"],
)
def test_a_feed_is_an_array_or_what_makes_one(value: Any, doubled: Variable) -> None:
    (found,) = run({"x": value}, [doubled])
    np.testing.assert_array_equal(found, ONES * 2)
    assert found.dtype == np.float32


def test_an_unknown_size_may_differ_from_run_to_run_and_be_nothing(
    doubled: Variable,
) -> None:
    executor = Executor()
    for rows in (1, 3, 0):
        feed = {"x": np.ones((rows, 2), "float32")}
        (found,) = executor.run(feed=feed, fetch_list=[doubled])
        assert found.shape == (rows, 2)


@pytest.mark.parametrize("form", [list, tuple], ids=["list", "tuple"])
def test_a_fetch_is_a_variable_or_a_name_and_may_come_twice(
    form: Any, doubled: Variable
) -> None:
    found = run({"x": ONES}, form([doubled, doubled.name, doubled]))
    for value in found:
        np.testing.assert_array_equal(value, ONES * 2)
    assert len(found) == 3


def test_one_fetch_needs_no_list(doubled: Variable) -> None:
    for fetch in (doubled, doubled.name):
        (found,) = run({"x": ONES}, fetch)
        np.testing.assert_array_equal(found, ONES * 2)


@pytest.mark.parametrize("fetch", [None, [], ()], ids=["None", "list", "tuple"])
def test_nothing_fetched_is_nothing_returned(fetch: Any, doubled: Variable) -> None:
    assert run({"x": ONES}, fetch) == []


def test_what_is_fed_can_be_fetched(doubled: Variable) -> None:
    (found,) = run({"x": ONES}, ["x"])
    np.testing.assert_array_equal(found, ONES)


def test_an_update_may_stand_in_the_fetch_list_and_returns_nothing(
    programs: Fresh,
) -> None:
    loss = tg.mean(static.nn.fc(static.data("x", [None, 2]), 1))
    updates, _ = tg.optimizer.SGD(0.1).minimize(loss)
    executor = Executor()
    executor.run(programs.startup)
    found = executor.run(feed={"x": ONES}, fetch_list=[*updates, loss])
    assert [value.shape for value in found] == [()]


def test_tensors_are_returned_if_asked_for(doubled: Variable) -> None:
    (found,) = run({"x": ONES}, [doubled], return_numpy=False)
    assert isinstance(found, tg.Tensor)
    assert found.tolist() == (ONES * 2).tolist()


def test_the_default_program_is_the_one_that_runs(doubled: Variable) -> None:
    main = static.default_main_program()
    given = Executor().run(main, {"x": ONES}, [doubled])
    np.testing.assert_array_equal(given, run({"x": ONES}, [doubled]))


def test_an_empty_program_warns_and_does_nothing() -> None:
    with pytest.warns(UserWarning, match="no operators; nothing runs"):
        assert Executor().run(static.Program()) == []


def test_an_empty_program_has_nothing_of_that_name() -> None:
    with pytest.raises(FetchError, match=r"variable\(x\)"):
        Executor().run(static.Program(), fetch_list=["x"])


def test_a_feed_that_no_variable_takes_warns(doubled: Variable) -> None:
    with pytest.warns(UserWarning, match="The variable zz is not found in program"):
        (found,) = run({"x": ONES, "zz": ONES}, [doubled])
    np.testing.assert_array_equal(found, ONES * 2)


def views_of(x: Any) -> list[Variable]:
    """Results that an array library gives as views of `x`, or as `x` itself."""
    return [
        tg.reshape(x, [2, 4]),
        tg.transpose(x, [1, 0]),
        x[0],
        x[1:3],
        tg.unsqueeze(x, 0),
        tg.core.ops.sum_(x),
        x.astype("float32"),
        x,
    ]


def test_a_fetched_value_is_not_the_callers_feed() -> None:
    views = views_of(static.data("x", [4, 2]))
    feed = ONES.copy()
    for found in run({"x": feed}, views):
        found[...] += 5.0
    np.testing.assert_array_equal(feed, ONES)


def test_a_fetched_value_is_not_the_scopes_parameter(programs: Fresh) -> None:
    kept = static.create_global_var([4, 2], 1.0, "float32", persistable=True)
    views = views_of(kept)
    executor = Executor()
    executor.run(programs.startup)
    for return_numpy in (True, False):
        for found in executor.run(fetch_list=views, return_numpy=return_numpy):
            array = found if return_numpy else found.numpy()
            array += 5.0
    np.testing.assert_array_equal(executor.run(fetch_list=[kept]), [ONES])


def test_a_fetched_parameter_is_the_one_after_the_update(programs: Fresh) -> None:
    x = static.data("x", [None, 2])
    constant = tg.nn.initializer.Constant(3.0)
    attr = tg.ParamAttr(name="w", initializer=constant)
    loss = tg.mean(static.nn.fc(x, 1, weight_attr=attr, bias_attr=False))
    tg.optimizer.SGD(learning_rate=0.5).minimize(loss)
    executor = Executor()
    executor.run(programs.startup)
    found, grad = executor.run(feed={"x": ONES}, fetch_list=["w", "w@GRAD"])
    np.testing.assert_array_equal(grad, [[1.0], [1.0]])
    np.testing.assert_array_equal(found, [[2.5], [2.5]])
    np.testing.assert_array_equal(found, programs.scope.values["w"])
