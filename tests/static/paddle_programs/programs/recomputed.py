"""Programs whose backward computes parts of the forward anew, to keep less."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import data, labels, program

explained(
    Row(
        "no gradient passes a mask of small integers, whatever stop_gradient says",
        "variable",
        "dropout_*.tmp_1*",
        "stop_gradient",
        program="recomputed_dropouts",
    )
)


def layers(paddle: Any, x: Any, count: int, **attrs: Any) -> list[Any]:
    """The values of a few layers, one after the other."""
    values = [x]
    for _ in range(count):
        values.append(paddle.static.nn.fc(values[-1], 3, activation="tanh", **attrs))
    return values[1:]


@program
def recomputed_between_two(paddle: Any) -> Any:
    values = layers(paddle, data(paddle), 5)
    loss = paddle.mean(paddle.static.nn.fc(values[-1], 1))
    paddle.static.append_backward(loss, checkpoints=[values[3], values[1]])


@program
def recomputed_up_to_one(paddle: Any) -> Any:
    values = layers(paddle, data(paddle), 3)
    loss = paddle.mean(values[-1])
    paddle.static.append_backward(loss, checkpoints=[values[1]])


@program
def recomputed_with_gaps(paddle: Any) -> Any:
    """Nothing lies between the first layer's value and the second's but one layer."""
    first, second, third, fourth = layers(paddle, data(paddle), 4)
    joined = third * first
    loss = paddle.mean(paddle.tanh(joined) + fourth)
    paddle.static.append_backward(loss, checkpoints=[first, second, joined])


@program
def recomputed_dropouts(paddle: Any) -> Any:
    def dropped(x: Any) -> Any:
        """So rarely that both libraries' random numbers leave out nothing."""
        return paddle.nn.functional.dropout(x, 1e-9)

    first, second = layers(paddle, dropped(paddle.tanh(data(paddle))), 2)
    third = layers(paddle, dropped(second), 1)[0]
    loss = paddle.mean(dropped(paddle.tanh(dropped(third))))
    paddle.static.append_backward(loss, checkpoints=[first, third])


@program
def recomputed_shared_layer(paddle: Any) -> Any:
    shared = {"weight_attr": paddle.ParamAttr(name="w"), "bias_attr": False}
    x = paddle.static.nn.fc(data(paddle), 3)
    values = layers(paddle, x, 4, **shared)
    loss = paddle.mean(values[-1])
    paddle.static.append_backward(loss, checkpoints=[values[0], values[2]])


@program
def recomputed_classifier(paddle: Any) -> Any:
    values = layers(paddle, data(paddle), 3)
    logits = paddle.static.nn.fc(values[-1], 3)
    loss = paddle.mean(
        paddle.nn.functional.cross_entropy(logits, labels(paddle), reduction="none")
    )
    paddle.static.append_backward(loss, checkpoints=[values[0], values[2]])


@program
def recomputed_by_an_optimizer(paddle: Any) -> Any:
    values = layers(paddle, data(paddle), 4)
    loss = paddle.mean(values[-1])
    words = paddle.fluid if hasattr(paddle, "fluid") else paddle.incubate
    optimizer = words.optimizer.RecomputeOptimizer(paddle.optimizer.Momentum(0.1, 0.9))
    optimizer._set_checkpoints([values[1].name, values[2]])
    return optimizer.minimize(loss)
