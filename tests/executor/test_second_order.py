"""Gradients of gradients through branches and loops are those of dynamic mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core import modes
from teachgraph.core.errors import ProgramError
from teachgraph.fluid.control_flow import (
    IfElse,
    Switch,
    While,
    array_read,
    array_write,
    create_array,
    increment,
    less_than,
)
from teachgraph.ops.tensor_array import TensorArray, place_in_array
from teachgraph.planning.executor import Executor
from teachgraph.static import nn
from tests.executor.test_control_flow import made_up
from tests.executor.test_static_rnn import CELL, either
from tests.static.fresh import fresh

pytestmark = pytest.mark.further

FIFTH = pytest.param(5, marks=pytest.mark.full)

Array = np.ndarray[Any, Any]
Function = Callable[..., Any]


def summed(gradients: Sequence[Any], inputs: Sequence[Any]) -> Any:
    """One number of several gradients: each its own weights, so that none cancel."""
    total: Any = 0.0
    for i, (grad, x) in enumerate(zip(gradients, inputs, strict=True)):
        if grad is not None:
            total = total + tg.sum(grad * (tg.sin(x + float(i)) + 1.5))
    return total


def known(grad: Any, x: Any) -> Any:
    """A gradient, zeros if there is none."""
    return 0.0 * x if grad is None else grad


def of_static(
    function: Function, values: Sequence[Array], order: int, *, interpret: bool
) -> list[Array]:
    """The value and the derivatives of up to that order, from one program."""
    with fresh(), modes.using(static=True):
        inputs = []
        for i, value in enumerate(values):
            inputs.append(static.data(f"x{i}", value.shape, value.dtype))
            inputs[i].stop_gradient = False
        targets = [tg.sum(function(*inputs))]
        wanted = [targets[0]]
        for _ in range(order):
            grads = static.gradients(targets, inputs)
            wanted += list(map(known, grads, inputs))
            targets = [summed(grads, inputs)]
        feed = {f"x{i}": value for i, value in enumerate(values)}
        program = wanted[0].block.program
        return Executor(interpret=interpret).run(program, feed, wanted)


def of_tensors(function: Function, values: Sequence[Array], order: int) -> list[Array]:
    """The same in dynamic mode."""
    with modes.using(static=False):
        inputs = [tg.to_tensor(value, stop_gradient=False) for value in values]
        target = tg.sum(function(*inputs))
        wanted = [target]
        for _ in range(order):
            grads = tg.grad([target], inputs, create_graph=True, allow_unused=True)
            wanted += list(map(known, grads, inputs))
            target = summed(grads, inputs)
        return [value.numpy() for value in wanted]


def agree(function: Function, *values: Array, order: int = 2) -> None:
    """Hold the program's derivatives to those of the Tensors."""
    expected = of_tensors(function, values, order)
    assert abs(expected[-1]).max() > 1e-6  # a derivative worth comparing
    for interpret in (False, True):
        found = of_static(function, values, order, interpret=interpret)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def power(x: Any, w: Any) -> Any:
    """A loop of three rounds."""
    k = tg.zeros([1], "int64")
    return nn.while_loop(
        lambda k, y: k < 3, lambda k, y: [k + 1, tg.sin(y * w) * x], [k, x]
    )[1]


def unrolled(x: Any, w: Any) -> Any:
    """The same, round by round."""
    y = x
    for _ in range(3):
        y = tg.sin(y * w) * x
    return y


X, W = 1.0 + 0.5 * made_up(3), 0.5 + 0.3 * made_up(3, start=5)


@pytest.mark.parametrize("order", [2, 3, 4, FIFTH])
def test_through_a_loop(order: int) -> None:
    agree(power, X, W, order=order)


@pytest.mark.parametrize("order", [4, FIFTH])
def test_without_a_loop(order: int) -> None:
    """Gradients of gradients, however often taken, have names of their own."""
    agree(unrolled, X, W, order=order)


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_through_a_branch(sign: float, order: int) -> None:
    def function(x: Any, w: Any) -> Any:
        return nn.cond(
            tg.sum(x) > 0.0, lambda: tg.sin(x * w) * x, lambda: tg.exp(x) * w * w
        )

    agree(function, sign * X, W, order=order)


def test_through_a_branch_in_a_loop() -> None:
    def function(x: Any, w: Any) -> Any:
        def step(k: Any, y: Any) -> Any:
            even = tg.equal(k % 2, tg.zeros([1], "int64"))
            return k + 1, nn.cond(even, lambda: y * w * x, lambda: tg.tanh(y) + w * w)

        return nn.while_loop(lambda k, y: k < 4, step, [tg.zeros([1], "int64"), x])[1]

    agree(function, X, W)
    agree(function, X, W, order=3)


def test_through_a_loop_in_a_loop() -> None:
    def function(x: Any, w: Any) -> Any:
        def outer(k: Any, y: Any) -> Any:
            inner = nn.while_loop(
                lambda j, y: j < k, lambda j, y: (j + 1, tg.sin(y * w) + y), [k * 0, y]
            )
            return k + 1, inner[1] * x

        return nn.while_loop(lambda k, y: k < 3, outer, [tg.zeros([1], "int64"), x])[1]

    agree(function, X, W)
    agree(function, X, W, order=3)


def test_through_a_loop_in_a_branch() -> None:
    def function(x: Any, w: Any) -> Any:
        return nn.cond(tg.sum(x) > 0.0, lambda: power(x, w), lambda: x * w * w)

    agree(function, X, W)
    agree(function, -X, W)
    agree(function, X, W, order=3)


def test_through_a_branch_in_a_branch() -> None:
    def function(x: Any, w: Any) -> Any:
        return nn.cond(
            x[0] > 0.0,
            lambda: nn.cond(x[1] > 0.0, lambda: tg.sin(x * w), lambda: x * x * w * w),
            lambda: tg.exp(x * w),
        )

    for signs in ([1, 1, 1], [1, -1, 1], [-1, 1, 1]):
        agree(function, np.array(signs) * X, W)


def test_through_a_switch() -> None:
    def function(x: Any, w: Any) -> Any:
        y = x * w
        if modes.in_dynamic_mode():
            return tg.sin(y) * x if float(x.numpy()[0]) < 9.0 else y
        with Switch() as switch:
            with switch.case(x[0] > 9.0):
                tg.assign(y * w, y)
            with switch.default():
                tg.assign(tg.sin(y) * x, y)
        return y

    agree(function, X, W)


def test_through_rows_that_part_ways() -> None:
    def function(x: Any, w: Any) -> Any:
        holds = x > 0.9
        if modes.in_dynamic_mode():
            return tg.where(holds, tg.sin(x * w) * x, x * x * w)
        choice = IfElse(holds)
        with choice.true_block():
            a, b = choice.input(x), choice.input(w)
            choice.output(tg.sin(a * b) * a)
        with choice.false_block():
            a, b = choice.input(x), choice.input(w)
            choice.output(a * a * b)
        return choice()[0]

    agree(function, X[:, None], W[:, None], order=3)


def test_through_a_while_with_arrays() -> None:
    def function(x: Any, w: Any) -> Any:
        t, end = tg.full([1], 0, "int64"), tg.full([1], 3, "int64")
        memory = array_write(x * w, t, create_array("float64"))
        if modes.in_dynamic_mode():
            for i in range(3):
                array_write(tg.tanh(array_read(memory, i) * w) * x, i + 1, memory)
            return array_read(memory, 3) * array_read(memory, 1)
        going = less_than(t, end)
        with While(going).block():
            h = tg.tanh(array_read(memory, t) * w) * x
            increment(t)
            array_write(h, t, memory)
            less_than(t, end, cond=going)
        return array_read(memory, 3) * array_read(memory, 1)

    agree(function, X, W)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize("order", [2, 3])
def test_through_a_static_rnn(back: bool, order: int) -> None:
    agree(lambda *v: either(*v, back=back) ** 2, *CELL, order=order)


def test_through_a_loop_that_does_not_go_round() -> None:
    def function(x: Any, w: Any) -> Any:
        once = nn.while_loop(lambda y: tg.sum(y) < -9.0, lambda y: y * w, [x * x])[0]
        return once * w

    agree(function, X, W)


def test_a_gradient_of_a_loops_own_gradient_by_differences() -> None:
    """Where no dynamic mode has a say: d/dx of the loop's gradient, numerically."""
    x = static.data("x", [3], "float64")
    w = static.data("w", [3], "float64")
    x.stop_gradient = w.stop_gradient = False
    (dx,) = static.gradients(power(x, w), [x])
    (ddx,) = static.gradients(dx, [x])
    executor, eps = Executor(), 1e-6
    found = executor.run(feed={"x": X, "w": W}, fetch_list=[ddx])[0]
    for i in range(3):
        step = eps * np.eye(3)[i]
        up, down = (
            executor.run(feed={"x": at, "w": W}, fetch_list=[dx])[0].sum()
            for at in (X + step, X - step)
        )
        np.testing.assert_allclose(found[i], (up - down) / (2 * eps), rtol=1e-6)


def test_the_first_order_stays_as_it_was() -> None:
    """Asking for the second leaves the first one's values, and its loop, alone."""
    x = static.data("x", [3], "float64")
    w = static.data("w", [3], "float64")
    x.stop_gradient = w.stop_gradient = False
    (dx,) = static.gradients(power(x, w), [x])
    executor, feed = Executor(), {"x": X, "w": W}
    before = executor.run(feed=feed, fetch_list=[dx])[0]
    static.gradients(dx, [x])
    np.testing.assert_array_equal(executor.run(feed=feed, fetch_list=[dx])[0], before)


def test_a_loss_of_a_gradient_is_trained_through_a_loop() -> None:
    """A penalty on a gradient's size, as in a Wasserstein GAN with such a penalty."""
    x = static.data("x", [2, 3], "float64")
    x.stop_gradient = False
    weight = static.create_parameter([3, 3], "float64", "w")
    k = tg.zeros([1], "int64")
    _, h = nn.while_loop(
        lambda k, h: k < 2, lambda k, h: [k + 1, tg.tanh(h @ weight)], [k, x]
    )
    (slope,) = static.gradients(h, x)
    loss = tg.mean((slope - 0.3) ** 2)
    tg.optimizer.SGD(0.5).minimize(loss)
    executor = Executor()
    executor.run(static.default_startup_program())
    feed = {"x": made_up(2, 3)}
    losses = [executor.run(feed=feed, fetch_list=[loss])[0] for _ in range(150)]
    assert losses[-1] < 0.2 * losses[0]


def slope(function: Function, x: Any) -> Any:
    """The gradient of a function, in either mode."""
    if modes.in_dynamic_mode():
        return tg.grad([function(x)], [x], create_graph=True)[0]
    return static.gradients(function(x), x)[0]


def test_a_body_may_take_gradients() -> None:
    """Descent inside a loop, whose outcome is differentiated in turn."""

    def function(x: Any, w: Any) -> Any:
        def descend(k: Any, y: Any) -> Any:
            down = slope(lambda y: tg.sum(tg.sin(y * w) * y), y)
            return k + 1, y - 0.1 * down * down

        k = tg.zeros([1], "int64")
        return nn.while_loop(lambda k, y: k < 3, descend, [k, x])[1]

    for order in (1, 2, 3):
        agree(function, X, W, order=order)


def test_a_body_that_takes_gradients_of_a_loop_has_none() -> None:
    """Rather than a wrong one."""

    def function(x: Any, w: Any) -> Any:
        def descend(k: Any, y: Any) -> Any:
            return k + 1, y - 0.1 * slope(lambda y: tg.sum(power(y, w)), y)

        k = tg.zeros([1], "int64")
        return nn.while_loop(lambda k, y: k < 2, descend, [k, x])[1]

    with pytest.raises(ProgramError, match="whose body takes gradients itself"):
        of_static(function, (X, W), 1, interpret=False)
    found = of_static(function, (X, W), 0, interpret=False)
    np.testing.assert_allclose(found[0], of_tensors(function, (X, W), 0)[0])


def test_an_array_of_one_part_is_the_same_as_with_zeros_beside_it() -> None:
    first, second = made_up(2), made_up(2, start=5)
    like = TensorArray([first, second])
    one = place_in_array.kernel(second, like, np.array([0]))
    other = place_in_array.kernel(first, like, np.array([1]))
    for total in (one + other, other + one, one + like.zeros() + other):
        np.testing.assert_array_equal(np.stack(total.parts), [second, first])
    np.testing.assert_array_equal(np.stack(one.parts), [second, 0.0 * first])
    np.testing.assert_array_equal(np.stack((one + one).parts), [2 * second, 0 * first])
    assert len(one) == 2
    assert one.shape == (2,)
