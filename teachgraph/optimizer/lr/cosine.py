"""Cosine annealing of the learning rate, without and with restarts."""

from __future__ import annotations

from math import cos, floor, pi

from teachgraph.core.errors import InvalidValueError
from teachgraph.optimizer.lr.scheduler import (
    LRScheduler,
    number,
    positive_int,
)

__all__ = ["CosineAnnealingDecay", "CosineAnnealingWarmRestarts", "half_cosine"]


def half_cosine(high: float, low: float, share: float) -> float:
    """Interpolate from `high` (share 0) to `low` (share 1) along half a cosine.

    >>> half_cosine(1.0, 0.0, 0.5)
    0.5
    """
    return low + (high - low) * (1.0 + cos(pi * share)) / 2.0


class CosineAnnealingDecay(LRScheduler):
    """Cosine from learning_rate to eta_min in T_max epochs, and back in as many.

    In Paddle this is `paddle.optimizer.lr.CosineAnnealingDecay`; from Loshchilov and
    Hutter, SGDR (2016), without its restarts.

    >>> rate = CosineAnnealingDecay(0.5, T_max=2)
    >>> rate.step(2)
    >>> rate()
    0.0
    """

    def __init__(
        self,
        learning_rate: float,
        T_max: int,  # noqa: N803  Paddle's name
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.T_max = positive_int("T_max", T_max)
        self.eta_min = number("eta_min", eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        return half_cosine(self.base_lr, self.eta_min, self.last_epoch / self.T_max)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosine from learning_rate to eta_min in T_0 epochs, then restarts.

    Each cycle is T_mult times as long as the one before.

    In Paddle this is `paddle.optimizer.lr.CosineAnnealingWarmRestarts`; from Loshchilov
    and Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts (2016).
    """

    def __init__(
        self,
        learning_rate: float,
        T_0: int,  # noqa: N803  Paddle's name
        T_mult: int = 1,  # noqa: N803  Paddle's name
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        self.T_0, self.T_mult = positive_int("T_0", T_0), positive_int("T_mult", T_mult)
        self.eta_min = number("eta_min", eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Compute the rate of this epoch."""
        since, length = self.last_epoch, self.T_0
        if self.T_mult == 1:
            since %= length
        while since >= length:
            since, length = since - length, length * self.T_mult
        return half_cosine(self.base_lr, self.eta_min, since / length)

    def step(self, epoch: float | None = None) -> None:
        """Advance to the next epoch, or to a given one, which may be fractional.

        Raises:
            InvalidValueError: The epoch is less than 0.
        """
        if epoch is not None and epoch < 0:
            raise InvalidValueError.here(
                f"Expected non-negative epoch, but got {epoch}"
            )
        super().step(epoch)  # type: ignore[arg-type]
        self.last_epoch = floor(self.last_epoch)
