"""Paddle 1.x's `fluid.optimizer`: the same optimizers, with 1.x's argument names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph import optimizer
from teachgraph.optimizer.recompute import RecomputeOptimizer

__all__ = [
    "SGD",
    "Adadelta",
    "AdadeltaOptimizer",
    "Adagrad",
    "AdagradOptimizer",
    "Adam",
    "AdamOptimizer",
    "Adamax",
    "AdamaxOptimizer",
    "LambOptimizer",
    "Momentum",
    "MomentumOptimizer",
    "RMSPropOptimizer",
    "RecomputeOptimizer",
    "SGDOptimizer",
]


class SGDOptimizer(optimizer.SGD):
    """w <- w - learning_rate dw: `fluid.optimizer.SGD`."""

    def __init__(
        self,
        learning_rate: Any,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameter_list, regularization, grad_clip)


class MomentumOptimizer(optimizer.Momentum):
    """Steps along a velocity: `fluid.optimizer.Momentum`."""

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        parameter_list: Any = None,
        use_nesterov: bool = False,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate,
            momentum,
            parameter_list,
            use_nesterov,
            regularization,
            grad_clip,
        )


class AdagradOptimizer(optimizer.Adagrad):
    """Steps over the sum of squares: `fluid.optimizer.Adagrad`."""

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1e-6,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        super().__init__(
            learning_rate,
            epsilon,
            parameter_list,
            regularization,
            grad_clip,
            name,
            initial_accumulator_value,
        )


class AdadeltaOptimizer(optimizer.Adadelta):
    """Steps in units of the parameter: `fluid.optimizer.Adadelta`."""

    def __init__(
        self,
        learning_rate: Any,
        epsilon: float = 1e-6,
        rho: float = 0.95,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate, epsilon, rho, parameter_list, regularization, grad_clip
        )


class RMSPropOptimizer(optimizer.RMSProp):
    """Steps over the root mean square: `fluid.optimizer.RMSPropOptimizer`."""

    def __init__(
        self,
        learning_rate: Any,
        rho: float = 0.95,
        epsilon: float = 1e-6,
        momentum: float = 0.0,
        centered: bool = False,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate,
            rho,
            epsilon,
            momentum,
            centered,
            parameter_list,
            regularization,
            grad_clip,
        )


class AdamOptimizer(optimizer.Adam):
    """Momentum over the root mean square: `fluid.optimizer.Adam`."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
        lazy_mode: bool = False,
    ) -> None:
        super().__init__(
            learning_rate,
            beta1,
            beta2,
            epsilon,
            parameter_list,
            regularization,
            grad_clip,
        )


class AdamaxOptimizer(optimizer.Adamax):
    """Momentum over the largest gradient: `fluid.optimizer.Adamax`."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameter_list: Any = None,
        regularization: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate,
            beta1,
            beta2,
            epsilon,
            parameter_list,
            regularization,
            grad_clip,
        )


class LambOptimizer(optimizer.Lamb):
    """Adam for very large batches: `fluid.optimizer.LambOptimizer`."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        parameter_list: Any = None,
        grad_clip: Any = None,
        exclude_from_weight_decay_fn: Callable[[Any], bool] | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            learning_rate,
            lamb_weight_decay,
            beta1,
            beta2,
            epsilon,
            parameter_list,
            grad_clip,
            exclude_from_weight_decay_fn,
        )


SGD, Momentum, Adagrad = SGDOptimizer, MomentumOptimizer, AdagradOptimizer
Adadelta, Adam, Adamax = AdadeltaOptimizer, AdamOptimizer, AdamaxOptimizer
