"""`StaticRNN` computes what the same network computes unrolled, with its gradients."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.control_flow.static_rnn import StaticRNN
from teachgraph.core import modes
from teachgraph.core.errors import ModeError, ProgramError, ShapeError
from teachgraph.fluid import layers as fluid_layers
from teachgraph.planning.executor import Executor
from teachgraph.static import nn
from tests.executor.test_control_flow import INTERPRET, agree, made_up

CELL = (made_up(4, 2, 5), made_up(5, 3, start=7), made_up(3, 3, start=9), made_up(2, 3))


def one_by_one(x: Any, w: Any, u: Any, h: Any, *, back: bool = False) -> Any:
    """The network as Python's loop runs it: all its states."""
    found = []
    for t in reversed(range(4)) if back else range(4):
        h = tg.tanh(x[t] @ w + h @ u)
        found.append(h)
    return tg.stack(found[::-1] if back else found)


def repeated(x: Any, w: Any, u: Any, first: Any, *, back: bool = False) -> Any:
    """The same as a StaticRNN."""
    rnn = StaticRNN(reverse=back)
    with rnn.step():
        now, before = rnn.step_input(x), rnn.memory(init=first)
        h = tg.tanh(now @ w + before @ u)
        rnn.update_memory(before, h)
        rnn.step_output(h)
    return rnn()


def either(*values: Any, back: bool = False) -> Any:
    made = one_by_one if modes.in_dynamic_mode() else repeated
    return made(*values, back=back)


@pytest.mark.parametrize("back", [False, True])
def test_values_and_gradients_are_those_of_the_unrolled_network(back: bool) -> None:
    def function(*values: Any) -> Any:
        h = either(*values, back=back)
        return h * tg.sin(h) + tg.cumsum(h, axis=0)

    agree(function, *CELL, rtol=1e-12)
    agree(function, *(value.astype("float32") for value in CELL), rtol=2e-6)


def test_only_the_last_step_may_matter() -> None:
    agree(lambda *values: either(*values)[-1], *CELL, rtol=1e-12)


def test_what_a_step_does_not_depend_on_gets_zeros() -> None:
    def function(x: Any, w: Any) -> Any:
        if modes.in_dynamic_mode():
            return tg.stack([x[t] * 2.0 for t in range(4)]) + 0.0 * w
        rnn = StaticRNN()
        with rnn.step():
            rnn.step_input(w)
            rnn.step_output(rnn.step_input(x) * 2.0)
        return rnn()

    agree(function, made_up(4, 3), made_up(4, 3))


def test_several_sequences_memories_and_outputs() -> None:
    def function(x: Any, z: Any, w: Any) -> Any:
        total, product = tg.zeros([2, 3], "float64"), tg.ones([2, 3], "float64")
        if modes.in_dynamic_mode():
            totals, products = [], []
            for t in range(4):
                total, product = total + x[t] * w, tg.sin(product) * z[t] + total
                totals.append(total)
                products.append(product)
            return tg.stack(totals) * tg.exp(tg.stack(products))
        rnn = StaticRNN()
        with rnn.step():
            now, other = rnn.step_input(x), rnn.step_input(z)
            total = rnn.memory(shape=[-1, 3], batch_ref=now)
            product = rnn.memory(shape=[-1, 3], batch_ref=x, init_value=1.0)
            new = total + now * w
            rnn.update_memory(product, tg.sin(product) * other + total)
            rnn.update_memory(total, new)
            rnn.output(new, tg.sin(product) * other + total)
        first, second = rnn()
        return first * tg.exp(second)

    agree(function, made_up(4, 2, 3), made_up(4, 2, 3, start=5), made_up(3), rtol=1e-12)


def test_a_branch_and_a_loop_in_a_step() -> None:
    def function(x: Any, w: Any) -> Any:
        def cell(now: Any, h: Any) -> Any:
            h = nn.cond(
                tg.sum(now) > 0.0, lambda: h * w + now, lambda: tg.tanh(h - now)
            )
            k = tg.zeros([1], "int64")
            return nn.while_loop(
                lambda k, h: k < 2, lambda k, h: [k + 1, tg.sin(h * w)], [k, h]
            )[1]

        h = tg.ones([3], "float64")
        if modes.in_dynamic_mode():
            found = []
            for t in range(4):
                h = cell(x[t], h)
                found.append(h)
            return tg.stack(found)
        rnn = StaticRNN()
        with rnn.step():
            now, before = rnn.step_input(x), rnn.memory(init=h)
            h = cell(now, before)
            rnn.update_memory(before, h)
            rnn.step_output(h)
        return rnn()

    agree(function, made_up(4, 3), 1.0 + made_up(3, start=5), rtol=1e-12)


def test_a_network_in_a_loop() -> None:
    def function(*values: Any) -> Any:
        x, w, u, first = values

        def again(k: Any, h: Any) -> Any:
            return k + 1, either(x, w, u, h)[-1] + h

        k = tg.zeros([1], "int64")
        return nn.while_loop(lambda k, h: k < 3, again, [k, first])[1]

    agree(function, *CELL, rtol=1e-12)


@INTERPRET
def test_it_is_trained_and_takes_any_number_of_steps(interpret: bool) -> None:
    tg.seed(1)  # some weights are learned with the first steps alone
    x = static.data("x", [-1, 4, 2])
    rnn = StaticRNN(name="rnn")
    with rnn.step():
        now = rnn.step_input(x)
        before = rnn.memory(shape=[-1, 3], batch_ref=now)
        h = nn.fc(tg.concat([now, before], 1), 3, activation="tanh")
        rnn.update_memory(before, h)
        rnn.step_output(h)
    out = rnn()
    assert out.shape == (-1, 4, 3)
    loss = tg.mean((out[-1] - 0.5) ** 2)
    tg.optimizer.SGD(0.5).minimize(loss)
    executor = Executor(interpret=interpret)
    executor.run(static.default_startup_program())
    for steps in (3, 5):
        feed = {"x": made_up(steps, 4, 2).astype("float32")}
        losses = [executor.run(feed=feed, fetch_list=[loss])[0] for _ in range(60)]
        assert losses[-1] < 0.2 * losses[0]


@INTERPRET
def test_each_step_of_a_seeded_program_leaves_out_others(interpret: bool) -> None:
    static.default_main_program().random_seed = 11
    x = static.data("x", [6, 16])
    x.stop_gradient = False
    rnn = StaticRNN()
    with rnn.step():
        now = rnn.step_input(x)
        rnn.step_output(tg.nn.functional.dropout(now, 0.5, mode="downscale_in_infer"))
    out = rnn()
    (dx,) = static.gradients(out, x)
    executor = Executor(interpret=interpret)
    feed = {"x": np.ones((6, 16), "float32")}
    kept, slope = executor.run(feed=feed, fetch_list=[out, dx])
    np.testing.assert_array_equal(kept, slope)
    assert len(np.unique(kept, axis=0)) == 6
    np.testing.assert_array_equal(executor.run(feed=feed, fetch_list=[out])[0], kept)


def test_the_code_is_pythons_own_for() -> None:
    x, first = static.data("x", [4, 2]), tg.zeros([2])
    rnn = fluid_layers.StaticRNN()
    with rnn.step():
        now = rnn.step_input(x)
        before = rnn.memory(init=first)
        rnn.update_memory(before, before + now)
        rnn.step_output(before)
    source = Executor().compiled(fetch_list=[rnn()]).source
    assert re.search(r"for \(?\w+,\)? in rows\(\(x,\), False\):  # test_static", source)
    found = Executor().run(feed={"x": np.ones((4, 2), "float32")}, fetch_list=[rnn()])
    assert found[0].tolist() == [[0, 0], [1, 1], [2, 2], [3, 3]]


def test_sequences_of_different_lengths_are_refused_when_run() -> None:
    x, z = static.data("x", [-1, 2]), static.data("z", [-1, 2])
    rnn = StaticRNN()
    with rnn.step():
        rnn.step_output(rnn.step_input(x) + rnn.step_input(z))
    feed = {"x": np.ones((3, 2), "float32"), "z": np.ones((4, 2), "float32")}
    for interpret in (False, True):
        with pytest.raises(ShapeError, match=r"one length, .* \[3, 4\]"):
            Executor(interpret=interpret).run(feed=feed, fetch_list=[rnn()])


def put(value: Any, variable: Any) -> None:
    tg.assign(value, variable)


def step(rnn: Any, *statements: Any) -> None:
    with rnn.step():
        for statement in statements:
            statement()


def wrong(rnn: Any, x: Any) -> Sequence[tuple[Any, type[Exception], str]]:
    """What makes no sense, and what is said to it."""
    short = static.data("short", [3, 2])
    return [
        (lambda: rnn.step_input(x), ProgramError, "invoke step_input in rnn block"),
        (rnn, ProgramError, "only be retrieved after rnn block"),
        (lambda: step(rnn), ProgramError, "repeats over a step_input"),
        (lambda: step(rnn, lambda: rnn.step_input(1)), TypeError, "takes a Variable"),
        (
            lambda: step(rnn, lambda: rnn.step_input(tg.full([], 1.0))),
            ShapeError,
            "no steps",
        ),
        (
            lambda: step(rnn, lambda: [rnn.step_input(v) for v in (x, short)]),
            ShapeError,
            "have 4 steps, 'short' has 3",
        ),
        (lambda: step(rnn, rnn.memory), ProgramError, "at least need shape"),
        (
            lambda: step(rnn, lambda: rnn.step_input(x), lambda: rnn.memory(init=x)),
            ProgramError,
            "nobody updates the memory",
        ),
        (
            lambda: step(rnn, lambda: rnn.memory(init=rnn.step_input(x))),
            ProgramError,
            "is made in the step",
        ),
        (
            lambda: step(rnn, lambda: rnn.update_memory(x, x)),
            ProgramError,
            "is no memory of this",
        ),
        (
            lambda: step(
                rnn, lambda: rnn.update_memory(rnn.memory(init=x), rnn.step_input(x))
            ),
            ShapeError,
            r"starts as float32 \[4, 2\] and is float32 \[2\] after a step",
        ),
    ]


@pytest.mark.parametrize("number", range(11))
def test_what_makes_no_sense_is_refused(number: int) -> None:
    x = static.data("x", [4, 2])
    call, kind, words = wrong(StaticRNN(), x)[number]
    with pytest.raises(kind, match=words):
        call()
    assert (x * 2.0).block.idx == 0


def test_a_step_that_writes_around_itself_is_refused() -> None:
    x, total = static.data("x", [4, 2]), tg.zeros([2])
    rnn = StaticRNN()
    with pytest.raises(ProgramError, match="which lives around it"):
        step(rnn, lambda: put(rnn.step_input(x) + total, total))


def test_dynamic_mode_has_pythons_for() -> None:
    with (
        modes.using(static=False),
        pytest.raises(ModeError, match="write a for"),
        StaticRNN().step(),
    ):
        pass
