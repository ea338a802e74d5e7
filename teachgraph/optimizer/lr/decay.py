"""Decay schedules: the learning rate as a function of the epoch t."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import ceil, exp, prod

from teachgraph.core.errors import DTypeError, InvalidValueError
from teachgraph.optimizer.lr.scheduler import (
    LRScheduler,
    number,
    positive,
    positive_int,
)

__all__ = [
    "ExponentialDecay",
    "InverseTimeDecay",
    "LambdaDecay",
    "MultiStepDecay",
    "MultiplicativeDecay",
    "NaturalExpDecay",
    "NoamDecay",
    "PiecewiseDecay",
    "PolynomialDecay",
    "StepDecay",
]


class ExponentialDecay(LRScheduler):
    """rate = learning_rate gamma^t, gamma in (0, 1).

    >>> rate = ExponentialDecay(0.5, gamma=0.5)
    >>> rate.step()
    >>> rate()
    0.25

    In Paddle this is `paddle.optimizer.lr.ExponentialDecay`; likewise for the others.
    """

    def __init__(
        self,
        learning_rate: float,
        gamma: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.gamma = below_one("gamma", positive("gamma", gamma))
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        return self.base_lr * self.gamma**self.last_epoch


class NaturalExpDecay(LRScheduler):
    """rate = learning_rate e^(-gamma t)."""

    def __init__(
        self,
        learning_rate: float,
        gamma: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.gamma = positive("gamma", gamma)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        return self.base_lr * exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """rate = learning_rate / (1 + gamma t)."""

    def __init__(
        self,
        learning_rate: float,
        gamma: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.gamma = number("gamma", gamma)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        return self.base_lr / (1.0 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """rate = end_lr + (learning_rate - end_lr) (1 - t / decay_steps)^power.

    Then it stays at end_lr; with `cycle` it restarts with 2, 3, ... times as many
    steps.
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        end_lr: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.decay_steps = positive_int("decay_steps", decay_steps)
        self.end_lr, self.power = number("end_lr", end_lr), positive("power", power)
        self.cycle = cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        epoch, steps = self.last_epoch, self.decay_steps
        left = way_left(epoch, steps, cycle=self.cycle)
        return float(self.end_lr + (self.base_lr - self.end_lr) * left**self.power)


class NoamDecay(LRScheduler):
    """rate = learning_rate d_model^-0.5 min(t^-0.5, t warmup_steps^-1.5).

    It rises for `warmup_steps` and falls from there. From Vaswani et al., Attention Is
    All You Need (2017).
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        learning_rate: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.d_model = positive("d_model", d_model)
        self.warmup_steps = positive("warmup_steps", warmup_steps)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        epoch = self.last_epoch
        falling = float(epoch) ** -0.5 if epoch else 1.0
        rising = epoch * self.warmup_steps**-1.5
        return float(self.base_lr * self.d_model**-0.5 * min(falling, rising))


class PiecewiseDecay(LRScheduler):
    """rate = values[i] before boundaries[i], the last value after all boundaries.

    >>> rate = PiecewiseDecay([1, 3], [0.5, 0.25, 0.125])
    >>> rates = []
    >>> for _ in range(4):
    ...     rates.append(rate())
    ...     rate.step()
    >>> rates
    [0.5, 0.25, 0.25, 0.125]
    """

    def __init__(
        self,
        boundaries: Sequence[int],
        values: Sequence[float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not boundaries or len(values) <= len(boundaries):
            raise InvalidValueError.here(
                "values must be one more than boundaries, of which there is at "
                f"least one, got {len(values)} and {len(boundaries)}"
            )
        self.boundaries, self.values = boundaries, values
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        return self.values[passed(self.boundaries, self.last_epoch)]


class MultiStepDecay(LRScheduler):
    """rate = learning_rate gamma^(number of milestones reached)."""

    def __init__(
        self,
        learning_rate: float,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not isinstance(milestones, (list, tuple)):
            raise DTypeError.here(f"milestones is a list, got {milestones!r}")
        if not all(one < next_one for one, next_one in pairwise(milestones)):
            raise InvalidValueError.here(f"milestones must increase, got {milestones}")
        self.milestones, self.gamma = milestones, below_one("gamma", gamma)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        return float(
            self.base_lr * self.gamma ** passed(self.milestones, self.last_epoch)
        )


class StepDecay(LRScheduler):
    """rate = learning_rate gamma^(t // step_size)."""

    def __init__(
        self,
        learning_rate: float,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.step_size = positive_int("step_size", step_size)
        self.gamma = below_one("gamma", gamma)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        return float(self.base_lr * self.gamma ** (self.last_epoch // self.step_size))


class LambdaDecay(LRScheduler):
    """rate = learning_rate lr_lambda(t)."""

    def __init__(
        self,
        learning_rate: float,
        lr_lambda: Callable[[int], float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.lr_lambda = function("lr_lambda", lr_lambda)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LRScheduler):
    """rate = learning_rate lr_lambda(1) lr_lambda(2) ... lr_lambda(t)."""

    def __init__(
        self,
        learning_rate: float,
        lr_lambda: Callable[[int], float],
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.lr_lambda = function("lr_lambda", lr_lambda)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        return prod(
            map(self.lr_lambda, range(1, self.last_epoch + 1)), start=self.base_lr
        )


def way_left(epoch: int, steps: int, *, cycle: bool) -> float:
    """Compute the remaining share of the steps, or of their next multiple for a cycle.

    >>> [way_left(epoch, 2, cycle=True) for epoch in range(4)]
    [1.0, 0.5, 0.0, 0.25]
    """
    total = steps * max(1, ceil(epoch / steps)) if cycle else steps
    return 1.0 - min(epoch, total) / total


def passed(bounds: Sequence[int], epoch: int) -> int:
    """Count the bounds up to the first one that is greater than `epoch`."""
    ahead = (i for i, bound in enumerate(bounds) if epoch < bound)
    return next(ahead, len(bounds))


def below_one(name: str, value: float) -> float:
    """Require a factor less than 1.

    Raises:
        InvalidValueError: The factor is not.
    """
    if not number(name, value) < 1.0:
        raise InvalidValueError.here(f"{name} should be < 1.0, got {value!r}")
    return float(value)


def function(name: str, value: Callable[[int], float]) -> Callable[[int], float]:
    """Require a function of the epoch.

    Raises:
        DTypeError: The value is none.
    """
    if not callable(value):
        raise DTypeError.here(f"{name} is a function, got {value!r}")
    return value
