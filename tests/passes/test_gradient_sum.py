"""Gradients of what is shared, added up as they come."""

from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import given, settings

import teachgraph as tg
from teachgraph import passes, static
from teachgraph.planning.executor import Executor
from teachgraph.static import Variable
from tests.effort import examples
from tests.passes.test_random import Made, hold, programs

WIDE, DEEP = 256, 6


def one_weight_many_times() -> tuple[Variable, Variable]:
    """The loss of a loop of layers with one weight, and the weight's gradient."""
    x = static.data("x", [8, WIDE])
    weight = tg.ParamAttr(name="w")
    for _ in range(DEEP):
        x = tg.tanh(static.nn.fc(x, WIDE, weight_attr=weight, bias_attr=False))
    loss = tg.mean(x)
    ((_, gradient),) = static.append_backward(loss)
    return loss, gradient


def test_each_sum_stands_where_its_term_is_made() -> None:
    loss, gradient = one_weight_many_times()
    program = static.default_main_program()
    made = passes.apply_pass(program, "gradient_sum", fetches=[loss, gradient])
    types = [op.type for op in made.global_block().ops]
    assert types.count("sum") == DEEP - 1
    terms = [i for i, type in enumerate(types) if type == "mul_grad"]
    sums = [i for i, type in enumerate(types) if type == "sum"]
    assert [i - 1 for i in sums] == terms[1:]


def test_the_sum_is_the_same_to_the_last_bit_and_takes_less() -> None:
    loss, gradient = one_weight_many_times()
    executor, plain = Executor(), Executor(interpret=True)
    executor.run(static.default_startup_program())
    rng = np.random.default_rng(0)
    feed = {"x": rng.standard_normal((8, WIDE), dtype="float32")}
    fetches = [loss, gradient]
    for one, other in zip(
        executor.run(feed=feed, fetch_list=fetches),
        plain.run(feed=feed, fetch_list=fetches),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    assert "out=reusable(" in executor.compiled(fetch_list=fetches).source
    size = WIDE * WIDE * 4
    kept = plain.memory_plan(fetch_list=fetches).planned_peak
    few = executor.memory_plan(fetch_list=fetches).planned_peak
    assert kept > DEEP * size
    assert few < 3 * size


def test_small_sums_stay_as_they_are() -> None:
    x = static.data("x", [2, 3])
    x.stop_gradient = False
    y = tg.tanh(x) * tg.exp(x) + tg.sqrt(x)
    static.gradients(tg.mean(y), [x])
    program = static.default_main_program()
    made = passes.apply_pass(program, "gradient_sum")
    assert not made.report


@settings(
    max_examples=examples(60), deadline=None, derandomize="PASSES" not in os.environ
)
@given(programs(["gradient_sum", "common_subexpressions", "elementwise_fusion"]))
def test_any_sum_of_gradients_stays_the_same(made: Made) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passes.gradient_sum, "LARGE", 0)
        hold(made, 0.0)
