"""Branches and loops of programs that train, and conditions that stop early."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["STORIES"]

Train = Callable[[Any], Any]


def trained(paddle: Any, build: Callable[[Any, Any, Any], Any]) -> Any:
    """A parameter of threes after two runs of a program that `build` fills.

    It takes Paddle, the parameter and a feed of True.
    """
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        threes = paddle.nn.initializer.Constant(3.0)
        w = paddle.static.create_parameter(
            [2], "float32", name="w", default_initializer=threes
        )
        build(paddle, w, paddle.static.data("p", [1], "bool"))
        executor, scope = paddle.static.Executor(), paddle.static.Scope()
        with paddle.static.scope_guard(scope):
            executor.run(startup)
            for _ in range(2):
                executor.run(main, {"p": np.array([True])}, [])
            return np.array(scope.find_var("w").get_tensor())


def minimized(paddle: Any, loss: Any) -> Any:
    paddle.optimizer.SGD(0.01).minimize(loss)
    return loss


def a_branch_minimizes_what_it_computes(paddle: Any) -> Any:
    def build(paddle: Any, w: Any, p: Any) -> Any:
        paddle.static.nn.cond(p, lambda: minimized(paddle, (w * w).sum()), w.sum)

    return trained(paddle, build)


def a_branch_minimizes_what_reads_values_from_around_it(paddle: Any) -> Any:
    def build(paddle: Any, w: Any, p: Any) -> Any:
        y = w * w
        paddle.static.nn.cond(p, lambda: minimized(paddle, (y * y).sum()), y.sum)

    return trained(paddle, build)


def a_branch_minimizes_a_loss_from_around_it(paddle: Any) -> Any:
    def build(paddle: Any, w: Any, p: Any) -> Any:
        loss = (w * w).sum()
        paddle.static.nn.cond(p, lambda: minimized(paddle, loss) * 1.0, lambda: loss)

    return trained(paddle, build)


def a_branch_minimizes_and_so_does_what_comes_after(paddle: Any) -> Any:
    def build(paddle: Any, w: Any, p: Any) -> Any:
        y = w * w
        paddle.static.nn.cond(p, lambda: minimized(paddle, y.sum()), y.sum)
        minimized(paddle, (y * 3.0).mean())

    return trained(paddle, build)


def each_branch_minimizes_in_its_way(paddle: Any) -> Any:
    def build(paddle: Any, w: Any, p: Any) -> Any:
        y = w * w
        sgd, adam = paddle.optimizer.SGD(0.01), paddle.optimizer.Adam(0.1)

        def one() -> Any:
            loss = y.mean()
            adam.minimize(loss)
            return loss

        def other() -> Any:
            loss = y.sum()
            sgd.minimize(loss)
            return loss

        paddle.static.nn.cond(p, one, other)

    return trained(paddle, build)


def a_loop_minimizes_what_was_computed_before_it(paddle: Any) -> Any:
    def build(paddle: Any, w: Any, p: Any) -> Any:
        y = w * w

        def body(i: Any, total: Any) -> Any:
            return [i + 1, minimized(paddle, y.sum()) + total]

        first = [paddle.full([1], 0, "int64"), paddle.full([], 0.0, "float32")]
        paddle.static.nn.while_loop(lambda i, total: i < 2, body, first)

    return trained(paddle, build)


def counted(paddle: Any, following: Callable[[Any], Any]) -> Any:
    """Gradient of the square of a counter's last value but one."""
    paddle.enable_static()
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        first = [paddle.static.data(name, [1], "float32") for name in ("i", "x")]
        for one in first:
            one.stop_gradient = False
        limit = paddle.full([1], 11.0, "float32")

        def body(i: Any, x: Any) -> Any:
            x = i * i
            return [following(i), x]

        _, x = paddle.static.nn.while_loop(
            lambda i, x: paddle.less_than(i, limit), body, first
        )
        paddle.static.append_backward(paddle.mean(x))
        gradient = main.global_block().var("i@GRAD")
        feed = {name: np.zeros(1, "float32") for name in ("i", "x")}
        return paddle.static.Executor().run(main, feed, [x, gradient])


def a_loop_counts_in_place(paddle: Any) -> Any:
    return counted(paddle, paddle.increment)


def a_loop_counts_in_a_new_variable(paddle: Any) -> Any:
    return counted(paddle, lambda i: i + 1.0)


STORIES = (
    a_branch_minimizes_what_it_computes,
    a_branch_minimizes_what_reads_values_from_around_it,
    a_branch_minimizes_a_loss_from_around_it,
    a_branch_minimizes_and_so_does_what_comes_after,
    each_branch_minimizes_in_its_way,
    a_loop_minimizes_what_was_computed_before_it,
    a_loop_counts_in_place,
    a_loop_counts_in_a_new_variable,
)
