"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from teachgraph.core.ops import sgd
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.optimizer import Optimizer

__all__ = ["SGD"]


class SGD(Optimizer):
    """Stochastic gradient descent, w <- w - learning_rate dw.

    Args:
        learning_rate: A number greater than 0, or a schedule.
        parameters: The parameters to update, or groups; see `Optimizer`.
        weight_decay: A decay to add to the gradients, or its strength.
        grad_clip: The gradient clipping.
        multi_precision: Accepted for Paddle's sake; there is no float16.
        name: Accepted for Paddle's sake.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.0], stop_gradient=False)
    >>> w.backward()
    >>> SGD(learning_rate=0.25, parameters=[w]).step()
    >>> w.item()
    0.75

    In Paddle this is `paddle.optimizer.SGD` and `fluid.optimizer.SGD`.
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `sgd` op."""
        return sgd(parameter, grad, learning_rate)
