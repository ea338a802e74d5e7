"""`ReduceLROnPlateau`: lowers the learning rate when a metric improves no more."""

from __future__ import annotations

import warnings

from teachgraph.callbacks.callback import Callback, Logs
from teachgraph.callbacks.stopping import Watched
from teachgraph.core.errors import InvalidValueError
from teachgraph.optimizer.lr import LRScheduler as Schedule

__all__ = ["ReduceLROnPlateau"]


class ReduceLROnPlateau(Callback):
    """Multiply the learning rate by a factor when a figure improves no more.

    Args:
        monitor: The name of the figure: "loss", or that of a metric.
        factor: What the learning rate is multiplied by, below 1.
        patience: Evaluations without improvement after which to do so.
        verbose: Whether to say so.
        mode: "min", "max", or "auto": "max" where the name has "acc" in it.
        min_delta: The least change that counts as an improvement.
        cooldown: Evaluations after a reduction in which none is counted.
        min_lr: The least learning rate.

    Raises:
        InvalidValueError: The factor is 1 or more.

    In Paddle this is `paddle.callbacks.ReduceLROnPlateau`.
    """

    def __init__(
        self,
        monitor: str = "loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 1,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        if factor >= 1.0:
            raise InvalidValueError.here(
                f"ReduceLROnPlateau does not support a factor >= 1.0, got {factor}"
            )
        super().__init__()
        self.watched = Watched(monitor, mode, min_delta)
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.wait = self.cooling = self.epoch = 0

    def on_train_begin(self, logs: Logs = None) -> None:
        """Begin anew."""
        self.wait = self.cooling = self.epoch = 0
        self.watched.reset()

    def on_eval_end(self, logs: Logs = None) -> None:
        """Compare with the best value; lower the rate if patience is at its end."""
        value = self.watched.value(logs)
        if value is None:
            return
        self.epoch += 1
        if self.cooling:
            self.cooling, self.wait = self.cooling - 1, 0
        if self.watched.improves(value):
            self.wait = 0
        elif not self.cooling:
            self.wait += 1
            if self.wait >= self.patience:
                self.reduce()

    def reduce(self) -> None:
        """Lower the learning rate, unless a schedule rules it."""
        optimizer = self.model.optimizer
        if isinstance(getattr(optimizer, "_learning_rate", None), Schedule):
            warnings.warn(
                "ReduceLROnPlateau needs a learning rate that is a number; this one "
                "follows a schedule",
                stacklevel=2,
            )
            return
        before = optimizer.get_lr()
        if before > self.min_lr:
            rate = max(before * self.factor, self.min_lr)
            optimizer.set_lr(rate)
            if self.verbose:
                print(
                    f"\nEpoch {self.epoch}: ReduceLROnPlateau reducing learning rate "
                    f"to {rate}."
                )
        self.cooling, self.wait = self.cooldown, 0
