"""Averages of parameters over the steps of training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import teachgraph as tg
from teachgraph import static
from teachgraph.core.errors import InvalidValueError
from teachgraph.planning.executor import Executor
from teachgraph.static.scope import global_scope
from tests.static.fresh import Fresh

X = np.array([[1.0, 2.0]], "float32")


def network() -> Any:
    x = static.data("x", [None, 2])
    frozen = tg.ParamAttr(name="frozen", trainable=False)
    hidden = static.nn.fc(x, 2, weight_attr=frozen, bias_attr=False)
    loss = tg.mean(static.nn.fc(hidden, 1, name="out"))
    tg.optimizer.SGD(0.1).minimize(loss)
    return loss


def value(name: str) -> Any:
    return np.array(global_scope().find_var(name).get_tensor())


def test_averages_are_weighted_and_corrected_for_their_start(programs: Fresh) -> None:
    loss = network()
    averages = static.ExponentialMovingAverage(0.9)
    averages.update()
    executor = Executor()
    executor.run(programs.startup)
    seen, total = [], np.zeros((2, 1))
    for _ in range(4):
        executor.run(programs.main, {"x": X}, [loss])
        seen.append(value("out.w_0"))
        total = 0.9 * total + 0.1 * seen[-1]
    frozen = value("frozen")
    with averages.apply(executor):
        np.testing.assert_allclose(value("out.w_0"), total / (1 - 0.9**4), rtol=1e-5)
        np.testing.assert_array_equal(value("frozen"), frozen)
    np.testing.assert_array_equal(value("out.w_0"), seen[-1])


def test_parameters_stay_exchanged_until_they_are_put_back(programs: Fresh) -> None:
    loss = network()
    averages = static.ExponentialMovingAverage(0.5)
    averages.update()
    executor = Executor()
    executor.run(programs.startup)
    for _ in range(2):
        executor.run(programs.main, {"x": X}, [loss])
    before = value("out.w_0")
    with averages.apply(executor, need_restore=False):
        pass
    assert not np.array_equal(value("out.w_0"), before)
    averages.restore(executor)
    np.testing.assert_array_equal(value("out.w_0"), before)


def test_they_are_put_back_whatever_happens(programs: Fresh) -> None:
    loss = network()
    averages = static.ExponentialMovingAverage(0.5)
    averages.update()
    executor = Executor()
    executor.run(programs.startup)
    for _ in range(2):
        executor.run(programs.main, {"x": X}, [loss])
    before = value("out.b_0")
    with pytest.raises(ZeroDivisionError), averages.apply(executor):
        _ = 1 / 0
    np.testing.assert_array_equal(value("out.b_0"), before)


def test_before_the_first_step_an_average_is_what_it_starts_as(programs: Fresh) -> None:
    network()
    averages = static.ExponentialMovingAverage(0.5)
    averages.update()
    executor = Executor()
    executor.run(programs.startup)
    with averages.apply(executor):
        np.testing.assert_array_equal(value("out.w_0"), np.zeros((2, 1)))


def test_early_steps_count_less_where_steps_are_given(programs: Fresh) -> None:
    loss = network()
    steps = static.create_global_var([1], 5, "int64", persistable=True)
    averages = static.ExponentialMovingAverage(0.999, thres_steps=steps)
    averages.update()
    executor = Executor()
    executor.run(programs.startup)
    executor.run(programs.main, {"x": X}, [loss])
    np.testing.assert_allclose(value("scheduled_ema_decay_rate"), [6 / 15], rtol=1e-6)
    (average,) = [
        n for n in global_scope().local_var_names() if n.startswith("out.w_0_")
    ]
    np.testing.assert_allclose(value(average), 0.6 * value("out.w_0"), rtol=1e-5)


@pytest.mark.parametrize("decay", [1.0, -0.1, float("nan")])
def test_another_weight_is_refused(decay: float) -> None:
    with pytest.raises(InvalidValueError, match="decay is at least 0 and less than 1"):
        static.ExponentialMovingAverage(decay)
