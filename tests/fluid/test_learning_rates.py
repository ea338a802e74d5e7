"""1.x's learning rates: operators that follow a counter in the program."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, exp, floor, pi
from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from teachgraph.core.errors import InvalidValueError, ModeError
from teachgraph.fluid import layers

Rate = Callable[[], Any]

RATES: dict[str, tuple[Rate, Callable[[int], float]]] = {
    "exponential": (
        lambda: layers.exponential_decay(0.5, 2, 0.8),
        lambda n: 0.5 * 0.8 ** (n / 2),
    ),
    "exponential in stairs": (
        lambda: layers.exponential_decay(0.5, 2, 0.8, staircase=True),
        lambda n: 0.5 * 0.8 ** (n // 2),
    ),
    "natural": (
        lambda: layers.natural_exp_decay(0.5, 2, 0.8),
        lambda n: 0.5 * exp(-0.8 * n / 2),
    ),
    "inverse": (
        lambda: layers.inverse_time_decay(0.5, 2, 0.8),
        lambda n: 0.5 / (1 + 0.8 * n / 2),
    ),
    "polynomial": (
        lambda: layers.polynomial_decay(0.5, 4, 0.1, power=2.0),
        lambda n: 0.4 * (1 - min(n, 4) / 4) ** 2 + 0.1,
    ),
    "polynomial again and again": (
        lambda: layers.polynomial_decay(0.5, 2, 0.1, cycle=True),
        lambda n: 0.4 * (1 - n / (2 * max(1, -(-n // 2)))) + 0.1,
    ),
    "piecewise": (
        lambda: layers.piecewise_decay([2, 4], [0.5, 0.25, 0.1]),
        lambda n: 0.5 if n < 2 else 0.25 if n < 4 else 0.1,
    ),
    "noam": (
        lambda: layers.noam_decay(64, 3),
        lambda n: 64**-0.5 * min((n + 1) ** -0.5, (n + 1) * 3**-1.5),
    ),
    "cosine": (
        lambda: layers.cosine_decay(0.5, 2, 3),
        lambda n: 0.25 * (cos(floor(n / 2) * pi / 3) + 1),
    ),
    "warm-up": (
        lambda: layers.linear_lr_warmup(0.5, 3, 0.1, 0.4),
        lambda n: 0.1 + 0.3 * n / 3 if n < 3 else 0.5,
    ),
    "warm-up, then another": (
        lambda: layers.linear_lr_warmup(layers.exponential_decay(0.5, 1, 0.5), 2, 0, 1),
        lambda n: n / 2 if n < 2 else 0.5 * 0.5**n,
    ),
}


@pytest.mark.parametrize("name", RATES)
def test_a_learning_rate_follows_the_steps(name: str) -> None:
    made, wanted = RATES[name]
    x = layers.data("x", [1])
    weight = fluid.ParamAttr(name="w", initializer=fluid.initializer.Constant(0.0))
    loss = layers.reduce_sum(layers.fc(x, 1, param_attr=weight, bias_attr=False))
    rate = made()
    fluid.optimizer.SGD(rate).minimize(loss)
    executor = fluid.Executor()
    executor.run(fluid.default_startup_program())
    feed, before = {"x": np.ones((1, 1), "float32")}, 0.0
    for step in range(7):
        found, after = executor.run(feed=feed, fetch_list=[rate, "w"])
        np.testing.assert_allclose(found, [wanted(step)], rtol=1e-5)
        np.testing.assert_allclose(before - after.item(), wanted(step), rtol=1e-4)
        before = after.item()


def test_its_operators_have_a_role_of_their_own_and_count_first() -> None:
    layers.exponential_decay(0.5, 2, 0.8)
    layers.noam_decay(64, 3)
    ops = fluid.default_main_program().global_block().ops
    counting = [op for op in ops if op.type == "increment"]
    assert counting == ops[:1]
    assert counting[0].output("Out") == ["@LR_DECAY_COUNTER@"]
    assert {int(op.role) for op in ops} == {16}


def test_a_counter_counts_runs() -> None:
    counter = layers.autoincreased_step_counter(begin=5, step=2)
    assert layers.autoincreased_step_counter() is counter
    executor = fluid.Executor()
    executor.run(fluid.default_startup_program())
    found = [executor.run(fetch_list=[counter])[0].item() for _ in range(3)]
    assert found == [5, 7, 9]


def test_a_learning_rate_in_a_program_has_no_value_before() -> None:
    optimizer = fluid.optimizer.SGD(layers.cosine_decay(0.5, 2, 3))
    with pytest.raises(ModeError, match="fetch it there"):
        optimizer.get_lr()
    with pytest.raises(ModeError, match="is the program's variable"):
        optimizer.set_lr(0.5)


def test_other_learning_rates_are_refused() -> None:
    with pytest.raises(
        InvalidValueError, match=r"len.values. - len.boundaries. should"
    ):
        layers.piecewise_decay([1, 2], [0.5])
    with (
        fluid.dygraph.guard(),
        pytest.raises(ModeError, match="give the optimizer a schedule"),
    ):
        layers.noam_decay(64, 3)


def test_an_optimizer_gives_its_rate_of_a_program() -> None:
    optimizer = fluid.optimizer.SGD(0.5)
    assert optimizer._global_learning_rate() is None
    optimizer.minimize(layers.mean(layers.fc(fluid.data("x", [1, 2]), 1)))
    rate = optimizer._global_learning_rate()
    exe = fluid.Executor()
    exe.run(fluid.default_startup_program())
    feed = {"x": np.ones((1, 2), "float32")}
    assert exe.run(feed=feed, fetch_list=[rate, "learning_rate_0"]) == [0.5, 0.5]
