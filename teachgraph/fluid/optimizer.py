"""Paddle 1.x's `fluid.optimizer`: optimizers with 1.x's argument names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from teachgraph import optimizer
from teachgraph.fluid.aliases import method
from teachgraph.fluid.clip import clip_of, wishes
from teachgraph.fluid.decays import LearningRateDecay
from teachgraph.fluid.lookahead import LookaheadOptimizer
from teachgraph.optimizer.optimizer import Pairs
from teachgraph.optimizer.recompute import RecomputeOptimizer
from teachgraph.static import (
    ExponentialMovingAverage,
    Operator,
    Program,
    Variable,
    default_startup_program,
    program_guard,
)

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
    "ExponentialMovingAverage",
    "LambOptimizer",
    "LookaheadOptimizer",
    "Momentum",
    "MomentumOptimizer",
    "Optimizer",
    "RMSPropOptimizer",
    "RecomputeOptimizer",
    "SGDOptimizer",
]


class Optimizer(optimizer.Optimizer):
    """Base of 1.x's optimizers: `fluid.optimizer.Optimizer`.

    Args:
        learning_rate: A number, a Variable of `fluid.layers`' decays, or a decay of
            `fluid.dygraph`, which advances with each `minimize`.
        settings: The arguments of the 2.x optimizer that is wrapped.
    """

    def __init__(self, learning_rate: Any, *settings: Any, **named: Any) -> None:
        decays = isinstance(learning_rate, LearningRateDecay)
        self._decay = learning_rate if decays else None
        rate = learning_rate.schedule if decays else learning_rate
        super().__init__(rate, *settings, **named)

    minimize = method(
        optimizer.Optimizer.minimize,
        "loss, startup_program=None, parameter_list=None, no_grad_set=None",
        parameter_list="parameters",
    )
    backward = method(
        optimizer.Optimizer.backward,
        "loss, startup_program=None, parameter_list=None, no_grad_set=None, "
        "callbacks=None",
        parameter_list="parameters",
    )

    def step(self) -> None:
        """Update every parameter that has a gradient; a decay goes on by one."""
        if self._decay is not None:
            self._decay()
        super().step()

    def apply_optimize(
        self, loss: Variable, startup_program: Program | None, params_grads: Pairs
    ) -> list[Operator]:
        """Call `apply_gradients` in the program of `loss`."""
        startup = startup_program or default_startup_program()
        with program_guard(loss.block.program, startup):
            return self.apply_gradients(params_grads)

    def changes_gradients(self, pairs: Pairs) -> bool:
        """True if a gradient is clipped or decayed before its parameter's update."""
        return bool(wishes) or super().changes_gradients(pairs)

    def clipped(self, pairs: Pairs) -> Pairs:
        """Clip the gradients by `grad_clip`, or else by `set_gradient_clip`."""
        static = pairs and isinstance(pairs[0][0], Variable)
        wished = clip_of(pairs[0][0].block.program) if static else None
        if wished is None or self._common.clip is not None:
            return super().clipped(pairs)
        return wished(pairs)

    def current_step_lr(self) -> float:
        """Return the learning rate of this step."""
        return self.get_lr()

    def get_opti_var_name_list(self) -> list[str]:
        """Return the names of the optimizer's state variables."""
        return list(self._accumulators.state())


class SGDOptimizer(Optimizer, optimizer.SGD):
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


class MomentumOptimizer(Optimizer, optimizer.Momentum):
    """SGD with momentum: `fluid.optimizer.Momentum`."""

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


class AdagradOptimizer(Optimizer, optimizer.Adagrad):
    """Steps divided by the root of the sum of squares: `fluid.optimizer.Adagrad`."""

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


class AdadeltaOptimizer(Optimizer, optimizer.Adadelta):
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


class RMSPropOptimizer(Optimizer, optimizer.RMSProp):
    """Steps divided by the root mean square: `fluid.optimizer.RMSPropOptimizer`."""

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


class AdamOptimizer(Optimizer, optimizer.Adam):
    """Momentum divided by the root mean square: `fluid.optimizer.Adam`."""

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


class AdamaxOptimizer(Optimizer, optimizer.Adamax):
    """Momentum divided by the largest gradient: `fluid.optimizer.Adamax`."""

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


class LambOptimizer(Optimizer, optimizer.Lamb):
    """Adam for very large batches: `fluid.optimizer.LambOptimizer`."""

    def __init__(
        self,
        learning_rate: Any = 0.001,
        lamb_weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-6,
        parameter_list: Any = None,
        regularization: Any = None,
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
