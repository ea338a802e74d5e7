"""Each wrong run is an error of its own kind, which says where, what and what else."""

from __future__ import annotations

import re
from collections.abc import Callable
from inspect import currentframe
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import (
    ExecutorError,
    FeedError,
    FetchError,
    InvalidValueError,
    NotInitializedError,
    ShapeError,
    TeachgraphError,
)
from teachgraph.errors import PyFuncError
from teachgraph.planning.executor import Executor
from teachgraph.static import Program, Variable
from teachgraph.static.scope import Scope
from tests.static.fresh import Fresh

ONES = np.ones((4, 2), "float32")
HERE = Path(__file__).name


@pytest.fixture(params=[False, True], ids=["generated", "interpreted"])
def executor(request: pytest.FixtureRequest) -> Executor:
    return Executor(interpret=request.param)


@pytest.fixture
def loss(programs: Fresh) -> Variable:
    """Of a trained layer on the data variable `x`, ready to run."""
    found: Variable = tg.mean(static.nn.fc(static.data("x", [None, 2]), 3))
    tg.optimizer.SGD(0.1).minimize(found)
    Executor().run(programs.startup)
    return found


def line() -> int:
    """The line of the caller."""
    frame = currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return frame.f_back.f_lineno


def names(error: BaseException, number: int) -> bool:
    """Whether the message names this line of this file."""
    return re.search(rf"{HERE}:{number}\b", str(error)) is not None


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (ONES.astype("float64"), "must be 'float32', but received 'float64'"),
        (ONES.astype("int64"), "must be 'float32', but received 'int64'"),
        (ONES[:, :1], r"shape = \(-1, 2\), but received fed shape \[4, 1\]"),
        (ONES[0], r"dimensions = 2, shape = \(-1, 2\), but received fed shape \[2\]"),
        (np.float32(1), r"but received fed shape \[\]"),
        (None, "must be 'float32', but received 'object'"),
        ("text", "must be 'float32', but received '<U4'"),
        ([["a", "b"]], "must be 'float32', but received '<U1'"),
        ([[1, 2], [3]], "the feed of 'x' is no array"),
        ([[2**70, 1]], "must be 'float32', but received 'object'"),
    ],
)
def test_a_feed_that_does_not_fit(
    value: Any, message: str, loss: Variable, executor: Executor
) -> None:
    here = line() + 2
    with pytest.raises(FeedError, match=message) as caught:
        executor.run(feed={"x": value}, fetch_list=[loss])
    assert names(caught.value, here)
    assert "'x'" in str(caught.value)


@pytest.mark.parametrize("value", [[[1.5], [2]], [[2**40], [1]]])
def test_pythons_numbers_are_fed_only_if_none_changes(value: Any) -> None:
    labels = static.data("label", [None, 1], "int32")
    with pytest.raises(FeedError, match="data type of fed Variable 'label'"):
        Executor().run(feed={"label": value}, fetch_list=[labels * 2])


def test_a_matrix_of_numpys_is_fed_as_an_array() -> None:
    x = static.data("x", [2, 2], "float32")
    with pytest.warns(PendingDeprecationWarning):
        ones = np.matrix(np.ones((2, 2), "float32"))
    (product,) = Executor().run(feed={"x": ones}, fetch_list=[x * x])
    assert product.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_a_feed_that_is_missing(loss: Variable, executor: Executor) -> None:
    message = r"has no 'x', which mul reads: .* an array of float32 shaped \[-1, 2\]"
    here = line() + 2
    with pytest.raises(FeedError, match=message) as caught:
        executor.run(feed={}, fetch_list=[loss])
    assert names(caught.value, here)


@pytest.mark.parametrize("feed", [[ONES], ONES, "x"])
def test_a_feed_that_is_no_dictionary(feed: Any, loss: Variable) -> None:
    with pytest.raises(TypeError, match="feed requires dict as its Parameter"):
        Executor().run(feed=feed, fetch_list=[loss])


def test_a_feed_keyed_by_variables(loss: Variable) -> None:
    x = loss.block.var("x")
    with pytest.raises(TypeError, match="feed's keys are the names of variables"):
        Executor().run(feed={x: ONES}, fetch_list=[loss])


def test_a_fetch_of_what_does_not_exist(loss: Variable, executor: Executor) -> None:
    here = line() + 4
    with pytest.raises(
        FetchError, match=r"Input variable\(nope\) cannot be found"
    ) as e:
        executor.run(feed={"x": ONES}, fetch_list=[loss, "nope"])
    assert names(e.value, here)


def test_a_fetch_of_what_no_operator_writes(loss: Variable, executor: Executor) -> None:
    loss.block.create_var("idle", [2])
    with pytest.raises(FetchError, match=r"variable\(idle\)"):
        executor.run(feed={"x": ONES}, fetch_list=["idle"])


@pytest.mark.parametrize("fetch", [3, {"loss"}, [[]], [None]])
def test_a_fetch_that_is_no_variable(fetch: Any, loss: Variable) -> None:
    with pytest.raises(FetchError, match="a fetch is a Variable or a name"):
        Executor().run(feed={"x": ONES}, fetch_list=fetch)


def test_main_before_startup(loss: Variable, executor: Executor) -> None:
    message = r"fc_0\.w_0, which the mul op reads, has not been initialized"
    here = line() + 2
    with pytest.raises(NotInitializedError, match=message) as caught:
        executor.run(feed={"x": ONES}, fetch_list=[loss], scope=Scope())
    assert "run the startup program once" in str(caught.value)
    assert names(caught.value, here)


def test_a_parameter_fetched_before_startup(loss: Variable, executor: Executor) -> None:
    main = Program()
    with static.program_guard(main):
        idle = main.global_block().create_parameter("idle", [2])
        static.data("x", [2]) * 2.0
    with pytest.raises(NotInitializedError, match="idle, which Fetch reads"):
        executor.run(main, {"x": np.ones(2, "float32")}, [idle])


def test_a_closed_executor(loss: Variable, executor: Executor) -> None:
    executor.close()
    executor.close()
    with pytest.raises(ExecutorError, match="Attempted to use a closed Executor"):
        executor.run(feed={"x": ONES}, fetch_list=[loss])


def test_what_is_no_program_and_what_is_no_scope(loss: Variable) -> None:
    with pytest.raises(TypeError, match="Executor requires Program"):
        Executor().run("main")
    with pytest.raises(TypeError, match="Executor requires Scope"):
        Executor().run(feed={"x": ONES}, fetch_list=[loss], scope={})


def test_shapes_that_do_not_fit_when_run(executor: Executor) -> None:
    x, y = (static.data(name, [None, 2]) for name in "xy")
    here = line() + 1
    total = tg.add(x, y)
    feed = {"x": ONES, "y": ONES[:3]}
    with pytest.raises(ShapeError, match="elementwise_add cannot take these") as caught:
        executor.run(feed=feed, fetch_list=[total * 2.0])
    error = caught.value
    assert names(error, here)
    assert "X: ndarray float32 [4, 2]" in str(error)
    assert "Y: ndarray float32 [3, 2]" in str(error)
    assert "compared from the right" in str(error)
    assert (error.op, error.where and error.where.line) == ("elementwise_add", here)


def test_shapes_that_do_not_fit_going_back(executor: Executor) -> None:
    """A gradient operator that fails names the line of the forward one."""
    x = static.data("x", [None, 2])
    here = line() + 1
    hidden = static.nn.fc(x, 2)
    out = x.block.create_var("out", [-1, 2])
    static.py_func(lambda v: v, hidden, out, lambda v, y, dy: dy[:1])
    tg.optimizer.SGD(0.1).minimize(tg.mean(out))
    executor.run(static.default_startup_program())
    with pytest.raises(ShapeError) as caught:
        executor.run(feed={"x": ONES})
    assert names(caught.value, here)


@pytest.mark.parametrize("label", [-1, 3])
def test_a_label_out_of_range(label: int, executor: Executor) -> None:
    logits, labels = static.data("x", [None, 2]), static.data("l", [None, 1], "int64")
    here = line() + 1
    loss = tg.nn.functional.cross_entropy(logits, labels)
    feed = {"x": ONES[:1], "l": np.array([[label]])}
    message = f"label expected >= 0 and < 2, but got {label}"
    with pytest.raises(InvalidValueError, match=message) as caught:
        executor.run(feed=feed, fetch_list=[loss])
    assert names(caught.value, here)
    assert "Label: ndarray int64 [1, 1]" in str(caught.value)


def raises_key_error(x: Any) -> Any:
    raise KeyError("no such key")


WRONG: dict[str, tuple[Callable[..., Any], str]] = {
    "raises": (raises_key_error, "raises_key_error raised KeyError: 'no such key'"),
    "shape": (lambda x: x[0], r"returned shape \[2\] for 'out', .* declared \[-1, 2\]"),
    "size": (lambda x: x[:, :1], r"returned shape \[4, 1\] for 'out'"),
    "dtype": (lambda x: x.astype(complex), "returned complex128 for 'out', .* float32"),
    "None": (lambda x: None, "returned None for 'out'"),
    "two": (lambda x: (x, x), "returned 2 values, but the op has 1 outputs"),
    "empty": (lambda x: (), "returned 0 values, but the op has 1 outputs"),
    "no array": (lambda x: "text", r"returned shape \[\] for 'out'"),
    "arguments": (lambda x, y: x, "raised TypeError: .* missing 1 required positional"),
}


@pytest.mark.parametrize(("function", "message"), WRONG.values(), ids=WRONG.keys())
def test_a_function_of_the_user_that_goes_wrong(
    function: Any, message: str, loss: Variable, programs: Fresh, executor: Executor
) -> None:
    out = loss.block.create_var("out", [-1, 2])
    here = line() + 1
    static.py_func(function, loss.block.var("x"), out)
    before = {k: v.copy() for k, v in programs.scope.values.items() if v is not None}
    with pytest.raises(PyFuncError, match=message) as caught:
        executor.run(feed={"x": ONES}, fetch_list=[loss])
    assert names(caught.value, here)
    assert "X: ndarray float32 [4, 2]" in str(caught.value)
    assert caught.value.op == "py_func"
    assert programs.scope.values.keys() == before.keys()
    for name, value in before.items():
        np.testing.assert_array_equal(programs.scope.values[name], value)


def test_what_the_user_raised_is_shown_as_the_cause(executor: Executor) -> None:
    x = static.data("x", [None, 2])
    out = x.block.create_var("out", [-1, 2])
    static.py_func(raises_key_error, x, out)
    with pytest.raises(KeyError) as caught:
        executor.run(feed={"x": ONES}, fetch_list=[out])
    assert isinstance(caught.value, TeachgraphError)
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.traceback[0].path == Path(__file__)


def test_a_failed_run_can_be_followed_by_a_good_one(
    loss: Variable, programs: Fresh, executor: Executor
) -> None:
    with pytest.raises(FeedError):
        executor.run(feed={"x": ONES[:, :1]}, fetch_list=[loss])
    twice = [executor.run(feed={"x": ONES}, fetch_list=[loss])[0] for _ in range(2)]
    assert twice[1] < twice[0]


def test_errors_of_a_run_show_no_generated_names(loss: Variable) -> None:
    programs = static.default_main_program()
    programs.global_block().ops[0]._set_attr("x_num_col_dims", 7)
    with pytest.raises(TeachgraphError) as caught:
        Executor().run(feed={"x": ONES}, fetch_list=[loss])
    assert "fc_0_w_0" not in str(caught.value)
