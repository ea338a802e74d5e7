"""`ReduceOnPlateau`: a schedule that reduces the rate when a metric stagnates."""

from __future__ import annotations

from typing import Any

import numpy as np

from teachgraph.core.errors import DTypeError
from teachgraph.optimizer.lr.cycle import one_of
from teachgraph.optimizer.lr.decay import below_one
from teachgraph.optimizer.lr.scheduler import LRScheduler

__all__ = ["ReduceOnPlateau"]


class ReduceOnPlateau(LRScheduler):
    """Multiply the rate by `factor` when a metric has stopped improving.

    Args:
        learning_rate: The rate to start from.
        mode: "min" if a smaller metric is better, "max" if a larger one is.
        factor: Less than 1.
        patience: The number of epochs without improvement to tolerate.
        threshold: The smallest change that is an improvement.
        threshold_mode: "rel", as a share of the best metric, or "abs".
        cooldown: The number of epochs to ignore after a reduction.
        min_lr: The lowest rate.
        epsilon: Smaller changes of the rate are not made.
        verbose: Print each new rate.

    Raises:
        DTypeError: The rate is no number.
        InvalidValueError: A mode is unknown, or the factor is not less than 1.

    In Paddle this is `paddle.optimizer.lr.ReduceOnPlateau`.

    >>> rate = ReduceOnPlateau(1.0, factor=0.5, patience=1)
    >>> for loss in (3.0, 3.0, 3.0):
    ...     rate.step(loss)
    >>> rate()
    0.5
    """

    best: float | None

    def __init__(
        self,
        learning_rate: float,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float = 0,
        epsilon: float = 1e-8,
        verbose: bool = False,
    ) -> None:
        self.mode, self.threshold_mode = mode.lower(), threshold_mode.lower()
        one_of("mode", self.mode, ("min", "max"))
        one_of("threshold_mode", self.threshold_mode, ("rel", "abs"))
        self.factor, self.patience = below_one("factor", factor), patience
        self.threshold, self.cooldown = threshold, cooldown
        self.min_lr, self.epsilon = min_lr, epsilon
        self.cooldown_counter = self.num_bad_epochs = 0
        self.best = None
        self.start(learning_rate, 0, verbose)

    def state_keys(self) -> None:
        """Name in `keys` the attributes that `state_dict` saves."""
        counted = ["cooldown_counter", "best", "num_bad_epochs"]
        self.keys = [*counted, "last_epoch", "last_lr"]

    def step(  # type: ignore[override]
        self, metrics: Any, epoch: int | None = None
    ) -> None:
        """Record an epoch's metric; reduce the rate if it is due.

        Raises:
            DTypeError: The metric is not one number.
        """
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        metric = one_number(metrics)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self.is_better(metric, self.best):
            self.best, self.num_bad_epochs = metric, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
            self.reduce()

    def reduce(self) -> None:
        """Reduce the rate."""
        new = max(self.last_lr * self.factor, self.min_lr)
        if self.last_lr - new > self.epsilon:
            self.last_lr = new
            self.tell()

    def is_better(self, metric: float, best: float) -> bool:
        """True if the metric is better by more than the threshold."""
        margin = self.threshold * (best if self.threshold_mode == "rel" else 1.0)
        return metric < best - margin if self.mode == "min" else metric > best + margin


def one_number(metric: Any) -> float:
    """Convert a metric to a number.

    Raises:
        DTypeError: The metric is no number, or several.
    """
    array = np.asarray(metric)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise DTypeError.here(f"a metric is one number, got {metric!r}")
    return float(array.item())
