"""Stochastic gradient descent."""

from __future__ import annotations

from typing import Any

from teachgraph.ops.optimize import sgd
from teachgraph.optimizer.optimizer import Optimizer

__all__ = ["SGD"]


class SGD(Optimizer):
    """w <- w - learning_rate dw.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.0], stop_gradient=False)
    >>> w.backward()
    >>> SGD(learning_rate=0.25, parameters=[w]).step()
    >>> w.item()
    0.75

    In Paddle this is `paddle.optimizer.SGD` and `fluid.optimizer.SGD`.
    """

    def update(self, parameter: Any, grad: Any, learning_rate: Any) -> Any:
        """One `sgd` op."""
        return sgd(parameter, grad, learning_rate)
