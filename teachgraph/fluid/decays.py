"""Paddle 1.x's learning rate decays of dynamic mode, advanced by each `minimize`.

Those counted in epochs are advanced by the user, with `epoch()`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.optimizer.lr import LRScheduler, ReduceOnPlateau
from teachgraph.optimizer.lr.decay import way_left

__all__ = [
    "CosineDecay",
    "ExponentialDecay",
    "InverseTimeDecay",
    "LambdaDecay",
    "LearningRateDecay",
    "LinearLrWarmup",
    "MultiStepDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "PiecewiseDecay",
    "PolynomialDecay",
    "ReduceLROnPlateau",
    "StepDecay",
]


class Schedule(LRScheduler):
    """Scheduler of an optimizer that returns the latest rate of a decay."""

    def __init__(self, decay: LearningRateDecay) -> None:
        self.decay = decay
        self.start(0.0, -1, verbose=False)

    def __call__(self) -> float:
        """The rate of this step."""
        return self.decay.now()

    def state_dict(self) -> dict[str, Any]:
        """The number of the step."""
        return self.decay.state_dict()

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Do nothing: the decay's own state is restored."""
        self.decay.set_state_dict(state_dict)


class LearningRateDecay:
    """A learning rate that depends on the number of the step.

    A subclass computes the rate of step `step_num` in `step`.

    Args:
        begin: The number of the first step.
        step: The increment of the step number.
        dtype: Accepted for Paddle's sake.
    """

    counted = "step_num"

    def __init__(self, begin: int = 0, step: int = 1, dtype: Any = "float32") -> None:
        self.step_num, self.step_size, self.dtype = begin, step, dtype
        self.schedule = Schedule(self)
        self.last: float | None = None

    def step(self) -> float:
        """The rate in step `step_num`."""
        raise NotImplementedError(f"{type(self).__name__} has no step")

    def __call__(self) -> float:
        """Return the rate of this step, and go on to the next step.

        >>> rate = ExponentialDecay(0.5, decay_steps=1, decay_rate=0.5)
        >>> rate(), rate()
        (0.5, 0.25)
        """
        self.last = float(self.step())
        self.step_num += self.step_size
        return self.last

    def now(self) -> float:
        """Return the rate of the latest step, or of the first."""
        return float(self.step()) if self.last is None else self.last

    def state_dict(self) -> dict[str, Any]:
        """Return the number of the step."""
        return {self.counted: getattr(self, self.counted)}

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restore the number of the step."""
        setattr(self, self.counted, state_dict[self.counted])

    set_dict = set_state_dict


class PiecewiseDecay(LearningRateDecay):
    """values[i] from step boundaries[i - 1] on."""

    def __init__(
        self,
        boundaries: Sequence[int],
        values: Sequence[float],
        begin: int,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        self.boundaries, self.values = boundaries, values

    def step(self) -> float:
        """The value of the piece that the step is in."""
        return self.values[sum(self.step_num >= end for end in self.boundaries)]


class Decay(LearningRateDecay):
    """A learning rate that decays with the number of steps.

    Args:
        learning_rate: The initial rate.
        decay_steps: The number of steps of one decay.
        decay_rate: The strength of one decay.
        staircase: True to count whole decays only.
        begin: The number of the first step.
        step: The increment of the step number.
        dtype: Accepted for Paddle's sake.
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        decay_rate: float,
        staircase: bool = False,
        begin: int = 0,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_rate = learning_rate, decay_rate
        self.decay_steps, self.staircase = decay_steps, staircase

    @property
    def decays(self) -> float:
        """Return the number of decays so far."""
        count = self.step_num / self.decay_steps
        return math.floor(count) if self.staircase else count


class NaturalExpDecay(Decay):
    """learning_rate exp(-decay_rate step / decay_steps)."""

    def step(self) -> float:
        """The rate in this step."""
        return self.learning_rate * math.exp(-self.decay_rate * self.decays)


class ExponentialDecay(Decay):
    """learning_rate decay_rate^(step / decay_steps)."""

    def step(self) -> float:
        """The rate in this step."""
        return float(self.learning_rate * self.decay_rate**self.decays)


class InverseTimeDecay(Decay):
    """learning_rate / (1 + decay_rate step / decay_steps)."""

    def step(self) -> float:
        """The rate in this step."""
        return self.learning_rate / (1 + self.decay_rate * self.decays)


class PolynomialDecay(LearningRateDecay):
    """(learning_rate - end) (1 - step / decay_steps)^power + end.

    After `decay_steps` it stays at the end, or with `cycle` restarts, longer.
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        end_learning_rate: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        begin: int = 0,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        self.learning_rate, self.decay_steps = learning_rate, decay_steps
        self.end_learning_rate, self.power, self.cycle = end_learning_rate, power, cycle

    def step(self) -> float:
        """The rate in this step."""
        left = way_left(self.step_num, self.decay_steps, cycle=self.cycle)
        end = self.end_learning_rate
        return float((self.learning_rate - end) * left**self.power + end)


class CosineDecay(LearningRateDecay):
    """learning_rate (cos(pi epoch / epochs) + 1) / 2."""

    def __init__(
        self,
        learning_rate: float,
        step_each_epoch: int,
        epochs: int,
        begin: int = 0,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        self.learning_rate = learning_rate
        self.step_each_epoch, self.epochs = step_each_epoch, epochs

    def step(self) -> float:
        """The rate in this step."""
        epoch = self.step_num // self.step_each_epoch
        return self.learning_rate * (math.cos(epoch * math.pi / self.epochs) + 1) / 2


class NoamDecay(LearningRateDecay):
    """learning_rate d_model^-0.5 min(step^-0.5, step warmup_steps^-1.5).

    The Transformer's (Vaswani et al., 2017).
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        begin: int = 1,
        step: int = 1,
        dtype: Any = "float32",
        learning_rate: float = 1.0,
    ) -> None:
        super().__init__(begin, step, dtype)
        self.learning_rate, self.d_model = learning_rate, d_model
        self.warmup_steps = warmup_steps

    def step(self) -> float:
        """The rate in this step."""
        least = min(self.step_num**-0.5, self.step_num * self.warmup_steps**-1.5)
        return float(self.learning_rate * self.d_model**-0.5 * least)


class LinearLrWarmup(LearningRateDecay):
    """A linear warmup, after which `learning_rate` follows.

    Args:
        learning_rate: A number, or another decay.
        warmup_steps: The length of the warmup.
        start_lr: The rate at its beginning, less than `end_lr`.
        end_lr: The rate at its end.
        begin: The number of the first step.
        step: The increment of the step number.
        dtype: Accepted for Paddle's sake.

    During the warmup the rate is step (end_lr - start_lr) / warmup_steps, as in Paddle
    1.x, which does not add `start_lr`.
    """

    def __init__(
        self,
        learning_rate: Any,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        begin: int = 1,
        step: int = 1,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(begin, step, dtype)
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        if not end_lr > start_lr:
            raise InvalidValueError.here(
                f"end_lr {end_lr} is greater than start_lr {start_lr}"
            )
        self.ratio = (end_lr - start_lr) / warmup_steps

    def step(self) -> float:
        """The rate in this step."""
        follows = self.learning_rate
        later = follows() if callable(follows) else follows
        early = self.step_num < self.warmup_steps
        return float(self.ratio * self.step_num if early else later)

    def now(self) -> float:
        """Return the rate of the latest step, without advancing an inner decay."""
        return self.ratio * self.step_num if self.last is None else self.last


class Epochs(LearningRateDecay):
    """A learning rate that depends on the number of the epoch."""

    counted = "epoch_num"

    def __init__(self, learning_rate: float, dtype: Any = "float32") -> None:
        super().__init__(dtype=dtype)
        self.base_lr, self.epoch_num = learning_rate, 0

    def get_lr(self) -> float:
        """The rate in epoch `epoch_num`."""
        raise NotImplementedError(f"{type(self).__name__} has no get_lr")

    def step(self) -> float:
        """The rate in this step."""
        return self.get_lr()

    def epoch(self, epoch: int | None = None) -> None:
        """Go on to the next epoch, or to `epoch`.

        >>> rate = StepDecay(0.5, step_size=1)
        >>> rate.epoch()
        >>> rate()
        0.05
        """
        self.epoch_num = self.epoch_num + 1 if epoch is None else epoch


class StepDecay(Epochs):
    """learning_rate decay_rate^(epoch // step_size)."""

    def __init__(
        self, learning_rate: float, step_size: int, decay_rate: float = 0.1
    ) -> None:
        super().__init__(learning_rate)
        self.step_size, self.decay_rate = step_size, decay_rate

    def get_lr(self) -> float:
        """The rate in this epoch."""
        return float(
            self.base_lr * self.decay_rate ** (self.epoch_num // self.step_size)
        )


class MultiStepDecay(Epochs):
    """learning_rate decay_rate^(how many milestones are reached)."""

    def __init__(
        self, learning_rate: float, milestones: Sequence[int], decay_rate: float = 0.1
    ) -> None:
        super().__init__(learning_rate)
        self.milestones, self.decay_rate = milestones, decay_rate

    def get_lr(self) -> float:
        """The rate in this epoch."""
        reached = sum(self.epoch_num >= milestone for milestone in self.milestones)
        return float(self.base_lr * self.decay_rate**reached)


class LambdaDecay(Epochs):
    """learning_rate lr_lambda(epoch)."""

    def __init__(self, learning_rate: float, lr_lambda: Callable[[int], float]) -> None:
        super().__init__(learning_rate)
        self.lr_lambda = lr_lambda

    def get_lr(self) -> float:
        """The rate in this epoch."""
        return self.base_lr * self.lr_lambda(self.epoch_num)


class ReduceLROnPlateau(LearningRateDecay):
    """A rate that is multiplied by `decay_rate` when a loss no longer falls.

    Args:
        learning_rate: The initial rate.
        mode: "min"; "max" for a score that should rise.
        decay_rate: The factor, less than 1.
        patience: The number of epochs without an improvement before a reduction.
        verbose: Print each new rate.
        threshold: The least improvement that counts.
        threshold_mode: "rel": relative to the best; "abs": absolute.
        cooldown: The number of epochs after a reduction that are not counted.
        min_lr: The lower bound of the rate.
        eps: A smaller reduction is omitted.
        dtype: Accepted for Paddle's sake.
    """

    def __init__(
        self,
        learning_rate: float,
        mode: str = "min",
        decay_rate: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0,
        eps: float = 1e-8,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(dtype=dtype)
        self.plateau = ReduceOnPlateau(
            learning_rate,
            mode,
            decay_rate,
            patience,
            threshold,
            threshold_mode,
            cooldown,
            min_lr,
            eps,
            verbose,
        )

    def step(self, loss: Any = None) -> float:
        """Count an epoch by its loss; return the rate."""
        if loss is not None:
            self.plateau.step(loss)
        return self.plateau()

    def now(self) -> float:
        """Return the present rate."""
        return self.plateau()
