"""Programs: what they return, what a clone keeps, how they are seeded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["STORIES"]

ONES = np.ones(2, "float32")
Build = Callable[[Any], tuple[dict[str, Any], list[Any]]]


def ran(paddle: Any, build: Build) -> Any:
    """What a new program gives, which `build` fills: it returns a feed and fetches."""
    paddle.enable_static()
    main, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(main, startup):
        feed, fetches = build(paddle)
        executor = paddle.static.Executor()
        with paddle.static.scope_guard(paddle.static.Scope()):
            executor.run(startup)
            return executor.run(main, feed, fetches)


def a_program_without_operators_gives_its_feed(paddle: Any) -> Any:
    def build(paddle: Any) -> Any:
        x = paddle.static.data("x", [2], "float32")
        return {"x": ONES}, [x, "x"]

    return ran(paddle, build)


def constant(paddle: Any) -> Any:
    """A parameter of threes."""
    threes = paddle.nn.initializer.Constant(3.0)
    return paddle.static.create_parameter([2], "float32", default_initializer=threes)


def a_program_without_operators_gives_its_parameter(paddle: Any) -> Any:
    return ran(paddle, lambda paddle: ({}, [constant(paddle)]))


def a_program_without_operators_gives_both(paddle: Any) -> Any:
    def build(paddle: Any) -> Any:
        x, w = paddle.static.data("x", [2], "float32"), constant(paddle)
        return {"x": ONES}, [x, w, x]

    return ran(paddle, build)


def nothing_fetched_from_no_operators_is_nothing(paddle: Any) -> Any:
    def build(paddle: Any) -> Any:
        paddle.static.data("x", [2], "float32")
        return {"x": ONES}, []

    return ran(paddle, build)


def a_feed_of_another_shape_is_refused_without_operators_too(paddle: Any) -> Any:
    def build(paddle: Any) -> Any:
        x = paddle.static.data("x", [2], "float32")
        return {"x": np.ones(3, "float32")}, [x]

    return ran(paddle, build)


def a_name_unknown_to_a_program_without_operators_is_refused(paddle: Any) -> Any:
    return ran(paddle, lambda paddle: ({}, ["nobody"]))


def a_quarter_turn_taken_no_times_in_a_program(paddle: Any) -> Any:
    def build(paddle: Any) -> Any:
        x = paddle.static.data("x", [2, 2], "float32")
        return {"x": np.ones((2, 2), "float32")}, [paddle.rot90(x, 0)]

    return ran(paddle, build)


def cloned(paddle: Any, train: Callable[[Any, Any], Any]) -> list[str]:
    """The types of a test's operators, of a program that a loss x w x is part of."""
    paddle.enable_static()
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        x = paddle.static.data("x", [2], "float32")
        x.stop_gradient = False
        train(x, (x * constant(paddle) * x).sum())
        test = main.clone(for_test=True)
    return [op.type for op in test.global_block().ops]


def a_test_keeps_gradients_where_nothing_is_minimized(paddle: Any) -> Any:
    def train(x: Any, loss: Any) -> None:
        (slope,) = paddle.static.gradients([loss], [x])
        slope * 2.0

    return cloned(paddle, train)


def a_test_minimizes_nothing(paddle: Any) -> Any:
    return cloned(paddle, lambda x, loss: paddle.optimizer.SGD(0.1).minimize(loss))


def a_test_leaves_out_gradients_that_were_only_fetched(paddle: Any) -> Any:
    def train(x: Any, loss: Any) -> None:
        paddle.optimizer.SGD(0.1).minimize(loss)
        paddle.static.gradients([loss * 2.0], [x])

    return cloned(paddle, train)


def a_test_keeps_gradients_that_a_minimized_loss_reads(paddle: Any) -> Any:
    def train(x: Any, loss: Any) -> None:
        (slope,) = paddle.static.gradients([loss], [x])
        paddle.optimizer.SGD(0.1).minimize(loss + (slope * slope).sum())

    return cloned(paddle, train)


def a_test_updates_no_parameter(paddle: Any) -> Any:
    def train(x: Any, loss: Any) -> None:
        w = loss.block.program.all_parameters()
        pairs = zip(w, paddle.static.gradients([loss], w), strict=True)
        paddle.optimizer.SGD(0.1).apply_gradients(list(pairs))

    return cloned(paddle, train)


def a_test_gives_gradients(paddle: Any) -> Any:
    paddle.enable_static()
    main = paddle.static.Program()
    with paddle.static.program_guard(main, paddle.static.Program()):
        x = paddle.static.data("x", [2], "float32")
        x.stop_gradient = False
        (slope,) = paddle.static.gradients([(x * x * x).sum()], [x])
        test = main.clone(for_test=True)
    return paddle.static.Executor().run(test, {"x": ONES}, [slope.name])


def an_operator_is_described(paddle: Any) -> Any:
    paddle.enable_static()
    with paddle.static.program_guard(paddle.static.Program()):
        with paddle.static.name_scope("first"):
            x = paddle.static.data("x", [2])
            (x + 1.0) * x
        op = paddle.static.default_main_program().block(0).ops[-1]
    described = op.desc
    return [
        *(
            described.type(),
            described.input("X") == op.input("X"),
            described.input("Y"),
        ),
        *(described.input_names(), described.output_names()),
        *(described.output("Out") == op.output("Out"), described.attr("axis")),
        *(described.has_attr("op_namescope"), described.attr("op_namescope")),
    ]


STORIES = (
    a_program_without_operators_gives_its_feed,
    a_program_without_operators_gives_its_parameter,
    a_program_without_operators_gives_both,
    nothing_fetched_from_no_operators_is_nothing,
    a_feed_of_another_shape_is_refused_without_operators_too,
    a_name_unknown_to_a_program_without_operators_is_refused,
    a_quarter_turn_taken_no_times_in_a_program,
    a_test_keeps_gradients_where_nothing_is_minimized,
    a_test_minimizes_nothing,
    a_test_leaves_out_gradients_that_were_only_fetched,
    a_test_keeps_gradients_that_a_minimized_loss_reads,
    a_test_updates_no_parameter,
    a_test_gives_gradients,
    an_operator_is_described,
)
