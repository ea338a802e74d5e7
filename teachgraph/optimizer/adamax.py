"""Adamax: Adam with the infinity norm in place of the root mean square."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from teachgraph.ops.inplace import scale_onto
from teachgraph.ops.optimize import adamax
from teachgraph.optimizer.accumulators import Kept
from teachgraph.optimizer.adam import BETAS
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.optimizer import Optimizer

__all__ = ["Adamax"]


class Adamax(Optimizer):
    """Adamax: w <- w - learning_rate / (1 - beta1^t) m / u.

    m <- beta1 m + (1 - beta1) dw and u <- max(|dw|, beta2 u + epsilon) start at 0.

    Args:
        learning_rate: A number greater than 0, or a schedule.
        beta1: The decay rate of m, in [0, 1).
        beta2: The decay rate of u, in [0, 1).
        epsilon: Keeps u above 0; PyTorch adds it to |dw| instead.
        parameters: The parameters to update, or groups; see `Optimizer`.
        weight_decay: A decay to add to the gradients, or its strength.
        grad_clip: The gradient clipping.
        name: Accepted for Paddle's sake.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.0], stop_gradient=False)
    >>> w.backward()
    >>> Adamax(0.25, parameters=[w]).step()
    >>> round(w.item(), 6)
    0.75

    In Paddle this is `paddle.optimizer.Adamax`; from Kingma and Ba, Adam: A Method for
    Stochastic Optimization (2014), section 7.1.
    """

    ranges: ClassVar = BETAS
    finishing: ClassVar = "adamax"

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        options = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, options=options
        )

    def keeps(self, parameter: Any) -> Sequence[Kept]:
        """Declare the average, the infinity norm, and beta1^t for step t."""
        beta1 = self.options(parameter)["beta1"]
        return (
            Kept("moment"),
            Kept("inf_norm"),
            Kept("beta1_pow_acc", beta1, (1,)),
        )

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `adamax` op."""
        return adamax(parameter, grad, learning_rate, *kept, **self.options(parameter))

    def finish(self, parameter: Any, *kept: Any) -> None:
        """Advance beta1^t to beta1^(t + 1)."""
        scale_onto(kept[-1], scale=self.options(parameter)["beta1"])
