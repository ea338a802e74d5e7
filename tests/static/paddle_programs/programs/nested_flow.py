"""Branches in loops, loops in branches, and a network of arrays in a loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.control_flow import rows
from tests.static.paddle_programs.programs.program import program


def counted(paddle: Any) -> Any:
    """A counter and its end, from what is fed."""
    count = paddle.static.data("count", [1], "float32")
    return count, count + 2.5


@program
def a_branch_in_a_loop(paddle: Any) -> Any:
    x = rows(paddle)
    count, end = counted(paddle)

    def body(i: Any, h: Any) -> Any:
        h = paddle.static.nn.cond(
            paddle.mean(h) > 0.5, lambda: h * 2.0, lambda: paddle.tanh(h)
        )
        return [i + 1.0, h]

    _, h = paddle.static.nn.while_loop(
        lambda i, h: paddle.less_than(i, end), body, [count, x]
    )
    return h


@program
def a_loop_in_a_branch(paddle: Any) -> Any:
    x = rows(paddle)
    count, end = counted(paddle)

    def repeated() -> Any:
        return paddle.static.nn.while_loop(
            lambda i, h: paddle.less_than(i, end),
            lambda i, h: [i + 1.0, paddle.tanh(h)],
            [count * 1.0, x * 2.0],
        )[1]

    return paddle.static.nn.cond(
        paddle.static.data("P", [1], "bool"), repeated, lambda: paddle.exp(x)
    )


@program
def an_lstm_in_a_loop(paddle: Any) -> Any:
    """Its states and its inputs in arrays, its counter in place.

    Forward alone: Paddle 2.6 finds no way back through an array.
    """
    x = paddle.static.data("X", [2, 4, 3], "float32")
    x.stop_gradient = False
    weight = paddle.static.create_parameter([6, 12], "float32", "w")
    t, *places, end = (paddle.assign(np.array([at])) for at in (0, 0, 1, 2, 3, 4))
    zeros = paddle.assign(np.zeros((2, 3), "float32"))
    arrays = paddle.tensor if hasattr(paddle, "tensor") else paddle.fluid.layers
    inputs = arrays.create_array("float32")
    for at, place in enumerate(places):
        arrays.array_write(x[:, at], place, array=inputs)
    h = arrays.array_write(zeros, t)
    c = arrays.array_write(zeros, t)
    going = paddle.less_than(t, end)
    with flow(paddle).While(going).block():
        now = arrays.array_read(inputs, t)
        before = arrays.array_read(h, t)
        cell = arrays.array_read(c, t)
        gates = paddle.matmul(paddle.concat([now, before], axis=1), weight)
        i, f, o, g = (gates[:, at : at + 3] for at in range(0, 12, 3))
        sigmoid, tanh = paddle.nn.functional.sigmoid, paddle.tanh
        cell = sigmoid(f) * cell + sigmoid(i) * tanh(g)
        new = sigmoid(o) * tanh(cell)
        paddle.increment(t)
        arrays.array_write(new, t, array=h)
        arrays.array_write(cell, t, array=c)
        paddle.assign(paddle.less_than(t, end), going)
    return paddle.mean(arrays.array_read(h, t))


def flow(paddle: Any) -> Any:
    """Where `While` and `Switch` are."""
    found = paddle.static.nn
    return found.control_flow if hasattr(found, "control_flow") else paddle.fluid.layers


@program
def a_rate_that_a_switch_sets(paddle: Any) -> Any:
    step = paddle.static.data("step", [1], "float32")
    rate = paddle.static.create_global_var(
        [1], 0.0, "float32", persistable=True, name="rate"
    )
    with flow(paddle).Switch() as switch:
        with switch.case(paddle.less_than(step, step * 0.0 + 3.0)):
            paddle.assign(step * 2.0, rate)
        with switch.case(paddle.less_than(step, step * 0.0 + 6.0)):
            paddle.assign(step * 0.5, rate)
        with switch.default():
            paddle.assign(step * 0.1, rate)
    return rate


explained(
    *(
        Row(
            "a loop has variables of its own; the first values stay", kind, program=loop
        )
        for loop in ("a_branch_in_a_loop", "a_loop_in_a_branch")
        for kind in ("input", "output", "variables", "returned")
    ),
    Row(
        "the same: Paddle numbers the loop's scopes in the row of what has no name",
        "variable",
        "_generated_var_*",
        program="a_loop_in_a_branch",
    ),
    Row(
        "a branch that is not taken leaves what there was, which is read for that",
        "input",
        "conditional_block",
        "Input",
        program="a_rate_that_a_switch_sets",
    ),
    *(
        Row(
            "an array is never written over: each write leaves another one, under "
            "another name, and the body writes what is around it at its end",
            kind,
            program="an_lstm_in_a_loop",
        )
        for kind in ("input", "output", "variables", "variable")
    ),
    Row(
        "an array that is empty is a value like any other, which an operator makes",
        "operators",
        program="an_lstm_in_a_loop",
        paddle=[],
        ours=["create_array"],
    ),
    Row(
        "what the body writes around it is written at its end, for the way back",
        "operators",
        program="an_lstm_in_a_loop",
        paddle=[],
        ours=["assign"] * 4,
    ),
    Row(
        "one attribute holds the values, whatever their dtype",
        "attr",
        "assign_value",
        program="an_lstm_in_a_loop",
    ),
)
