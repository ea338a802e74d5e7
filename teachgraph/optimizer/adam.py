"""Adam, and AdamW with decoupled weight decay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from teachgraph.core.errors import DTypeError
from teachgraph.ops.optimize import adam, adamw
from teachgraph.optimizer.accumulators import Kept
from teachgraph.optimizer.checks import FRACTION, NOT_NEGATIVE, Range
from teachgraph.optimizer.lr import LRScheduler
from teachgraph.optimizer.optimizer import Optimizer

__all__ = ["BETAS", "Adam", "AdamW", "TwoMoments"]

BETAS: Mapping[str, Range] = {
    "beta1": FRACTION,
    "beta2": FRACTION,
    "epsilon": NOT_NEGATIVE,
}


class TwoMoments(Optimizer):
    """Base of optimizers with running averages of dw and dw^2."""

    ranges: ClassVar = BETAS

    def keeps(self, parameter: Any) -> Sequence[Kept]:
        """Declare both averages, and beta^t for step t, which starts at 1."""
        options = self.options(parameter)
        return moments(options["beta1"], options["beta2"])


@cache
def moments(beta1: float, beta2: float) -> Sequence[Kept]:
    """Declare the state once for all parameters and steps."""
    return (
        Kept("moment1"),
        Kept("moment2"),
        Kept("beta1_pow_acc", beta1, (1,)),
        Kept("beta2_pow_acc", beta2, (1,)),
    )


class Adam(TwoMoments):
    """Adam: w <- w - learning_rate m' / (sqrt(v') + epsilon).

    m <- beta1 m + (1 - beta1) dw and v <- beta2 v + (1 - beta2) dw^2 start at 0;
    m' = m / (1 - beta1^t) and v' = v / (1 - beta2^t) correct that bias.

    Args:
        learning_rate: A number greater than 0, or a schedule.
        beta1: The decay rate of m, in [0, 1).
        beta2: The decay rate of v, in [0, 1).
        epsilon: Added to the denominator for numerical stability.
        parameters: The parameters to update, or groups; see `Optimizer`.
        weight_decay: A decay to add to the gradients, or its strength.
        grad_clip: The gradient clipping.
        lazy_mode: Accepted for Paddle's sake: it concerns sparse gradients, which
            teachgraph does not have.
        multi_precision: Accepted for Paddle's sake; there is no float16.
        use_multi_tensor: Accepted for Paddle's sake.
        name: Accepted for Paddle's sake.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.0], stop_gradient=False)
    >>> w.backward()
    >>> Adam(0.25, parameters=[w]).step()
    >>> round(w.item(), 6)
    0.75

    In Paddle this is `paddle.optimizer.Adam`; from Kingma and Ba, Adam: A Method for
    Stochastic Optimization (2014).
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ) -> None:
        options = {"beta1": beta1, "beta2": beta2, "epsilon": epsilon}
        super().__init__(
            learning_rate, parameters, weight_decay, grad_clip, name, options=options
        )

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `adam` op."""
        return adam(parameter, grad, learning_rate, *kept, **self.options(parameter))


class AdamW(TwoMoments):
    """AdamW: Adam's step after w <- (1 - learning_rate weight_decay) w.

    Args:
        learning_rate: A number greater than 0, or a schedule.
        beta1: The decay rate of the average of dw, in [0, 1).
        beta2: The decay rate of the average of dw^2, in [0, 1).
        epsilon: Added to the denominator for numerical stability.
        parameters: The parameters to update, or groups; see `Optimizer`.
        weight_decay: The strength of the decay.
        lr_ratio: Maps a parameter to a factor of its learning rate.
        apply_decay_param_fun: True for the names of parameters that decay; by default
            all do.
        grad_clip: The gradient clipping.
        lazy_mode: Accepted for Paddle's sake: it concerns sparse gradients, which
            teachgraph does not have.
        multi_precision: Accepted for Paddle's sake; there is no float16.
        name: Accepted for Paddle's sake.

    Raises:
        DTypeError: `lr_ratio` or `apply_decay_param_fun` cannot be called.

    >>> import teachgraph as tg
    >>> w = tg.to_tensor([1.0], stop_gradient=False)
    >>> w.backward()
    >>> AdamW(0.25, weight_decay=1.0, parameters=[w]).step()
    >>> round(w.item(), 6)
    0.5

    In Paddle this is `paddle.optimizer.AdamW`; from Loshchilov and Hutter, Decoupled
    Weight Decay Regularization (2017).
    """

    ranges: ClassVar = {**BETAS, "weight_decay": NOT_NEGATIVE}

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameters: Iterable[Any] | None = None,
        weight_decay: float = 0.01,
        lr_ratio: Callable[[Any], float] | None = None,
        apply_decay_param_fun: Callable[[str], bool] | None = None,
        grad_clip: Any = None,
        lazy_mode: bool = False,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        check_functions(lr_ratio=lr_ratio, apply_decay_param_fun=apply_decay_param_fun)
        options = {
            "beta1": beta1,
            "beta2": beta2,
            "epsilon": epsilon,
            "weight_decay": weight_decay,
            "lr_ratio": lr_ratio,
            "apply_decay_param_fun": apply_decay_param_fun,
        }
        super().__init__(learning_rate, parameters, None, grad_clip, options=options)

    def update(self, parameter: Any, grad: Any, learning_rate: Any, *kept: Any) -> Any:
        """One `adamw` op."""
        options = dict(self.options(parameter))
        ratio, decays = options.pop("lr_ratio"), options.pop("apply_decay_param_fun")
        return adamw(
            parameter,
            grad,
            learning_rate,
            *kept,
            coeff=options.pop("weight_decay"),
            lr_ratio=1.0 if ratio is None else float(ratio(parameter)),
            with_decay=decays is None or bool(decays(parameter.name)),
            **options,
        )


def check_functions(**functions: Any) -> None:
    """Require that each is callable or None.

    Raises:
        DTypeError: A value is not.
    """
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise DTypeError.here(f"{name} is a function or None, got {function!r}")
