"""RMSProp: gradients divided by how large they have been lately."""

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
    """s <- rho s + (1 - rho) dw^2; w <- w - learning_rate dw / sqrt(s + epsilon).

    Epsilon stands under the root; PyTorch adds it outside.

    Args:
        learning_rate: A number greater than 0, or a schedule.
        rho: How slowly the average moves.
        epsilon: What keeps the division in bounds.
        momentum: How much of the last step is added to the next.
        centered: Divide by the deviation from the mean gradient instead.
        parameters: What to update, or groups; see `Optimizer`.
        weight_decay: A decay to add to the gradients, or its strength.
        grad_clip: How to clip gradients.
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
        """The last step and the averages of dw^2 and dw."""
        return Kept("momentum"), Kept("mean_square"), Kept("mean_grad")

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `rmsprop` op."""
        options = dict(self.options(parameter))
        decay = options.pop("rho")
        return rmsprop(parameter, grad, *kept, learning_rate, decay=decay, **options)
