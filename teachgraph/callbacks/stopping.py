"""`EarlyStopping`: ends training when a metric stops improving."""

from __future__ import annotations

import warnings
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from teachgraph.callbacks.callback import Callback, Logs

__all__ = ["EarlyStopping", "Watched"]


class Watched:
    """The best value so far of one metric in the logs.

    Args:
        monitor: The name of the metric.
        mode: "min" if less is better, "max" if more is, "auto" by the name.
        min_delta: The least change that counts as better.
        baseline: The value to begin with.

    Attributes:
        best: The best value so far.
    """

    def __init__(
        self,
        monitor: str,
        mode: str,
        min_delta: float,
        baseline: float | None = None,
    ) -> None:
        if mode not in {"auto", "min", "max"}:
            warnings.warn(f"mode {mode!r} is unknown, taken for 'auto'", stacklevel=4)
        more = mode == "max" or (mode != "min" and "acc" in monitor)
        self.monitor, self.sign = monitor, 1 if more else -1
        self.least, self.baseline = abs(min_delta), baseline
        self.reset()

    def reset(self) -> None:
        """Return to the baseline, or to the worst value there is."""
        self.best = -self.sign * inf if self.baseline is None else self.baseline

    def value(self, logs: Logs) -> float | None:
        """The metric in the logs of an evaluation; None, with a warning, without it."""
        if logs is None or self.monitor not in logs:
            warnings.warn(
                f"Monitor of {self.monitor!r} should be loss or metric name; there are "
                f"{', '.join(logs or ()) or 'none'}",
                stacklevel=2,
            )
            return None
        metric: Any = np.ravel(logs[self.monitor])[0]
        return float(metric)

    def improves(self, value: float) -> bool:
        """Tell whether a value is better than the best one, which it then replaces."""
        better = self.sign * (value - self.best) > self.least
        if better:
            self.best = value
        return better


class EarlyStopping(Callback):
    """Stop training when a metric of the evaluations has not improved for a while.

    Args:
        monitor: "loss", or the name of a metric.
        mode: "min", "max", or "auto": "max" where the name has "acc" in it.
        patience: Evaluations without improvement after which to stop.
        verbose: Print a message when training stops.
        min_delta: The least change that counts as an improvement.
        baseline: The value that the first evaluation has to improve on.
        save_best_model: Save the best state as `best_model` in `fit`'s `save_dir`.

    In Paddle this is `paddle.callbacks.EarlyStopping`.
    """

    save_dir: str | Path | None = None

    def __init__(
        self,
        monitor: str = "loss",
        mode: str = "auto",
        patience: int = 0,
        verbose: int = 1,
        min_delta: float = 0,
        baseline: float | None = None,
        save_best_model: bool = True,
    ) -> None:
        super().__init__()
        self.watched = Watched(monitor, mode, min_delta, baseline)
        self.patience, self.verbose = patience, verbose
        self.save_best_model = save_best_model
        self.wait_epoch = self.stopped_epoch = 0

    @property
    def best_value(self) -> float:
        """The best value so far."""
        return self.watched.best

    def on_train_begin(self, logs: Logs = None) -> None:
        """Reset the counters and the best value."""
        self.wait_epoch = self.stopped_epoch = 0
        self.watched.reset()

    def on_eval_end(self, logs: Logs = None) -> None:
        """Compare with the best value; stop when patience is exhausted."""
        if self.model.stop_training or not self.model.is_training:
            return
        value = self.watched.value(logs)
        if value is None:
            return
        if self.watched.improves(value):
            self.wait_epoch = 0
            if self.save_best_model and self.save_dir is not None:
                self.model.save(Path(self.save_dir, "best_model"))
        else:
            self.wait_epoch += 1
        if self.wait_epoch >= self.patience:
            self.stop()
        self.stopped_epoch += 1

    def stop(self) -> None:
        """End the training after this epoch, and print that it ends."""
        self.model.stop_training = True
        if self.verbose:
            print(f"Epoch {self.stopped_epoch + 1}: Early stopping.")
            if self.save_best_model and self.save_dir is not None:
                best = Path(self.save_dir, "best_model").resolve()
                print(f"Best checkpoint has been saved at {best}")
