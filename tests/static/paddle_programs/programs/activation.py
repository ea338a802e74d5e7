"""Activations: op types, attributes and what is kept for backward."""

from __future__ import annotations

from typing import Any

from tests.static.paddle_programs.differences import Row, explained
from tests.static.paddle_programs.programs.program import data, program

SMOOTH = ("gelu", "silu", "swish", "mish", "softplus", "softsign", "log_sigmoid")
BENT = ("relu6", "leaky_relu", "elu", "selu", "celu", "hardswish", "hardsigmoid")
CUT = ("hardtanh", "hardshrink", "softshrink", "tanhshrink", "thresholded_relu")


def in_turn(paddle: Any, names: tuple[str, ...], x: Any) -> Any:
    """One function after the other, and back through all of them."""
    x.stop_gradient = False
    out = x
    for name in names:
        out = getattr(paddle.nn.functional, name)(out)
    return paddle.static.gradients(out, x)


@program
def smooth_activations(paddle: Any) -> Any:
    return in_turn(paddle, SMOOTH, data(paddle))


@program
def bent_activations(paddle: Any) -> Any:
    return in_turn(paddle, BENT, data(paddle))


@program
def cutting_activations(paddle: Any) -> Any:
    return in_turn(paddle, CUT, data(paddle))


@program
def activations_with_arguments(paddle: Any) -> Any:
    functional, x = paddle.nn.functional, data(paddle)
    x.stop_gradient = False
    out = functional.gelu(x, approximate=True)
    out = functional.softplus(out, beta=2, threshold=3)
    out = functional.hardtanh(out, -0.5, 0.75)
    out = functional.leaky_relu(out, 0.25)
    out = functional.log_softmax(out, axis=0)
    return paddle.static.gradients(out, x)


@program
def prelu_layer(paddle: Any) -> Any:
    x = paddle.static.data("X", [None, 3, 2, 2])
    out = paddle.nn.PReLU(num_parameters=3)(x)
    out = paddle.nn.functional.maxout(paddle.reshape(out, [-1, 4, 3, 1]), 2)
    return paddle.static.append_backward(paddle.mean(out))


explained(
    Row(
        "`lambda` is a word of Python's own",
        "attr",
        "softshrink*",
        "lambda*",
        "cutting_activations",
    ),
    Row(
        "x alone says which is the largest",
        "input",
        "maxout_grad",
        "Out",
        "prelu_layer",
    ),
)
