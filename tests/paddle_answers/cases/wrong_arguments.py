"""Arguments of another kind: texts for lists, numbers for tensors, unknown names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["LINES", "STORIES"]

LINES = """
paddle.einsum("i...->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("...i->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("...->", t([[1.0, 2], [3, 4]]))
paddle.einsum("i...->i", t([1.0, 2]))
paddle.einsum("i...,i...->i", t([[1.0, 2], [3, 4]]), t([[1.0, 2], [3, 4]]))
paddle.einsum("i...->...", t([[1.0, 2], [3, 4]]))
paddle.einsum("...i->i...", t([[1.0, 2], [3, 4]]))
paddle.einsum("ij->i...", t([[1.0, 2], [3, 4]]))
paddle.einsum("i...j", t([[[1.0, 2], [3, 4]]]))
paddle.einsum("...k...", t([[1.0, 2], [3, 4]]))
paddle.einsum("...k...->k", t([[1.0, 2], [3, 4]]))
paddle.einsum("i..->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("i....->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("i.j->ij", t([[1.0, 2], [3, 4]]))
paddle.einsum("i1->i", t([[1.0, 2], [3, 4]]))
paddle.einsum("ij->ij->i", t([[1.0, 2], [3, 4]]))
"""

Story = Callable[[Any], Any]


def appended(act: Callable[..., Any]) -> Story:
    """What an action appends to a program: the names of its (parameter, gradient)."""

    def story(paddle: Any) -> Any:
        paddle.enable_static()
        main, startup = paddle.static.Program(), paddle.static.Program()
        with (
            paddle.static.program_guard(main, startup),
            paddle.utils.unique_name.guard(),
        ):
            x = paddle.static.data("x", [2, 3])
            w = paddle.static.create_parameter([3, 1], "float32", name="w")
            b = paddle.static.create_parameter([1], "float32", name="b")
            y = paddle.matmul(x, w) + b
            return [[p.name, g.name] for p, g in act(paddle, y, w)]

    return story


def backward(**arguments: Any) -> Story:
    """`append_backward` with these arguments, "the Variable" for a parameter."""

    def act(paddle: Any, y: Any, w: Any) -> Any:
        given = {k: w if v == "the Variable" else v for k, v in arguments.items()}
        return paddle.static.append_backward(paddle.mean(y), **given)

    return appended(act)


def minimize(loss: Callable[[Any, Any], Any], **arguments: Any) -> Story:
    """`minimize` of a loss with these arguments."""

    def act(paddle: Any, y: Any, w: Any) -> Any:
        return paddle.optimizer.SGD(0.1).minimize(loss(paddle, y), **arguments)[1]

    return appended(act)


def gradients(**arguments: Any) -> Story:
    """`gradients` with these arguments instead of right ones."""

    def act(paddle: Any, y: Any, w: Any) -> Any:
        given = {"targets": [paddle.mean(y)], "inputs": [w]} | arguments
        return [(w, dw) for dw in paddle.static.gradients(**given)]

    return appended(act)


def mean(paddle: Any, y: Any) -> Any:
    return paddle.mean(y)


def named(name: str, story: Story) -> Story:
    """A story under a name of its own."""

    def told(paddle: Any) -> Any:
        return story(paddle)

    told.__name__ = name
    return told


STORIES: list[Story] = [
    named(name, story)
    for name, story in {
        "no_grad_set is a set of names": backward(no_grad_set={"w"}),
        "no_grad_set is a list of names": backward(no_grad_set=["w"]),
        "no_grad_set has an unknown name": backward(no_grad_set={"other"}),
        "no_grad_set is a text": backward(no_grad_set="w"),
        "no_grad_set is a Variable": backward(no_grad_set="the Variable"),
        "no_grad_set is a number": backward(no_grad_set=3),
        "parameter_list is a list of names": backward(parameter_list=["w"]),
        "parameter_list is a text": backward(parameter_list="w"),
        "parameter_list is a Variable": backward(parameter_list="the Variable"),
        "parameter_list holds a number": backward(parameter_list=[3]),
        "callbacks are a number": backward(callbacks=3),
        "minimize takes no text as no_grad_set": minimize(mean, no_grad_set="w"),
        "minimize takes no text as parameters": minimize(mean, parameters="w"),
        "minimize takes names of parameters": minimize(mean, parameters=["w"]),
        "gradients takes no text as no_grad_set": gradients(no_grad_set="w"),
        "gradients takes no text as inputs": gradients(inputs="w"),
        "gradients takes no text as targets": gradients(targets="w"),
        "gradients takes no number as target_gradients": gradients(target_gradients=3),
        "a loss of two elements is minimized": minimize(lambda paddle, y: y),
        "a loss of unknown size is minimized": minimize(
            lambda paddle, y: paddle.static.data("q", [-1]) * paddle.mean(y)
        ),
        "a loss of shape 1 1 is minimized": minimize(
            lambda paddle, y: paddle.mean(y).reshape([1, 1])
        ),
        "a number is minimized": minimize(lambda paddle, y: 3),
        "a list is minimized": minimize(lambda paddle, y: [paddle.mean(y)]),
        "a loss of two elements goes backward": appended(
            lambda paddle, y, w: paddle.static.append_backward(y)
        ),
        "a number goes backward": appended(
            lambda paddle, y, w: paddle.static.append_backward(3)
        ),
    }.items()
]
