"""Saved and gone on with, a training gives the same bits as one that went on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import InvalidValueError, NotInitializedError, ShapeError
from teachgraph.planning.executor import Executor
from tests.optimizer.cases import OPTIMIZERS, B, Make, W, X, Y, step
from tests.static.fresh import fresh


def model() -> tg.nn.Linear:
    with tg.unique_name.guard():
        layer = tg.nn.Linear(3, 2)
    layer.weight.set_value(W)
    layer.bias.set_value(B)
    return layer


def values(layer: tg.nn.Linear) -> list[Any]:
    return [p.numpy() for p in layer.parameters()]


def made(make: Make, layer: tg.nn.Linear) -> Any:
    return make(tg, {"parameters": layer.parameters()})


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_resumed_in_dynamic_mode(make: Make) -> None:
    layer, again = model(), model()
    optimizer = made(make, layer)
    for _ in range(5):
        step(tg, layer, optimizer)
    state, parameters = optimizer.state_dict(), values(layer)
    for _ in range(5):
        step(tg, layer, optimizer)
    for parameter, value in zip(again.parameters(), parameters, strict=True):
        parameter.set_value(value)
    resumed = made(make, again)
    resumed.set_state_dict(state)
    for _ in range(5):
        step(tg, again, resumed)
    for one, other in zip(values(layer), values(again), strict=True):
        np.testing.assert_array_equal(one, other)


def program_of(make: Make) -> Any:
    x, y = static.data("x", [4, 3]), static.data("y", [4, 2])
    error = static.nn.fc(x, 2) - y
    optimizer = make(tg, {})
    optimizer.minimize(tg.mean(error * error))
    return optimizer


def run(executor: Executor, optimizer: Any, steps: int) -> None:
    for _ in range(steps):
        executor.run(feed={"x": X, "y": Y})
        if isinstance(optimizer._learning_rate, tg.optimizer.lr.LRScheduler):
            optimizer._learning_rate.step()


@pytest.mark.parametrize("make", OPTIMIZERS.values(), ids=OPTIMIZERS)
def test_resumed_in_static_mode(make: Make) -> None:
    names = ["fc_0.w_0", "fc_0.b_0"]
    with fresh() as programs:
        executor, optimizer = Executor(), program_of(make)
        executor.run(programs.startup)
        run(executor, optimizer, 5)
        state = optimizer.state_dict()
        parameters = {name: programs.scope.values[name].copy() for name in names}
        run(executor, optimizer, 5)
        wanted = [programs.scope.values[name] for name in names]
    with fresh() as programs:
        executor, resumed = Executor(), program_of(make)
        executor.run(programs.startup)
        programs.scope.values.update(parameters)
        resumed.set_state_dict(state)
        run(executor, resumed, 5)
        for name, value in zip(names, wanted, strict=True):
            np.testing.assert_array_equal(programs.scope.values[name], value)


def test_a_state_has_paddles_names_and_does_not_change_later() -> None:
    layer = model()
    optimizer = tg.optimizer.Adam(
        tg.optimizer.lr.StepDecay(0.5, 2), parameters=layer.parameters()
    )
    assert optimizer.state_dict() == {"LR_Scheduler": {"last_epoch": 0, "last_lr": 0.5}}
    step(tg, layer, optimizer)
    state = optimizer.state_dict()
    kinds = ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")
    names = {f"linear_0.{p}_0_{kind}_0" for p in "wb" for kind in kinds}
    assert set(state) == names | {"LR_Scheduler"}
    assert state["linear_0.b_0_beta1_pow_acc_0"].shape == [1]
    before = state["linear_0.b_0_moment1_0"].numpy()
    step(tg, layer, optimizer)
    np.testing.assert_array_equal(state["linear_0.b_0_moment1_0"].numpy(), before)
    assert (optimizer.state_dict()["linear_0.b_0_moment1_0"].numpy() != before).all()


def saved() -> dict[str, Any]:
    layer = model()
    optimizer = tg.optimizer.Adam(0.1, parameters=layer.parameters())
    step(tg, layer, optimizer)
    return optimizer.state_dict()


def test_the_number_at_the_end_of_a_name_does_not_matter() -> None:
    state = {name[:-1] + "7": value.numpy() for name, value in saved().items()}
    optimizer = tg.optimizer.Adam(0.1, parameters=model().parameters())
    optimizer.set_state_dict(state)
    found = optimizer.state_dict()["linear_0.w_0_moment1_0"].numpy()
    np.testing.assert_array_equal(found, state["linear_0.w_0_moment1_7"])


def test_a_state_of_another_shape_is_refused_and_changes_nothing() -> None:
    layer = model()
    optimizer = tg.optimizer.Adam(0.1, parameters=layer.parameters())
    step(tg, layer, optimizer)
    before = optimizer.state_dict()["linear_0.w_0_moment2_0"].numpy()
    state = saved() | {"linear_0.b_0_moment1_0": np.ones(7, "float32")}
    with pytest.raises(ShapeError, match=r"b_0_moment1 is \[7\], must be \[2\]"):
        optimizer.set_state_dict(state)
    after = optimizer.state_dict()["linear_0.w_0_moment2_0"].numpy()
    np.testing.assert_array_equal(before, after)


def test_a_state_that_lacks_something_is_refused() -> None:
    state = saved()
    del state["linear_0.w_0_moment2_0"]
    optimizer = tg.optimizer.Adam(0.1, parameters=model().parameters())
    with pytest.raises(InvalidValueError, match=r"no linear_0.w_0_moment2"):
        optimizer.set_state_dict(state)


def test_a_state_of_other_parameters_is_refused() -> None:
    with tg.unique_name.guard():
        tg.nn.Linear(1, 1)
        other = tg.nn.Linear(3, 2)
    optimizer = tg.optimizer.Adam(0.1, parameters=other.parameters())
    with pytest.raises(InvalidValueError, match="nothing of this state"):
        optimizer.set_state_dict(saved())


def test_a_program_has_no_state_before_its_startup_ran() -> None:
    with fresh():
        optimizer = program_of(OPTIMIZERS["Adam"])
        with pytest.raises(NotInitializedError, match="run the startup program"):
            optimizer.state_dict()
