"""Paddle 1.x's `fluid.optimizer`: optimizers with 1.x's argument names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from teachgraph import optimizer
from teachgraph.fluid.aliases import method
from teachgraph.fluid.clip import clip_of, wishes
from teachgraph.fluid.decays import LearningRateDecay
from teachgraph.fluid.lookahead import LookaheadOptimizer
from teachgraph.ops.left_out import absent
from teachgraph.optimizer.groups import KINDS
from teachgraph.optimizer.optimizer import Pairs
from teachgraph.optimizer.recompute import RecomputeOptimizer
from teachgraph.static import (
    ExponentialMovingAverage,
    Operator,
    Program,
    Variable,
    default_main_program,
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
    "Lamb",
    "LambOptimizer",
    "LookaheadOptimizer",
    "Momentum",
    "MomentumOptimizer",
    "Optimizer",
    "RMSProp",
    "RMSPropOptimizer",
    "RecomputeOptimizer",
    "SGDOptimizer",
]


class Optimizer(optimizer.Optimizer):
    """Base of 1.x's optimizers: `fluid.optimizer.Optimizer`.

    Args:
        learning_rate: A number, a Variable of `fluid.layers`' decays, or a decay of
            `fluid.dygraph`, which advances with each `minimize`.
        more: The arguments of the 2.x optimizer that is wrapped; and by name, `named`.
    """

    kinds = KINDS

    def __init__(self, learning_rate: Any = 0.001, *more: Any, **named: Any) -> None:
        decays = isinstance(learning_rate, LearningRateDecay)
        self._decay = learning_rate if decays else None
        rate = learning_rate.schedule if decays else learning_rate
        super().__init__(rate, *more, **named)

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

    def step_along(self, pairs: Pairs) -> list[Operator]:
        """Update Tensors by these gradients; a decay goes on by one."""
        if self._decay is not None:
            self._decay()
        return super().step_along(pairs)

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

    def _global_learning_rate(self, program: Program | None = None) -> Variable | None:
        """Return the rate as a variable of a program, None before `minimize`."""
        program = default_main_program() if program is None else program
        return self._rate.variables.get(id(program))

    def get_opti_var_name_list(self) -> list[str]:
        """Return the names of the optimizer's state variables."""
        return list(self._accumulators.state())


SHARED = "parameter_list=None, regularization=None, grad_clip=None, name=None"
"""The arguments that most optimizers of 1.x take last."""


def wrapped_init(signature: str) -> Any:
    """The `__init__` of an optimizer, with 1.x's arguments; see `method`."""
    return method(
        Optimizer.__init__,
        signature,
        parameter_list="parameters",
        regularization="weight_decay",
    )


class SGDOptimizer(Optimizer, optimizer.SGD):
    """w <- w - learning_rate dw: `fluid.optimizer.SGD`."""

    __init__ = wrapped_init(f"learning_rate, {SHARED}")


class MomentumOptimizer(Optimizer, optimizer.Momentum):
    """SGD with momentum: `fluid.optimizer.Momentum`."""

    __init__ = wrapped_init(
        "learning_rate, momentum, parameter_list=None, use_nesterov=False, "
        "regularization=None, grad_clip=None, name=None"
    )


class AdagradOptimizer(Optimizer, optimizer.Adagrad):
    """Steps divided by the root of the sum of squares: `fluid.optimizer.Adagrad`."""

    __init__ = wrapped_init(
        f"learning_rate, epsilon=1e-6, {SHARED}, initial_accumulator_value=0.0"
    )


class AdadeltaOptimizer(Optimizer, optimizer.Adadelta):
    """Steps in units of the parameter: `fluid.optimizer.Adadelta`.

    As in 1.x `learning_rate` has no effect: the steps are the paper's, whose rate is 1.
    """

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
            1.0, epsilon, rho, parameter_list, regularization, grad_clip, name
        )


class RMSPropOptimizer(Optimizer, optimizer.RMSProp):
    """Steps divided by the root mean square: `fluid.optimizer.RMSPropOptimizer`."""

    __init__ = wrapped_init(
        f"learning_rate, rho=0.95, epsilon=1e-6, momentum=0.0, centered=False, {SHARED}"
    )


class AdamOptimizer(Optimizer, optimizer.Adam):
    """Momentum divided by the root mean square: `fluid.optimizer.Adam`."""

    __init__ = wrapped_init(
        "learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, "
        f"{SHARED}, lazy_mode=False"
    )


class AdamaxOptimizer(Optimizer, optimizer.Adamax):
    """Momentum divided by the largest gradient: `fluid.optimizer.Adamax`."""

    __init__ = wrapped_init(
        f"learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, {SHARED}"
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
RMSProp, Lamb = RMSPropOptimizer, LambOptimizer

if not TYPE_CHECKING:
    __getattr__ = absent("fluid.optimizer")
