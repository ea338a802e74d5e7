"""Values from nothing: places, random numbers, and what parameters start as."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.compare import ABSENT
from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import program

explained(
    *(
        Row(
            "the only outputs in Paddle whose name begins with a small letter",
            "output",
            "tri?_indices",
            slot,
            "values_that_count",
            **{who: ABSENT},
        )
        for slot, who in (("out", "ours"), ("Out", "paddle"))
    )
)


@program
def random_numbers(paddle: Any) -> Any:
    return [
        paddle.rand([2, 3]) * 0.0,
        paddle.randn([2]) * 0.0,
        paddle.uniform([2], min=-3.0, max=3.0) * 0.0,
        paddle.normal(1.0, 2.0, [2]) * 0.0,
    ]


@program
def values_that_count(paddle: Any) -> Any:
    return [
        paddle.eye(3, 4),
        paddle.tril_indices(3, 3, 0),
        paddle.triu_indices(3),
    ]


@program
def more_initializers(paddle: Any) -> Any:
    given = paddle.nn.initializer
    for initializer in (
        given.TruncatedNormal(0.5, 2.0),
        given.KaimingNormal(),
        given.KaimingUniform(negative_slope=0.5, nonlinearity="leaky_relu"),
        given.XavierNormal(),
    ):
        attr = paddle.ParamAttr(initializer=initializer)
        paddle.nn.Linear(2, 3, weight_attr=attr, bias_attr=False)
    return [paddle.static.default_startup_program()]
