"""The NumPy statements that ops come to, in place of calls of their kernels.

They give what the kernels give to the last bit, on arrays that can only be read, with
each size that is not declared fed as several and as one; and they refuse the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import InvalidValueError, OpError, ShapeError
from teachgraph.planning.executor import Executor
from tests.static.fresh import fresh

F = tg.nn.functional
Shape = tuple[int, ...]


class Case(NamedTuple):
    """What is built of inputs, how these are declared, and which ops stay calls."""

    build: Callable[..., Any]
    shapes: tuple[Shape, ...]
    calls: tuple[str, ...] = ()
    dtype: str = "float32"


ROWS: Shape = (-1, 4)
CASES = {
    "matrices": Case(tg.matmul, (ROWS, (4, 3))),
    "turned": Case(lambda x, y: tg.matmul(x, y, True, True), ((4, -1), (3, 4))),
    "turned left": Case(lambda x, y: tg.matmul(x, y, True), ((4, -1), (4, 3))),
    "turned right": Case(
        lambda x, y: tg.matmul(x, y, transpose_y=True), (ROWS, (-1, 4))
    ),
    "stacks": Case(tg.matmul, ((-1, 3, 4), (4, 2)), ("matmul_v2", "matmul_v2_grad")),
    "add a row": Case(tg.add, (ROWS, (4,))),
    "subtract a row": Case(tg.subtract, (ROWS, (4,))),
    "multiply a row": Case(tg.multiply, (ROWS, (4,))),
    "divide by a row": Case(tg.divide, (ROWS, (4,))),
    "a row to rows": Case(
        tg.add, ((4,), ROWS), ("elementwise_add_grad", "elementwise_add")
    ),
    "add alike": Case(tg.add, ((2, 4), (2, 4))),
    "multiply alike": Case(tg.multiply, ((2, 4), (2, 4))),
    "divide alike": Case(tg.divide, ((2, 4), (2, 4))),
    "rows of unknown numbers": Case(tg.add, (ROWS, ROWS), ("elementwise_add_grad",)),
    "products of unknown rows": Case(
        tg.multiply, (ROWS, ROWS), ("elementwise_mul_grad",)
    ),
    "a column": Case(tg.multiply, (ROWS, (-1, 1)), ("elementwise_mul_grad",)),
    "add to a stack": Case(tg.add, ((-1, 2, 4), (4,)), ("elementwise_add_grad",)),
    "numbers": Case(tg.multiply, ((), ())),
    "doubles": Case(tg.divide, (ROWS, (4,)), dtype="float64"),
    "relu": Case(F.relu, (ROWS,)),
    "sigmoid": Case(F.sigmoid, (ROWS,)),
    "tanh": Case(tg.tanh, (ROWS,)),
    "tanh of a number": Case(tg.tanh, ((),)),
    "exp": Case(tg.exp, (ROWS,), ("exp_grad",)),
    "square": Case(tg.square, (ROWS,)),
    "scale": Case(lambda x: x * 2.5, (ROWS,)),
    "shift": Case(lambda x: x - 0.1, (ROWS,)),
    "scale and shift": Case(lambda x: tg.scale(x, 3.0, 0.5), (ROWS,)),
    "shift and scale": Case(
        lambda x: tg.scale(x, 3.0, 0.5, bias_after_scale=False), (ROWS,)
    ),
    "mean": Case(tg.mean, (ROWS,)),
    "mean of a number": Case(tg.mean, ((),)),
    "mean of a mean": Case(lambda x: tg.mean(tg.mean(x)), ((3, 4),)),
    "mean of columns": Case(lambda x: tg.mean(x, 0), (ROWS,), ("reduce_mean_grad",)),
    "mean of rows": Case(
        lambda x: tg.mean(x, 1, keepdim=True), (ROWS,), ("reduce_mean_grad",)
    ),
    "mean of two": Case(
        lambda x: tg.mean(x, [0, -1]), ((-1, 2, 4),), ("reduce_mean_grad",)
    ),
    "sum": Case(tg.sum, (ROWS,)),
    "sum of columns": Case(lambda x: tg.sum(x, 0), (ROWS,), ("reduce_sum_grad",)),
    "fan-out": Case(lambda x: tg.tanh(x) * tg.exp(x) + x, ((3, 4),), ("exp_grad",)),
    "assigned": Case(lambda x: tg.assign(x) * 2.0, (ROWS,)),
}


def fed(shapes: tuple[Shape, ...], dtype: str) -> list[list[Any]]:
    """Feeds that can only be read: every size that is not known as 5 and as 1."""
    rng = np.random.default_rng(0)
    feeds = []
    for sizes in product(*[(5, 1) if -1 in shape else (0,) for shape in shapes]):
        arrays = []
        for shape, size in zip(shapes, sizes, strict=True):
            whole = tuple(size if n == -1 else n for n in shape)
            array = np.array(rng.normal(2, 1, whole), dtype)
            array.flags.writeable = False
            arrays.append(array)
        feeds.append(arrays)
    return feeds


def outcome(executor: Executor, feed: dict[str, Any], fetches: list[Any]) -> Any:
    """What a run gives, or the first line of what it raises."""
    try:
        return executor.run(feed=feed, fetch_list=fetches)
    except OpError as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", CASES)
def test_statements_give_what_kernels_give(name: str) -> None:
    case = CASES[name]
    with fresh():
        names = [f"x{i}" for i in range(len(case.shapes))]
        inputs = [
            static.data(n, shape, case.dtype)
            for n, shape in zip(names, case.shapes, strict=True)
        ]
        for variable in inputs:
            variable.stop_gradient = False
        out = case.build(*inputs)
        fetches = [out, *static.gradients(tg.square(out), inputs)]
        source = Executor().compiled(fetch_list=fetches).source
        types = {op.type for op in static.default_main_program().global_block().ops}
        called = {type for type in types if re.search(rf"[ (]{type}\(", source)}
        for arrays in fed(case.shapes, case.dtype):
            feed = dict(zip(names, arrays, strict=True))
            found = outcome(Executor(), feed, fetches)
            wanted = outcome(Executor(interpret=True), feed, fetches)
            if isinstance(wanted, tuple):
                assert found == wanted
                continue
            for one, other in zip(found, wanted, strict=True):
                assert (one.dtype, one.shape) == (other.dtype, other.shape)
                np.testing.assert_array_equal(one, other)
    assert called <= {*case.calls, "fill_any_like", "sum", "unbroadcast"}


def classified(classes: int = 3, **how: Any) -> tuple[Any, Any]:
    """A loss of logits and labels, and the gradient of the logits."""
    x, label = static.data("x", [None, classes]), static.data("y", [None, 1], "int64")
    x.stop_gradient = False
    loss = F.cross_entropy(x, label, reduction="none", **how)
    return loss, static.gradients(tg.square(loss), [x])[0]


LOGITS = np.random.default_rng(0).normal(size=(4, 3)).astype("float32")


@pytest.mark.parametrize("ignored", [-100, 1, -1])
@pytest.mark.parametrize("labels", [[0, 2, 1, 0], [1, 1, 1, 1], [0, 1, 2, 2]])
def test_a_loss_in_numpy_is_that_of_the_kernel(labels: list[int], ignored: int) -> None:
    feed = {"x": LOGITS, "y": np.array(labels)[:, None]}
    for array in feed.values():
        array.flags.writeable = False
    with fresh():
        fetches = [*classified(ignore_index=ignored)]
        source = Executor().compiled(fetch_list=fetches).source
        found = Executor().run(feed=feed, fetch_list=fetches)
        wanted = Executor(interpret=True).run(feed=feed, fetch_list=fetches)
    assert "softmax_with_cross_entropy(" not in source
    assert source.count("labelled(") == 1, "forward and backward ask the same"
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        ([[0], [3], [1], [0]], InvalidValueError),
        ([[0], [-1], [1], [0]], InvalidValueError),
        ([[0]], ShapeError),
        ([[0]] * 5, ShapeError),
    ],
    ids=["too large", "negative", "one for all", "one too many"],
)
def test_a_loss_in_numpy_refuses_what_the_kernel_refuses(
    labels: Any, kind: type[OpError]
) -> None:
    feed, told = {"x": LOGITS, "y": np.array(labels)}, []
    for interpret in (False, True):
        with fresh():
            fetches, executor = [*classified()], Executor(interpret=interpret)
            with pytest.raises(kind) as caught:
                executor.run(feed=feed, fetch_list=fetches)
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert "cross_entropy" in told[0]


@pytest.mark.parametrize(("dtype", "rows"), [("float64", 3), ("float32", 5)])
def test_a_parameter_of_another_kind_is_looked_at_by_the_kernels(
    dtype: str, rows: int
) -> None:
    """The statements rely on what the program declares; else kernels are called."""
    results: list[Any] = []
    for interpret in (False, True):
        with fresh() as programs:
            out = static.nn.fc(static.data("x", [None, 3]), 2)
            Executor().run(programs.startup)
            feed = {"x": np.ones((2, 3), "float32")}
            executor = Executor(interpret=interpret)
            executor.run(feed=feed, fetch_list=[out])
            programs.scope.values["fc_0.w_0"] = np.ones((rows, 2), dtype)
            results.append(outcome(executor, feed, [out])[0])
    if isinstance(results[1], type):
        assert results[0] is results[1]
    else:
        np.testing.assert_array_equal(results[0], results[1])


def test_what_a_loop_writes_is_left_to_the_kernels() -> None:
    """A variable that is written twice may change its shape, whatever it declares."""
    x = static.data("x", [2, 3])
    start = [tg.full([1], 0, "int64"), x * 1.5]
    _, y = static.nn.while_loop(lambda i, y: i < 3, lambda i, y: [i + 1, y + x], start)
    source = Executor().compiled(fetch_list=[tg.tanh(y)]).source
    assert "= tanh(" in source
    assert "x * 1.5" in source


def test_a_feed_of_another_shape_is_checked_anew() -> None:
    x = static.data("x", [None, 3])
    out, executor = x * 2.0, Executor()
    for rows in (2, 3, 2):
        (found,) = executor.run(
            feed={"x": np.ones((rows, 3), "float32")}, fetch_list=[out]
        )
        assert found.shape == (rows, 3)
    wrong: list[Any] = [
        np.ones((2, 4), "float32"),
        np.ones((2, 3)),
        np.ones(3, "float32"),
    ]
    for value in wrong:
        with pytest.raises(ValueError, match="fed Variable 'x'"):
            executor.run(feed={"x": value}, fetch_list=[out])
    (found,) = executor.run(feed={"x": [[1, 2, 3]]}, fetch_list=[out])
    np.testing.assert_array_equal(found, [[2, 4, 6]])


def test_the_order_of_a_feed_says_nothing() -> None:
    x, y = static.data("x", [None]), static.data("y", [None])
    out, executor = x - 2.0 * y, Executor()
    one, two = np.ones(1, "float32"), np.full(2, 3, "float32")
    for feed in ({"x": one, "y": two}, {"y": one, "x": two}, {"x": two, "y": one}):
        (found,) = executor.run(feed=feed, fetch_list=[out])
        np.testing.assert_array_equal(found, feed["x"] - 2 * feed["y"])
