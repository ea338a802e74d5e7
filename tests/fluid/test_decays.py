"""1.x's learning rates of dynamic mode, beside those of programs, step by step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from teachgraph import fluid
from teachgraph.fluid import dygraph, layers

PAIRS: dict[str, tuple[Any, Any]] = {
    "exponential": (
        lambda: dygraph.ExponentialDecay(0.5, 2, 0.5, staircase=True),
        lambda: layers.exponential_decay(0.5, 2, 0.5, staircase=True),
    ),
    "natural": (
        lambda: dygraph.NaturalExpDecay(0.5, 2, 0.5),
        lambda: layers.natural_exp_decay(0.5, 2, 0.5),
    ),
    "inverse": (
        lambda: dygraph.InverseTimeDecay(0.5, 2, 0.5),
        lambda: layers.inverse_time_decay(0.5, 2, 0.5),
    ),
    "polynomial": (
        lambda: dygraph.PolynomialDecay(0.5, 3, 0.1, 2.0),
        lambda: layers.polynomial_decay(0.5, 3, 0.1, 2.0),
    ),
    "cycle": (
        lambda: dygraph.PolynomialDecay(0.5, 2, 0.1, cycle=True),
        lambda: layers.polynomial_decay(0.5, 2, 0.1, cycle=True),
    ),
    "piecewise": (
        lambda: dygraph.PiecewiseDecay([2, 3], [0.5, 0.25, 0.125], 0),
        lambda: layers.piecewise_decay([2, 3], [0.5, 0.25, 0.125]),
    ),
    "cosine": (
        lambda: dygraph.CosineDecay(0.5, 2, 3),
        lambda: layers.cosine_decay(0.5, 2, 3),
    ),
    "noam": (
        lambda: dygraph.NoamDecay(4, 2),
        lambda: layers.noam_decay(4, 2),
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_rate_is_that_of_the_same_program(name: str) -> None:
    eager, static = PAIRS[name]
    rate, variable = eager(), static()
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(fluid.default_startup_program())
    for _ in range(5):
        (expected,) = executor.run(fetch_list=[variable])
        np.testing.assert_allclose(rate(), expected.item(), rtol=1e-6)


def test_each_minimize_takes_the_next_rate() -> None:
    with dygraph.guard():
        w = dygraph.to_variable(np.ones(1, "float32"))
        w.stop_gradient = False
        rate = dygraph.PiecewiseDecay([1], [0.5, 0.25], begin=0)
        optimizer = fluid.optimizer.SGD(rate, parameter_list=[w])
        seen = []
        for _ in range(3):
            before, loss = w.item(), w * 1.0
            loss.backward()
            optimizer.minimize(loss)
            optimizer.clear_gradients()
            seen.append(before - w.item())
            assert optimizer.current_step_lr() == seen[-1]
        assert seen == [0.5, 0.25, 0.25]


def test_a_warm_up_goes_over_into_a_decay() -> None:
    later = dygraph.ExponentialDecay(1.0, 1, 0.5)
    rate = dygraph.LinearLrWarmup(later, warmup_steps=4, start_lr=0.0, end_lr=0.4)
    # Paddle 1.8.5 asks the decay for a rate on the way, too.
    np.testing.assert_allclose(
        [rate() for _ in range(5)], [0.1, 0.2, 0.3, 1 / 8, 1 / 16]
    )


def test_epochs_go_on_when_they_are_told_to() -> None:
    halves = dygraph.StepDecay(1.0, step_size=2, decay_rate=0.5)
    steps = dygraph.MultiStepDecay(1.0, [1, 3], decay_rate=0.5)
    found = []
    for _ in range(4):
        found.append((halves(), steps()))
        halves.epoch()
        steps.epoch()
    assert found == [(1.0, 1.0), (1.0, 0.5), (0.5, 0.5), (0.5, 0.25)]


def test_a_plateau_lowers_the_rate() -> None:
    rate = dygraph.ReduceLROnPlateau(1.0, decay_rate=0.5, patience=0)
    rate.step(np.array([3.0]))
    assert rate() == 1.0
    rate.step(np.array([3.0]))
    assert rate() == 0.5


def values(*parameters: Any) -> list[Any]:
    scope = fluid.global_scope()
    return [np.array(scope.find_var(p.name).get_tensor()) for p in parameters]


def test_gradients_are_clipped_as_the_program_was_told() -> None:
    x = fluid.data("x", [1, 2], "float32")
    w = layers.create_parameter([1, 2], "float32", name="w")
    free = layers.create_parameter([1, 2], "float32", name="free")
    clip = fluid.clip.GradientClipByValue(max=0.5)
    fluid.clip.set_gradient_clip(clip, param_list=["w"])
    loss = layers.reduce_sum(x * w) + layers.reduce_sum(x * free)
    fluid.optimizer.SGD(1.0).minimize(loss, parameter_list=[w, free])
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(fluid.default_startup_program())
    before = values(w, free)
    executor.run(feed={"x": np.array([[3.0, 0.25]], "float32")})
    after = values(w, free)
    np.testing.assert_allclose(before[0] - after[0], [[0.5, 0.25]], rtol=1e-5)
    np.testing.assert_allclose(before[1] - after[1], [[3.0, 0.25]], rtol=1e-5)
