"""Adagrad: gradients divided by the root of their accumulated squares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from teachgraph.ops.optimize import adagrad
from teachgraph.optimizer.accumulators import Kept
from teachgraph.optimizer.checks import NOT_NEGATIVE
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.optimizer import Optimizer

__all__ = ["Adagrad"]


class Adagrad(Optimizer):
    """Adagrad: m <- m + dw^2; w <- w - learning_rate dw / (sqrt(m) + epsilon).

    Args:
        learning_rate: A number greater than 0, or a schedule.
        epsilon: Added to the denominator for numerical stability.
        parameters: The parameters to update, or groups; see `Optimizer`.
        weight_decay: A decay to add to the gradients, or its strength.
        grad_clip: The gradient clipping.
        name: Accepted for Paddle's sake.
        initial_accumulator_value: The initial value of m.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.0], stop_gradient=False)
    >>> w.backward()
    >>> Adagrad(0.25, epsilon=0.0, parameters=[w]).step()
    >>> w.item()
    0.75

    In Paddle this is `paddle.optimizer.Adagrad`; from Duchi et al., Adaptive
    Subgradient Methods for Online Learning and Stochastic Optimization (2011).
    """

    ranges: ClassVar = {
        "epsilon": NOT_NEGATIVE,
        "initial_accumulator_value": NOT_NEGATIVE,
    }

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        epsilon: float = 1e-6,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        options = {
            "epsilon": epsilon,
            "initial_accumulator_value": initial_accumulator_value,
        }
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, options=options
        )

    def keeps(self, parameter: Any) -> Sequence[Kept]:
        """Declare the sum of squares."""
        start = self.options(parameter)["initial_accumulator_value"]
        return (Kept("moment", float(start)),)

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `adagrad` op."""
        epsilon = self.options(parameter)["epsilon"]
        return adagrad(parameter, grad, *kept, learning_rate, epsilon=epsilon)
