"""Branches and loops, and the way back over them."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import program, sgd


def truth(paddle: Any) -> Any:
    """A predicate that is fed."""
    return paddle.static.data("P", [1], "bool")


def rows(paddle: Any) -> Any:
    """A batch that gradients go to."""
    x = paddle.static.data("X", [2, 3], "float32")
    x.stop_gradient = False
    return x


@program
def branches(paddle: Any) -> Any:
    x = rows(paddle)
    return paddle.static.nn.cond(
        truth(paddle), lambda: paddle.tanh(x), lambda: paddle.exp(x) * 2.0
    )


@program
def branches_of_different_sizes(paddle: Any) -> Any:
    x = rows(paddle)
    return paddle.static.nn.cond(
        truth(paddle), lambda: [x[:1], (x,)], lambda: [x, (paddle.tanh(x),)]
    )


@program
def branches_that_are_trained(paddle: Any) -> Any:
    x, fc = rows(paddle), paddle.static.nn.fc
    y = paddle.static.nn.cond(
        truth(paddle), lambda: fc(x, 2), lambda: fc(paddle.tanh(x), 2)
    )
    return sgd(paddle, paddle.mean(y))


@program
def gradients_of_branches(paddle: Any) -> Any:
    x = rows(paddle)
    inner = lambda: paddle.static.nn.cond(  # noqa: E731
        paddle.mean(x) > 0.0, lambda: x * 2.0, lambda: paddle.exp(x)
    )
    y = paddle.static.nn.cond(truth(paddle), inner, lambda: paddle.tanh(x))
    return paddle.static.gradients(paddle.mean(y), x)


@program
def chosen_by_a_number(paddle: Any) -> Any:
    x = rows(paddle)
    index = paddle.cast(paddle.static.data("index", [1], "float32") * 2.0, "int64")
    fns = {1: lambda: x * 2.0, 5: lambda: x * x}
    return paddle.static.nn.switch_case(index, fns)


@program
def chosen_by_a_case(paddle: Any) -> Any:
    x = rows(paddle)
    return paddle.static.nn.case(
        [
            (paddle.mean(x) > 9.0, lambda: x * 2.0),
            (paddle.mean(x) > 0.0, lambda: x * x),
        ],
        lambda: paddle.exp(x),
    )


@program
def counters_in_a_loop(paddle: Any) -> Any:
    first = paddle.static.data("first", [1], "float32")
    second = paddle.static.data("second", [1], "float32")
    bound = second * 9.0
    first, second = paddle.static.nn.while_loop(
        lambda a, b: paddle.less_than(a, bound),
        lambda a, b: [a + 2.0, b * 2.0],
        [first, second],
    )
    return [paddle.exp(first), paddle.tanh(second)]


@program
def a_loop_that_is_trained(paddle: Any) -> Any:
    count = paddle.static.data("count", [1], "float32")
    weight = paddle.static.create_parameter([3, 3], "float32", "w")
    end, x = count + 2.5, rows(paddle)
    _, h = paddle.static.nn.while_loop(
        lambda i, h: paddle.less_than(i, end),
        lambda i, h: [i + 1.0, paddle.tanh(paddle.matmul(h, weight))],
        [count, x],
    )
    return sgd(paddle, paddle.mean(h))


LOOPS = ("counters_in_a_loop", "a_loop_that_is_trained")

explained(
    *(
        Row(
            "a loop has variables of its own; the first values stay", kind, program=loop
        )
        for kind in ("input", "output", "variables")
        for loop in LOOPS
    ),
    Row(
        "the same, named in an attribute", "attr", "while_grad", "original_output_grad"
    ),
    Row(
        "what arrives is read as it is, without a copy",
        "operators",
        program="a_loop_that_is_trained",
        paddle=["assign"],
        ours=[],
    ),
    *(
        Row(
            "a call of full takes one name, and keeps a whole number whole",
            *what,
            program="chosen_by_a_number",
        )
        for what in (
            ("output", "fill_constant", "Out"),
            ("attr", "fill_constant", "value"),
            ("input", "equal", "Y"),
            ("variables", "fill_constant_*", "name"),
        )
    ),
    Row("every operator has it", "attr", "conditional_block_grad", "op_namescope"),
    *(
        Row(
            "gradients are named after the block they stand in",
            kind,
            where,
            what,
            program="gradients_of_branches",
        )
        for kind, where, what in (
            ("input", "sum", "X"),
            ("output", "conditional_block_grad", "Input@GRAD"),
            ("variables", "X@GRAD@RENAME@*", "name"),
        )
    ),
)
