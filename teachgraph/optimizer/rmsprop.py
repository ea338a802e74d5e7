"""RMSProp: gradients divided by the root of a running average of their squares."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from teachgraph.ops.optimize import rmsprop
from teachgraph.optimizer.accumulators import Kept
from teachgraph.optimizer.checks import FRACTION, NOT_NEGATIVE
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.optimizer import Optimizer

__all__ = ["RMSProp"]


class RMSProp(Optimizer):
    """RMSProp: s <- rho s + (1 - rho) dw^2; w <- w - rate dw / sqrt(s + epsilon).

    Epsilon is added under the root; PyTorch adds it outside.

    Args:
        learning_rate: A number greater than 0, or a schedule.
        rho: The decay rate of the average.
        epsilon: Added under the root for numerical stability.
        momentum: The factor of the last step that is added to the next.
        centered: Divide by the standard deviation of the gradient instead.
        parameters: The parameters to update, or groups; see `Optimizer`.
        weight_decay: A decay to add to the gradients, or its strength.
        grad_clip: The gradient clipping.
        name: Accepted for Paddle's sake.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.0], stop_gradient=False)
    >>> w.backward()
    >>> RMSProp(0.25, rho=0.0, epsilon=0.0, parameters=[w]).step()
    >>> w.item()
    0.75

    In Paddle this is `paddle.optimizer.RMSProp`.
    """

    ranges: ClassVar = {
        "rho": FRACTION,
        "epsilon": NOT_NEGATIVE,
        "momentum": NOT_NEGATIVE,
    }

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        rho: float = 0.95,
        epsilon: float = 1e-6,
        momentum: float = 0.0,
        centered: bool = False,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        options = {
            "rho": rho,
            "epsilon": epsilon,
            "momentum": momentum,
            "centered": centered,
        }
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, options=options
        )

    def keeps(self, parameter: Any) -> Sequence[Kept]:
        """Declare the last step and the averages of dw^2 and dw."""
        return Kept("momentum"), Kept("mean_square"), Kept("mean_grad")

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `rmsprop` op."""
        options = dict(self.options(parameter))
        decay = options.pop("rho")
        return rmsprop(parameter, grad, *kept, learning_rate, decay=decay, **options)
