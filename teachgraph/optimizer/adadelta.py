"""Adadelta: gradient steps rescaled by running averages of squares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from teachgraph.ops.optimize import adadelta
from teachgraph.optimizer.accumulators import Kept
from teachgraph.optimizer.checks import FRACTION, NOT_NEGATIVE
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.optimizer import Optimizer

__all__ = ["Adadelta"]


class Adadelta(Optimizer):
    """Adadelta: steps dw sqrt(u + epsilon) / sqrt(g + epsilon).

    g is the moving average of dw^2, u that of the steps squared.

    Args:
        learning_rate: A number greater than 0, or a schedule; the paper's is 1.
        epsilon: Added under both roots; without it the first steps would be 0.
        rho: The decay rate of the averages.
        parameters: The parameters to update, or groups; see `Optimizer`.
        weight_decay: A decay to add to the gradients, or its strength.
        grad_clip: The gradient clipping.
        name: Accepted for Paddle's sake.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.0], stop_gradient=False)
    >>> w.backward()
    >>> Adadelta(1.0, epsilon=1.0, rho=0.0, parameters=[w]).step()
    >>> round(w.item(), 3)
    0.293

    In Paddle this is `paddle.optimizer.Adadelta`; from Zeiler, ADADELTA: An Adaptive
    Learning Rate Method (2012).
    """

    ranges: ClassVar = {"epsilon": NOT_NEGATIVE, "rho": FRACTION}

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        epsilon: float = 1e-6,
        rho: float = 0.95,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        options = {"epsilon": epsilon, "rho": rho}
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, options=options
        )

    def keeps(self, parameter: Any) -> Sequence[Kept]:
        """Declare both averages; Paddle's names begin with one more underscore."""
        return Kept("_avg_squared_grad"), Kept("_avg_squared_update")

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `adadelta` op."""
        return adadelta(
            parameter, grad, *kept, learning_rate, **self.options(parameter)
        )
