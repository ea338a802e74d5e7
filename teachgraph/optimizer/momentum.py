"""Gradient descent with momentum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from teachgraph.ops.optimize import momentum as momentum_op
from teachgraph.optimizer.accumulators import Kept
from teachgraph.optimizer.checks import NOT_NEGATIVE
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.optimizer import Optimizer
from teachgraph.regularizer import L2Decay, WeightDecayRegularizer

__all__ = ["Momentum"]


class Momentum(Optimizer):
    """Momentum: v <- momentum v + dw; w <- w - learning_rate v.

    With `use_nesterov` the step is along dw + momentum v.

    Args:
        learning_rate: A number greater than 0, or a schedule.
        momentum: The decay factor of the velocity.
        parameters: The parameters to update, or groups; see `Optimizer`.
        use_nesterov: Use Nesterov's momentum.
        weight_decay: A decay to add to the gradients, or its strength. An `L2Decay` is
            computed by the update op itself.
        grad_clip: The gradient clipping.
        multi_precision: Accepted for Paddle's sake; there is no float16.
        rescale_grad: A factor on every gradient.
        use_multi_tensor: Accepted for Paddle's sake.
        name: Accepted for Paddle's sake.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.0], stop_gradient=False)
    >>> optimizer = Momentum(learning_rate=0.25, momentum=0.5, parameters=[w])
    >>> for _ in range(2):
    ...     w.backward()
    ...     optimizer.step()
    ...     optimizer.clear_grad()
    >>> w.item()
    0.375

    In Paddle this is `paddle.optimizer.Momentum`; PyTorch's `SGD(momentum=...)` steps
    the same way.
    """

    ranges: ClassVar = {"momentum": NOT_NEGATIVE, "rescale_grad": NOT_NEGATIVE}

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        momentum: float = 0.9,
        parameters: Iterable[Any] | None = None,
        use_nesterov: bool = False,
        weight_decay: Any = None,
        grad_clip: Any = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ) -> None:
        options = {
            "momentum": momentum,
            "use_nesterov": use_nesterov,
            "rescale_grad": rescale_grad,
        }
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, options=options
        )

    def keeps(self, parameter: Any) -> Sequence[Kept]:
        """Declare the velocity."""
        return (Kept("velocity"),)

    def decay(self, parameter: Any) -> WeightDecayRegularizer | None:
        """Return the decay, unless it is an L2 decay, which the op computes itself."""
        decay = super().decay(parameter)
        return None if isinstance(decay, L2Decay) else decay

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `momentum` op."""
        options = self.options(parameter)
        decay = super().decay(parameter)
        method, strength = (
            ("l2_decay", decay.coeff) if isinstance(decay, L2Decay) else ("", 0.0)
        )
        return momentum_op(
            parameter,
            grad,
            *kept,
            learning_rate,
            mu=options["momentum"],
            use_nesterov=options["use_nesterov"],
            regularization_method=method,
            regularization_coeff=strength,
            rescale_grad=options["rescale_grad"],
        )
