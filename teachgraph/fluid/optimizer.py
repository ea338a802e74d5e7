"""Paddle 1.x's `fluid.optimizer`."""

from __future__ import annotations

from typing import Any

from teachgraph import optimizer
from teachgraph.errors import InvalidValueError, at_user_line

__all__ = ["SGD", "SGDOptimizer"]


class SGDOptimizer(optimizer.SGD):
    """w <- w - learning_rate dw, with 1.x's argument names.

    In Paddle this is `fluid.optimizer.SGD`.
    """

    def __init__(
        self,
        learning_rate: float,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        for what, value in (
            ("regularization", regularization),
            ("grad_clip", grad_clip),
        ):
            if value is not None:
                raise InvalidValueError(
                    at_user_line(f"SGD: the argument {what!r} is not built yet")
                )
        super().__init__(learning_rate, parameter_list, name)


SGD = SGDOptimizer
