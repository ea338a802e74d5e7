"""Feeds of variables that are no data, and of shapes without their last ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.paddle_answers.ask import refused

__all__ = ["STORIES"]

Run = Callable[..., Any]
ONE_TWO, FIVE_SIX = np.array([1, 2], "float32"), np.array([5, 6], "float32")


def program(paddle: Any, build: Callable[[Any], Any]) -> tuple[Run, Any]:
    """What runs a program that a function builds, and what the function returns."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        built = build(paddle.static)
    executor = paddle.static.Executor()
    if startup.global_block().ops:
        executor.run(startup)

    def run(fetches: Any, **feed: Any) -> Any:
        return executor.run(main, feed, fetches)

    return run, built


def squared(static: Any) -> tuple[Any, Any, Any]:
    """The square of a feed, and its gradient for ones."""
    x = static.data("x", [2], "float32")
    x.stop_gradient = False
    y = x * x
    return x, y, static.gradients(y, x)[0]


def a_gradient_that_an_operator_writes_is_overwritten(paddle: Any) -> Any:
    run, (_, y, slope) = program(paddle, squared)
    return run([slope], x=ONE_TWO, **{f"{y.name}@GRAD": FIVE_SIX})


def an_upstream_gradient_is_fed(paddle: Any) -> Any:
    def build(static: Any) -> Any:
        x = static.data("x", [2], "float32")
        x.stop_gradient = False
        y = x * x
        block = static.default_main_program().global_block()
        dy = block.create_var(name="dy", shape=[2], dtype="float32")
        return static.gradients(y, x, target_gradients=[dy])

    run, slopes = program(paddle, build)
    return run(slopes, x=ONE_TWO, dy=FIVE_SIX)


def a_global_variable_keeps_what_it_is_fed(paddle: Any) -> Any:
    def build(static: Any) -> Any:
        v = static.create_global_var([2], 1.0, "float32", persistable=True, name="v")
        return v * 2

    run, y = program(paddle, build)
    before, fed = run([y]), FIVE_SIX.copy()
    now = run([y], v=fed)
    fed[:] = 0
    after = run([y])
    value = np.array(paddle.static.global_scope().find_var("v").get_tensor())
    return [before, now, after, value]


def a_parameter_is_fed_and_trained(paddle: Any) -> Any:
    def build(static: Any) -> Any:
        threes = paddle.nn.initializer.Constant(3.0)
        w = static.create_parameter(
            [2], "float32", name="w", default_initializer=threes
        )
        loss = (w * w).sum()
        paddle.optimizer.SGD(0.25).minimize(loss)
        return loss

    run, loss = program(paddle, build)
    fed = FIVE_SIX.copy()
    losses = [run([loss]), run([loss], w=fed), run([loss]), run([loss])]
    return [*losses, fed]


def what_an_operator_writes_is_overwritten(paddle: Any) -> Any:
    def build(static: Any) -> Any:
        y = static.data("x", [2], "float32") * 2
        return y, y + 1

    run, (y, z) = program(paddle, build)
    return run([y, z], x=ONE_TWO, **{y.name: FIVE_SIX})


def a_constant_with_a_gradient_is_reached(paddle: Any) -> Any:
    def build(static: Any) -> Any:
        x = paddle.full([2], 3.0)
        x.stop_gradient = False
        w = static.create_parameter(
            [2], "float32", default_initializer=paddle.nn.initializer.Constant(2.0)
        )
        pairs = static.append_backward((x * x * w).sum())
        return x, len(pairs)

    run, (x, count) = program(paddle, build)
    return [count, run([f"{x.name}@GRAD"])]


def ones_at_the_end_of_a_shape_may_be_missing(paddle: Any) -> Any:
    found = []
    for declared, fed in [
        ([3, 1], [3]),
        ([-1, 1], [3]),
        ([3, -1], [3]),
        ([2, 1, 1], [2]),
        ([10], [10, 1]),
        ([1], []),
        ([1, 3], [3]),
        ([2, 3], [6]),
    ]:
        run, y = program(paddle, lambda s, d=declared: s.data("x", d, "float32") * 2)
        try:
            (value,) = run([y], x=np.ones(fed, "float32"))
        except ValueError:
            value = None
        found.append(value)
    return found


def samples_are_fed(paddle: Any) -> Any:
    paddle.enable_static()
    found = []
    for declared, sample in [
        ([-1, 2], [2]),
        ([2], [2]),
        ([-1, 1, 2, 2], [4]),
        ([-1, 1, 2, 2], [1, 2, 2]),
        ([-1, 3], [4]),
        ([-1, 1, 3], [4]),
    ]:
        with paddle.static.program_guard(paddle.static.Program()):
            x = paddle.static.data("x", declared)
            feeder = paddle.base.DataFeeder([x], paddle.CPUPlace())
            samples = [(np.ones(sample, "float32"),)]
            try:
                found.append(np.array(feeder.feed(samples)["x"]).shape)
            except ValueError as error:
                found.append(refused(error))
    return found


STORIES = [
    samples_are_fed,
    a_gradient_that_an_operator_writes_is_overwritten,
    an_upstream_gradient_is_fed,
    a_global_variable_keeps_what_it_is_fed,
    a_parameter_is_fed_and_trained,
    what_an_operator_writes_is_overwritten,
    a_constant_with_a_gradient_is_reached,
    ones_at_the_end_of_a_shape_may_be_missing,
]
