"""`py_func`: what the user's functions are given, in which order, and what they give.

The order is Paddle's: backward_func gets x, then out, then the gradients of out,
without those that are skipped.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid, static
from teachgraph.core.errors import ProgramError
from teachgraph.errors import PyFuncError
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable, append_backward, default_main_program
from tests.static.fresh import Fresh

X = np.array([[1.0, -2.0], [3.0, -4.0]], "float32")


def made(name: str, shape: Any = (-1, 2)) -> Variable:
    """A variable for a result."""
    return default_main_program().current_block().create_var(name, shape)


def open_data(name: str) -> Variable:
    x = static.data(name, [None, 2])
    x.stop_gradient = False
    return x


def run(fetch: Any, **feed: Any) -> list[Any]:
    executor = Executor()
    if static.default_startup_program().global_block().ops:
        executor.run(static.default_startup_program())
    return executor.run(feed=feed or {"x": X}, fetch_list=fetch)


NAMES = ("x0", "x1", "y0", "y1")
SUBSETS = [*chain.from_iterable(combinations(NAMES, n) for n in range(5))]


@pytest.mark.parametrize("skipped", SUBSETS, ids="-".join)
def test_backward_gets_what_is_not_skipped_in_paddles_order(
    skipped: tuple[str, ...],
) -> None:
    """Each argument is recognised by its value."""
    inputs = [open_data("x0"), open_data("x1")]
    outputs = [made("y0"), made("y1")]
    given: list[Any] = []

    def forward(x0: Any, x1: Any) -> Any:
        return x0 + x1, x0 * x1

    def backward(*arguments: Any) -> Any:
        given.extend(arguments)
        return arguments[-2] * 10, arguments[-1] * 100

    block = default_main_program().current_block()
    skip = [block.var(name) for name in skipped]
    returned = static.py_func(forward, inputs, outputs, backward, skip)
    assert returned is outputs
    loss = tg.mean(outputs[0] * 4.0) + tg.mean(outputs[1] * 8.0)
    found = static.gradients(loss, inputs)
    x0, x1 = X, X + 10.0
    first, second = run(found, x0=x0, x1=x1)
    one, two = np.full_like(X, 1.0), np.full_like(X, 2.0)
    everything = {"x0": x0, "x1": x1, "y0": x0 + x1, "y1": x0 * x1}
    wanted = [value for name, value in everything.items() if name not in skipped]
    assert len(given) == len(wanted) + 2
    for got, want in zip(given, [*wanted, one, two], strict=True):
        np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(first, one * 10)
    np.testing.assert_array_equal(second, two * 100)


def test_the_gradient_is_a_py_func_too_with_paddles_slots() -> None:
    x = open_data("x")
    y = static.py_func(lambda x: x, x, made("y"), lambda x, dy: dy, made("y"))
    static.gradients(tg.mean(y), x)
    block = default_main_program().global_block()
    forward, backward = block.ops[0], block.ops[-1]
    assert (forward.type, forward.inputs, forward.outputs) == (
        "py_func",
        {"X": ["x"]},
        {"Out": ["y"]},
    )
    assert (backward.type, backward.inputs, backward.outputs) == (
        "py_func",
        {"X": ["x", "y@GRAD"]},
        {"Out": ["x@GRAD"]},
    )
    assert forward.attr("backward_skip_vars") == ["y"]
    assert backward.attr("forward_callable_id") == forward.attr("backward_callable_id")
    assert backward.attr("backward_callable_id") == -1


def test_a_gradient_that_does_not_arrive_is_none() -> None:
    x, outputs, given = open_data("x"), [made("y0"), made("y1")], []

    def backward(x: Any, y0: Any, y1: Any, dy0: Any, dy1: Any) -> Any:
        given.append((dy0, dy1))
        return dy0

    static.py_func(lambda x: (x, x * 2), x, outputs, backward)
    run(static.gradients(tg.mean(outputs[0]), x))
    assert given[0][1] is None
    np.testing.assert_array_equal(given[0][0], np.full_like(X, 0.25))


def test_an_input_that_wants_no_gradient_may_get_none() -> None:
    x, y = open_data("x"), static.data("y", [None, 2])
    out = static.py_func(
        lambda x, y: x * y, [x, y], made("out"), lambda x, y, o, do: (do * y, None)
    )
    found = static.gradients(tg.mean(out), [x, y])
    assert found[1] is None
    block = default_main_program().global_block()
    assert block.ops[-1].output("Out") == ["x@GRAD", "@EMPTY@"]
    (grad,) = run(found[:1], x=X, y=X)
    np.testing.assert_array_equal(grad, X / 4)


def test_an_input_that_wants_one_must_get_it() -> None:
    x = open_data("x")
    out = static.py_func(lambda x: x, x, made("out"), lambda x, y, dy: None)
    found = static.gradients(tg.mean(out), x)
    with pytest.raises(PyFuncError, match="returned None for 'x'"):
        run(found)


def test_without_backward_func_no_gradient_passes(programs: Fresh) -> None:
    hidden = static.nn.fc(static.data("x", [None, 2]), 2)
    out = static.py_func(lambda x: x, hidden, made("out"))
    assert append_backward(tg.mean(out)) == []
    later = tg.mean(static.nn.fc(out, 1))
    names = [parameter.name for parameter, _ in append_backward(later)]
    assert names == ["fc_1.w_0", "fc_1.b_0"]


def test_the_functions_get_copies_that_are_arrays_with_numpy() -> None:
    """What they do to their arguments happens to nobody else."""
    x, given = static.data("x", [None, 2]), []

    def wipe(value: Any) -> Any:
        given.append((type(value.numpy()), isinstance(value, np.ndarray), value.dtype))
        value[...] = 0.0
        return value

    out = static.py_func(wipe, x, made("out"))
    before = X.copy()
    found, unchanged = run([out, x * 1.0])
    assert given == [(np.ndarray, True, np.dtype("float32"))]
    np.testing.assert_array_equal(found, np.zeros_like(X))
    np.testing.assert_array_equal(unchanged, before)
    np.testing.assert_array_equal(before, X)


@pytest.mark.parametrize("dtype", ["float64", "int64", "float16"])
def test_a_result_is_brought_to_the_declared_dtype(dtype: str) -> None:
    x = static.data("x", [None, 2])
    out = static.py_func(lambda x: x.astype(dtype), x, made("out"))
    (found,) = run([out])
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, X)


def test_a_tensor_may_be_returned() -> None:
    x = static.data("x", [None, 2])
    out = static.py_func(lambda x: tg.to_tensor(x) * 2.0, x, made("out"))
    np.testing.assert_array_equal(run([out]), [X * 2])


@pytest.mark.parametrize("form", ["Variable", "list", "tuple"])
def test_one_input_and_output_come_in_any_form(form: str) -> None:
    x, out = static.data("x", [None, 2]), made("out")
    wrap = {"Variable": lambda v: v, "list": lambda v: [v], "tuple": lambda v: (v,)}[
        form
    ]
    given = wrap(out)
    assert static.py_func(lambda x: x * 3, wrap(x), given) is given
    np.testing.assert_array_equal(run([out]), [X * 3])


def test_it_needs_neither_input_nor_output() -> None:
    x, seen = static.data("x", [None, 2]), []
    assert static.py_func(lambda: seen.append("nothing"), None, None) is None
    assert static.py_func(lambda x: seen.append(x.shape), x, None) is None
    out = static.py_func(lambda: np.ones((1, 2)), None, made("out"))
    np.testing.assert_array_equal(run([out]), [[[1.0, 1.0]]])
    assert seen == ["nothing", (2, 2)]


def test_a_scalar_has_a_gradient_too(programs: Fresh) -> None:
    hidden = static.nn.fc(static.data("x", [None, 2]), 2)
    out = static.py_func(
        lambda mean: mean.reshape(1) ** 2,
        tg.mean(hidden),
        made("out", [1]),
        lambda mean, out, dout: (2 * mean * dout).reshape(()),
    )
    pairs = append_backward(tg.mean(out))
    mean, bias = run(["mean_0.tmp_0", pairs[1][1]])
    np.testing.assert_allclose(bias, [mean, mean], rtol=1e-6)


def test_it_writes_over_its_own_input_where_no_gradient_comes_back() -> None:
    hidden = tg.scale(static.data("x", [None, 2]), 1.0)
    assert static.py_func(lambda x: x * 2, hidden, hidden) is hidden
    np.testing.assert_array_equal(run([hidden]), [X * 2])


def test_a_clone_calls_the_same_function() -> None:
    x, calls = static.data("x", [None, 2]), []

    def count(x: Any) -> Any:
        calls.append(1)
        return x

    out = static.py_func(count, x, made("out"))
    for program in (default_main_program().clone(for_test=True), None):
        Executor().run(program, {"x": X}, [out])
    assert len(calls) == 2


def test_it_has_no_second_derivative() -> None:
    x = open_data("x")
    out = static.py_func(lambda x: x * x, x, made("out"), lambda x, y, dy: 2 * x * dy)
    first = static.gradients(tg.sum(out), x)
    assert static.gradients(first, x) == [None]


def function(x: Any) -> Any:
    return x


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"func": "f"}, TypeError, "func must be a Python function, got <class 'str'>"),
        ({"func": None}, TypeError, "func must be a Python function"),
        ({"backward_func": 3}, TypeError, "func must be a Python function"),
        ({"x": "x"}, TypeError, "The type of 'X' in py_func must be"),
        ({"x": [3]}, TypeError, "The type of 'X' in py_func must be"),
        ({"out": "out"}, TypeError, "The type of 'Out' in py_func must be"),
        ({"out": "shapeless"}, ProgramError, "shapes of py_func op should be provided"),
        ({"skip": "x"}, TypeError, "The type of 'skip_vars_in_backward_input'"),
        ({"skip": "other"}, ProgramError, "Variable other is not found in forward inp"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_can_not_be_built(
    change: dict[str, Any], error: type[Exception], message: str
) -> None:
    variables = {"shapeless": made("shapeless", None), "other": made("other")}
    given = {"func": function, "x": static.data("x", [None, 2]), "out": made("out")}
    change = {key: variables.get(str(v), v) for key, v in change.items()}
    if "skip" in change:
        change["skip_vars_in_backward_input"] = change.pop("skip")
    with pytest.raises(error, match=message):
        static.py_func(**{**given, **change})
    assert not default_main_program().global_block().ops


def test_its_places_are_the_same_in_the_old_names_and_in_static_nn() -> None:
    assert fluid.layers.py_func.__wrapped__ is static.py_func
    assert static.nn.py_func is static.py_func
