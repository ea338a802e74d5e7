"""Arguments of `backward` and `grad` besides tensors, and none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.paddle_answers.stories import Story

__all__ = ["STORIES"]


WEIGHTS: dict[str, Callable[[Any], Any]] = {
    "nothing": lambda paddle: None,
    "an empty list": lambda paddle: [],
    "an empty tuple": lambda paddle: (),
    "a list of nothing": lambda paddle: [None],
    "a tensor": lambda paddle: paddle.to_tensor(3.0),
    "a tuple of a tensor": lambda paddle: (paddle.to_tensor(3.0),),
    "a number": lambda paddle: 3,
    "a list of a number": lambda paddle: [3],
    "an array": lambda paddle: np.ones([], "float32"),
    "a list of an array": lambda paddle: [np.ones([], "float32")],
    "a text": lambda paddle: "a",
    "two tensors": lambda paddle: [paddle.to_tensor(3.0)] * 2,
}
SWITCHES = ("retain_graph", "create_graph", "only_inputs", "allow_unused")
VALUES = (True, False, None, 1, 0, "a")


def parts(paddle: Any) -> tuple[Any, Any]:
    """A leaf of 2, and its square."""
    x = paddle.to_tensor(2.0, stop_gradient=False)
    return x, x * x


def called(name: str, act: Callable[[Any, Any, Any], Any]) -> Story:
    """A story of an action on a leaf and its square."""

    def story(paddle: Any) -> Any:
        return act(paddle, *parts(paddle))

    story.__name__ = name
    return story


def goes_backward(*arguments: Callable[[Any], Any], **switches: Any) -> Any:
    def act(paddle: Any, x: Any, y: Any) -> Any:
        paddle.autograd.backward(y, *[a(paddle) for a in arguments], **switches)
        return x.grad

    return act


def is_asked(*arguments: Callable[[Any], Any], **switches: Any) -> Any:
    def act(paddle: Any, x: Any, y: Any) -> Any:
        return paddle.grad(y, x, *[a(paddle) for a in arguments], **switches)

    return act


def with_constants(constants: Callable[[Any, Any], Any]) -> Any:
    def act(paddle: Any, x: Any, y: Any) -> Any:
        return paddle.grad(y * x, x, no_grad_vars=constants(x, y))

    return act


STORIES: list[Story] = [
    *(called(f"backward of {n}", goes_backward(w)) for n, w in WEIGHTS.items()),
    *(called(f"grad of {n}", is_asked(w)) for n, w in WEIGHTS.items()),
    *(
        called(
            f"backward with retain_graph {value!r}", goes_backward(retain_graph=value)
        )
        for value in VALUES
    ),
    *(
        called(f"grad with {switch} {value!r}", is_asked(**{switch: value}))
        for switch in SWITCHES
        for value in VALUES
    ),
    *(
        called(f"grad with constants {name}", with_constants(constants))
        for name, constants in {
            "a number": lambda x, y: 3,
            "a list of a number": lambda x, y: [3],
            "a tensor": lambda x, y: y,
            "a set": lambda x, y: {y},
            "a tuple": lambda x, y: (y,),
            "an empty list": lambda x, y: [],
        }.items()
    ),
]
