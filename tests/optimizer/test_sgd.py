"""SGD in both modes: w <- w - rate dw, each parameter with a rate of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import fluid, static
from teachgraph.core.errors import InvalidValueError, ModeError, ShapeError
from teachgraph.core.ops import sgd
from teachgraph.nn.initializer import Assign
from teachgraph.optimizer import SGD
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from tests.static.fresh import Fresh, fresh

X = np.array([[1.0, -2.0], [0.5, 3.0]], "float32")
W = np.array([[0.5], [-1.5]], "float32")


def parameter(value: Any) -> Any:
    return tg.to_tensor(value, stop_gradient=False)


def test_a_step_goes_down_the_gradient() -> None:
    w = parameter([1.0, 2.0])
    (w * w).sum().backward()
    SGD(0.25, parameters=[w]).step()
    assert w.tolist() == [0.5, 1.0]
    assert w.grad.tolist() == [2.0, 4.0]


def test_a_parameter_keeps_its_dtype() -> None:
    for dtype in ("float32", "float64"):
        w = parameter(np.ones(2, dtype))
        (w * w).sum().backward()
        SGD(0.5, parameters=[w]).step()
        assert str(w.dtype) == dtype


def test_gradients_add_up_until_they_are_cleared() -> None:
    w = parameter([1.0])
    optimizer = SGD(1.0, parameters=[w])
    for _ in range(2):
        (w * 3.0).backward()
    assert w.grad.tolist() == [6.0]
    optimizer.clear_grad()
    assert w.grad.tolist() == [0.0]
    optimizer.clear_grad(set_to_zero=False)
    assert w.grad is None
    optimizer.step()
    assert w.tolist() == [1.0]


def test_what_is_frozen_or_was_not_used_stays() -> None:
    w, frozen, idle = parameter([1.0]), tg.to_tensor([1.0]), parameter([1.0])
    (w * frozen).backward()
    SGD(0.5, parameters=[w, frozen, idle]).step()
    assert [p.tolist() for p in (w, frozen, idle)] == [[0.5], [1.0], [1.0]]


def test_minimize_after_backward_is_a_step() -> None:
    w, idle = parameter([1.0]), parameter([1.0])
    loss = w * 2.0
    loss.backward()
    updates, pairs = SGD(0.5, parameters=[w, idle]).minimize(loss)
    assert (updates, w.tolist()) == ([], [0.0])
    assert [(p is w, g.tolist()) for p, g in pairs] == [(True, [2.0])]


def test_the_rate_can_be_changed_between_steps() -> None:
    w = parameter([1.0])
    optimizer = SGD(0.5, parameters=[w])
    optimizer.set_lr(0.25)
    assert (optimizer.get_lr(), optimizer.state_dict()) == (0.25, {})
    w.backward()
    optimizer.step()
    assert w.tolist() == [0.75]


@pytest.mark.parametrize("rate", [1, 0.5, np.float32(0.5), np.float64(2), np.int64(3)])
def test_a_rate_is_any_number_greater_than_nothing(rate: Any) -> None:
    assert SGD(rate).get_lr() == float(rate)


@pytest.mark.parametrize("rate", [-1.0, float("nan"), float("inf"), "1", None, [0.1]])
def test_a_rate_that_is_none(rate: Any) -> None:
    with pytest.raises(InvalidValueError, match="learning rate must be 0 or more"):
        SGD(rate)


def test_a_step_needs_parameters() -> None:
    for use in (SGD(0.1).step, SGD(0.1).clear_grad):
        with pytest.raises(
            ModeError, match=r"parameters argument .* should not be None"
        ):
            use()


@pytest.mark.parametrize("parameters", [parameter([1.0]), "weights", [3], [None]])
def test_parameters_are_a_list_of_tensors(parameters: Any) -> None:
    with pytest.raises(TypeError, match="should be an iterable of Tensors"):
        SGD(0.1, parameters=parameters)


def test_what_is_no_loss_is_not_minimized() -> None:
    with pytest.raises(TypeError, match="minimize takes a Variable or a Tensor"):
        SGD(0.1, parameters=[parameter([1.0])]).minimize("loss")


def linear(**attr: Any) -> Variable:
    """The mean of x W, W given."""
    out = static.nn.fc(
        static.data("x", [None, 2]),
        1,
        weight_attr=tg.ParamAttr(name="w", initializer=Assign(W), **attr),
        bias_attr=tg.ParamAttr(name="b"),
    )
    found: Variable = tg.mean(out)
    return found


def stepped(programs: Fresh, *names: str) -> list[Any]:
    executor = Executor()
    executor.run(programs.startup)
    executor.run(feed={"x": X})
    return [programs.scope.values[name] for name in names]


def test_a_program_steps_as_the_formula_says() -> None:
    with fresh() as programs:
        SGD(0.5).minimize(linear())
        w, b = stepped(programs, "w", "b")
    np.testing.assert_allclose(w, W - 0.5 * X.mean(axis=0)[:, None], rtol=1e-6)
    np.testing.assert_array_equal(b, [-0.5])


def test_a_parameters_own_rate_is_a_factor_in_both_modes() -> None:
    with fresh() as programs:
        SGD(0.5).minimize(linear(learning_rate=0.1))
        (statically,) = stepped(programs, "w")
    with fluid.dygraph.guard():
        attr = tg.ParamAttr(initializer=Assign(W), learning_rate=0.1)
        layer = tg.nn.Linear(2, 1, weight_attr=attr)
        tg.mean(layer(tg.to_tensor(X))).backward()
        SGD(0.5, parameters=layer.parameters()).step()
    wanted = W - 0.05 * X.mean(axis=0)[:, None]
    np.testing.assert_allclose(statically, wanted, rtol=1e-6)
    np.testing.assert_allclose(layer.weight.numpy(), wanted, rtol=1e-6)


@pytest.mark.parametrize("given", ["optimizer", "minimize"])
def test_only_the_parameters_given_are_updated(given: str) -> None:
    with fresh() as programs:
        loss = linear()
        bias = programs.main.global_block().var("b")
        if given == "optimizer":
            _, pairs = SGD(0.5, parameters=[bias]).minimize(loss)
        else:
            _, pairs = SGD(0.5).minimize(loss, parameters=[bias])
        w, b = stepped(programs, "w", "b")
    assert [p.name for p, _ in pairs] == ["b"]
    np.testing.assert_array_equal(w, W)
    np.testing.assert_array_equal(b, [-0.5])


def test_updates_come_by_name_and_pairs_by_creation() -> None:
    with fresh():
        updates, pairs = SGD(0.5).minimize(linear())
    assert [p.name for p, _ in pairs] == ["w", "b"]
    assert [op.input("Param") for op in updates] == [["b"], ["w"]]
    scopes = [op.attr("op_namescope") for op in updates]
    assert scopes == ["/optimizer/", "/optimizer_1/"]


def test_one_optimizer_has_one_rate_in_a_program() -> None:
    with fresh() as programs:
        optimizer = SGD(0.5)
        optimizer.minimize(linear())
        optimizer.minimize(tg.mean(static.nn.fc(static.data("y", [None, 2]), 1)))
        SGD(0.25).minimize(tg.mean(static.nn.fc(static.data("z", [None, 2]), 1)))
        Executor().run(programs.startup)
        values = programs.scope.values
        rates = {name: v for name, v in values.items() if "learning" in name}
    assert rates == {"learning_rate_0": 0.5, "learning_rate_1": 0.25}


def test_in_a_program_the_rate_is_a_variable_of_the_scope() -> None:
    with fresh() as programs:
        optimizer = SGD(0.5)
        optimizer.minimize(linear())
        with pytest.raises(ModeError, match="the program's variable 'learning_rate_0'"):
            optimizer.set_lr(0.25)
        executor = Executor()
        executor.run(programs.startup)
        programs.scope.var("learning_rate_0").get_tensor().set(0.25)
        executor.run(feed={"x": X})
        np.testing.assert_array_equal(programs.scope.values["b"], [-0.25])


def test_a_startup_program_of_its_own_gets_the_rate() -> None:
    with fresh() as programs:
        loss, startup = linear(), static.Program()
        SGD(0.5).minimize(loss, startup)
    assert list(startup.global_block().vars) == ["learning_rate_0"]
    assert list(programs.startup.global_block().vars) == ["w", "b"]


def test_a_rate_of_another_dtype_leaves_the_parameters() -> None:
    param, grad = np.ones(3, "float32"), np.full(3, 2.0, "float32")
    after = sgd(param, grad, np.array(0.25))
    assert after.dtype == "float32"
    assert after.tolist() == [0.5, 0.5, 0.5]


def test_what_shares_a_parameters_memory_sees_its_step() -> None:
    """As in Paddle, where a step writes to the parameter's own memory."""
    w = parameter([1.0, 2.0])
    detached, column = w.detach(), w.reshape([2, 1]).detach()
    (w * w).sum().backward()
    SGD(0.5, parameters=[w]).step()
    assert detached.tolist() == w.tolist() == [0.0, 0.0]
    assert column.tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("sizes", [[1], [3, 1], [1, 3], []])
def test_a_gradient_that_would_broadcast_is_refused(sizes: list[int]) -> None:
    w = tg.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
    with pytest.raises(ShapeError, match="beside a parameter"):
        sgd(w, tg.ones(sizes), tg.to_tensor(0.1))
    assert w.tolist() == [1.0, 2.0, 3.0]
