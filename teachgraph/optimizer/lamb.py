"""LAMB: Adam with layer-wise step lengths, for very large batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from teachgraph.ops.optimize import lamb
from teachgraph.optimizer.adam import BETAS, TwoMoments, check_functions
from teachgraph.optimizer.checks import NOT_NEGATIVE
from teachgraph.optimizer.lr import LRScheduler

__all__ = ["Lamb"]


class Lamb(TwoMoments):
    """LAMB: r = m' / (sqrt(v') + epsilon) + decay w; w <- w - learning_rate |w|/|r| r.

    m' and v' are Adam's averages, |w| the L2 norm of the whole parameter.

    Args:
        learning_rate: A number greater than 0, or a schedule.
        lamb_weight_decay: The decay.
        beta1: The decay rate of the average of dw, in [0, 1).
        beta2: The decay rate of the average of dw^2, in [0, 1).
        epsilon: Added to the denominator for numerical stability.
        parameters: The parameters to update, or groups; see `Optimizer`.
        grad_clip: The gradient clipping.
        exclude_from_weight_decay_fn: True for parameters without decay.
        multi_precision: Accepted for Paddle's sake; there is no float16.
        always_adapt: Adapt the length of steps also for parameters without decay.
        name: Accepted for Paddle's sake.

    Raises:
        DTypeError: `exclude_from_weight_decay_fn` cannot be called.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([2.0], stop_gradient=False)
    >>> w.backward()
    >>> Lamb(0.25, parameters=[w]).step()
    >>> w.item()
    1.5

    In Paddle this is `paddle.optimizer.Lamb`; from You et al., Large Batch Optimization
    for Deep Learning: Training BERT in 76 minutes (2019).
    """

    ranges: ClassVar = {**BETAS, "lamb_weight_decay": NOT_NEGATIVE}

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        parameters: Iterable[Any] | None = None,
        grad_clip: Any = None,
        exclude_from_weight_decay_fn: Callable[[Any], bool] | None = None,
        multi_precision: bool = False,
        always_adapt: bool = False,
        name: str | None = None,
    ) -> None:
        check_functions(exclude_from_weight_decay_fn=exclude_from_weight_decay_fn)
        options = {
            "lamb_weight_decay": lamb_weight_decay,
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "exclude_from_weight_decay_fn": exclude_from_weight_decay_fn,
            "always_adapt": always_adapt,
        }
        super().__init__(learning_rate, parameters, None, grad_clip, options=options)

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `lamb` op."""
        options = dict(self.options(parameter))
        decay = options.pop("lamb_weight_decay")
        excluded = options.pop("exclude_from_weight_decay_fn")
        if excluded is not None and excluded(parameter):
            decay = 0.0
        return lamb(
            parameter, grad, learning_rate, *kept, weight_decay=decay, **options
        )
