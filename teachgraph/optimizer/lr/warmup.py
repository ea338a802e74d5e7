"""Linear schedules: warm-up before another schedule, and a linear ramp."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from teachgraph.core.errors import InvalidValueError
from teachgraph.optimizer.lr.scheduler import (
    LRScheduler,
    number,
    positive,
    positive_int,
)

__all__ = ["LinearLR", "LinearWarmup"]

INNER = "LinearWarmup_LR"


class LinearWarmup(LRScheduler):
    """Linear warm-up from start_lr to end_lr in warmup_steps, then `learning_rate`.

    Args:
        learning_rate: A number, or another schedule, which starts after the warm-up.
        warmup_steps: The number of steps of the warm-up.
        start_lr: The first rate.
        end_lr: The last rate of the warm-up, greater than start_lr.
        last_epoch: The epoch before the first one.
        verbose: Print each new rate.

    Raises:
        DTypeError: An argument is no number.
        InvalidValueError: end_lr is not greater than start_lr.

    In Paddle this is `paddle.optimizer.lr.LinearWarmup`.

    >>> rate = LinearWarmup(0.5, warmup_steps=2, start_lr=0.0, end_lr=0.5)
    >>> rate.step()
    >>> rate()
    0.25
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not isinstance(learning_rate, LRScheduler):
            learning_rate = number("learning_rate", learning_rate)
        self.learning_rate = learning_rate
        self.warmup_steps = positive_int("warmup_steps", warmup_steps)
        self.start_lr, self.end_lr = start_lr, end_lr
        if not end_lr > start_lr:
            raise InvalidValueError.here(
                f"end_lr {end_lr} must be greater than start_lr {start_lr}"
            )
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        late = self.last_epoch - self.warmup_steps
        if late < 0:
            share = self.last_epoch / self.warmup_steps
            return self.start_lr + (self.end_lr - self.start_lr) * share
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(late)
            return self.learning_rate()
        return self.learning_rate

    def state_dict(self) -> dict[str, Any]:
        """Return the state that resuming needs, with that of the inner schedule."""
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state[INNER] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restore a saved state."""
        super().set_state_dict(state_dict)
        if isinstance(self.learning_rate, LRScheduler) and INNER in state_dict:
            self.learning_rate.set_state_dict(state_dict[INNER])

    set_dict = set_state_dict

    def own_keys(self) -> list[str]:
        """List all keys that a state may have."""
        return [*self.keys, INNER]


class LinearLR(LRScheduler):
    """Linear from learning_rate start_factor to learning_rate end_factor.

    In Paddle this is `paddle.optimizer.lr.LinearLR`.

    >>> rate = LinearLR(1.0, total_steps=2, start_factor=0.5)
    >>> rate.step()
    >>> rate()
    0.75
    """

    def __init__(
        self,
        learning_rate: float,
        total_steps: int,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.total_steps = positive("total_steps", total_steps)
        self.start_factor = factor("start_factor", start_factor)
        self.end_factor = factor("end_factor", end_factor)
        positive("start_factor", start_factor)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        share = min(self.last_epoch / self.total_steps, 1.0)
        change = self.end_factor - self.start_factor
        return self.base_lr * (self.start_factor + change * share)


def factor(name: str, value: Any) -> float:
    """Require a number from 0 to 1.

    Raises:
        DTypeError: The value is no number.
        InvalidValueError: The value is out of the range.
    """
    if not 0.0 <= number(name, value) <= 1.0:
        raise InvalidValueError.here(f"{name} must be between 0 and 1, got {value!r}")
    return float(value)
