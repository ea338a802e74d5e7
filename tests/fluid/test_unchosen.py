"""With `fluid` alone and no mode chosen everything builds the program, as in 1.x."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid
from teachgraph.core import modes

layers = fluid.layers
ONES = np.ones((1, 4), "float32")


@pytest.fixture(autouse=True)
def unchosen(programs: Any) -> Iterator[None]:
    with modes.using(None):
        yield


def number(value: float, dtype: str = "float32") -> Any:
    return layers.fill_constant([1], dtype, value)


def switched() -> Any:
    out = layers.create_global_var([1], 0.0, "float32", True)
    with layers.Switch() as switch:
        with switch.case(layers.less_than(number(1), number(2))):
            layers.assign(number(3), out)
        with switch.default():
            layers.assign(number(4), out)
    return out


def repeated() -> Any:
    i, n = number(0, "int64"), number(3, "int64")
    condition = layers.less_than(i, n)
    with layers.While(condition).block():
        layers.increment(i)
        layers.less_than(i, n, cond=condition)
    return i


def recurrent() -> Any:
    rnn = layers.StaticRNN()
    x = layers.assign(np.ones((3, 2, 4), "float32"))
    with rnn.step():
        word = rnn.step_input(x)
        state = rnn.memory(shape=[-1, 4], batch_ref=word)
        total = layers.elementwise_add(word, state)
        rnn.update_memory(state, total)
        rnn.step_output(total)
    return layers.reduce_sum(rnn())


def of_rows() -> Any:
    five, six = (layers.fill_constant([2, 1], "float32", n) for n in (5.0, 6.0))
    chosen = layers.IfElse(layers.fill_constant([2, 1], "bool", True))
    with chosen.true_block():
        chosen.output(chosen.input(five))
    with chosen.false_block():
        chosen.output(chosen.input(six))
    return layers.reduce_sum(chosen()[0])


CASES: dict[str, tuple[Callable[[], Any], float]] = {
    "array_write": (
        lambda: layers.array_read(
            layers.array_write(number(7), number(0, "int64")), number(0, "int64")
        ),
        7.0,
    ),
    "array_length": (lambda: layers.array_length(layers.create_array("float32")), 0),
    "assign": (lambda: layers.assign(np.array([2.0], "float32")), 2.0),
    "case": (
        lambda: layers.case(
            [(layers.less_than(number(1), number(2)), lambda: number(3))],
            lambda: number(4),
        ),
        3.0,
    ),
    "cond": (
        lambda: layers.cond(
            layers.less_than(number(1), number(2)), lambda: number(3), lambda: number(4)
        ),
        3.0,
    ),
    "switch_case": (
        lambda: layers.switch_case(
            number(1, "int32"), {0: lambda: number(3), 1: lambda: number(4)}
        ),
        4.0,
    ),
    "while_loop": (
        lambda: layers.while_loop(
            lambda i: layers.less_than(i, number(5)), lambda i: [i + 2], [number(0)]
        )[0],
        6.0,
    ),
    "Switch": (switched, 3.0),
    "While": (repeated, 3),
    "StaticRNN": (recurrent, 48.0),
    "IfElse": (of_rows, 10.0),
}


@pytest.mark.parametrize("name", CASES)
def test_a_layer_builds_the_program(name: str) -> None:
    build, answer = CASES[name]
    out = build()
    assert isinstance(out, fluid.Variable)
    executor = fluid.Executor()
    if fluid.default_startup_program().global_block().ops:
        executor.run(fluid.default_startup_program())
    (value,) = executor.run(fetch_list=[out])
    assert value.item() == answer


@pytest.mark.parametrize(
    "layer",
    [
        lambda: fluid.dygraph.Linear(4, 2),
        lambda: fluid.dygraph.FC("fc", 2),
        lambda: fluid.dygraph.LayerNorm(4),
        lambda: fluid.dygraph.BatchNorm(4),
    ],
)
def test_a_layer_of_dygraph_builds_the_program(layer: Callable[[], Any]) -> None:
    x = fluid.data("x", [-1, 4], "float32")
    out = layer()(x)
    fluid.optimizer.SGD(0.1).minimize(layers.mean(out))
    executor = fluid.Executor()
    executor.run(fluid.default_startup_program())
    (value,) = executor.run(feed={"x": ONES}, fetch_list=[out])
    assert np.isfinite(value).all()


def test_a_tensor_is_computed_with_at_once() -> None:
    x = tg.to_tensor([1.0, 2.0])
    assert layers.reduce_sum(layers.scale(x, 2.0)).item() == 6.0
    assert layers.concat([x, x]).tolist() == [1.0, 2.0, 1.0, 2.0]


def test_the_mode_is_told() -> None:
    assert not fluid.in_dygraph_mode()
    with fluid.dygraph.guard():
        assert fluid.in_dygraph_mode()
    assert modes.chosen() is None


def test_dropout_follows_train_and_eval() -> None:
    class Net(fluid.dygraph.Layer):
        def forward(self, x: Any) -> Any:
            return layers.dropout(x, 0.5, dropout_implementation="upscale_in_train")

    with fluid.dygraph.guard():
        net, x = Net(), fluid.dygraph.to_variable(np.ones(1000, "float32"))
        assert set(net(x).tolist()) == {0.0, 2.0}
        net.eval()
        assert set(net(x).tolist()) == {1.0}
        with fluid.dygraph.guard():
            assert set(net(x).tolist()) == {0.0, 2.0}
        assert set(net(x).tolist()) == {1.0}
        net.train()
        assert set(net(x).tolist()) == {0.0, 2.0}


def test_an_intermediate_result_has_its_gradient() -> None:
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.array([2.0, 3.0], "float32"))
        x.stop_gradient = False
        y = x * x
        first, second = layers.split(y, 2)
        loss = layers.reduce_sum(first * 5.0 + second)
        assert y.gradient() is None
        loss.backward()
        assert y.gradient().tolist() == [5.0, 1.0]
        assert first.gradient().tolist() == [5.0]
        assert loss.gradient().item() == 1.0
        assert x.gradient().tolist() == [20.0, 6.0]
    y = x * x
    y.sum().backward()
    assert y.gradient() is None


@pytest.mark.parametrize("kind", ["Value", "Norm", "GlobalNorm"])
def test_a_clip_leaves_out_what_has_no_gradient(kind: str) -> None:
    clip = getattr(fluid.clip, f"GradientClipBy{kind}")(1.0)
    x, y = tg.to_tensor([1.0]), tg.to_tensor([3.0])
    ((parameter, gradient),) = clip([(x, None), (y, y)])
    assert parameter is y
    assert gradient.tolist() == [1.0]


def test_base_is_dynamic_before_a_mode_is_chosen_and_fluid_is_not() -> None:
    base = tg.base
    dynamic = [base, base.framework, base.dygraph]
    assert [tells_dynamic(one) for one in dynamic] == [True] * 3
    static = [fluid, fluid.framework, fluid.dygraph]
    assert [tells_dynamic(one) for one in static] == [False] * 3
    assert base.framework.Program is fluid.framework.Program


def tells_dynamic(module: Any) -> bool:
    names = ("in_dygraph_mode", "in_dynamic_mode", "enabled")
    (answer,) = {getattr(module, name)() for name in names if hasattr(module, name)}
    return answer
