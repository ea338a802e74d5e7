"""Gradients asked for more than once, of one another, and with somebody listening."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.differences import EXPANDED, Row, explained
from tests.static.paddle_programs.programs.program import data, program

FED_AND_FETCHED = ("feed", "scale", "fetch")
"""What Paddle puts around an inference program; here the executor feeds and fetches."""

TWICE = (
    "a second start of the way back has a name of its own; the first keeps its value"
)
ASKED = "only the gradients that were asked for are computed, so their names are free"

explained(
    *(
        Row(TWICE, kind, where, program="gradients_asked_for_*")
        for kind, where in (
            ("output", "fill_any_like"),
            ("input", "*_grad"),
            ("variables", "grad/grad/*tmp_0@GRAD"),
        )
    ),
    *(
        Row(ASKED, kind, where, program="gradients_then_a_backward")
        for kind, where in (
            ("output", "*"),
            ("input", "reduce_mean_grad"),
            ("attr", "*_grad"),
            ("variables", "*GRAD*"),
            ("returned", "*"),
        )
    ),
    *(
        Row(EXPANDED, kind, program="gradients_of_a_gradient")
        for kind in ("operators", "input", "output", "variables")
    ),
    *(
        Row(
            "what is fetched is fetched as it is, not a copy of it",
            kind,
            where,
            program="normalized_for_inference",
        )
        for kind, where in (("operators", "*"), ("variables", "save_infer_model/*"))
    ),
)


def input_of(paddle: Any) -> Any:
    """Rows with a gradient."""
    x = data(paddle)
    x.stop_gradient = False
    return x


@program
def gradients_asked_for_twice(paddle: Any) -> Any:
    x = input_of(paddle)
    y = paddle.tanh(x)
    first = paddle.static.gradients(y, x)
    return [first, paddle.static.gradients(y, x)]


@program
def gradients_asked_for_three_times(paddle: Any) -> Any:
    x = input_of(paddle)
    y = paddle.exp(x) * x
    return [paddle.static.gradients(y, x) for _ in range(3)]


@program
def gradients_of_a_gradient(paddle: Any) -> Any:
    x = input_of(paddle)
    (first,) = paddle.static.gradients(x * x * x, x)
    (second,) = paddle.static.gradients(first, x)
    return [first, second]


@program
def gradients_then_a_backward(paddle: Any) -> Any:
    x = input_of(paddle)
    loss = paddle.mean(paddle.static.nn.fc(x, 2))
    slopes = paddle.static.gradients(loss, x)
    return [slopes, paddle.static.append_backward(loss)]


@program
def pruned_to_a_layer(paddle: Any) -> Any:
    first = paddle.static.nn.fc(data(paddle), 3, activation="relu")
    loss = paddle.mean(paddle.static.nn.fc(first, 2))
    returned = paddle.optimizer.Adam(0.1).minimize(loss)
    return [returned, paddle.static.default_main_program()._prune([first])]


@program
def normalized_for_inference(paddle: Any) -> Any:
    x = data(paddle)
    hidden = paddle.static.nn.fc(x, 3, activation="relu")
    out = paddle.static.nn.fc(hidden, 2, activation="softmax")
    paddle.optimizer.SGD(0.1).minimize(paddle.mean(out))
    main = paddle.static.default_main_program()
    found = paddle.static.normalize_program(main, [x], [out])
    return [op for op in found.global_block().ops if op.type not in FED_AND_FETCHED]
