"""Modes of a process: is it recording, and which seed does it draw from."""

from __future__ import annotations

from typing import Any

__all__ = ["STORIES"]


def recording_is_switched(paddle: Any) -> Any:
    said = []
    with paddle.set_grad_enabled(False):
        said.append(paddle.is_grad_enabled())
    said.append(paddle.is_grad_enabled())
    switch = paddle.set_grad_enabled(False)
    said.append(paddle.is_grad_enabled())
    with paddle.set_grad_enabled(True):
        said.append(paddle.is_grad_enabled())
    said.append(paddle.is_grad_enabled())
    with switch:
        said.append(paddle.is_grad_enabled())
    said.append(paddle.is_grad_enabled())
    with paddle.no_grad():
        paddle.set_grad_enabled(True)
        said.append(paddle.is_grad_enabled())
    paddle.set_grad_enabled(True)
    return said


def what_was_not_recorded_stops_gradients(paddle: Any) -> Any:
    x = paddle.to_tensor([1.0], stop_gradient=False)
    paddle.set_grad_enabled(False)
    y = x * 2
    paddle.set_grad_enabled(True)
    return [y.stop_gradient, (x * 2).stop_gradient]


def drawn_twice(paddle: Any, draw: Any) -> bool:
    """Whether two seeds of everything give the same, with one of the main program."""
    main, found = paddle.static.default_main_program(), []
    for seed in (1, 2):
        paddle.seed(seed)
        main.random_seed = 7
        found.append(draw().numpy().tolist())
    main.random_seed = 0
    return bool(found[0] == found[1])


def a_program_seeds_initializers(paddle: Any) -> Any:
    def drawn(initializer: Any) -> bool:
        attr = paddle.ParamAttr(initializer=initializer)
        return drawn_twice(
            paddle, lambda: paddle.nn.Linear(2, 2, weight_attr=attr).weight
        )

    names = (
        *("XavierNormal", "XavierUniform", "KaimingNormal", "KaimingUniform"),
        *("Normal", "Uniform", "TruncatedNormal", "Orthogonal"),
    )
    return [drawn(getattr(paddle.nn.initializer, name)()) for name in names]


def a_program_seeds_dropout_and_no_other_random_op(paddle: Any) -> Any:
    x = paddle.ones([64])
    return [
        drawn_twice(paddle, lambda: paddle.nn.functional.dropout(x)),
        drawn_twice(paddle, lambda: paddle.rand([64])),
        drawn_twice(paddle, lambda: paddle.nn.functional.alpha_dropout(x)),
    ]


STORIES = (
    recording_is_switched,
    what_was_not_recorded_stops_gradients,
    a_program_seeds_initializers,
    a_program_seeds_dropout_and_no_other_random_op,
)
