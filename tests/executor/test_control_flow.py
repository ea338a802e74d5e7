"""Branches and loops in programs compute what Python's own compute on Tensors."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import teachgraph as tg
from teachgraph import static
from teachgraph.control_flow.ops import LoopError
from teachgraph.core import modes
from teachgraph.core.errors import FetchError, ShapeError
from teachgraph.errors import OutOfRangeError
from teachgraph.fluid.control_flow import (
    While,
    array_length,
    array_read,
    array_write,
    create_array,
    increment,
    less_than,
)
from teachgraph.planning.executor import Executor
from teachgraph.static import nn
from teachgraph.static.scope import Scope
from teachgraph.utils.observe import Observer, watch
from tests.effort import examples
from tests.static.fresh import fresh

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]

INTERPRET = pytest.mark.parametrize("interpret", [False, True])


def run_static(
    function: Function, values: Sequence[Array], *, interpret: bool = False
) -> list[Array]:
    """A function's value and its gradients, from a program."""
    with fresh(), modes.using(static=True):
        inputs = []
        for i, value in enumerate(values):
            inputs.append(static.data(f"x{i}", value.shape, value.dtype))
            inputs[i].stop_gradient = False
        loss = tg.sum(function(*inputs))
        grads = static.gradients(loss, inputs)
        feed = {f"x{i}": value for i, value in enumerate(values)}
        reached = [g for g in grads if g is not None]
        executor = Executor(interpret=interpret)
        found = iter(executor.run(loss.block.program, feed, [loss, *reached]))
        value = next(found)
        return [
            value,
            *(
                next(found) if g is not None else 0.0 * x
                for g, x in zip(grads, values, strict=True)
            ),
        ]


def run_now(function: Function, values: Sequence[Array]) -> list[Array]:
    """The same on Tensors."""
    with modes.using(static=False):
        tensors = [tg.to_tensor(value, stop_gradient=False) for value in values]
        loss = tg.sum(function(*tensors))
        loss.backward()
    grads = [
        0.0 * x if t.grad is None else t.grad.numpy()
        for t, x in zip(tensors, values, strict=True)
    ]
    return [loss.numpy(), *grads]


def agree(function: Function, *values: Array, rtol: float = 1e-6) -> list[Array]:
    """Hold the program, compiled and interpreted, to the Tensors' results."""
    expected = run_now(function, values)
    for interpret in (False, True):
        found = run_static(function, values, interpret=interpret)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=rtol, atol=1e-7)
    return expected


def made_up(*shape: int, start: int = 0) -> Array:
    """Numbers between -1 and 1."""
    return np.sin(start + np.arange(np.prod(shape)), dtype="float64").reshape(shape)


Statement = tuple[Any, ...]


def statements(depth: int) -> st.SearchStrategy[list[Statement]]:
    """A few statements, some of which hold statements."""
    places = st.integers(0, 2)
    simple = st.tuples(st.sampled_from("+*tw"), places, places)
    if depth == 0:
        return st.lists(simple, min_size=1, max_size=2)
    body = statements(depth - 1)
    branch = st.tuples(st.just("if"), places, st.floats(-1, 1), body, body)
    loop = st.tuples(st.just("while"), st.integers(0, 3), body)
    until = st.tuples(st.just("until"), places, body)
    return st.lists(st.one_of(simple, branch, loop, until), min_size=1, max_size=2)


def execute(program: list[Statement], state: list[Any], w: Any) -> list[Any]:
    """Run statements on three vectors; `w` is there for all to read."""
    for kind, *rest in program:
        state = STATEMENTS[kind](state, w, *rest)
    return state


def replaced(state: list[Any], i: int, value: Any) -> list[Any]:
    return [*state[:i], value, *state[i + 1 :]]


def if_(state: Any, w: Any, i: int, bound: float, yes: Any, no: Any) -> Any:
    return nn.cond(
        tg.sum(state[i]) > bound,
        lambda: execute(yes, state, w),
        lambda: execute(no, state, w),
    )


def while_(state: Any, w: Any, count: int, body: Any) -> Any:
    k = tg.full([1], 0, "int64")
    return nn.while_loop(
        lambda k, *state: k < count,
        lambda k, *state: [k + 1, *execute(body, list(state), w)],
        [k, *state],
    )[1:]


def until_(state: Any, w: Any, i: int, body: Any) -> Any:
    """At most four rounds, as long as a value decides so."""
    k = tg.full([], 0, "int32")
    k, state = nn.while_loop(
        lambda k, state: tg.logical_and(k < 4, tg.sum(state[i]) < 2.0),
        lambda k, state: (k + 1, execute(body, state, w)),
        [k, state],
    )
    return state


STATEMENTS: dict[str, Function] = {
    "+": lambda s, w, i, j: replaced(s, i, s[i] + 0.5 * s[j]),
    "*": lambda s, w, i, j: replaced(s, i, tg.tanh(s[i] * s[j])),
    "t": lambda s, w, i, j: replaced(s, i, s[j]),
    "w": lambda s, w, i, j: replaced(s, i, tg.tanh(s[j] * w) + s[i]),
    "if": if_,
    "while": while_,
    "until": until_,
}


@settings(max_examples=examples(25), deadline=None)
@given(statements(2))
def test_any_program_computes_what_python_computes(program: list[Statement]) -> None:
    def function(x: Any, w: Any) -> Any:
        state = execute(program, [x, x * 2.0, w - x], w)
        return state[0] + 2.0 * state[1] - state[2]

    agree(function, made_up(2), made_up(2, start=3), rtol=1e-9)


def unrolled(x: Any, w: Any, u: Any, b: Any) -> Any:
    h = tg.zeros([2, 3], "float64")
    for t in range(4):
        h = tg.tanh(x[:, t] @ w + h @ u + b)
    return tg.sum(h * h)


def looped(x: Any, w: Any, u: Any, b: Any) -> Any:
    def step(t: Any, h: Any) -> Any:
        now = tg.squeeze(tg.gather(x, t, axis=1), [1])
        return t + 1, tg.tanh(now @ w + h @ u + b)

    start = [tg.full([1], 0, "int64"), tg.zeros([2, 3], "float64")]
    _, h = nn.while_loop(lambda t, h: t < 4, step, start)
    return tg.sum(h * h)


RNN = (made_up(2, 4, 5), made_up(5, 3, start=7), made_up(3, 3, start=9), made_up(3))


def test_an_rnn_in_a_loop_has_the_gradients_of_the_same_unrolled() -> None:
    expected = run_now(unrolled, RNN)
    assert abs(expected[2]).min() > 1e-4  # a gradient worth comparing
    for found in (run_static(looped, RNN), run_static(looped, RNN, interpret=True)):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-9)


def test_a_branch_in_a_loop() -> None:
    def function(x: Any, w: Any) -> Any:
        def step(k: Any, x: Any) -> Any:
            even = tg.equal(k % 2, tg.zeros([1], "int64"))
            return k + 1, nn.cond(even, lambda: x * w, lambda: tg.tanh(x) + w)

        return nn.while_loop(lambda k, x: k < 5, step, [tg.zeros([1], "int64"), x])[1]

    agree(function, made_up(3), 1.0 + made_up(3, start=5))


def test_a_loop_in_a_loop_whose_length_depends_on_the_outer() -> None:
    def function(x: Any, w: Any) -> Any:
        def outer(k: Any, x: Any) -> Any:
            inner = nn.while_loop(
                lambda j, x: j < k, lambda j, x: (j + 1, tg.sin(x * w) + x), [k * 0, x]
            )
            return k + 1, inner[1] * w

        return nn.while_loop(lambda k, x: k < 4, outer, [tg.zeros([1], "int64"), x])[1]

    agree(function, made_up(3), 1.0 + made_up(3, start=5))


def test_a_loop_in_a_branch() -> None:
    def function(x: Any, w: Any) -> Any:
        return nn.cond(
            tg.sum(w) > 0.0,
            lambda: nn.while_loop(
                lambda x: tg.sum(x * x) < 50.0, lambda x: x * w + 0.5, [x]
            )[0],
            lambda: x,
        )

    agree(function, made_up(3), 1.0 + made_up(3, start=5))
    agree(function, made_up(3), made_up(3, start=5) - 1.0)


def test_a_branch_in_a_branch() -> None:
    def function(x: Any, w: Any) -> Any:
        return nn.cond(
            x[0] > 0.0,
            lambda: nn.cond(x[1] > 0.0, lambda: x * w, lambda: x + w * w),
            lambda: tg.exp(x),
        )

    for signs in ([1, 1], [1, -1], [-1, 1]):
        agree(function, np.array(signs) * 0.5, np.array([2.0, 3.0]))


def test_loop_variables_that_trade_places() -> None:
    def function(a: Any, b: Any) -> Any:
        return nn.while_loop(
            lambda k, a, b: k < 5,
            lambda k, a, b: [k + 1, b, a * b],
            [tg.zeros([1], "int64"), a, b],
        )[1]

    agree(function, 1.0 + made_up(2), 1.5 + made_up(2, start=4))


def test_a_variable_that_grows_in_a_loop() -> None:
    def function(x: Any, w: Any) -> Any:
        rows = nn.while_loop(
            lambda k, rows: k < 3,
            lambda k, rows: [k + 1, tg.concat([rows, rows[-1:] * w], 0)],
            [tg.zeros([1], "int64"), x],
        )[1]
        assert list(rows.shape)[1] == 2
        return rows * rows

    agree(function, made_up(1, 2), 1.0 + made_up(2, start=4))


def test_a_loop_that_does_not_go_round_passes_the_gradient_on() -> None:
    def function(x: Any, w: Any) -> Any:
        return nn.while_loop(lambda x: tg.sum(x) < -9.0, lambda x: x * w, [x])[0]

    _, dx, dw = agree(function, made_up(3), made_up(3, start=2))
    assert dx.tolist() == [1, 1, 1]
    assert dw.tolist() == [0, 0, 0]


def test_a_first_value_that_is_also_read_in_the_loop() -> None:
    def function(x: Any) -> Any:
        return nn.while_loop(
            lambda k, y: k < 3, lambda k, y: (k + 1, y * x), [tg.zeros([1], "int64"), x]
        )[1]

    _, dx = agree(function, 1.0 + made_up(3))
    np.testing.assert_allclose(dx, 4 * (1.0 + made_up(3)) ** 3)


def test_a_loop_used_twice_and_a_gradient_taken_twice() -> None:
    def function(x: Any, w: Any) -> Any:
        def power(x: Any) -> Any:
            k = tg.zeros([1], "int64")
            return nn.while_loop(
                lambda k, y: k < 2, lambda k, y: (k + 1, y * w), [k, x]
            )[1]

        return power(x) + tg.sin(power(power(x)))

    agree(function, made_up(3), 1.0 + made_up(3, start=5))


def test_two_gradients_of_one_loop() -> None:
    x = static.data("x", [2])
    x.stop_gradient = False
    k = tg.zeros([1], "int64")
    y = nn.while_loop(lambda k, y: k < 3, lambda k, y: (k + 1, tg.sin(y) * x), [k, x])[
        1
    ]
    one = static.gradients(tg.sum(y), x)
    two = static.gradients(tg.sum(y * y), x)
    feed = {"x": np.array([0.5, 1.5], "float32")}
    first, second, value = Executor().run(feed=feed, fetch_list=[*one, *two, y])
    np.testing.assert_allclose(second, 2 * value * first, rtol=1e-6)


def test_switch_case_has_the_gradient_of_the_chosen_one() -> None:
    def function(i: int) -> Function:
        return lambda x: nn.switch_case(
            tg.full([1], i, "int32"),
            {1: lambda: x * 2.0, 4: lambda: x * x, 7: lambda: tg.exp(x)},
        )

    x = made_up(3)
    for i, derivative in ((1, 2 + 0 * x), (4, 2 * x), (7, np.exp(x)), (5, np.exp(x))):
        np.testing.assert_allclose(agree(function(i), x)[1], derivative)


def test_case_takes_the_first_that_holds() -> None:
    def function(x: Any) -> Any:
        return nn.case(
            [(tg.sum(x) > 9.0, lambda: x * 3.0), (tg.sum(x) > 4.0, lambda: x * 5.0)],
            lambda: x * 7.0,
        )

    for value, slope in ((10.0, 3.0), (5.0, 5.0), (1.0, 7.0)):
        assert agree(function, np.array([value]))[1].tolist() == [slope]


@INTERPRET
def test_what_a_branch_captures_is_trained(interpret: bool) -> None:
    x = static.data("x", [4, 2])
    which = static.data("which", [1], "bool")
    fc = static.nn.fc
    y = nn.cond(
        which, lambda: fc(x, 1, name="one"), lambda: fc(tg.tanh(x), 1, name="two")
    )
    loss = tg.mean((y - 1.0) ** 2)
    _, pairs = tg.optimizer.SGD(0.1).minimize(loss)
    assert {p.name for p, _ in pairs} == {"one.w_0", "one.b_0", "two.w_0", "two.b_0"}
    executor = Executor(interpret=interpret)
    executor.run(static.default_startup_program())
    scope = static.global_scope()
    before = np.array(scope.find_var("two.w_0").get_tensor())
    values = made_up(4, 2).astype("float32")
    for answer in ([True], [False]):
        feed = {"x": values, "which": np.array(answer)}
        losses = [executor.run(feed=feed, fetch_list=[loss])[0] for _ in range(60)]
        assert losses[-1] < 0.5 * losses[0]
        now = np.array(scope.find_var("two.w_0").get_tensor())
        assert np.array_equal(now, before) is answer[0]


@INTERPRET
def test_what_a_loop_captures_is_trained(interpret: bool) -> None:
    x = static.data("x", [4, 3])
    k = tg.zeros([1], "int64")
    body = lambda k, h: (k + 1, tg.tanh(static.nn.fc(h, 3, name="step")))  # noqa: E731
    _, h = nn.while_loop(lambda k, h: k < 3, body, [k, x])
    loss = tg.mean((h - 0.5) ** 2)
    tg.optimizer.SGD(0.5).minimize(loss)
    executor = Executor(interpret=interpret)
    executor.run(static.default_startup_program())
    feed = {"x": made_up(4, 3).astype("float32")}
    losses = [executor.run(feed=feed, fetch_list=[loss])[0] for _ in range(100)]
    assert losses[-1] < 0.05 * losses[0]


@INTERPRET
def test_the_counters_meet(interpret: bool) -> None:
    first, second = tg.full([1], 0, "int64"), tg.full([1], 10, "int64")
    after = nn.while_loop(
        lambda a, b: a < b, lambda a, b: [a + 2, b + 1], [first, second]
    )
    fetched = Executor(interpret=interpret).run(fetch_list=[*after, first, second])
    assert [int(v[0]) for v in fetched] == [20, 20, 0, 10]


def test_the_code_is_pythons_own_while_and_if() -> None:
    x = static.data("x", [1])
    y = nn.while_loop(
        lambda x: x < 5.0,
        lambda x: [nn.cond(x > 1.0, lambda: x * x, lambda: x + 1.0)],
        [x],
    )
    source = Executor(interpret=False).compiled(fetch_list=y).source
    assert "    while while_0_condition:  # test_control_flow.py" in source
    assert re.search(r"\n        if \w+:  # test_control_flow.py", source)
    found = Executor().run(feed={"x": np.array([0.5], "float32")}, fetch_list=y)
    assert found[0].tolist() == [1.5**4]


@INTERPRET
def test_a_loop_that_does_not_end_is_stopped_with_its_line(interpret: bool) -> None:
    x = tg.zeros([1])
    y = nn.while_loop(lambda x: x < 1.0, lambda x: [x * 1.0], [x])
    with pytest.raises(LoopError, match="round 100 times") as caught:
        Executor(interpret=interpret, max_iterations=100).run(fetch_list=y)
    assert "nn.while_loop(lambda x: x < 1.0" in str(caught.value)


@INTERPRET
def test_a_loop_may_say_itself_how_often_it_goes_round(interpret: bool) -> None:
    x = tg.zeros([1])
    less = lambda x: x < 3.0  # noqa: E731
    plus = lambda x: [x + 1.0]  # noqa: E731
    enough = nn.while_loop(less, plus, [x], max_iterations=3)
    too_few = nn.while_loop(less, plus, [x], max_iterations=2)
    executor = Executor(interpret=interpret)
    with pytest.raises(LoopError, match="round 2 times"):
        executor.run(fetch_list=[*enough, *too_few])
    alone = enough[0].block.program.clone()
    alone.global_block()._remove_op(len(alone.global_block().ops) - 1)
    assert executor.run(alone, fetch_list=enough)[0].tolist() == [3.0]


@INTERPRET
def test_an_interrupted_loop_leaves_the_scope_as_it_was(interpret: bool) -> None:
    total = static.create_global_var([1], 5.0, "float32", persistable=True)
    count = [0]

    def interrupt(x: Array) -> Array:
        count[0] += 1
        if count[0] == 3:
            raise KeyboardInterrupt
        return x + 1.0

    def body(x: Any) -> Any:
        out = x.block.program.current_block().create_var(shape=[1], dtype="float32")
        tg.assign(total + 1.0, total)
        return [static.py_func(interrupt, x, out)]

    nn.while_loop(lambda x: x < 9.0, body, [tg.zeros([1])])
    executor, scope = Executor(interpret=interpret), Scope()
    executor.run(static.default_startup_program(), scope=scope)
    with pytest.raises(KeyboardInterrupt):
        executor.run(scope=scope)
    assert count == [3]
    assert np.array(scope.find_var(total.name).get_tensor()).tolist() == [5.0]
    executor.run(scope=scope)
    assert np.array(scope.find_var(total.name).get_tensor()).tolist() == [14.0]


@INTERPRET
def test_an_error_in_a_body_names_its_line(interpret: bool) -> None:
    x = static.data("x", [-1])
    y = static.data("y", [-1])
    z = nn.while_loop(
        lambda z: tg.sum(z) < 9.0,
        lambda z: [z + y],
        [x],
    )
    feed = {"x": np.ones(2, "float32"), "y": np.ones(3, "float32")}
    with pytest.raises(ShapeError, match=r"lambda z: \[z \+ y\]"):
        Executor(interpret=interpret).run(feed=feed, fetch_list=z)


@INTERPRET
def test_a_condition_of_several_elements_is_refused(interpret: bool) -> None:
    p = static.data("p", [-1], "bool")
    y = nn.cond(p, lambda: tg.zeros([1]), lambda: tg.ones([1]))
    executor = Executor(interpret=interpret)
    assert executor.run(feed={"p": np.array([False])}, fetch_list=y)[0].tolist() == [
        1.0
    ]
    with pytest.raises(ShapeError, match="a condition of one element"):
        executor.run(feed={"p": np.array([True, False])}, fetch_list=y)


def test_a_fetch_from_the_branch_not_taken_is_refused() -> None:
    p = static.data("p", [1], "bool")
    nn.cond(p, lambda: tg.zeros([1]), lambda: tg.ones([1]))
    with pytest.raises(FetchError, match="the branch that writes it was not taken"):
        Executor().run(feed={"p": np.array([False])}, fetch_list=["_generated_var_0"])


def test_an_observer_sees_each_round() -> None:
    class Counts(Observer):
        def __init__(self) -> None:
            self.types: list[str] = []

        def run_op(self, operator: Any, outputs: Any) -> None:
            self.types.append(operator.type)

    y = nn.while_loop(
        lambda x: x < 3.0, lambda x: [tg.exp(x * 0.0) + x], [tg.zeros([1])]
    )
    counts = Counts()
    with watch(counts):
        Executor().run(fetch_list=y)
    assert counts.types.count("exp") == 3
    assert counts.types[-1] == "while"


def rnn_of_arrays(x: Any, w: Any, u: Any, b: Any) -> Any:
    """1.x's way: counters in place, memories in arrays."""
    t, end = tg.full([1], 0, "int64"), tg.full([1], 4, "int64")
    inputs, memory = create_array("float64"), create_array("float64")
    for i in range(4):
        inputs = array_write(x[:, i], i, inputs)
    memory = array_write(tg.zeros([2, 3], "float64"), t, memory)
    going = less_than(t, end)
    if modes.in_dynamic_mode():
        while t < end:
            h = array_read(memory, t)
            now = array_read(inputs, t)
            t = t + 1
            array_write(tg.tanh(now @ w + h @ u + b), t, memory)
    else:
        with While(going).block():
            h = array_read(memory, t)
            now = array_read(inputs, t)
            increment(t)
            array_write(tg.tanh(now @ w + h @ u + b), t, memory)
            less_than(t, end, cond=going)
    last = array_read(memory, t)
    return tg.sum(last * last) + tg.sum(array_read(memory, 1) * 3.0)


def test_an_rnn_of_arrays_has_the_gradients_of_its_dynamic_twin() -> None:
    found = agree(rnn_of_arrays, *RNN)
    h = np.tanh(RNN[0][:, 0] @ RNN[1] + RNN[3])
    first = h
    for step in range(1, 4):
        h = np.tanh(RNN[0][:, step] @ RNN[1] + h @ RNN[2] + RNN[3])
    np.testing.assert_allclose(found[0], (h * h).sum() + 3.0 * first.sum())


@INTERPRET
def test_while_writes_its_variables_in_place(interpret: bool) -> None:
    i, total = tg.full([1], 0, "int64"), tg.full([1], 0.0, "float32")
    ten, going = tg.full([1], 10, "int64"), tg.full([1], 1, "bool")
    with While(going).block():
        increment(i, 2)
        tg.assign(total + tg.cast(i, "float32"), total)
        less_than(i, ten, cond=going)
    length = array_length(create_array("float32", [total, total, total]))
    fetched = Executor(interpret=interpret).run(fetch_list=[i, total, going, length])
    assert [v.tolist() for v in fetched] == [[10], [30.0], [False], [3]]


def test_a_float_that_while_changes_in_place_has_a_gradient() -> None:
    def function(x: Any) -> Any:
        y, i = x * 2.0, tg.full([1], 0, "int64")
        if modes.in_dynamic_mode():
            return y * x * x * x
        going, end = tg.full([1], 1, "bool"), tg.full([1], 3, "int64")
        with While(going).block():
            tg.assign(y * x, y)
            increment(i)
            less_than(i, end, cond=going)
        return y

    agree(function, 1.0 + made_up(3))


def test_an_array_as_a_loop_variable_grows_and_has_a_gradient() -> None:
    def function(x: Any) -> Any:
        def step(k: Any, array: Any) -> Any:
            array = array_write(tg.sin(array_read(array, k)) * x, k + 1, array)
            return k + 1, array

        k, array = tg.full([1], 0, "int64"), create_array("float64", [x])
        if modes.in_dynamic_mode():
            while k < 3:
                k, array = step(k, array)
        else:
            k, array = nn.while_loop(lambda k, array: k < 3, step, [k, array])
        return array_read(array, 1) * array_read(array, 3)

    agree(function, 1.0 + made_up(3))


@INTERPRET
def test_reading_past_the_end_of_an_array_is_refused(interpret: bool) -> None:
    array = create_array("float32", [tg.zeros([2])])
    i = static.data("i", [1], "int64")
    part = array_read(array, i)
    executor = Executor(interpret=interpret)
    assert executor.run(feed={"i": np.array([0])}, fetch_list=part)[0].tolist() == [
        0,
        0,
    ]
    with pytest.raises(OutOfRangeError, match="the index is 3, but the array holds 1"):
        executor.run(feed={"i": np.array([3])}, fetch_list=part)
