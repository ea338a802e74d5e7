"""Cyclic schedules: the one-cycle policy, and repeated triangular cycles."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.optimizer.lr.cosine import half_cosine
from teachgraph.optimizer.lr.scheduler import (
    LRScheduler,
    number,
    positive,
    positive_int,
)

__all__ = ["CyclicLR", "OneCycleLR"]


def linear_share(start: float, end: float, share: float) -> float:
    """Interpolate linearly from `start` (share 0) to `end` (share 1)."""
    return start + (end - start) * share


class OneCycleLR(LRScheduler):
    """One cycle: from max_learning_rate / divide_factor up to the maximum, then down.

    Args:
        max_learning_rate: The highest rate.
        total_steps: The number of steps of the whole training.
        divide_factor: The ratio of the highest to the first rate.
        end_learning_rate: The last rate.
        phase_pct: The share of the steps in which the rate rises.
        anneal_strategy: "cos", along half a cosine, or "linear".
        three_phase: Return to the first rate in as many steps as the rise took, then
            fall to the last.
        last_epoch: The epoch before the first one.
        verbose: Print each new rate.

    Raises:
        DTypeError: An argument is no number.
        InvalidValueError: A number is out of its range, or the strategy is unknown; in
            `step`, the training has no more steps.

    In Paddle this is `paddle.optimizer.lr.OneCycleLR`; from Smith and Topin,
    Super-Convergence (2017).
    """

    def __init__(
        self,
        max_learning_rate: float,
        total_steps: int,
        divide_factor: float = 25.0,
        end_learning_rate: float = 0.0001,
        phase_pct: float = 0.3,
        anneal_strategy: str = "cos",
        three_phase: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.total_steps = positive_int("total_steps", total_steps)
        one_of("anneal_strategy", anneal_strategy, ("cos", "linear"))
        self.along = half_cosine if anneal_strategy == "cos" else linear_share
        top = not_negative("max_learning_rate", max_learning_rate)
        first = top / positive("divide_factor", divide_factor)
        last = not_negative("end_learning_rate", end_learning_rate)
        rising = (
            check_share("phase_pct", phase_pct, 0.5 if three_phase else 1.0)
            * total_steps
        )
        self.corners = [(0.0, first), (rising - 1, top)]
        if three_phase:
            self.corners.append((2 * rising - 2, first))
        self.corners.append((total_steps - 1.0, last))
        super().__init__(first, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch: between the corners before and after it."""
        epoch = self.last_epoch
        if epoch > self.total_steps:
            raise InvalidValueError.here(
                f"Tried to step {epoch} times. However the number of total steps "
                f"is {self.total_steps}"
            )
        phases = list(pairwise(self.corners))
        ahead = (phase for phase in phases if epoch <= phase[1][0])
        (begin, low), (end, high) = next(ahead, phases[-1])
        return self.along(
            low, high, (epoch - begin) / (end - begin) if end > begin else 1
        )


class CyclicLR(LRScheduler):
    """Triangular cycles: up from base to max in step_size_up steps, then down.

    Args:
        base_learning_rate: The lowest rate.
        max_learning_rate: The highest rate of the first cycle.
        step_size_up: The number of rising steps.
        step_size_down: The number of falling steps; by default as many.
        mode: The height of cycles: "triangular", constant; "triangular2", halved in
            each cycle; "exp_range", exp_gamma^t.
        exp_gamma: See `mode`.
        scale_fn: A function that returns the height, instead of `mode`.
        scale_mode: The argument of `scale_fn`: "cycle" (from 1) or "iterations".
        last_epoch: The epoch before the first one.
        verbose: Print each new rate.

    Raises:
        DTypeError: An argument is no number.
        InvalidValueError: A number is out of its range, or a mode is unknown.

    In Paddle this is `paddle.optimizer.lr.CyclicLR`; from Smith, Cyclical Learning
    Rates for Training Neural Networks (2015).

    >>> rate = CyclicLR(0.0, 1.0, step_size_up=2)
    >>> rates = []
    >>> for _ in range(6):
    ...     rates.append(rate())
    ...     rate.step()
    >>> rates
    [0.0, 0.5, 1.0, 0.5, 0.0, 0.5]
    """

    def __init__(
        self,
        base_learning_rate: float,
        max_learning_rate: float,
        step_size_up: int,
        step_size_down: int | None = None,
        mode: str = "triangular",
        exp_gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.max_lr = not_negative("max_learning_rate", max_learning_rate)
        self.up = positive_int("step_size_up", step_size_up)
        self.down = self.up
        if step_size_down is not None:
            self.down = positive_int("step_size_down", step_size_down)
        self.gamma = number("exp_gamma", exp_gamma)
        one_of("scale_mode", scale_mode, ("cycle", "iterations"))
        if scale_fn is None:
            one_of("mode", mode, HEIGHTS)
        self.mode, self.scale_fn, self.scale_mode = mode, scale_fn, scale_mode
        super().__init__(base_learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        before, since = divmod(self.last_epoch, self.up + self.down)
        rising = since / self.up
        falling = (self.up + self.down - since) / self.down
        share = min(rising, falling) * self.height(before + 1)
        return linear_share(self.base_lr, self.max_lr, share)

    def height(self, cycle: int) -> float:
        """Compute the height of a cycle; the first one is 1."""
        if self.scale_fn is None:
            return HEIGHTS[self.mode](cycle, self.last_epoch, self.gamma)
        return self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)


HEIGHTS: dict[str, Callable[[int, int, float], float]] = {
    "triangular": lambda cycle, epoch, gamma: 1.0,
    "triangular2": lambda cycle, epoch, gamma: 0.5 ** (cycle - 1),
    "exp_range": lambda cycle, epoch, gamma: gamma**epoch,
}


def one_of(name: str, value: Any, known: Any) -> None:
    """Require one of the known values.

    Raises:
        InvalidValueError: The value is none of them.
    """
    if value not in known:
        raise InvalidValueError.here(
            f"{name} must be one of {', '.join(known)}, got {value!r}"
        )


def not_negative(name: str, value: Any) -> float:
    """Require a number of at least 0.

    Raises:
        DTypeError: The value is no number.
        InvalidValueError: The value is less than 0.
    """
    if not number(name, value) >= 0.0:
        raise InvalidValueError.here(f"{name} is less than 0: {value!r}")
    return float(value)


def check_share(name: str, value: Any, most: float) -> float:
    """Require a number from 0 to `most`.

    Raises:
        DTypeError: The value is no number.
        InvalidValueError: The value is out of the range.
    """
    if not not_negative(name, value) <= most:
        raise InvalidValueError.here(
            f"{name} must be between 0 and {most:g}, got {value!r}"
        )
    return float(value)
